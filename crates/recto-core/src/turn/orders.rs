//! What goes into a turn and what comes out of it: inputs, orders, records, and how it ends.

use crate::approval::{Answer, RuleEnd, RuleId, RuleScope, SessionRule};
use crate::audit::AuditEvent;
use crate::context::plan::Plan;
use crate::context::summary::Summary;
use crate::fact::Fact;
use crate::id::TurnId;
use crate::reply::Reply;
use crate::request::Envelope;
use crate::todo::{TodoChange, TodoState};
use crate::tool::{CallOutcome, Change, Effect, Places, Prepared, ToolCall};
use serde::{Deserialize, Serialize};

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Input {
    /// The question is committed; the turn may start.
    Begin,
    /// The model replied.
    Replied(Reply),
    /// The model gave no whole reply.
    ModelFailed {
        /// Why, for the user.
        sentence: String,
        /// What had arrived.
        partial: Option<Reply>,
    },
    /// The rules of the person that hold now; said before a call is decided on. Nothing comes of it by itself.
    Rules(Vec<SessionRule>),
    /// A call was checked and, for a write, frozen.
    Prepared(Prepared),
    /// The person, a time-out or a stop answered a question.
    Answered(Answer),
    /// The same for changes that were asked about together, in their order.
    AnsweredAll(Vec<Answer>),
    /// The person said yes and made a rule of it.
    AnsweredWithRule(SessionRule),
    /// A call ran.
    Ran {
        /// How it ended.
        outcome: CallOutcome,
        /// Paths that are there now.
        places: Places,
    },
    /// The user stopped the turn.
    Stopped {
        /// What had arrived of a reply.
        partial: Option<Reply>,
    },
    /// The turn has used up its time; asked before a work request leaves.
    TimeUp,
}

/// Something to be done. The last order of a list is the one that leads to the next input.
#[derive(Clone, Debug)]
pub enum Order {
    /// Send a request and bring its reply.
    Send(Box<Outgoing>),
    /// Check a call's arguments and freeze what it would do.
    Prepare(ToolCall),
    /// Ask the person about a frozen change, and offer the rule that may be made of it.
    Ask(ToolCall, Box<Change>, Option<RuleScope>),
    /// Ask the person about frozen changes of one reply, each by itself, side by side.
    AskAll(Vec<(ToolCall, Change)>),
    /// Run a call.
    Run(ToolCall, Option<Box<Change>>),
    /// Record this before going on.
    Record(Record),
    /// The turn is over.
    End {
        /// How.
        ending: Ending,
        /// The answer for the user; empty if there is none.
        answer: String,
    },
}

/// A request that is about to leave.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Its number in the turn, from 1.
    pub number: u32,
    /// The verdicts; the request is made from them.
    pub plan: Plan,
    /// What it carries beside its messages.
    pub envelope: Envelope,
    /// Rounds without a written list, before the reminder was taken.
    pub n_stale_rounds: u32,
    /// Whether it carries the reminder.
    pub has_reminder: bool,
}

/// Something that is recorded and told to who watches.
#[derive(Clone, Debug)]
pub enum Record {
    /// The model made a call.
    Call {
        /// The call.
        call: ToolCall,
        /// Its place among the calls of the turn, from 1.
        number: u32,
    },
    /// A row of the audit log.
    Audit {
        /// The call it is about.
        call: ToolCall,
        /// What the call may change.
        effect: Effect,
        /// What it is about: a path, a pattern.
        target: String,
        /// What is said.
        event: AuditEvent,
    },
    /// A rule covered a write.
    RuleUsed {
        /// Which.
        rule: RuleId,
        /// What is written.
        path: String,
        /// Of how many bytes.
        n_bytes: u64,
    },
    /// A rule holds no more.
    RuleEnded(RuleId, RuleEnd),
    /// A call ended.
    Fact(Fact),
    /// The list or its counter changed.
    Todo {
        /// By which call; `None` when only the counter changed.
        call: Option<ToolCall>,
        /// The state now.
        state: TodoState,
        /// What the call changed in the list.
        changes: Vec<TodoChange>,
    },
    /// Exchanges left the history and entered the summary, before the request that lacks them.
    Folded(Box<Folded>),
    /// The reply was a step of work or a draft, not the answer.
    DraftDropped,
    /// The tools are done; the answer is composed from so many facts.
    Composing {
        /// Facts in the answer request.
        n_facts: usize,
    },
}

/// Exchanges that left the history for the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded {
    /// The summary with them.
    pub summary: Summary,
    /// The turns whose exchanges entered with this version, oldest first.
    pub exchanges: Vec<TurnId>,
}

/// What the first request of a turn would be.
#[derive(Clone, Debug)]
pub struct Preview {
    /// The verdicts.
    pub plan: Plan,
    /// What it would carry beside its messages.
    pub envelope: Envelope,
    /// What would be folded before it; `None` if all the history fits.
    pub folded: Option<Folded>,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ending", rename_all = "snake_case")]
pub enum Ending {
    /// With an answer.
    Answered,
    /// With an answer from what was found when a limit was reached; the sentence says which.
    Limited {
        /// For the user.
        sentence: String,
    },
    /// By the user.
    Stopped,
    /// Without a whole answer; the sentence says why and what one can do.
    Failed {
        /// For the user.
        sentence: String,
    },
}
