//! What a watcher of a turn is told, in the order in which it happens.

use crate::ports::Question;
use recto_core::approval::Answer;
use recto_core::id::{CallId, RequestId};
use recto_core::reply::{Finish, Usage};
use recto_core::request::Purpose;
use recto_core::todo::{TodoChange, TodoList};
use recto_core::tool::{CallOutcome, Effect, ToolCall};
use recto_core::turn::Ending;
use std::sync::Arc;

/// Something that happened in a turn.
#[derive(Clone, Debug)]
pub enum TurnEvent {
    /// The model is being loaded: how much of it, in percent.
    Loading {
        /// From 0 to 100.
        percent: u8,
    },
    /// A request is about to leave.
    Request {
        /// Which.
        id: RequestId,
        /// Its number in the turn, from 1.
        number: u32,
        /// What it is for.
        purpose: Purpose,
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
    /// Text of a work request arrived. It is a draft: it may still turn out to be a step of work.
    Draft(String),
    /// The draft so far was a step of work, not the answer.
    DraftDropped,
    /// Text of the answer arrived.
    Answer(String),
    /// Reasoning arrived.
    Reasoning(String),
    /// A reply ended.
    Replied {
        /// For which request.
        id: RequestId,
        /// Why it ended.
        finish: Finish,
        /// What was counted.
        usage: Usage,
    },
    /// The model made a call; it is about to be prepared and decided on.
    Call {
        /// The call.
        call: ToolCall,
    },
    /// The final decision on a call.
    Permission {
        /// Which call.
        call: CallId,
        /// The tool's name.
        tool: String,
        /// What it is about: a path, a pattern.
        target: String,
        /// What it may change.
        effect: Effect,
        /// Whether it may run.
        is_allowed: bool,
        /// `rule <name>` or `person <answer>`.
        decider: String,
    },
    /// The person is asked.
    Asked(Box<Question>),
    /// The person, a time-out or a stop answered.
    Answered {
        /// Which question.
        question: Box<Question>,
        /// How.
        answer: Answer,
    },
    /// A call ended.
    Called {
        /// The call.
        call: ToolCall,
        /// What it is about.
        target: String,
        /// How it ended.
        outcome: CallOutcome,
    },
    /// The list of the work was replaced.
    Todo {
        /// The list now.
        list: Arc<TodoList>,
        /// What that changed.
        changes: Vec<TodoChange>,
    },
    /// Exchanges left the history and entered the summary.
    Folded {
        /// How many.
        n_exchanges: usize,
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
    /// The tools are done; the answer is being composed from this many facts.
    Composing {
        /// Facts in the answer request.
        n_facts: usize,
    },
    /// The turn ended.
    Ended {
        /// How.
        ending: Ending,
        /// The answer; empty if there is none.
        answer: String,
    },
}
