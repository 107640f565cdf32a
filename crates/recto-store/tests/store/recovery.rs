//! A program that died leaves no turn running and no question open.

use crate::entries::*;
use recto_core::approval::Answer;
use recto_core::audit::AuditEvent;
use recto_core::fact::Fact;
use recto_core::request::Purpose;
use recto_core::tool::{CallOutcome, CallStatus, ToolIdentity};
use recto_engine::ports::{Entry, Journal};
use recto_store::{AuditFilter, TurnState};

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
    let replied = Entry::Reply { request: rq("rq_1"), reply: whole, failure: None, at_ms: 30 };
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
    let replied = Entry::Reply { request: rq("rq_1"), reply: reply("I will write."), failure: None, at_ms: 30 };
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
        after: Some(asked.change.after.hash),
    };
    assert_eq!(rows.iter().map(|row| &row.entry.event).collect::<Vec<_>>(), [&expected]);
}
