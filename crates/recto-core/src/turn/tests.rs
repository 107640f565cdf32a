//! Stories of a turn. A script says what the model replies and what the world answers; the expectation is what the turn orders.
//!
//! Script, one line a reply or an answer:
//! `call NAME ARGS` a native call (several joined by ` + `), `say TEXT` a reply in text, `step JSON` a structured step,
//! `gives TEXT` the result of the running tool, `fails TEXT` its failure, `write PATH CONTENT` the change that preparation froze,
//! `keep TEXT` the sentence that preparation froze to be remembered, `yes` / `no` the person's answer, `answers yes no` those to several, `forbidden REASON` / `invalid TEXT` what preparation says, `stop`, `late` the time limit.

mod calls;
mod choices;
mod folding;
mod machine;
mod memory;
mod requests;
mod rules;
mod todo;
mod together;
mod whole_files;

use super::*;
use crate::approval::{Grants, Policy};
use crate::context::plan::{ByCharacters, Counter};
use crate::context::summary::Summary;
use crate::id::CallId;
use crate::prompt::{self, ReplyLanguage};
use crate::request::{AnswerTools, Exactness, ModelProfile, ModelRequest, Purpose};
use crate::text::ContentHash;
use crate::tool::{CallOutcome, Change, FileState, Operation, PathChoice, Prepared, ToolIdentity};
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;

pub(super) fn tool(name: &str, effect: Effect) -> ToolDefinition {
    ToolDefinition {
        identity: ToolIdentity::BuiltIn,
        name: name.into(),
        description: format!("Does {name}."),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
        effect,
        paths: vec![("path".into(), PathChoice::File)],
        repeats: name != "list_dir",
    }
}

pub(super) fn setup(protocol: Protocol) -> Setup {
    Setup {
        profile: ModelProfile {
            name: "script".into(),
            window: 8_192,
            protocol,
            takes_trailing_system: true,
            answer_tools: AnswerTools::Keep,
            exactness: Exactness::Estimate,
        },
        counter: Counter(Arc::new(ByCharacters)),
        instructions: prompt::instructions().into(),
        knowledge: String::new(),
        language: ReplyLanguage::Auto,
        profile_of_user: String::new(),
        memories: Vec::new(),
        passages: Vec::new(),
        summary: Summary::default(),
        history: Vec::new(),
        question: "How do I run it?".into(),
        tools: vec![tool("write_file", Effect::Write), tool("read_file", Effect::Read), tool("list_dir", Effect::Read)],
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

/// A turn that is played by a script, with everything that it ordered.
pub(super) struct Play {
    pub(super) turn: Turn,
    pub(super) requests: Vec<Outgoing>,
    pub(super) told: String,
    pub(super) folded: Option<Folded>,
    pub(super) ending: Option<(Ending, String)>,
}

impl Play {
    pub(super) fn of(setup: Setup, script: &str) -> Self {
        let (turn, told) = (Turn::new(setup), String::new());
        let mut play = Self { turn, requests: Vec::new(), told, folded: None, ending: None };
        play.feed(Input::Begin);
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
            play.line(line);
        }
        play
    }

    fn line(&mut self, line: &str) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let places = self.turn.places.clone();
        let ran = |status, text: &str| Input::Ran {
            outcome: CallOutcome::new(status, text, format!("{} bytes", text.len())),
            places: places.clone(),
        };
        let input = match verb {
            "call" => {
                Input::Replied(Reply { calls: native_calls(rest), finish: Finish::ToolCalls, ..Reply::default() })
            }
            "say" | "step" => Input::Replied(Reply { text: rest.into(), finish: Finish::Stop, ..Reply::default() }),
            "cut" => Input::Replied(Reply { text: rest.into(), finish: Finish::Length, ..Reply::default() }),
            "read" => Input::Prepared(Prepared::Ready(action(Effect::Read, rest, None))),
            "write" => {
                let (path, content) = rest.split_once(' ').unwrap();
                Input::Prepared(Prepared::Ready(action(Effect::Write, path, Some(content))))
            }
            "keep" => Input::Prepared(Prepared::Ready(Action {
                identity: ToolIdentity::Remember,
                ..action(Effect::Write, "memories", Some(rest))
            })),
            "gives" => ran(CallStatus::Done, &rest.replace("\\n", "\n")),
            "fails" => ran(CallStatus::Failed, rest),
            "invalid" => {
                Input::Prepared(Prepared::Not(CallOutcome::new(CallStatus::InvalidArguments, rest, "invalid")))
            }
            "forbidden" => Input::Prepared(Prepared::Forbidden { reason: rest.into() }),
            "yes" => Input::Answered(Answer::Approved),
            "no" => Input::Answered(Answer::Denied),
            "answers" => {
                let said = |word| if word == "yes" { Answer::Approved } else { Answer::Denied };
                Input::AnsweredAll(rest.split(' ').map(said).collect())
            }
            "late" => Input::TimeUp,
            "stop" => {
                Input::Stopped { partial: (!rest.is_empty()).then(|| Reply { text: rest.into(), ..Reply::default() }) }
            }
            "breaks" => Input::ModelFailed { sentence: rest.into(), partial: None },
            other => panic!("no such verb in a script: {other}"),
        };
        self.feed(input);
    }

    fn feed(&mut self, input: Input) {
        for order in self.turn.step(input) {
            let line = self.describe(order);
            if !line.is_empty() {
                let _ = writeln!(self.told, "{line}");
            }
        }
    }

    fn describe(&mut self, order: Order) -> String {
        match order {
            Order::Send(outgoing) => {
                let reminder = if outgoing.has_reminder { ", reminder" } else { "" };
                let line = format!("send {} {}{reminder}", outgoing.number, outgoing.plan.purpose.as_str());
                self.requests.push(*outgoing);
                line
            }
            Order::Prepare(call) => format!("prepare {} {} {}", call.id, call.name, call.arguments),
            Order::Ask(call, change, offer) => {
                let offered = if offer.is_some() { ", may be a rule" } else { "" };
                format!("ask {} {}{offered}", call.id, change.path)
            }
            Order::AskAll(writes) => {
                let shown = writes.iter().map(|(call, change)| format!("{} {}", call.id, change.path));
                format!("ask together {}", shown.collect::<Vec<_>>().join(", "))
            }
            Order::Run(call, change) => {
                format!(
                    "run {}{}",
                    call.id,
                    change.map(|change| format!(" writing {}", change.path)).unwrap_or_default()
                )
            }
            Order::End { ending, answer } => {
                let line = format!("end {ending:?}: {answer}");
                self.ending = Some((ending, answer));
                line
            }
            Order::Record(record) => {
                if let Record::Folded(folded) = &record {
                    self.folded = Some(*folded.clone());
                }
                describe_record(&record)
            }
        }
    }

    pub(super) fn request(&self, number: usize) -> ModelRequest {
        let outgoing = &self.requests[number - 1];
        ModelRequest::from_plan(&outgoing.plan, outgoing.envelope.clone())
    }

    pub(super) fn answer_request(&self) -> ModelRequest {
        let number = self.requests.iter().rposition(|sent| sent.plan.purpose == Purpose::Answer).unwrap();
        self.request(number + 1)
    }
}

fn describe_record(record: &Record) -> String {
    match record {
        Record::Call { call, number } => format!("  call {number}: {} {}", call.name, call.arguments),
        Record::Audit { call, event, .. } => match event {
            AuditEvent::Decision { is_allowed: true, decider, reason, .. } => {
                let covers = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
                format!("  audit {}: allowed by {decider}{covers}", call.id)
            }
            AuditEvent::Decision { decider, .. } => format!("  audit {}: denied by {decider}", call.id),
            AuditEvent::Outcome { status, note, .. } => format!("  audit {}: {status:?}, {note}", call.id),
        },
        Record::RuleUsed { rule, path, n_bytes } => format!("  rule {rule} used for {path}, {n_bytes} bytes"),
        Record::RuleEnded(rule, why) => format!("  rule {rule} ends: {why:?}"),
        Record::Fact(fact) => format!("  fact {}: {:?} {}", fact.call.id, fact.outcome.status, fact.outcome.text),
        Record::Todo { call: Some(_), state, changes } => {
            format!("  list v{}: {} ({} changes)", state.version, state.list.snapshot(), changes.len())
        }
        Record::Todo { call: None, state, .. } => format!("  stale rounds {}", state.stale.n_rounds()),
        Record::Folded(folded) => format!("  fold {} into v{}", folded.exchanges.len(), folded.summary.version),
        Record::DraftDropped => String::new(),
        Record::Composing { n_facts } => format!("  composing from {n_facts} facts"),
    }
}

fn native_calls(text: &str) -> Vec<ToolCall> {
    text.split(" + ")
        .map(|call| {
            let (name, arguments) = call.split_once(' ').unwrap_or((call, "{}"));
            ToolCall { id: CallId(String::new()), name: name.into(), arguments: arguments.into() }
        })
        .collect()
}

fn action(effect: Effect, target: &str, content: Option<&str>) -> Action {
    let change = content.map(|content| Change {
        path: target.into(),
        to: None,
        operation: Operation::Create,
        before: None,
        after: Some(FileState { hash: ContentHash::of(content.as_bytes()), n_bytes: content.len() as u64 }),
        bytes: content.as_bytes().to_vec(),
        diff: Vec::new(),
        flags: Vec::new(),
        digest: ContentHash::of(target.as_bytes()),
    });
    Action { identity: ToolIdentity::BuiltIn, effect, target: target.into(), change, folder: None }
}
