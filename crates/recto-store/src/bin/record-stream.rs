//! For tests: a program that can be killed while it writes.
//!
//! `record-stream stream PATH PREFIX` records scripted turns without end and prints a line after each commit, which is its
//! acknowledgement. `record-stream open PATH` opens a record and prints the sentence it got.

use recto_core::audit::{AuditEntry, AuditEvent};
use recto_core::context::block::{Block, BlockKind, Role, Seat};
use recto_core::context::plan::{Budget, ByCharacters, DoesNotFit, plan};
use recto_core::fact::Fact;
use recto_core::id::{RequestId, TurnId};
use recto_core::reply::{Finish, Reply};
use recto_core::request::{AnswerTools, Encoding, Exactness, ModelProfile, Protocol, Purpose, Sampling, Wire};
use recto_core::text::ContentHash;
use recto_core::tool::{CallOutcome, CallStatus, ToolCall, ToolIdentity};
use recto_core::turn::Ending;
use recto_engine::ports::{Entry, Journal, RequestEntry};
use recto_store::{NewConversation, NewTurn, Store};
use std::error::Error;
use std::io::{Write, stdout};
use std::path::Path;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["stream", path, prefix] => stream(Path::new(path), prefix).await,
        ["open", path] => {
            let said = match Store::open(Path::new(path), 1) {
                Ok(_) => "opened".to_owned(),
                Err(error) => error.to_string(),
            };
            acknowledge(&said)
        }
        _ => Err("usage: record-stream stream PATH PREFIX | record-stream open PATH".into()),
    }
}

fn acknowledge(line: &str) -> Result<(), Box<dyn Error>> {
    writeln!(stdout(), "{line}")?;
    Ok(stdout().flush()?)
}

async fn stream(path: &Path, prefix: &str) -> Result<(), Box<dyn Error>> {
    let store = Store::open(path, 1)?.store;
    let conversation = format!("cv_{prefix}");
    let new =
        NewConversation { id: conversation.as_str().into(), folder: None, model: None, reply_language: None, at_ms: 1 };
    store.create_conversation(new).await?;
    acknowledge(&format!("conversation {conversation}"))?;
    let mut parent = None;
    for number in 1_u32.. {
        let turn = TurnId(format!("tn_{prefix}_{number}"));
        let question = format!("问题 {prefix} {number}");
        let new = NewTurn {
            id: turn.clone(),
            conversation: conversation.as_str().into(),
            parent: parent.replace(turn.clone()),
            question: question.clone(),
            model: None,
            folder: None,
            at_ms: 2,
        };
        store.begin_turn(new).await?;
        acknowledge(&format!("question {turn} {question}"))?;
        for (entry, line) in entries(&conversation, &turn, &question)? {
            store.record(entry).await?;
            acknowledge(&line)?;
        }
    }
    Ok(())
}

/// The entries of a turn with one call, each with the line that acknowledges it.
fn entries(conversation: &str, turn: &TurnId, question: &str) -> Result<Vec<(Entry, String)>, DoesNotFit> {
    let work = RequestId(format!("rq_{turn}_1"));
    let answering = RequestId(format!("rq_{turn}_2"));
    let call = ToolCall { id: "c1".into(), name: "read_file".into(), arguments: r#"{"path":"a.md"}"#.into() };
    let found = format!("what {turn} found");
    let answer = format!("the whole answer of {turn}");
    let audit = |event| {
        Entry::Audit(AuditEntry {
            at_ms: 3,
            conversation: conversation.into(),
            turn: turn.clone(),
            call: "c1".into(),
            tool: "read_file".into(),
            target: "a.md".into(),
            event,
        })
    };
    let decision = AuditEvent::Decision {
        is_allowed: true,
        decider: "rule reads_are_allowed".into(),
        reason: None,
        digest: None,
        before: None,
        after: None,
    };
    let outcome = AuditEvent::Outcome { status: CallStatus::Done, note: "1 line".into(), written: None };
    let fact = Fact {
        identity: ToolIdentity::BuiltIn,
        call: call.clone(),
        target: "a.md".into(),
        outcome: CallOutcome::new(CallStatus::Done, found.clone(), "1 line"),
    };
    let reply = |text: &str, calls| Reply { text: text.to_owned(), calls, finish: Finish::Stop, ..Reply::default() };
    let replied = |request: &RequestId, reply| Entry::Reply {
        request: request.clone(),
        reply,
        failure: None,
        transport: None,
        at_ms: 4,
    };
    let mut entries = vec![
        (request(&work, turn, 1, Purpose::Work, question)?, format!("request {work}")),
        (replied(&work, reply("I will look", vec![call.clone()])), format!("reply {work} I will look")),
        (Entry::Call { turn: turn.clone(), request: work.clone(), call, number: 1 }, format!("call {turn}")),
        (audit(decision), format!("audit {turn} decision")),
        (audit(outcome), format!("audit {turn} outcome")),
        (Entry::Fact { turn: turn.clone(), fact, at_ms: 5 }, format!("fact {turn} {found}")),
        (request(&answering, turn, 2, Purpose::Answer, question)?, format!("request {answering}")),
    ];
    for end in (1..answer.len()).step_by(7) {
        let text = answer[..end].to_owned();
        let line = format!("reply {answering} {text}");
        entries.push((Entry::ReplySoFar { request: answering.clone(), text }, line));
    }
    entries.push((replied(&answering, reply(&answer, Vec::new())), format!("reply {answering} {answer}")));
    let end = Entry::End { turn: turn.clone(), ending: Ending::Answered, answer: answer.clone(), at_ms: 6 };
    entries.push((end, format!("end {turn} {answer}")));
    Ok(entries)
}

fn request(id: &RequestId, turn: &TurnId, number: u32, purpose: Purpose, question: &str) -> Result<Entry, DoesNotFit> {
    let block = |id: &str, kind, message, role, text: &str| {
        Block::pinned(id, kind, id, Seat::new(message, role), text.to_owned())
    };
    let blocks = vec![
        block("instructions", BlockKind::Instructions, 0, Role::System, "You are Recto."),
        block("question", BlockKind::Question, 1, Role::User, question),
    ];
    let budget = Budget { window: 4096, reserve: 512, fixed: 0, per_message: 4, fold_to: 3584 };
    let plan = plan(purpose, blocks, budget, &ByCharacters)?;
    let mut wire = Wire::default();
    for (position, row) in plan.rows.iter().enumerate() {
        wire.glue("{\"content\":\"");
        wire.block(position, row.placed.clone().unwrap_or_default(), Encoding::Json);
        wire.glue("\"}");
    }
    Ok(Entry::Request(Box::new(RequestEntry {
        id: id.clone(),
        turn: turn.clone(),
        number,
        n_tokens_placed: vec![4, 4],
        n_tokens: 16,
        profile: ModelProfile {
            name: "scripted".into(),
            window: 4096,
            protocol: Protocol::Native,
            takes_trailing_system: false,
            answer_tools: AnswerTools::Omit,
            exactness: Exactness::Estimate,
        },
        step: None,
        sampling: Sampling { temperature: 0.0, seed: 1, max_tokens: 512 },
        wire_hash: ContentHash::of(wire.bytes().as_bytes()),
        wire,
        plan,
        n_stale_rounds: 0,
        has_reminder: false,
        at_ms: 3,
    })))
}
