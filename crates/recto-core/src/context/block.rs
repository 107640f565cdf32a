//! A block: one stretch of a request, with where it comes from and how it may be treated when not all fits.

use super::plan::DropRule;
use crate::id::{BlockId, CallId};
use serde::{Deserialize, Serialize};

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The program.
    System,
    /// The person, or the program in the person's place.
    User,
    /// The model.
    Assistant,
    /// A tool (native protocol).
    Tool,
}

impl Role {
    /// The word used on the wire and in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// What a block is. The same kind has the same colour everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// What Recto and the user tell every model.
    Instructions,
    /// The tools, where they are described in the system message (structured protocol).
    Tools,
    /// Texts that are always present.
    Knowledge,
    /// The language to reply in.
    Language,
    /// What the user said about themselves.
    Profile,
    /// A remembered sentence.
    Memory,
    /// A passage from the library.
    Passage,
    /// What left the history, in short.
    Summary,
    /// A question or an answer of an earlier turn.
    History,
    /// The question of this turn.
    Question,
    /// The list of the work: an unfinished one beside the question, the current one in the answer request.
    List,
    /// A reply of this turn that asked for tools.
    Step,
    /// Reasoning of such a reply that the interface wants back.
    Thought,
    /// A native tool call.
    Call,
    /// What a tool call gave back.
    Result,
    /// The stale reminder.
    Reminder,
    /// What was done in this turn, one line a call.
    Done,
    /// A fact in the answer request.
    Fact,
    /// Lines of the facts that speak of what was asked, said once more.
    Pointers,
    /// What had to be cut, said to the model.
    Notice,
    /// How the answer is to be written.
    Task,
}

impl BlockKind {
    /// The word used in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Tools => "tools",
            Self::Knowledge => "knowledge",
            Self::Language => "language",
            Self::Profile => "profile",
            Self::Memory => "memory",
            Self::Passage => "passage",
            Self::Summary => "summary",
            Self::History => "history",
            Self::Question => "question",
            Self::List => "list",
            Self::Step => "step",
            Self::Thought => "thought",
            Self::Call => "call",
            Self::Result => "result",
            Self::Reminder => "reminder",
            Self::Done => "done",
            Self::Fact => "fact",
            Self::Pointers => "pointers",
            Self::Notice => "notice",
            Self::Task => "task",
        }
    }
}

/// In which message a block sits. Neighbouring blocks of the same message are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Number of the message; ascending along the list of blocks.
    pub message: u32,
    /// Who speaks in it.
    pub role: Role,
    /// For a tool's message, which call it answers.
    pub answers: Option<CallId>,
}

/// Where in its message a block goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Into the text.
    Text,
    /// Beside the text, as a native tool call; the block's text is the argument string.
    Call {
        /// Which call.
        id: CallId,
        /// The name as it was received.
        name: String,
    },
}

/// How a block may be treated when not all fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Importance {
    /// Never dropped.
    Pinned,
    /// Never dropped, and cut in its middle only when everything else that may go is gone.
    Question,
    /// Dropped with its whole exchange, the oldest exchange first; the number counts exchanges from the oldest.
    Exchange(u32),
    /// Dropped by itself, in the order of the kinds: memories, passages, the profile, the summary; the lowest score first.
    Ranked,
    /// The words over the ranked blocks of its kind: gone when the last of them is.
    Heading,
    /// A result of this turn that a later one has followed: replaced by its one line when the turn outgrows the window, the oldest
    /// first; the number counts results from the oldest.
    Result(u32),
    /// Cut to a fair share with the other shared blocks, never dropped.
    Shared,
    /// Considered, and left out of this kind of request by a rule, whatever fits.
    LeftOut(DropRule),
}

/// One stretch of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Unique within the request.
    pub id: BlockId,
    /// What it is.
    pub kind: BlockKind,
    /// Where it comes from, for a person: `question of this turn`, `read_file README.md`.
    pub source: String,
    /// Its message.
    pub seat: Seat,
    /// Its place in the message.
    pub slot: Slot,
    /// How it may be treated.
    pub importance: Importance,
    /// Relevance where it has one.
    pub score: Option<f64>,
    /// The one line that can stand in its place (results); `None` where nothing can.
    pub stub: Option<String>,
    /// The most tokens it may take, whatever fits: a longer block is cut after a whole line. `None` for no such cap.
    pub limit: Option<u32>,
    /// The bytes, separators included: kept blocks put together are the messages.
    pub text: String,
}

impl Block {
    /// A pinned block of text; the other treatments are set on it.
    #[must_use]
    pub fn pinned(id: impl Into<String>, kind: BlockKind, source: impl Into<String>, seat: Seat, text: String) -> Self {
        Self {
            id: BlockId(id.into()),
            kind,
            source: source.into(),
            seat,
            slot: Slot::Text,
            importance: Importance::Pinned,
            score: None,
            stub: None,
            limit: None,
            text,
        }
    }
}

impl Seat {
    /// A message that answers no call.
    #[must_use]
    pub fn new(message: u32, role: Role) -> Self {
        Self { message, role, answers: None }
    }
}
