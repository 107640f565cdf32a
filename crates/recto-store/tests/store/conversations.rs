//! Conversations, their turns and branches.

use crate::entries::*;
use recto_core::conversation::Exchange;
use recto_core::turn::Ending;
use recto_engine::ports::{Entry, Journal};
use recto_store::{ConversationRow, StepCounts, StoreError, TurnPage, TurnRow, TurnState};

#[tokio::test]
async fn the_list_shows_the_latest_conversation_first_and_what_it_waits_for() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.create_conversation(conversation("cv_2")).await.unwrap();
    store.begin_turn(turn("tn_1", None, "编写 README\nand more")).await.unwrap();
    store.record(Entry::Asked { question: Box::new(question("ap_1", "tn_1", b"milk")), at_ms: 20 }).await.unwrap();

    let empty = ConversationRow {
        id: cv("cv_2"),
        title: None,
        folder: None,
        model: None,
        reply_language: None,
        assistant: None,
        current_turn: None,
        created_at_ms: 1,
        updated_at_ms: 1,
        n_turns: 0,
        is_running: false,
        has_open_approval: false,
    };
    let asked = ConversationRow {
        id: cv("cv_1"),
        title: Some("编写 README".into()),
        current_turn: Some(tn("tn_1")),
        updated_at_ms: 10,
        n_turns: 1,
        is_running: true,
        has_open_approval: true,
        ..empty.clone()
    };
    assert_eq!(store.conversations().await.unwrap(), [asked.clone(), empty]);
    assert_eq!(store.conversation(cv("cv_1")).await.unwrap(), asked);
}

#[tokio::test]
async fn what_a_person_chooses_for_a_conversation_stays() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.rename_conversation(cv("cv_1"), "Shopping".into(), 5).await.unwrap();
    store.set_folder(cv("cv_1"), Some("/home/ann/notes".into())).await.unwrap();
    store.set_model(cv("cv_1"), Some("qwen".into())).await.unwrap();
    store.set_reply_language(cv("cv_1"), Some("zh".into())).await.unwrap();
    // A question does not change a title that is there.
    store.begin_turn(turn("tn_1", None, "a question")).await.unwrap();
    let row = store.conversation(cv("cv_1")).await.unwrap();
    assert_eq!(
        (row.title.as_deref(), row.folder.as_deref(), row.model.as_deref(), row.reply_language.as_deref()),
        (Some("Shopping"), Some("/home/ann/notes"), Some("qwen"), Some("zh"))
    );
    let error = store.rename_conversation(cv("cv_9"), "x".into(), 6).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no such conversation in the record; it may have been deleted: cv_9");
}

#[tokio::test]
async fn a_turn_shows_its_question_its_answer_and_what_it_took() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "write a list")).await.unwrap();
    let limited = Ending::Limited { sentence: "too many steps".into() };
    record(
        &store,
        vec![
            Entry::Request(Box::new(small_request("rq_1", "tn_1", 1, recto_core::request::Purpose::Work))),
            Entry::Call { turn: tn("tn_1"), request: rq("rq_1"), call: call("c1"), number: 1 },
            Entry::Asked { question: Box::new(question("ap_1", "tn_1", b"milk")), at_ms: 20 },
            Entry::End { turn: tn("tn_1"), ending: limited.clone(), answer: "done, 大概".into(), at_ms: 90 },
        ],
    )
    .await;
    let expected = TurnRow {
        id: tn("tn_1"),
        parent: None,
        siblings: vec![tn("tn_1")],
        question: "write a list".into(),
        answer: Some("done, 大概".into()),
        state: TurnState::Ended(limited),
        model: Some("model".into()),
        folder: None,
        started_at_ms: 10,
        ended_at_ms: Some(90),
        shortened: recto_store::Shortened::default(),
        steps: StepCounts { n_requests: 1, n_calls: 1, n_todo_writes: 0, n_approvals: 1 },
    };
    assert_eq!(store.turn(tn("tn_1")).await.unwrap(), expected);
    assert_eq!(store.conversation_of(tn("tn_1")).await.unwrap(), cv("cv_1"));
    assert_eq!(store.conversation(cv("cv_1")).await.unwrap().updated_at_ms, 90);
}

fn ids(page: &TurnPage) -> Vec<&str> {
    page.turns.iter().map(|turn| turn.id.as_str()).collect()
}

#[tokio::test]
async fn a_long_conversation_is_read_from_its_end_by_page() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    assert_eq!(store.turns(cv("cv_1"), 3).await.unwrap(), TurnPage { turns: vec![], earlier: None });
    chain(&store, 7).await;
    let last = store.turns(cv("cv_1"), 3).await.unwrap();
    assert_eq!((ids(&last), last.earlier.as_ref()), (vec!["tn_5", "tn_6", "tn_7"], Some(&tn("tn_4"))));
    let first = store.turns_up_to(tn("tn_4"), 10).await.unwrap();
    assert_eq!((ids(&first), first.earlier.as_ref()), (vec!["tn_1", "tn_2", "tn_3", "tn_4"], None));
}

#[tokio::test]
async fn editing_a_question_is_a_branch_and_both_can_be_shown() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    chain(&store, 3).await;
    store.begin_turn(turn("tn_2b", Some("tn_1"), "edited")).await.unwrap();
    assert_eq!(ids(&store.turns(cv("cv_1"), 9).await.unwrap()), ["tn_1", "tn_2b"]);
    assert_eq!(store.turn(tn("tn_2b")).await.unwrap().siblings, [tn("tn_2"), tn("tn_2b")]);
    store.show_branch(tn("tn_2")).await.unwrap();
    assert_eq!(ids(&store.turns(cv("cv_1"), 9).await.unwrap()), ["tn_1", "tn_2", "tn_3"]);
}

#[tokio::test]
async fn answer_a8_the_history_is_questions_and_answers_of_the_branch_alone() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    chain(&store, 3).await;
    store.begin_turn(turn("tn_2b", Some("tn_1"), "edited")).await.unwrap();
    let failed = Ending::Failed { sentence: "no server".into() };
    store.record(Entry::End { turn: tn("tn_2b"), ending: failed, answer: String::new(), at_ms: 80 }).await.unwrap();
    store.begin_turn(turn("tn_3b", Some("tn_2b"), "again")).await.unwrap();
    store.record(end("tn_3b", "answered at last")).await.unwrap();
    let exchange = |turn: &str, question: &str, answer: &str| Exchange {
        turn: turn.into(),
        question: question.into(),
        answer: answer.into(),
    };
    // The failed turn left no answer and is no exchange.
    let expected = vec![exchange("tn_1", "question 1", "answer 1"), exchange("tn_3b", "again", "answered at last")];
    assert_eq!(store.exchanges(Some(tn("tn_3b")), None).await.unwrap(), expected);
    assert_eq!(store.exchanges(Some(tn("tn_3b")), Some(tn("tn_1"))).await.unwrap(), expected[1..]);
    assert_eq!(store.exchanges(Some(tn("tn_3b")), Some(tn("tn_3b"))).await.unwrap(), []);
    assert_eq!(store.exchanges(None, None).await.unwrap(), []);
}

#[tokio::test]
async fn a_turn_after_one_of_another_conversation_is_refused_and_leaves_nothing() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    chain(&store, 1).await;
    store.create_conversation(conversation("cv_2")).await.unwrap();
    let mut stray = turn("tn_x", Some("tn_1"), "a question that is never asked");
    stray.conversation = cv("cv_2");
    let error = store.begin_turn(stray).await.unwrap_err();
    assert!(matches!(error, StoreError::NoSuch { what: "turn", .. }), "{error}");
    assert_eq!(store.conversation(cv("cv_2")).await.unwrap().title, None);
}

#[tokio::test]
async fn a_deletion_while_somebody_reads_is_one_and_the_words_go_when_the_reading_ends() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "a secret")).await.unwrap();
    let has_secret = || {
        let bytes = [std::fs::read(scratch.path()).unwrap(), std::fs::read(log_of(&scratch)).unwrap()].concat();
        bytes.windows(8).any(|window| window == b"a secret")
    };
    let viewer = rusqlite::Connection::open(scratch.path()).unwrap();
    viewer.execute_batch("BEGIN; SELECT count(*) FROM turns").unwrap();
    store.delete_conversation(cv("cv_1")).await.unwrap();
    assert_eq!(store.conversations().await.unwrap(), []);
    assert!(has_secret(), "the viewer still reads it");
    viewer.execute_batch("COMMIT").unwrap();
    // At the next idle moment, with nothing else to set it off.
    let began = std::time::Instant::now();
    while has_secret() {
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "it stays");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn words_that_were_deleted_while_somebody_read_go_at_the_latest_when_the_record_is_closed() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "a secret")).await.unwrap();
    let viewer = rusqlite::Connection::open(scratch.path()).unwrap();
    viewer.execute_batch("BEGIN; SELECT count(*) FROM turns").unwrap();
    store.delete_conversation(cv("cv_1")).await.unwrap();
    viewer.execute_batch("COMMIT").unwrap();
    // The viewer still has the file open, so closing alone would leave the log as it is.
    drop(store);
    assert_eq!(std::fs::read(log_of(&scratch)).unwrap().len(), 0);
    drop(viewer);
}

fn log_of(scratch: &Scratch) -> std::path::PathBuf {
    scratch.folder.path().join("record.db-wal")
}

#[tokio::test]
async fn a_deleted_conversation_takes_its_texts_with_it_and_leaves_the_audit_log() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    chain(&store, 1).await;
    store.create_conversation(conversation("cv_2")).await.unwrap();
    let mut asked = turn("tn_s1", None, "question 1");
    asked.conversation = cv("cv_2");
    store.begin_turn(asked.clone()).await.unwrap();
    asked = recto_store::NewTurn { id: tn("tn_s2"), parent: Some(tn("tn_s1")), question: "a secret".into(), ..asked };
    store.begin_turn(asked).await.unwrap();
    crate::journal::whole_turn(&store, "tn_s2").await;

    let everything = || [std::fs::read(scratch.path()).unwrap(), std::fs::read(log_of(&scratch)).unwrap()].concat();
    let has_secret = |bytes: Vec<u8>| bytes.windows(8).any(|window| window == b"a secret");
    assert!(has_secret(everything()));

    store.delete_conversation(cv("cv_2")).await.unwrap();
    assert!(!has_secret(everything()));
    assert_eq!(store.audit(recto_store::AuditFilter::default(), None, 9).await.unwrap().len(), 2);
    assert!(matches!(store.turn(tn("tn_s2")).await, Err(StoreError::NoSuch { .. })));
    assert!(matches!(store.delete_conversation(cv("cv_2")).await, Err(StoreError::NoSuch { .. })));
    drop(store);
    let connection = rusqlite::Connection::open(scratch.path()).unwrap();
    let mut select = connection.prepare("SELECT body FROM texts ORDER BY id").unwrap();
    let left: Vec<String> = select.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(left, ["question 1", "answer 1"]);
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
        let n_rows: u32 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(n_rows, u32::from(table == "turns"), "{table}");
    }
}

#[tokio::test]
async fn a_conversation_of_thousands_of_turns_can_be_deleted() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    drop(store);
    // Longer than the depth that SQLite allows for cascades.
    let connection = rusqlite::Connection::open(scratch.path()).unwrap();
    connection
        .execute_batch(
            "INSERT INTO texts (hash, body) VALUES ('h', 'q');
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             INSERT INTO turns (id, conversation_id, parent_id, question_text_id, started_at)
             SELECT 'tn_' || i, 'cv_1', CASE WHEN i > 1 THEN 'tn_' || (i - 1) END, 1, i FROM n;",
        )
        .unwrap();
    drop(connection);
    let opened = scratch.open();
    assert_eq!(opened.n_interrupted, 5000);
    opened.store.delete_conversation(cv("cv_1")).await.unwrap();
    assert_eq!(opened.store.conversations().await.unwrap(), []);
}

#[tokio::test]
async fn a_setting_is_kept_replaced_and_taken_back() {
    let scratch = Scratch::new();
    let store = scratch.open().store;
    assert_eq!(store.setting("theme".into()).await.unwrap(), None);
    store.set_setting("theme".into(), Some("dark".into())).await.unwrap();
    store.set_setting("theme".into(), Some("light".into())).await.unwrap();
    drop(store);
    let store = scratch.open().store;
    assert_eq!(store.setting("theme".into()).await.unwrap().as_deref(), Some("light"));
    store.set_setting("theme".into(), None).await.unwrap();
    assert_eq!(store.setting("theme".into()).await.unwrap(), None);
}
