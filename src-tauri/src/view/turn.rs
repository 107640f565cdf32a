//! What the window is told while a turn runs.

use crate::view::approval::{AnswerView, ApprovalView};
use crate::view::conversation::CallStatusView;
use crate::view::count;
use crate::view::request::{FinishView, PurposeView, UsageView};
use crate::view::todo::{TodoChangeView, TodoItemView};
use recto_core::approval::Policy;
use recto_core::turn::Ending;
use recto_engine::event::TurnEvent;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A question, and with what it is to be answered.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TurnStartParams {
    /// Where it is asked.
    pub conversation: String,
    /// The question.
    pub question: String,
    /// Which model; `None` takes the one set as usual.
    pub model: Option<String>,
    /// Which of the picked folders; `None` means that no file is read or written.
    pub folder: Option<String>,
    /// Who works; `None` is the assistant that comes with the program.
    pub assistant: Option<String>,
    /// What the person said about writes in general.
    pub policy: PolicyView,
}

/// What the person said about writes in general.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum PolicyView {
    /// Ask for each one.
    Ask,
    /// Refuse each one.
    Never,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "ending", rename_all = "camelCase")]
pub enum EndingView {
    /// With an answer.
    Answered,
    /// With an answer from what was found when a limit was reached.
    Limited {
        /// Which.
        sentence: String,
    },
    /// By the person.
    Stopped,
    /// Without an answer.
    Failed {
        /// Why, and what one can do.
        sentence: String,
    },
    /// The program died while it ran.
    Interrupted,
}

/// What goes through the channel of a turn: everything so far first, then what happens.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TurnEvents {
    /// Which turn.
    pub turn: String,
    /// In order.
    pub events: Vec<TurnEventView>,
}

/// Something that happened in a turn.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "event", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TurnEventView {
    /// The model is being loaded.
    Loading {
        /// How much of it.
        percent: u8,
    },
    /// A request is about to leave.
    Request {
        /// Which.
        id: String,
        /// Its number in the turn, from 1.
        number: u32,
        /// What it is for.
        purpose: PurposeView,
        /// Its tokens.
        n_tokens: u32,
        /// The window.
        window: u32,
        /// Rounds without a written list.
        n_stale_rounds: u32,
        /// Whether it carries the reminder.
        has_reminder: bool,
    },
    /// The model reads the request.
    Reading {
        /// Tokens read so far.
        n_read: u32,
        /// Of all.
        of: u32,
    },
    /// The request is tried again.
    Retry {
        /// From 2.
        attempt: u32,
        /// At most.
        of: u32,
        /// Why.
        reason: String,
    },
    /// Text of a work request: a draft that may still turn out to be a step.
    Draft {
        /// What arrived.
        text: String,
    },
    /// The draft so far was a step of work.
    DraftDropped,
    /// Text of the answer.
    Answer {
        /// What arrived.
        text: String,
    },
    /// Reasoning.
    Reasoning {
        /// What arrived.
        text: String,
    },
    /// A reply ended.
    Replied {
        /// For which request.
        id: String,
        /// Why it ended.
        finish: FinishView,
        /// What was counted.
        usage: UsageView,
    },
    /// The model made a call; it is about to be prepared and decided on.
    Call {
        /// Which.
        call: String,
        /// The tool's name.
        tool: String,
    },
    /// The final decision on a call.
    Permission {
        /// Which call.
        call: String,
        /// What it is about: a path, a pattern.
        target: String,
        /// Whether it may run.
        is_allowed: bool,
        /// `rule <name>` or `person <answer>`.
        decider: String,
    },
    /// The person is asked.
    Asked {
        /// What.
        approval: Box<ApprovalView>,
    },
    /// A question was answered.
    Answered {
        /// Which question.
        approval: String,
        /// How.
        answer: AnswerView,
    },
    /// A call ended.
    Called {
        /// Which.
        call: String,
        /// The tool's name.
        tool: String,
        /// What it is about.
        target: String,
        /// How it ended.
        status: CallStatusView,
        /// One line for a person.
        note: String,
    },
    /// The list was replaced.
    Todo {
        /// The list now.
        todos: Vec<TodoItemView>,
        /// What that changed.
        changes: Vec<TodoChangeView>,
    },
    /// Exchanges left the history and entered the summary.
    Folded {
        /// How many.
        n_exchanges: u32,
        /// The version of the summary with them.
        version: u32,
    },
    /// The question is too long for the window, so its middle is left out of the request.
    QuestionCut {
        /// Tokens of it that are in the request.
        n_tokens: u32,
        /// Of all.
        of: u32,
    },
    /// The tools are done; the answer is being composed.
    Composing {
        /// From this many facts.
        n_facts: u32,
    },
    /// The turn ended.
    Ended {
        /// How.
        ending: EndingView,
        /// The answer; empty if there is none.
        answer: String,
    },
}

impl From<PolicyView> for Policy {
    fn from(policy: PolicyView) -> Self {
        match policy {
            PolicyView::Ask => Self::Ask,
            PolicyView::Never => Self::Never,
        }
    }
}

impl From<&Ending> for EndingView {
    fn from(ending: &Ending) -> Self {
        match ending {
            Ending::Answered => Self::Answered,
            Ending::Limited { sentence } => Self::Limited { sentence: sentence.clone() },
            Ending::Stopped => Self::Stopped,
            Ending::Failed { sentence } => Self::Failed { sentence: sentence.clone() },
        }
    }
}

impl From<TurnEvent> for TurnEventView {
    fn from(event: TurnEvent) -> Self {
        match event {
            TurnEvent::Loading { percent } => Self::Loading { percent },
            TurnEvent::Request { id, number, purpose, n_tokens, window, n_stale_rounds, has_reminder } => {
                Self::Request {
                    id: id.0,
                    number,
                    purpose: purpose.into(),
                    n_tokens,
                    window,
                    n_stale_rounds,
                    has_reminder,
                }
            }
            TurnEvent::Reading { n_read, of } => Self::Reading { n_read, of },
            TurnEvent::Retry { attempt, of, reason } => Self::Retry { attempt, of, reason },
            TurnEvent::Draft(text) => Self::Draft { text },
            TurnEvent::DraftDropped => Self::DraftDropped,
            TurnEvent::Answer(text) => Self::Answer { text },
            TurnEvent::Reasoning(text) => Self::Reasoning { text },
            TurnEvent::Replied { id, finish, usage } => {
                Self::Replied { id: id.0, finish: finish.into(), usage: usage.into() }
            }
            TurnEvent::Call { call } => Self::Call { call: call.id.0, tool: call.name },
            TurnEvent::Permission { call, target, is_allowed, decider, .. } => {
                Self::Permission { call: call.0, target, is_allowed, decider }
            }
            TurnEvent::Asked(question) => Self::Asked { approval: Box::new(question.as_ref().into()) },
            TurnEvent::Answered { question, answer } => {
                Self::Answered { approval: question.id.0, answer: answer.into() }
            }
            TurnEvent::Called { call, target, outcome } => Self::Called {
                call: call.id.0,
                tool: call.name,
                target,
                status: outcome.status.into(),
                note: outcome.note,
            },
            TurnEvent::Todo { list, changes } => Self::Todo {
                todos: list.items.iter().map(Into::into).collect(),
                changes: changes.into_iter().map(Into::into).collect(),
            },
            TurnEvent::Folded { n_exchanges, version } => Self::Folded { n_exchanges: count(n_exchanges), version },
            TurnEvent::QuestionCut { n_tokens, of } => Self::QuestionCut { n_tokens, of },
            TurnEvent::Composing { n_facts } => Self::Composing { n_facts: count(n_facts) },
            TurnEvent::Ended { ending, answer } => Self::Ended { ending: (&ending).into(), answer },
        }
    }
}
