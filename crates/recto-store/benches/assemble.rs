//! What composing and recording a request costs in one long conversation: gathering what earlier turns left, the plan with its fold, the bytes, and the
//! commit. The conversation is really had, turn by turn; the figures are medians of the last turns before each mark.
//!
//! `cargo bench --bench assemble` prints the table; `-- 1000` ends at that turn.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use recto_core::approval::{Grants, Policy};
use recto_core::context::plan::{ByCharacters, Counter};
use recto_core::id::{CallId, RequestId, TurnId};
use recto_core::prompt::{self, ReplyLanguage};
use recto_core::reply::{Finish, Reply};
use recto_core::request::{AnswerTools, Encoding, Exactness, ModelProfile, ModelRequest, Part, Protocol, Wire};
use recto_core::text::ContentHash;
use recto_core::todo::TodoState;
use recto_core::tool::{
    Action, CallOutcome, CallStatus, Effect, Places, Prepared, ToolCall, ToolDefinition, ToolIdentity,
};
use recto_core::turn::{Ending, Input, Limits, Order, Outgoing, Record, Setup, Turn};
use recto_engine::ports::{Entry, Journal as _, RequestEntry};
use recto_store::{NewConversation, NewTurn, Store};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

const MARKS: [u32; 4] = [10, 100, 1_000, 10_000];
/// Turns before a mark that are measured.
const N_SAMPLES: usize = 9;
const WINDOW: u32 = 8_192;

#[derive(Clone, Copy, Default)]
struct Cost {
    gather: Duration,
    compose: Duration,
    record: Duration,
    n_written: u64,
    n_new_text: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let most: u32 = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(MARKS[3]);
    // Beside the build and not in the temporary folder, which may be no disk.
    let scratch = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let path = scratch.path().join("recto.db");
    let store = Store::open(&path, 1)?.store;
    let new = NewConversation { id: "cv_1".into(), folder: None, model: None, reply_language: None, at_ms: 1 };
    store.create_conversation(new).await?;
    println!(
        "{:>8} {:>10} {:>10} {:>10} {:>10} {:>16} {:>14}",
        "turns", "gather", "compose", "record", "in all", "written/request", "new text"
    );
    let mut costs = Vec::new();
    for number in 1..=most {
        costs.push(one_turn(&store, number).await?);
        if MARKS.contains(&number) {
            println!("{}", line(number, &costs[costs.len().saturating_sub(N_SAMPLES)..]));
        }
    }
    println!("\nA turn of five rounds, window {WINDOW}:");
    five_rounds()?;
    Ok(())
}

/// One turn without tools, as the engine has it: everything up to the request leaving is measured, and then the reply and the end are recorded.
async fn one_turn(store: &Store, number: u32) -> Result<Cost, Box<dyn Error>> {
    let id = TurnId(format!("tn_{number}"));
    let parent = (number > 1).then(|| TurnId(format!("tn_{}", number - 1)));
    let question = format!("What was measured on day {number}, and was it more than on the day before?");
    let written_before = bytes_written();
    let start = Instant::now();
    let new = NewTurn {
        id: id.clone(),
        conversation: "cv_1".into(),
        parent: parent.clone(),
        question: question.clone(),
        model: None,
        folder: None,
        at_ms: i64::from(number),
    };
    store.begin_turn(new).await?;
    let begun = start.elapsed();
    let start = Instant::now();
    let summary = store.summary(parent.clone()).await?;
    let history = store.exchanges(parent.clone(), summary.until.clone()).await?;
    let todo = store.todo_state(parent).await?;
    let gather = start.elapsed();
    let start = Instant::now();
    let mut turn = Turn::new(Setup { summary, history, todo, ..setup(&question) });
    let orders = turn.step(Input::Begin);
    let mut folded = None;
    let mut sent = None;
    for order in orders {
        match order {
            Order::Record(Record::Folded(new)) => folded = Some(new),
            Order::Send(outgoing) => sent = Some(*outgoing),
            _ => {}
        }
    }
    let entry = entry(&id, sent.ok_or("nothing was sent")?);
    let request = entry.id.clone();
    let compose = start.elapsed();
    let start = Instant::now();
    if let Some(folded) = folded {
        store.record(Entry::Folded { turn: id.clone(), folded, request: None, at_ms: 2 }).await?;
    }
    store.record(Entry::Request(Box::new(entry))).await?;
    let record = start.elapsed() + begun;
    let answer = format!(
        "On day {number} the gauge stood at {}.{} metres. {}",
        number / 10,
        number % 10,
        "The pier was wet and nobody wrote down why it stood still. ".repeat(4)
    );
    let reply = Reply { text: answer.clone(), finish: Finish::Stop, ..Reply::default() };
    let n_written = bytes_written().saturating_sub(written_before);
    store.record(Entry::Reply { request, reply, failure: None, transport: None, at_ms: 3 }).await?;
    let n_new_text = (question.len() + answer.len()) as u64;
    store.record(Entry::End { turn: id, ending: Ending::Answered, answer, at_ms: 4 }).await?;
    Ok(Cost { gather, compose, record, n_written, n_new_text })
}

fn setup(question: &str) -> Setup {
    Setup {
        profile: ModelProfile {
            name: "a model".into(),
            window: WINDOW,
            protocol: Protocol::Native,
            takes_trailing_system: true,
            answer_tools: AnswerTools::Omit,
            exactness: Exactness::Estimate,
        },
        counter: Counter(Arc::new(ByCharacters)),
        instructions: prompt::instructions().into(),
        knowledge: "The zero of the gauge is at 3.2 metres.".into(),
        language: ReplyLanguage::Auto,
        profile_of_user: "A hydrologist.".into(),
        memories: Vec::new(),
        passages: Vec::new(),
        summary: recto_core::context::summary::Summary::default(),
        history: Vec::new(),
        question: question.into(),
        tools: vec![read_file()],
        todo: TodoState::default(),
        places: Places::default(),
        fitting: Vec::new(),
        policy: Policy::Ask,
        grants: Grants::default(),
        limits: Limits::default(),
        temperature: 0.0,
        seed: 0,
    }
}

fn read_file() -> ToolDefinition {
    ToolDefinition {
        identity: ToolIdentity::BuiltIn,
        name: "read_file".into(),
        description: "Reads a file.".into(),
        parameters: serde_json::json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
        effect: Effect::Read,
        paths: Vec::new(),
        repeats: true,
    }
}

/// The request as the engine records it.
fn entry(turn: &TurnId, outgoing: Outgoing) -> RequestEntry {
    let request = ModelRequest::from_plan(&outgoing.plan, outgoing.envelope.clone());
    let wire = wire(&request);
    RequestEntry {
        id: RequestId(format!("rq_{turn}_{}", outgoing.number)),
        turn: turn.clone(),
        number: outgoing.number,
        n_tokens_placed: outgoing.plan.rows.iter().map(|row| row.n_tokens).collect(),
        n_tokens: outgoing.plan.n_tokens,
        plan: outgoing.plan,
        profile: setup("").profile,
        step: None,
        sampling: outgoing.envelope.sampling,
        wire_hash: ContentHash::of(wire.bytes().as_bytes()),
        wire,
        n_stale_rounds: outgoing.n_stale_rounds,
        has_reminder: outgoing.has_reminder,
        at_ms: 3,
    }
}

/// A body like an adapter's.
fn wire(request: &ModelRequest) -> Wire {
    let mut wire = Wire::default();
    for message in &request.messages {
        wire.glue(format!("{{\"role\":\"{}\",\"content\":\"", message.role.as_str()));
        for part in &message.parts {
            let (Part::Text { block, text }
            | Part::Call { block, arguments: text, .. }
            | Part::Thought { block, json: text }) = part;
            wire.block(*block, text.clone(), Encoding::Json);
        }
        wire.glue("\"},");
    }
    wire
}

/// Composes a turn that reads five files, and says how much of each request stood in the one before.
fn five_rounds() -> Result<(), Box<dyn Error>> {
    println!("{:>8} {:>8} {:>10} {:>10}", "request", "tokens", "bytes", "as before");
    let mut turn = Turn::new(setup("What do the five notes say?"));
    let mut orders = turn.step(Input::Begin);
    let mut before = String::new();
    for round in 1..=6 {
        let outgoing = orders
            .into_iter()
            .find_map(|order| if let Order::Send(outgoing) = order { Some(*outgoing) } else { None })
            .ok_or("nothing was sent")?;
        let bytes = wire(&ModelRequest::from_plan(&outgoing.plan, outgoing.envelope.clone())).bytes();
        let common = before.bytes().zip(bytes.bytes()).take_while(|(one, other)| one == other).count();
        println!(
            "{:>8} {:>8} {:>10} {:>9.0}%",
            outgoing.number,
            outgoing.plan.n_tokens,
            bytes.len(),
            100.0 * common as f64 / before.len().max(1) as f64
        );
        before = bytes;
        if round == 6 {
            break;
        }
        let call = ToolCall {
            id: CallId(format!("c{round}")),
            name: "read_file".into(),
            arguments: format!("{{\"path\":\"note-{round}.md\"}}"),
        };
        turn.step(Input::Replied(Reply { calls: vec![call], finish: Finish::ToolCalls, ..Reply::default() }));
        let action = Action {
            identity: ToolIdentity::BuiltIn,
            effect: Effect::Read,
            target: format!("note-{round}.md"),
            change: None,
            folder: None,
        };
        turn.step(Input::Prepared(Prepared::Ready(action)));
        let text = format!("Note {round}: {}", "the gauge stood still. ".repeat(30));
        let outcome = CallOutcome::new(CallStatus::Done, text, "30 words");
        orders = turn.step(Input::Ran { outcome, places: Places::default() });
    }
    Ok(())
}

fn line(number: u32, costs: &[Cost]) -> String {
    let median = |of: &dyn Fn(&Cost) -> Duration| {
        let mut times: Vec<Duration> = costs.iter().map(of).collect();
        times.sort();
        format!("{:.2} ms", times[times.len() / 2].as_secs_f64() * 1_000.0)
    };
    let mean = |of: &dyn Fn(&Cost) -> u64| costs.iter().map(of).sum::<u64>() / costs.len().max(1) as u64;
    format!(
        "{number:>8} {:>10} {:>10} {:>10} {:>10} {:>14} B {:>12} B",
        median(&|cost| cost.gather),
        median(&|cost| cost.compose),
        median(&|cost| cost.record),
        median(&|cost| cost.gather + cost.compose + cost.record),
        mean(&|cost| cost.n_written),
        mean(&|cost| cost.n_new_text),
    )
}

/// Bytes that this program has handed to the system so far; 0 where the system does not count them.
fn bytes_written() -> u64 {
    let counts = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    counts.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok()).unwrap_or_default()
}
