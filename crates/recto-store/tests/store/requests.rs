//! What was sent can be rebuilt from the record alone.

use crate::entries::*;
use recto_core::context::plan::Verdict;
use recto_engine::ports::{Entry, Journal};
use recto_store::StoreError;

#[tokio::test]
async fn store_s3_the_bytes_of_a_request_are_rebuilt_and_checked() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "编写 README")).await.unwrap();
    let sent = request("rq_1", "tn_1", 1, eventful_plan());
    let bytes = sent.wire.bytes();
    assert!(bytes.contains(r#"编写 README \"now\"\n\u0007🦀"#), "{bytes}");
    store.record(Entry::Request(Box::new(sent.clone()))).await.unwrap();

    let rebuilt = store.wire(rq("rq_1")).await.unwrap();
    assert_eq!(rebuilt, sent.wire);
    assert_eq!(rebuilt.bytes(), bytes);
}

#[tokio::test]
async fn assembly_e11_every_verdict_comes_back_as_it_was_decided() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    let mut sent = request("rq_1", "tn_1", 1, eventful_plan());
    sent.step = Some(r#"{"anyOf":[]}"#.into());
    store.record(Entry::Request(Box::new(sent.clone()))).await.unwrap();

    let record = store.request(rq("rq_1")).await.unwrap();
    let verdicts: Vec<&str> = record.plan.rows.iter().map(|row| row.verdict.as_str()).collect();
    assert_eq!(verdicts, ["kept", "dropped", "dropped", "dropped", "kept", "kept", "kept", "cut"]);
    assert!(matches!(record.plan.rows[7].verdict, Verdict::Cut { of_lines: 40, .. }), "{:?}", record.plan.rows[7]);
    assert_eq!(record.plan, sent.plan);
    assert_eq!(record.n_tokens_placed, sent.n_tokens_placed);
    assert_eq!(record.step, sent.step);
    assert_eq!(record.sampling, sent.sampling);
    assert_eq!(record.row.profile, sent.profile);
}

#[tokio::test]
async fn store_s3_a_text_that_is_sent_a_hundred_times_is_kept_once() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "question")).await.unwrap();
    for number in 1..=100 {
        let sent = request(&format!("rq_{number}"), "tn_1", number, eventful_plan());
        store.record(Entry::Request(Box::new(sent))).await.unwrap();
    }
    drop(store);
    let connection = rusqlite::Connection::open(scratch.path()).unwrap();
    let (n_texts, n_hashes): (u32, u32) = connection
        .query_row("SELECT count(*), count(DISTINCT hash) FROM texts", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    let mut distinct: std::collections::BTreeSet<String> = ["question".to_owned()].into();
    let plan = eventful_plan();
    distinct.extend(wire_of(&plan).pieces.into_iter().map(|piece| piece.text));
    distinct.extend(plan.rows.iter().map(|row| row.block.text.clone()));
    distinct.extend(plan.rows.into_iter().filter_map(|row| row.placed));
    assert_eq!((n_texts as usize, n_hashes as usize), (distinct.len(), distinct.len()));
}

#[tokio::test]
async fn store_s3_a_text_that_was_changed_afterwards_is_noticed() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    store.record(Entry::Request(Box::new(request("rq_1", "tn_1", 1, eventful_plan())))).await.unwrap();
    drop(store);
    let connection = rusqlite::Connection::open(scratch.path()).unwrap();
    connection.execute("UPDATE texts SET body = 'You are someone.' WHERE body = 'You are Recto.'", []).unwrap();
    drop(connection);
    let error = scratch.open().store.wire(rq("rq_1")).await.unwrap_err();
    assert!(matches!(error, StoreError::WireDiffers { .. }), "{error}");
}

#[tokio::test]
async fn the_requests_of_a_turn_come_in_their_order_with_their_replies() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    record(
        &store,
        vec![
            Entry::Request(Box::new(small_request("rq_b", "tn_1", 1, recto_core::request::Purpose::Work))),
            Entry::ReplySoFar { request: rq("rq_b"), text: "I will".into() },
            Entry::Reply {
                request: rq("rq_b"),
                reply: reply("I will write."),
                failure: None,
                transport: None,
                at_ms: 30,
            },
            // A part that comes late never replaces the whole.
            Entry::ReplySoFar { request: rq("rq_b"), text: "I will".into() },
            Entry::Request(Box::new(small_request("rq_a", "tn_1", 2, recto_core::request::Purpose::Answer))),
            Entry::ReplySoFar { request: rq("rq_a"), text: "It".into() },
            Entry::ReplySoFar { request: rq("rq_a"), text: "It is".into() },
        ],
    )
    .await;
    let rows = store.requests(tn("tn_1")).await.unwrap();
    let shown: Vec<String> = rows
        .iter()
        .map(|row| {
            let reply = row.reply.as_ref().unwrap();
            format!(
                "{} {} {} of {} stale {} reminder {} | {:?} arriving {} {:?} {:?}",
                row.number,
                row.purpose.as_str(),
                row.n_tokens,
                row.profile.window,
                row.n_stale_rounds,
                row.has_reminder,
                reply.reply.text,
                reply.is_arriving,
                reply.reply.finish,
                reply.ended_at_ms
            )
        })
        .collect();
    expect_test::expect![[r#"
        1 work 123 of 4096 stale 2 reminder true | "I will write." arriving false ToolCalls Some(30)
        2 answer 123 of 4096 stale 2 reminder true | "It is" arriving true Unmarked None"#]]
    .assert_eq(&shown.join("\n"));
    assert_eq!(rows[0].reply.as_ref().unwrap().reply, reply("I will write."));
}

#[tokio::test]
async fn a_part_with_the_failure_that_ended_it_is_kept_as_such() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    let failure = Some("the server closed the connection".to_owned());
    record(
        &store,
        vec![
            Entry::Request(Box::new(small_request("rq_1", "tn_1", 1, recto_core::request::Purpose::Work))),
            Entry::Reply {
                request: rq("rq_1"),
                reply: reply("half"),
                failure: failure.clone(),
                transport: None,
                at_ms: 30,
            },
        ],
    )
    .await;
    let row = store.requests(tn("tn_1")).await.unwrap().remove(0).reply.unwrap();
    assert_eq!((row.reply, row.failure, row.ended_at_ms), (reply("half"), failure, Some(30)));
}
