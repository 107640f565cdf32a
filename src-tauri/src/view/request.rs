//! A request as the inspector shows it.

use crate::view::count;
use recto_app::record::RequestRecord;
use recto_core::context::block::{BlockKind, Role};
use recto_core::context::omission::omissions;
use recto_core::context::plan::{DropRule, Plan, PlannedBlock, Verdict};
use recto_core::reply::{Finish, Usage};
use recto_core::request::{Exactness, Purpose};
use recto_core::witness::{Witness, witness};
use serde::Serialize;
use std::collections::BTreeMap;
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
    /// What the server says that it read, against what was sent.
    pub witness: WitnessView,
    /// Why its reply ended; `None` while there is none.
    pub finish: Option<FinishView>,
    /// What was counted; `None` while there is no reply.
    pub usage: Option<UsageView>,
    /// Its blocks in order, dropped ones included.
    pub blocks: Vec<BlockView>,
}

/// A token of a request.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TokenView {
    /// Its number in the model's vocabulary.
    pub id: u32,
    /// What it stands for; bytes that are no text by themselves are written as `\xNN`.
    pub text: String,
    /// The block that it stands in; `None` for what the template adds.
    pub block: Option<u32>,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum PurposeView {
    /// One step of work.
    Work,
    /// The answer.
    Answer,
    /// What leaves the history, in short.
    Summary,
}

/// What the server's count and ours say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WitnessView {
    /// It read what was sent.
    Agrees,
    /// It read less.
    ReadLess,
    /// It does not say.
    CannotTell,
}

/// How a count is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "known", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ExactnessView {
    /// By the model's own vocabulary.
    Exact,
    /// By the kind of characters.
    Estimate,
    /// Each text by the server's vocabulary; what its template adds is estimated.
    Counted,
    /// By the kind of characters, and by what the server said of earlier requests.
    Calibrated {
        /// How far it may be off, in percent.
        percent: u8,
    },
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
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
    /// What it cost, in dollars, as the server says.
    pub cost: Option<f64>,
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
    /// Tokens that were left for it when it was dropped; `None` where no size decided.
    pub had: Option<u32>,
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
    /// Reasoning of such a reply that the interface wants back.
    Thought,
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
    /// Lines of the facts that speak of what was asked, said once more.
    Pointers,
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
    /// Then the memories, the lowest score first.
    LowestMemory,
    /// Then the passages, the lowest score first.
    LowestPassage,
    /// Then what the user said about themselves.
    Profile,
    /// Then the summary.
    Summary,
    /// Nothing is left of what it stands over.
    NothingBelow,
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
    /// The bytes, in stretches that say where they come from; put together they are the request.
    pub pieces: Vec<PieceView>,
    /// How many.
    pub n_bytes: u32,
    /// The hash that was kept when it left. The bytes were rebuilt from the record and have it; others are not given out.
    pub hash: String,
    /// The hash of those that left, where these differ because a text in them was made unreadable.
    pub original_hash: Option<String>,
    /// The command that sends the request again, without a key; `None` for a model inside the program.
    pub curl: Option<String>,
    /// What came back: as it came from a server, or what a model inside the program wrote.
    pub reply: String,
    /// Whether that is all of it.
    pub is_reply_whole: bool,
    /// Why earlier attempts to send it came to nothing, in order.
    pub failed_attempts: Vec<String>,
    /// Whether the tokens that it became are known.
    pub has_tokens: bool,
}

/// A stretch of a request's bytes.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PieceView {
    /// The place of its block; `None` for what the interface or the template adds.
    pub block: Option<u32>,
    /// The bytes.
    pub text: String,
}

mirror!(Purpose => PurposeView { Work, Answer, Summary });
mirror!(Finish => FinishView { Stop, ToolCalls, Length, Filtered, Unmarked, Stopped });
mirror!(Role => RoleView { System, User, Assistant, Tool });
mirror!(DropRule => DropRuleView {
    Empty, OldestHistory, LowestMemory, LowestPassage, Profile, Summary, NothingBelow, Superseded, NotInAnswer,
});
mirror!(BlockKind => BlockKindView {
    Instructions, Tools, Knowledge, Language, Profile, Memory, Passage, Summary, History, Question, List, Step, Thought, Call, Result,
    Reminder, Done, Fact, Pointers, Notice, Task,
});

impl From<Exactness> for ExactnessView {
    fn from(exactness: Exactness) -> Self {
        match exactness {
            Exactness::Exact => Self::Exact,
            Exactness::Estimate => Self::Estimate,
            Exactness::Counted => Self::Counted,
            Exactness::Calibrated { percent } => Self::Calibrated { percent },
        }
    }
}

impl From<Usage> for UsageView {
    fn from(usage: Usage) -> Self {
        let Usage { n_read, n_reused, n_evaluated, n_written, cost_nanodollars, first_token_ms, total_ms } = usage;
        let cost = cost_nanodollars.map(|cost| cost as f64 / 1e9);
        Self { n_read, n_reused, n_evaluated, n_written, cost, first_token_ms, total_ms }
    }
}

impl From<Verdict> for VerdictView {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Kept => Self::Kept,
            Verdict::Cut { kept_lines, of_lines } => Self::Cut { kept_lines, of_lines },
            Verdict::Dropped { rule, order } => Self::Dropped { rule: rule.into(), order },
        }
    }
}

/// What was left for each block that was dropped for its size.
pub(crate) fn had(plan: &Plan, n_placed: &[u32]) -> BTreeMap<usize, u32> {
    omissions(plan, n_placed).into_iter().filter_map(|omission| Some((omission.block, omission.had?))).collect()
}

impl BlockView {
    pub(crate) fn new(position: usize, row: &PlannedBlock, n_placed: u32, had: Option<u32>) -> Self {
        let block = &row.block;
        Self {
            position: count(position),
            id: block.id.to_string(),
            kind: block.kind.into(),
            source: block.source.clone(),
            role: block.seat.role.into(),
            message: block.seat.message,
            score: block.score,
            verdict: row.verdict.into(),
            n_tokens: row.n_tokens,
            n_placed,
            had,
        }
    }
}

impl From<&RequestRecord> for RequestView {
    fn from(record: &RequestRecord) -> Self {
        let row = &record.row;
        // A reply that is still arriving has not ended for any reason.
        let reply = row.reply.as_ref().filter(|reply| !reply.is_arriving).map(|reply| &reply.reply);
        let placed = record.n_tokens_placed.iter().copied().chain(std::iter::repeat(0));
        let had = had(&record.plan, &record.n_tokens_placed);
        Self {
            id: row.id.to_string(),
            turn: row.turn.to_string(),
            number: row.number,
            purpose: row.purpose.into(),
            model: row.profile.name.clone(),
            exactness: row.profile.exactness.into(),
            n_tokens: row.n_tokens,
            reserve: record.plan.budget.reserve,
            window: record.plan.budget.window,
            n_stale_rounds: row.n_stale_rounds,
            has_reminder: row.has_reminder,
            at_ms: row.sent_at_ms,
            witness: match witness(row.n_tokens, row.profile.exactness, reply.map(|reply| &reply.usage)) {
                Witness::Agrees => WitnessView::Agrees,
                Witness::ReadLess { .. } => WitnessView::ReadLess,
                Witness::CannotTell => WitnessView::CannotTell,
            },
            finish: reply.map(|reply| reply.finish.into()),
            usage: reply.map(|reply| reply.usage.into()),
            blocks: record
                .plan
                .rows
                .iter()
                .zip(placed)
                .enumerate()
                .map(|(position, (row, n_placed))| BlockView::new(position, row, n_placed, had.get(&position).copied()))
                .collect(),
        }
    }
}

impl BlockTextView {
    /// The texts of all blocks, in their order.
    #[must_use]
    pub fn all(rows: Vec<PlannedBlock>) -> Vec<Self> {
        let text = |(position, row): (usize, PlannedBlock)| Self {
            position: count(position),
            whole: row.block.text,
            placed: row.placed,
        };
        rows.into_iter().enumerate().map(text).collect()
    }
}
