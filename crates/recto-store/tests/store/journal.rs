//! The engine's entries: each is there when the call returns, whole or not at all.

use crate::entries::*;
use recto_core::approval::Answer;
use recto_core::audit::{AuditEntry, AuditEvent};
use recto_core::fact::Fact;
use recto_core::request::Purpose;
use recto_core::text::ContentHash;
use recto_core::todo::TodoState;
use recto_core::tool::{CallOutcome, CallStatus, ToolIdentity};
use recto_engine::ports::{Entry, Journal};
use recto_store::{ApprovalRow, CallRow, OpenApproval, Store};

fn fact() -> Fact {
    let written = Some(ContentHash::of(b"milk"));
    let outcome =
        CallOutcome { status: CallStatus::Done, text: "写好了".into(), note: "written, 4 bytes".into(), written };
    Fact { identity: ToolIdentity::BuiltIn, call: call("c1"), target: "list.md".into(), outcome }
}

fn audit(turn: &str, event: AuditEvent) -> Entry {
    Entry::Audit(AuditEntry {
        at_ms: 40,
        conversation: cv("cv_1"),
        turn: turn.into(),
        call: "c1".into(),
        tool: "write_file".into(),
        target: "list.md".into(),
        event,
    })
}

/// One entry of every kind, in the order in which a turn makes them.
pub(crate) async fn whole_turn(store: &Store, turn: &str) {
    let decision = AuditEvent::Decision {
        is_allowed: true,
        decider: "person approved".into(),
        reason: None,
        digest: None,
        before: None,
        after: None,
    };
    let outcome = AuditEvent::Outcome { status: CallStatus::Done, note: "written".into(), written: None };
    let mut step = small_request("rq_1", turn, 1, Purpose::Work);
    step.step = Some("the schema of a step".into());
    let todo = Entry::Todo {
        conversation: cv("cv_1"),
        turn: turn.into(),
        call: Some("c2".into()),
        state: TodoState::default(),
        at_ms: 50,
    };
    record(
        store,
        vec![
            Entry::Request(Box::new(step)),
            Entry::ReplySoFar { request: rq("rq_1"), text: "I".into() },
            Entry::Reply {
                request: rq("rq_1"),
                reply: reply("I will write."),
                failure: None,
                transport: None,
                at_ms: 30,
            },
            Entry::Call { turn: turn.into(), request: rq("rq_1"), call: call("c1"), number: 1 },
            Entry::Asked { question: Box::new(question("ap_1", turn, b"milk")), at_ms: 35 },
            Entry::Answered { approval: "ap_1".into(), answer: Answer::Approved, at_ms: 38 },
            audit(turn, decision),
            audit(turn, outcome),
            Entry::Fact { turn: turn.into(), fact: fact(), at_ms: 45 },
            todo,
            end(turn, "Written."),
        ],
    )
    .await;
}

#[tokio::test]
async fn store_s2_a_call_is_there_before_it_runs_and_its_result_after() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    record(
        &store,
        vec![
            Entry::Request(Box::new(small_request("rq_1", "tn_1", 1, Purpose::Work))),
            Entry::Call { turn: tn("tn_1"), request: rq("rq_1"), call: call("c1"), number: 1 },
            Entry::Call { turn: tn("tn_1"), request: rq("rq_1"), call: call("c2"), number: 2 },
            Entry::Fact { turn: tn("tn_1"), fact: fact(), at_ms: 45 },
        ],
    )
    .await;
    let row = |number, id: &str, fact: Option<Fact>| CallRow {
        number,
        request: rq("rq_1"),
        call: call(id),
        ended_at_ms: fact.as_ref().map(|_| 45),
        fact,
    };
    assert_eq!(store.calls(tn("tn_1")).await.unwrap(), [row(1, "c1", Some(fact())), row(2, "c2", None)]);
    // The same call is not recorded as run twice.
    let error = store.record(Entry::Fact { turn: tn("tn_1"), fact: fact(), at_ms: 46 }).await.unwrap_err();
    assert_eq!(error.sentence, "the record refused this: UNIQUE constraint failed: facts.turn_id, facts.call_id");
}

#[tokio::test]
async fn permission_p3_a_question_is_kept_with_its_frozen_bytes_until_it_is_answered() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    // Bytes that are no text come back as they are.
    let first = question("ap_1", "tn_1", &[0xff, 0x00, 0xfe]);
    let second = question("ap_2", "tn_1", "牛奶".as_bytes());
    for (question, at_ms) in [(&first, 20), (&second, 21)] {
        store.record(Entry::Asked { question: Box::new(question.clone()), at_ms }).await.unwrap();
    }
    let open = |question: &_, asked_at_ms| OpenApproval { question: Clone::clone(question), asked_at_ms };
    assert_eq!(store.open_approvals(None).await.unwrap(), [open(&first, 20), open(&second, 21)]);

    store.record(Entry::Answered { approval: "ap_1".into(), answer: Answer::Denied, at_ms: 30 }).await.unwrap();
    assert_eq!(store.open_approvals(Some(cv("cv_1"))).await.unwrap(), [open(&second, 21)]);
    assert_eq!(store.open_approvals(Some(cv("cv_2"))).await.unwrap(), []);
    let answered =
        ApprovalRow { question: first, asked_at_ms: 20, answer: Some(Answer::Denied), answered_at_ms: Some(30) };
    assert_eq!(store.approvals(tn("tn_1")).await.unwrap()[0], answered);
    // The first answer stands.
    assert!(
        store.record(Entry::Answered { approval: "ap_1".into(), answer: Answer::Approved, at_ms: 31 }).await.is_err()
    );
}

#[tokio::test]
async fn an_entry_that_fails_half_way_leaves_nothing() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    store.record(Entry::Request(Box::new(request("rq_1", "tn_1", 1, eventful_plan())))).await.unwrap();
    // Its texts and its row would come before the clash: the turn has a request 1 already.
    let mut clash = small_request("rq_2", "tn_1", 1, Purpose::Work);
    clash.step = Some("a text that nothing else has".into());
    assert!(store.record(Entry::Request(Box::new(clash))).await.is_err());
    // And a request of a turn that is not there fails only when the transaction is checked.
    assert!(store.record(Entry::Request(Box::new(small_request("rq_3", "tn_9", 1, Purpose::Work)))).await.is_err());
    drop(store);
    let connection = rusqlite::Connection::open(scratch.path()).unwrap();
    let left: (u32, u32) = connection
        .query_row(
            "SELECT (SELECT count(*) FROM requests), (SELECT count(*) FROM texts WHERE body LIKE 'a text that%')",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!(left, (1, 0));
}

#[tokio::test]
async fn many_at_once_are_all_saved_and_no_reader_waits_for_a_writer() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    chain(&store, 3).await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..40 {
        let store = store.clone();
        tasks.spawn(async move {
            let event = AuditEvent::Outcome { status: CallStatus::Done, note: format!("note {number}"), written: None };
            store.record(audit("tn_1", event)).await.unwrap();
            store.turns(cv("cv_1"), 10).await.unwrap().turns.len()
        });
    }
    assert_eq!(tasks.join_all().await, [3; 40]);
    let verdict = store.verify_audit().await.unwrap();
    assert_eq!((verdict.n_rows, verdict.first_bad), (40, None));
    store.check().await.unwrap();
}

#[tokio::test]
async fn an_entry_for_something_that_was_deleted_is_a_sentence() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let error = store.record(end("tn_9", "an answer")).await.unwrap_err();
    assert_eq!(error.sentence, "there is no such turn in the record; it may have been deleted: tn_9");
    let request = small_request("rq_9", "tn_9", 1, Purpose::Work);
    let error = store.record(Entry::Request(Box::new(request))).await.unwrap_err();
    assert_eq!(error.sentence, "what this belongs to is not in the record; it may have been deleted");
    let error = store.record(Entry::ReplySoFar { request: rq("rq_9"), text: "x".into() }).await.unwrap_err();
    assert_eq!(error.sentence, "there is no such request in the record; it may have been deleted: rq_9");
}

#[tokio::test]
async fn every_kind_of_entry_is_in_the_tables_as_it_was_given() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "write a list")).await.unwrap();
    whole_turn(&store, "tn_1").await;
    drop(store);
    let connection = rusqlite::Connection::open(scratch.path()).unwrap();
    let mut shown = String::new();
    for table in [
        "turns",
        "requests",
        "request_blocks",
        "request_pieces",
        "replies",
        "calls",
        "facts",
        "approvals",
        "todo_snapshots",
    ] {
        let mut select = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns: Vec<String> = select.column_names().into_iter().map(str::to_owned).collect();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            shown.push_str(&format!("{table}\n"));
            for (at, column) in columns.iter().enumerate() {
                match row.get::<_, rusqlite::types::Value>(at).unwrap() {
                    rusqlite::types::Value::Null => {}
                    value => shown.push_str(&format!("  {column} {value:?}\n")),
                }
            }
        }
    }
    expect_test::expect_file!["every_kind_of_entry.txt"].assert_eq(&shown);
}
