//! A bundle holds what was chosen and nothing else, opens like any record, and says what was made unreadable.

use crate::entries::*;
use expect_test::expect;
use recto_core::audit::{AuditEntry, AuditEvent};
use recto_core::request::{Purpose, Token};
use recto_engine::ports::{Entry, Journal, Transport};
use recto_store::{BundleScope, Store, StoreError};

/// Two conversations with a turn each; the first one's turn has all that a turn can have.
async fn full(scratch: &Scratch) -> Store {
    let store = scratch.store().await;
    store.create_conversation(conversation("cv_2")).await.unwrap();
    let other = recto_store::NewTurn { conversation: "cv_2".into(), ..turn("tn_9", None, "Where is the spare key?") };
    store.begin_turn(other).await.unwrap();
    store.begin_turn(turn("tn_0", None, "Who is 编写?")).await.unwrap();
    store.record(end("tn_0", "The plumber.")).await.unwrap();
    store.begin_turn(turn("tn_1", Some("tn_0"), "编写 README")).await.unwrap();
    let stream = b"data: {\"text\":\"hidden\"}\n\n".to_vec();
    let n_bytes = stream.len() as u64;
    // The largest numbers take the most bytes.
    let tokens =
        vec![Token { id: 151_644, n_bytes: 3 }, Token { id: u32::MAX, n_bytes: 300 }, Token { id: 0, n_bytes: 0 }];
    let transport = Transport {
        endpoint: Some("http://127.0.0.1:1/v1".into()),
        stream,
        n_bytes,
        tokens,
        failed_attempts: vec!["127.0.0.1:1 is busy".into()],
    };
    record(
        &store,
        vec![
            Entry::Request(Box::new(request("rq_1", "tn_1", 1, eventful_plan()))),
            Entry::Reply {
                request: rq("rq_1"),
                reply: reply("I will write."),
                failure: None,
                transport: Some(Box::new(transport)),
                at_ms: 30,
            },
            Entry::Request(Box::new(small_request("rq_2", "tn_1", 2, Purpose::Answer))),
            Entry::Call { turn: tn("tn_1"), request: rq("rq_1"), call: call("c1"), number: 1 },
            Entry::Asked { question: Box::new(question("ap_1", "tn_1", b"milk")), at_ms: 40 },
            Entry::Audit(AuditEntry {
                conversation: cv("cv_1"),
                turn: tn("tn_1"),
                call: "c1".into(),
                tool: "write_file".into(),
                target: "list.md".into(),
                event: AuditEvent::Decision {
                    is_allowed: true,
                    decider: "user".into(),
                    reason: None,
                    digest: None,
                    before: None,
                    after: None,
                },
                at_ms: 41,
            }),
            end("tn_1", "It is written, 编写."),
        ],
    )
    .await;
    store
}

#[tokio::test]
async fn a_bundle_of_a_turn_shows_its_requests_to_the_byte_and_nothing_of_another_conversation() {
    let scratch = Scratch::new();
    let store = full(&scratch).await;
    let path = scratch.folder.path().join("turn.recto");
    let note = store.bundle(path.clone(), BundleScope::Turn(tn("tn_1")), &[], 500).await.unwrap();
    assert_eq!((note.n_turns, note.is_one_turn, note.n_redacted, note.made_at_ms), (1, true, 0, 500));

    let bundle = Store::open_to_read(&path).unwrap();
    assert_eq!(bundle.bundle_note().await.unwrap(), Some(note));
    assert_eq!(store.bundle_note().await.unwrap(), None);
    for request in ["rq_1", "rq_2"] {
        assert_eq!(bundle.wire(rq(request)).await.unwrap(), store.wire(rq(request)).await.unwrap());
        assert_eq!(bundle.request(rq(request)).await.unwrap(), store.request(rq(request)).await.unwrap());
        assert_eq!(bundle.transport(rq(request)).await.unwrap(), store.transport(rq(request)).await.unwrap());
    }
    let rows = bundle.conversations().await.unwrap();
    assert_eq!(rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["cv_1"]);
    assert_eq!(bundle.turn(tn("tn_1")).await.unwrap().answer.as_deref(), Some("It is written, 编写."));
    assert!(matches!(bundle.turn(tn("tn_0")).await, Err(StoreError::NoSuch { .. })));
    let bytes = std::fs::read(&path).unwrap();
    for secret in ["spare key", "The plumber."] {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret}");
    }
    // It is one file, for its owner alone, and can only be read.
    let mut names: Vec<String> = std::fs::read_dir(scratch.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("turn.recto") || name.contains("bundle"))
        .collect();
    names.sort();
    assert_eq!(names, ["turn.recto"]);
    assert!(matches!(bundle.begin_turn(turn("tn_2", None, "q")).await, Err(StoreError::OpenedToRead)));
}

#[tokio::test]
async fn chosen_texts_are_unreadable_everywhere_in_a_bundle_and_what_was_changed_by_that_is_said() {
    let scratch = Scratch::new();
    let store = full(&scratch).await;
    let path = scratch.folder.path().join("all.recto");
    let redacted = ["编写".to_owned(), "milk".to_owned(), "list.md".to_owned()];
    let note = store.bundle(path.clone(), BundleScope::Conversation(cv("cv_1")), &redacted, 500).await.unwrap();
    assert_eq!(note.n_turns, 2);
    let original = store.requests(tn("tn_1")).await.unwrap();
    assert_eq!(note.original_hashes.len(), 1, "only the first request held one of the texts");
    assert_eq!(note.original_hashes.get("rq_1"), Some(&original[0].wire_hash));

    let bundle = Store::open_to_read(&path).unwrap();
    let mut shown = bundle.wire(rq("rq_1")).await.unwrap().bytes();
    shown.push_str(&format!("\n{:?}", bundle.turn(tn("tn_1")).await.unwrap().answer));
    expect![[r#"
        {"messages":[{"content":"You are Recto."},{"content":"one\ntwo\n"},{"content":"[redacted 1] README \"now\"\n\u0007🦀"},{"content":"{\"path\":\"编.md\"}"},{"content":"a line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\na line of the file\n[cut: lines 1–25 of 40]\n"},]}
        Some("It is written, [redacted 1].")"#]].assert_eq(&shown);
    let bytes = std::fs::read(&path).unwrap();
    let escaped = "\\u7f16\\u5199".to_owned();
    for secret in redacted.iter().chain([&escaped, &"hidden".to_owned()]) {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret}");
    }
}

#[tokio::test]
async fn words_that_are_also_names_of_fields_are_redacted_where_they_were_said_and_the_bundle_stays_readable() {
    let scratch = Scratch::new();
    let store = full(&scratch).await;
    let path = scratch.folder.path().join("names.recto");
    let redacted = ["name", "arguments", "text", "kind", "removed", "bread", "id"].map(str::to_owned);
    store.bundle(path.clone(), BundleScope::Turn(tn("tn_1")), &redacted, 1).await.unwrap();
    let bundle = Store::open_to_read(&path).unwrap();
    let reply = bundle.requests(tn("tn_1")).await.unwrap()[0].reply.clone().unwrap();
    assert_eq!(reply.reply.calls, reply_calls(&store).await);
    let diff = bundle.approvals(tn("tn_1")).await.unwrap()[0].question.change.diff.clone();
    assert_eq!((diff[0].kind, diff[0].text.as_str()), (recto_core::tool::DiffKind::Removed, "[redacted 6]"));
}

/// The calls of the first request's reply.
async fn reply_calls(store: &Store) -> Vec<recto_core::tool::ToolCall> {
    store.requests(tn("tn_1")).await.unwrap()[0].reply.clone().unwrap().reply.calls
}

#[tokio::test]
async fn a_bundle_takes_the_place_of_nothing_and_holds_something() {
    let scratch = Scratch::new();
    let store = full(&scratch).await;
    let path = scratch.folder.path().join("there");
    std::fs::write(&path, "mine").unwrap();
    let error = store.bundle(path.clone(), BundleScope::Turn(tn("tn_1")), &[], 1).await.unwrap_err();
    assert!(matches!(error, StoreError::BundleExists { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    let nowhere = scratch.folder.path().join("nowhere");
    let error = store.bundle(nowhere.clone(), BundleScope::Turn(tn("tn_404")), &[], 1).await.unwrap_err();
    assert!(matches!(error, StoreError::NoSuch { .. }), "{error}");
    assert!(!nowhere.exists());
}
