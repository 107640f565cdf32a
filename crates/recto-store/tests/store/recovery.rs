//! A program that died leaves no turn running and no question open.

use crate::entries::*;
use recto_core::approval::Answer;
use recto_core::audit::{AuditEntry, AuditEvent};
use recto_core::fact::Fact;
use recto_core::request::Purpose;
use recto_core::text::ContentHash;
use recto_core::todo::TodoState;
use recto_core::tool::{CallOutcome, CallStatus, ToolIdentity};
use recto_engine::ports::{Entry, Journal};
use recto_store::{AuditFilter, Store, TurnState, UnsettledWrite};

/// Opens a record whose program died after these entries and says what became of the answer.
async fn check_interrupted(entries: Vec<Entry>, answer: Option<&str>) {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    record(&store, entries).await;
    // While it runs it shows the same text that is kept when it is cut short.
    assert_eq!(store.turn(tn("tn_1")).await.unwrap().answer.as_deref(), answer);
    drop(store);
    let opened = scratch.open();
    assert_eq!((opened.n_interrupted, opened.n_withdrawn), (1, 0));
    let row = opened.store.turn(tn("tn_1")).await.unwrap();
    assert_eq!(
        (row.question.as_str(), row.answer.as_deref(), row.state, row.ended_at_ms),
        ("q", answer, TurnState::Interrupted, Some(1_000))
    );
    drop(opened);
    assert_eq!(scratch.open().n_interrupted, 0);
}

fn sent(number: u32, purpose: Purpose, step: Option<&str>) -> Entry {
    let mut request = small_request(&format!("rq_{number}"), "tn_1", number, purpose);
    request.step = step.map(str::to_owned);
    Entry::Request(Box::new(request))
}

fn so_far(number: u32, text: &str) -> Entry {
    Entry::ReplySoFar { request: format!("rq_{number}").as_str().into(), text: text.into() }
}

#[tokio::test]
async fn store_s1_an_unfinished_answer_is_kept_and_marked() {
    check_interrupted(vec![], None).await;
    check_interrupted(vec![sent(1, Purpose::Work, None)], None).await;
    check_interrupted(
        vec![sent(1, Purpose::Work, None), so_far(1, "The ans"), so_far(1, "The answer 是")],
        Some("The answer 是"),
    )
    .await;
    let answering =
        vec![sent(1, Purpose::Work, None), so_far(1, "READY"), sent(2, Purpose::Answer, None), so_far(2, "It is 4")];
    check_interrupted(answering, Some("It is 4")).await;
}

#[tokio::test]
async fn store_s1_a_whole_reply_without_an_ending_is_the_answer_so_far() {
    let mut whole = reply("It is 42.");
    whole.calls = Vec::new();
    let replied = Entry::Reply { request: rq("rq_1"), reply: whole, failure: None, transport: None, at_ms: 30 };
    check_interrupted(vec![sent(1, Purpose::Answer, None), replied], Some("It is 42.")).await;
}

#[tokio::test]
async fn answer_a9_text_of_the_work_is_never_the_answer() {
    // The word that ends the work is no answer, nor is its beginning.
    check_interrupted(vec![sent(1, Purpose::Work, None), so_far(1, "REA")], None).await;
    // Under a step's schema only the text inside an answer step is meant for the user.
    let step = Some(r#"{"anyOf":[]}"#);
    let call = r#"{"name":"read_file","arguments":{"path":"#;
    check_interrupted(vec![sent(1, Purpose::Work, step), so_far(1, call)], None).await;
    let answer = r#"{"name":"answer","arguments":{"text":"It is \u56db"#;
    check_interrupted(vec![sent(1, Purpose::Work, step), so_far(1, answer)], Some("It is 四")).await;
    // Text beside facts waits for the answer request.
    let mut after_a_fact = called(ToolIdentity::BuiltIn);
    after_a_fact.extend([sent(2, Purpose::Work, None), so_far(2, "The file says")]);
    check_interrupted(after_a_fact, None).await;
    // A reply that called tools is a step of work.
    let replied =
        Entry::Reply { request: rq("rq_1"), reply: reply("I will write."), failure: None, transport: None, at_ms: 30 };
    check_interrupted(vec![sent(1, Purpose::Work, None), replied], None).await;
}

#[tokio::test]
async fn answer_a1_text_after_nothing_but_the_list_is_the_answer() {
    let mut after_a_list = called(ToolIdentity::TodoWrite);
    after_a_list.extend([sent(2, Purpose::Work, None), so_far(2, "The plan is")]);
    check_interrupted(after_a_list, Some("The plan is")).await;
}

/// A request, a call by it, and what came of the call.
fn called(identity: ToolIdentity) -> Vec<Entry> {
    let outcome = CallOutcome::new(CallStatus::Done, "ok", "ok");
    let fact = Fact { identity, call: call("c1"), target: "t".into(), outcome };
    vec![
        sent(1, Purpose::Work, None),
        Entry::Call { turn: tn("tn_1"), request: rq("rq_1"), call: call("c1"), number: 1 },
        Entry::Fact { turn: tn("tn_1"), fact, at_ms: 25 },
    ]
}

#[tokio::test]
async fn an_open_question_is_withdrawn_and_the_audit_log_says_so() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    let asked = question("ap_1", "tn_1", b"milk");
    store.record(Entry::Asked { question: Box::new(asked.clone()), at_ms: 20 }).await.unwrap();
    drop(store);

    let opened = scratch.open();
    assert_eq!((opened.n_interrupted, opened.n_withdrawn), (1, 1));
    assert_eq!(opened.store.open_approvals(None).await.unwrap(), []);
    assert_eq!(opened.store.approvals(tn("tn_1")).await.unwrap()[0].answer, Some(Answer::Withdrawn));
    let rows = opened.store.audit(AuditFilter::default(), None, 9).await.unwrap();
    let expected = AuditEvent::Decision {
        is_allowed: false,
        decider: "person withdrawn".into(),
        reason: Some("the program ended before the question was answered".into()),
        digest: Some(asked.change.digest),
        before: asked.change.before.map(|state| state.hash),
        after: asked.change.after.map(|state| state.hash),
    };
    assert_eq!(rows.iter().map(|row| &row.entry.event).collect::<Vec<_>>(), [&expected]);
}

/// A decision on a call of `tn_1` that allows it.
fn allowed(call: &str, tool: &str, target: &str, after: Option<ContentHash>) -> Entry {
    Entry::Audit(AuditEntry {
        at_ms: 30,
        conversation: cv("cv_1"),
        turn: tn("tn_1"),
        call: call.into(),
        tool: tool.into(),
        target: target.into(),
        event: AuditEvent::Decision {
            is_allowed: true,
            decider: "rule test".into(),
            reason: None,
            digest: after.as_ref().map(|_| ContentHash::of(b"digest")),
            before: after.as_ref().map(|_| ContentHash::of(b"bread")),
            after,
        },
    })
}

/// The audit log, oldest first, each row as a line.
async fn log(store: &Store) -> Vec<String> {
    let mut rows = store.audit(AuditFilter::default(), None, 99).await.unwrap();
    rows.reverse();
    let line = |AuditEntry { call, target, event, .. }: AuditEntry| match event {
        AuditEvent::Decision { is_allowed, decider, reason, .. } => {
            format!("{call} {target}: {} by {decider} ({})", is_allowed, reason.unwrap_or_default())
        }
        AuditEvent::Outcome { status, note, written } => format!("{call} {target}: {status:?}, {note}, {written:?}"),
    };
    rows.into_iter().map(|row| line(row.entry)).collect()
}

#[tokio::test]
async fn permission_p7_no_allowed_call_stays_without_an_outcome_when_the_program_dies() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.set_folder(cv("cv_1"), Some("/home/ann/notes".into())).await.unwrap();
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    let outcome = AuditEvent::Outcome { status: CallStatus::Done, note: "1 line".into(), written: None };
    let Entry::Audit(decided) = allowed("c1", "read_file", "a.md", None) else { unreachable!() };
    let after = ContentHash::of(b"milk");
    let Entry::Audit(mut deletion) = allowed("c5", "delete_file", "old.md", Some(after.clone())) else {
        unreachable!()
    };
    if let AuditEvent::Decision { after, .. } = &mut deletion.event {
        *after = None;
    }
    let deletion = Entry::Audit(deletion);
    let todo = |call: &str| Entry::Todo {
        conversation: cv("cv_1"),
        turn: tn("tn_1"),
        call: Some(call.into()),
        state: TodoState::default(),
        at_ms: 30,
    };
    let entries = vec![
        Entry::Audit(decided.clone()),
        Entry::Audit(AuditEntry { event: outcome, ..decided }),
        allowed("c2", "todo_write", "1 item", None),
        todo("c2"),
        allowed("c3", "write_file", "list.md", Some(after.clone())),
        allowed("c4", "read_file", "b.md", None),
        deletion,
    ];
    record(&store, entries).await;
    drop(store);

    let opened = scratch.open();
    let expected = UnsettledWrite {
        tool: "write_file".into(),
        conversation: cv("cv_1"),
        turn: tn("tn_1"),
        call: "c3".into(),
        folder: Some("/home/ann/notes".into()),
        target: "list.md".into(),
        before: Some(ContentHash::of(b"bread")),
        after: Some(after),
    };
    let deleted = UnsettledWrite {
        tool: "delete_file".into(),
        call: "c5".into(),
        target: "old.md".into(),
        after: None,
        ..expected.clone()
    };
    assert_eq!(opened.unsettled, [expected, deleted]);
    assert_eq!(
        log(&opened.store).await,
        [
            "c1 a.md: true by rule test ()",
            "c1 a.md: Done, 1 line, None",
            "c2 1 item: true by rule test ()",
            "c3 list.md: true by rule test ()",
            "c4 b.md: true by rule test ()",
            "c5 old.md: true by rule test ()",
            "c2 1 item: Done, the program ended before the outcome was recorded, None",
            "c3 list.md: Failed, the program ended before the outcome was recorded, None",
            "c4 b.md: Cancelled, the program ended before the outcome was recorded, None",
            "c5 old.md: Failed, the program ended before the outcome was recorded, None",
        ]
    );
    assert_eq!(opened.store.verify_audit().await.unwrap().first_bad, None);
    drop(opened);
    // What is settled is settled once.
    let opened = scratch.open();
    assert_eq!((opened.unsettled, log(&opened.store).await.len()), (vec![], 10));
}

#[tokio::test]
async fn permission_p7_an_answer_without_its_decision_gets_it_when_the_program_died() {
    for (answer, expected) in [
        (
            Answer::Approved,
            vec![
                "c1 list.md: true by person approved ()",
                "c1 list.md: Cancelled, the program ended before this began, None",
            ],
        ),
        (
            Answer::Denied,
            vec!["c1 list.md: false by person denied (the program ended before the answer was carried out)"],
        ),
    ] {
        let scratch = Scratch::new();
        let store = scratch.store().await;
        store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
        let asked = question("ap_1", "tn_1", b"milk");
        let answered = Entry::Answered { approval: "ap_1".into(), answer, at_ms: 21 };
        record(&store, vec![Entry::Asked { question: Box::new(asked), at_ms: 20 }, answered]).await;
        drop(store);
        let opened = scratch.open();
        // The decision comes before the act, so nothing can have been written.
        assert_eq!((opened.n_withdrawn, opened.unsettled), (0, vec![]));
        assert_eq!(log(&opened.store).await, expected);
    }
}
