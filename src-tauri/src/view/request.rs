//! A request as the inspector shows it.

use serde::Serialize;
use ts_rs::TS;

/// A request with its blocks, without their texts.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RequestView {
    /// Which.
    pub id: String,
    /// In which turn.
    pub turn: String,
    /// Its number in the turn, from 1.
    pub number: u32,
    /// What it was for.
    pub purpose: PurposeView,
    /// The model's name as it was.
    pub model: String,
    /// How its token counts are known.
    pub exactness: ExactnessView,
    /// Its tokens.
    pub n_tokens: u32,
    /// Tokens kept free for the reply.
    pub reserve: u32,
    /// Tokens that the request and the reply share.
    pub window: u32,
    /// Rounds without a written list before it.
    pub n_stale_rounds: u32,
    /// Whether it carried the reminder.
    pub has_reminder: bool,
    /// When it left.
    pub at_ms: i64,
    /// Why its reply ended; `None` while there is none.
    pub finish: Option<FinishView>,
    /// What was counted; `None` while there is no reply.
    pub usage: Option<UsageView>,
    /// Its blocks in order, dropped ones included.
    pub blocks: Vec<BlockView>,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum PurposeView {
    /// One step of work.
    Work,
    /// The answer.
    Answer,
}

/// How a count is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ExactnessView {
    /// By the model's own vocabulary.
    Exact,
    /// By the kind of characters.
    Estimate,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum FinishView {
    /// The model was done.
    Stop,
    /// It asked for tools.
    ToolCalls,
    /// It reached its length limit.
    Length,
    /// The provider withheld the rest.
    Filtered,
    /// The stream ended without saying why.
    Unmarked,
    /// The person stopped it.
    Stopped,
}

/// Counts and times; `None` means that nobody said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageView {
    /// Tokens read, reused ones included.
    pub n_read: Option<u32>,
    /// Tokens reused from an earlier request.
    pub n_reused: Option<u32>,
    /// Tokens evaluated.
    pub n_evaluated: Option<u32>,
    /// Tokens of the reply.
    pub n_written: Option<u32>,
    /// To the first token.
    pub first_token_ms: Option<u64>,
    /// To the end.
    pub total_ms: Option<u64>,
}

/// A block and its verdict.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BlockView {
    /// Its place among the blocks, from 0.
    pub position: u32,
    /// Its name within the request.
    pub id: String,
    /// What it is.
    pub kind: BlockKindView,
    /// Where it comes from, for a person.
    pub source: String,
    /// Who speaks in its message.
    pub role: RoleView,
    /// Number of its message.
    pub message: u32,
    /// Relevance to the question, where it has one.
    pub score: Option<f64>,
    /// What happened to it.
    pub verdict: VerdictView,
    /// Tokens of the whole block.
    pub n_tokens: u32,
    /// Tokens that are in the request.
    pub n_placed: u32,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum RoleView {
    /// The program.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum BlockKindView {
    /// What Recto and the user tell every model.
    Instructions,
    /// The tools, described in the system message.
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
    /// The list of the work.
    List,
    /// A reply that asked for tools.
    Step,
    /// A native tool call.
    Call,
    /// What a tool gave back.
    Result,
    /// The stale reminder.
    Reminder,
    /// What was done, one line a call.
    Done,
    /// A fact in the answer request.
    Fact,
    /// What had to be cut, said to the model.
    Notice,
    /// How the answer is to be written.
    Task,
}

/// What happened to a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "verdict", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum VerdictView {
    /// It is in, whole.
    Kept,
    /// Only its beginning is in.
    Cut {
        /// Lines that are in.
        kept_lines: u32,
        /// Lines that it has.
        of_lines: u32,
    },
    /// It is not in.
    Dropped {
        /// By which rule.
        rule: DropRuleView,
        /// The how many-th to be dropped, from 1.
        order: u32,
    },
}

/// Why a block is not in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum DropRuleView {
    /// It has no text.
    Empty,
    /// The oldest exchanges go first.
    OldestHistory,
    /// A later result of the same call stands in its place.
    Superseded,
    /// The answer request holds no tool traffic.
    NotInAnswer,
}

/// The text of a block.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BlockTextView {
    /// Its place among the blocks.
    pub position: u32,
    /// The whole text as it was gathered.
    pub whole: String,
    /// What of it is in the request; `None` if nothing is.
    pub placed: Option<String>,
}

/// A request as it went out.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RequestBytesView {
    /// The bytes.
    pub text: String,
    /// How many.
    pub n_bytes: u32,
    /// The hash that was kept when it left.
    pub hash: String,
    /// Whether the bytes, rebuilt from the record, still have that hash.
    pub is_verified: bool,
}
