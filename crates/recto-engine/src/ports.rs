//! What a turn needs from outside, one trait each.

use crate::event::TurnEvent;
use async_trait::async_trait;
use recto_core::approval::{Answer, RuleEnd, RuleId, RuleScope, SessionRule};
use recto_core::audit::AuditEntry;
use recto_core::context::plan::Plan;
use recto_core::fact::Fact;
use recto_core::id::{ApprovalId, CallId, ConversationId, RequestId, TurnId};
use recto_core::reply::Reply;
use recto_core::request::{ModelProfile, ModelRequest, Token, Wire};
use recto_core::text::ContentHash;
use recto_core::todo::TodoState;
use recto_core::tool::{CallOutcome, Change, Places, Prepared, ToolCall, ToolDefinition};
use recto_core::turn::Folded;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

/// A model, wherever it runs.
#[async_trait]
pub trait ModelClient: Send + Sync {
    /// What has to be known before a request is composed.
    fn profile(&self) -> ModelProfile;

    /// Tokens of a text by itself, as well as they are known.
    fn count(&self, text: &str) -> u32;

    /// The bytes that would go out. Pure: the same request gives the same bytes.
    ///
    /// # Errors
    /// The request cannot be expressed for this model; the sentence says why.
    fn encode(&self, request: &ModelRequest) -> Result<Wire, ModelError>;

    /// Where the bytes go, as an address without a key; `None` for a model inside the program.
    fn endpoint(&self) -> Option<String> {
        None
    }

    /// Tokens of each piece of `wire`, in order; their sum is the size of the request.
    fn measure(&self, wire: &Wire) -> Vec<u32>;

    /// The tokens that the bytes of `wire` become, in order, one behind the other without a gap; `None` where only a server knows them.
    fn tokens(&self, _wire: &Wire) -> Option<Vec<Token>> {
        None
    }

    /// Sends the bytes and waits for the whole reply. `conversation` lets a model keep what it can reuse apart.
    /// What arrives goes to `deltas` at once. When `stop` turns true, the connection is closed and what there was is returned with
    /// `Finish::Stopped`.
    ///
    /// # Errors
    /// `ModelError::BeforeOutput` if nothing had arrived (trying again is safe), `ModelError::AfterOutput` with what had.
    async fn send(
        &self,
        conversation: &ConversationId,
        request: &ModelRequest,
        wire: &Wire,
        deltas: &mut (dyn FnMut(Delta) + Send),
        stop: Stop,
    ) -> Result<Reply, ModelError>;
}

/// Something that arrived from a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// The request is being read: tokens so far, of all, and how many of them were reused.
    Reading {
        /// Tokens read so far.
        n_read: u32,
        /// Tokens to read in all.
        of: u32,
        /// Of them reused.
        n_reused: u32,
    },
    /// Text.
    Text(String),
    /// Reasoning.
    Reasoning(String),
    /// A native tool call has begun; its name.
    Call(String),
    /// Bytes as they came from the server, before anything is made of them.
    Raw(Vec<u8>),
    /// The request is tried again: which attempt this is, of how many, and why.
    Retry {
        /// From 2.
        attempt: u32,
        /// At most.
        of: u32,
        /// Why the last one failed.
        reason: String,
    },
}

/// Turns true when the user stops. Cheap to clone; waiting on it ends when it turns true.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    /// A stop and the switch that turns it true.
    #[must_use]
    pub fn new() -> (watch::Sender<bool>, Self) {
        let (switch, receiver) = watch::channel(false);
        (switch, Self(receiver))
    }

    /// Whether it is true.
    #[must_use]
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Ends when it turns true; never, if the switch is gone before.
    pub async fn wait(&mut self) {
        if self.0.wait_for(|is_set| *is_set).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Why a model gave no whole reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nothing had arrived. The sentence is for the user.
    #[error("{sentence}")]
    BeforeOutput {
        /// What happened and what one can do, in one sentence.
        sentence: String,
        /// What a client may do about it.
        kind: ModelErrorKind,
    },
    /// Part of the reply had arrived.
    #[error("{sentence}")]
    AfterOutput {
        /// What happened and what one can do, in one sentence.
        sentence: String,
        /// What had arrived.
        partial: Box<Reply>,
    },
}

/// What kind of failure it was, where the window does something different for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// Nobody answers at the address.
    Unreachable,
    /// The key was refused.
    KeyRefused,
    /// The request is larger than the window.
    TooLarge,
    /// The server wants the client to wait longer than it will.
    Busy,
    /// The model file or template cannot be used.
    Unusable,
    /// The request was refused for what it is.
    Rejected,
    /// Anything else.
    Failed,
}

/// Tools and their effects on the world.
#[async_trait]
pub trait Toolbox: Send + Sync {
    /// The tools on offer, `todo_write` not among them.
    fn tools(&self) -> Vec<ToolDefinition>;

    /// Paths that are there now, while the list is short.
    async fn places(&self) -> Places;

    /// Checks the arguments against the tool's schema and freezes what would happen. Changes nothing.
    async fn prepare(&self, call: &ToolCall) -> Prepared;

    /// Does it. For a write, only if the file is still as it was seen when `change` was frozen.
    async fn run(&self, call: &ToolCall, change: Option<&Change>, stop: Stop) -> CallOutcome;
}

/// Asks the person.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Shows the question and waits for its answer, a time-out, or `stop`.
    async fn ask(&self, question: &Question, stop: Stop) -> Answer;

    /// Shows several questions of one reply, and says each answer by its place as soon as it is there. One after the other, unless whoever asks
    /// can show them side by side.
    async fn ask_all(&self, questions: &[Question], stop: Stop, said: UnboundedSender<(usize, Answer)>) {
        for (at, question) in questions.iter().enumerate() {
            let answer = self.ask(question, stop.clone()).await;
            // Whoever asked may have stopped waiting.
            let _ = said.send((at, answer));
        }
    }
}

/// A question about one frozen change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its name; an answer names it and nothing else.
    pub id: ApprovalId,
    /// Where it is asked.
    pub conversation: ConversationId,
    /// In which turn.
    pub turn: TurnId,
    /// For which call.
    pub call: CallId,
    /// The tool's name.
    pub tool: String,
    /// What would be written.
    pub change: Change,
    /// The rule that the person may make of a yes; `None` where none may be made, and where the question comes from the record.
    pub offer: Option<RuleScope>,
    /// How many stand on one card, this one included.
    pub n_together: u32,
}

/// The rules that the person made. They are kept in memory and are gone when the program ends.
pub trait Rules: Send + Sync {
    /// Those that hold in this conversation now.
    fn of(&self, conversation: &ConversationId) -> Vec<SessionRule>;

    /// A new one.
    fn make(&self, conversation: &ConversationId, scope: RuleScope) -> SessionRule;

    /// One covered a write of so many bytes to this path.
    fn used(&self, rule: &RuleId, path: &str, n_bytes: u64);

    /// One holds no more.
    fn end(&self, rule: &RuleId, why: RuleEnd);
}

/// The wall clock.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970 UTC.
    fn now_ms(&self) -> i64;
}

/// New identifiers.
pub trait Ids: Send + Sync {
    /// For a request.
    fn request(&self) -> RequestId;
    /// For a question to the user: random, so that it cannot be guessed.
    fn approval(&self) -> ApprovalId;
}

/// Who watches a turn. An event is a hint; the record is the truth.
pub trait Events: Send + Sync {
    /// Something happened.
    fn tell(&self, event: TurnEvent);
}

/// The record. Every entry is committed when the call returns.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Commits one entry.
    ///
    /// # Errors
    /// The entry is not saved; the turn ends with the sentence.
    async fn record(&self, entry: Entry) -> Result<(), JournalError>;
}

/// An entry was not saved.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub struct JournalError {
    /// What happened and what one can do, in one sentence.
    pub sentence: String,
    /// The cause, for the log.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// One entry of the record, in the order in which a turn makes them. The question itself is committed before the turn starts.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A request is about to leave.
    Request(Box<RequestEntry>),
    /// Part of a reply, saved while it arrives. Replaces what was saved of it before.
    ReplySoFar {
        /// For which request.
        request: RequestId,
        /// All text so far.
        text: String,
    },
    /// A reply arrived whole, or a part of it with the failure that ended it.
    Reply {
        /// For which request.
        request: RequestId,
        /// What arrived.
        reply: Reply,
        /// Why it is not whole.
        failure: Option<String>,
        /// What went over the line; `None` where nothing did.
        transport: Option<Box<Transport>>,
        /// When it ended.
        at_ms: i64,
    },
    /// A call was made by the model. Nothing of it has run.
    Call {
        /// In which turn.
        turn: TurnId,
        /// By which reply.
        request: RequestId,
        /// The call.
        call: ToolCall,
        /// Its place among the calls of the turn, from 1.
        number: u32,
    },
    /// A question to the user. It survives a reload of the window.
    Asked {
        /// The question.
        question: Box<Question>,
        /// When.
        at_ms: i64,
    },
    /// Its answer.
    Answered {
        /// Which question.
        approval: ApprovalId,
        /// How it ended.
        answer: Answer,
        /// When.
        at_ms: i64,
    },
    /// A row of the audit log.
    Audit(AuditEntry),
    /// A call ended; its whole result.
    Fact {
        /// In which turn.
        turn: TurnId,
        /// The fact.
        fact: Fact,
        /// When.
        at_ms: i64,
    },
    /// The list of the work was replaced, or rounds passed without it.
    Todo {
        /// In which conversation.
        conversation: ConversationId,
        /// In which turn.
        turn: TurnId,
        /// By which call; `None` when only the counter changed.
        call: Option<CallId>,
        /// The list and its counter as they are now.
        state: TodoState,
        /// When.
        at_ms: i64,
    },
    /// Exchanges left the history and entered the summary, which is the turn's from now on.
    Folded {
        /// In which turn, or after which.
        turn: TurnId,
        /// The summary, and what entered it.
        folded: Box<Folded>,
        /// The request in which a model wrote it; `None` where it was taken by rule.
        request: Option<RequestId>,
        /// When.
        at_ms: i64,
    },
    /// The turn ended.
    End {
        /// Which turn.
        turn: TurnId,
        /// How.
        ending: recto_core::turn::Ending,
        /// The answer the user received; empty if there is none.
        answer: String,
        /// When.
        at_ms: i64,
    },
}

/// What went over the line beside a request's bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transport {
    /// Where the request went; `None` for a model inside the program.
    pub endpoint: Option<String>,
    /// The bytes that came back, at most [`Transport::LIMIT`] of them.
    pub stream: Vec<u8>,
    /// Bytes that came back in all.
    pub n_bytes: u64,
    /// The tokens that the request's bytes became, in order; empty where only a server knows them.
    pub tokens: Vec<Token>,
    /// Why earlier attempts to send the same bytes came to nothing, in order.
    pub failed_attempts: Vec<String>,
}

impl Transport {
    /// Bytes of a stream that are kept; the reply itself is kept whole beside it.
    pub const LIMIT: usize = 4 * 1024 * 1024;

    /// Adds bytes that arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.n_bytes += bytes.len() as u64;
        let room = Self::LIMIT.saturating_sub(self.stream.len());
        self.stream.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Whether all that came back is in `stream`.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.n_bytes == self.stream.len() as u64
    }
}

/// A request with all that is kept of it.
#[derive(Clone, Debug)]
pub struct RequestEntry {
    /// Its name.
    pub id: RequestId,
    /// In which turn.
    pub turn: TurnId,
    /// Its number in the turn, from 1.
    pub number: u32,
    /// The verdicts.
    pub plan: Plan,
    /// Tokens of each block as it was placed, measured on the whole request; same order as `plan.rows`.
    pub n_tokens_placed: Vec<u32>,
    /// Tokens of the whole request.
    pub n_tokens: u32,
    /// What has to be known of the model, as it was.
    pub profile: ModelProfile,
    /// The request beside its messages: schema of the step, sampling.
    pub step: Option<String>,
    /// How the reply is drawn.
    pub sampling: recto_core::request::Sampling,
    /// The bytes, in pieces.
    pub wire: Wire,
    /// Hash of the bytes.
    pub wire_hash: ContentHash,
    /// Rounds without a written list before this request, and whether it carries the reminder.
    pub n_stale_rounds: u32,
    /// Whether it carries the reminder.
    pub has_reminder: bool,
    /// When.
    pub at_ms: i64,
}
