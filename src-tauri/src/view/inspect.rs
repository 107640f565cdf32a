//! What the inspector makes of requests: what differs between two, where a text went, and what was taken out as evidence.

use crate::view::count;
use crate::view::request::{BlockKindView, BlockView, DropRuleView, PurposeView};
use recto_app::record::{BundleNote, RequestRecord};
use recto_app::{Compared, Elsewhere, Origin, OriginKind, Outcome, Trace, Traced};
use recto_core::difference::{BlockDifference, Kind};
use recto_core::whereabouts::{CompetitorKind, Level, Whereabouts};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What differs between two requests.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonView {
    /// The blocks: those of the second request in their order, each that left where it stood.
    pub blocks: Vec<BlockDifferenceView>,
    /// Bytes that are the same from the beginning on.
    pub n_bytes_same: u32,
    /// Bytes of the second request.
    pub n_bytes: u32,
    /// The place of the block in which the common beginning ends; `None` where it ends between two, or is all.
    pub ends_in: Option<u32>,
    /// Tokens of the second request's blocks that follow the common beginning.
    pub n_tokens_after: u32,
    /// Tokens that the model reused for the second request, as far as it said.
    pub n_reused: Option<u32>,
    /// Tokens that it read for it.
    pub n_evaluated: Option<u32>,
}

/// A block of either request.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BlockDifferenceView {
    /// What became of it.
    pub kind: DifferenceView,
    /// As it is in the first request.
    pub before: Option<BlockView>,
    /// As it is in the second one.
    pub after: Option<BlockView>,
    /// Why it left, where the second request considered it.
    pub rule: Option<DropRuleView>,
}

/// What became of a block from the one request to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum DifferenceView {
    /// It is in the second one only.
    Entered,
    /// It is in the first one only.
    Left,
    /// It has other words.
    Changed,
    /// It stands elsewhere.
    Moved,
    /// It is unchanged.
    Same,
}

/// What is looked for.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WhereParams {
    /// Up to which turn.
    pub turn: String,
    /// The text.
    pub text: String,
}

/// Where a text went.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TraceView {
    /// The text.
    pub text: String,
    /// Where it entered, the earliest first.
    pub origins: Vec<OriginView>,
    /// What became of it in each request, the latest turn first.
    pub requests: Vec<TracedView>,
    /// What competed with it in the request behind the answer.
    pub competitors: Vec<CompetitorView>,
    /// Earlier turns since it entered that are not told of.
    pub n_turns_before: u32,
    /// Where it stands instead; empty where it entered the conversation.
    pub elsewhere: Vec<ElsewhereView>,
}

/// Where a text stands that never entered the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(tag = "place", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ElsewhereView {
    /// In another conversation, or in another branch of this one.
    Conversation {
        /// Its title; `None` while it has none.
        title: Option<String>,
        /// As what.
        kind: OriginKindView,
        /// How it was found there.
        level: LevelView,
    },
    /// In a file of the conversation's folder that no tool read.
    File {
        /// Its path below the folder.
        path: String,
        /// The line on which it begins.
        line: u32,
        /// How it was found there.
        level: LevelView,
    },
}

/// Where a text entered.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OriginView {
    /// As what.
    pub kind: OriginKindView,
    /// In which turn; `None` for what is no part of a conversation.
    pub turn: Option<String>,
    /// That turn's place in the conversation, from 1.
    pub turn_number: Option<u32>,
    /// Which result, memory or passage.
    pub source: String,
    /// How it was found there.
    pub level: LevelView,
}

/// As what a text entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum OriginKindView {
    /// In a question.
    Question,
    /// In an answer.
    Answer,
    /// A tool gave it back.
    Result,
    /// It is remembered.
    Memory,
    /// An assistant is always given it.
    Knowledge,
    /// The user says it about themselves.
    Profile,
    /// It stands in a document of the library.
    Passage,
}

/// How much alike what was found is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum LevelView {
    /// Byte for byte.
    Exact,
    /// Escaped.
    Unescaped,
    /// With other white space, line breaks or signs.
    Normalised,
    /// In other case.
    CaseOnly,
    /// With a few letters changed.
    Near,
    /// Only its values, beside its words.
    Value,
}

/// What became of a text in one request.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TracedView {
    /// The turn.
    pub turn: String,
    /// Its place in the conversation, from 1.
    pub turn_number: u32,
    /// The request.
    pub request: String,
    /// Its number in the turn.
    pub number: u32,
    /// What it was for.
    pub purpose: PurposeView,
    /// What became of the text.
    pub outcome: OutcomeView,
    /// The block that the outcome is about, by its place; `None` where it is about none.
    pub block: Option<u32>,
    /// What that block is.
    pub kind: Option<BlockKindView>,
    /// Where it comes from.
    pub source: String,
    /// What it needed, where it was dropped for its size.
    pub needed: Option<u32>,
    /// What was left for it.
    pub had: Option<u32>,
}

/// What became of a text in a request.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(tag = "outcome", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum OutcomeView {
    /// It is in the request.
    Whole {
        /// How it was found.
        level: LevelView,
        /// The block's number among those in the request.
        number: u32,
        /// Of how many.
        of: u32,
        /// Share of the block in the request, in percent.
        percent: f64,
        /// Tokens between it and the question.
        n_tokens_to_question: Option<u32>,
    },
    /// It is in the part of its block that is missing.
    Cut {
        /// Whether its beginning is there.
        has_beginning: bool,
        /// Lines that are there.
        kept_lines: u32,
        /// Lines that there are.
        of_lines: u32,
        /// The line on which it begins.
        line: u32,
    },
    /// The result that holds it was made one line.
    Stubbed,
    /// Only the summary has it.
    InSummary {
        /// How it was found there.
        level: LevelView,
    },
    /// It was left out.
    Dropped {
        /// By which rule.
        rule: DropRuleView,
        /// The how many-th to go; 0 for one that no size decided.
        order: u32,
    },
    /// A later result of the same call stands in its place.
    Superseded,
    /// Its exchange was folded, and the summary does not say it.
    Folded {
        /// With which version.
        version: u32,
    },
    /// It is a memory or a passage that was not chosen.
    NotChosen {
        /// What was, the best first.
        chosen: Vec<ScoredView>,
    },
    /// It was the result of a tool in an earlier turn.
    EarlierResult,
    /// It was not there yet.
    NotThere,
}

/// Something with its score.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ScoredView {
    /// Where it comes from.
    pub source: String,
    /// Its score.
    pub score: f64,
}

/// What competed with a text.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CompetitorView {
    /// Why.
    pub why: CompetitorKindView,
    /// What the block is.
    pub kind: BlockKindView,
    /// Where it comes from.
    pub source: String,
    /// The line.
    pub line: String,
}

/// Why a line competes with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum CompetitorKindView {
    /// It says another value of the same.
    OtherValue,
    /// It says nearly the same.
    NearDuplicate,
    /// It has more of the question's words.
    FitsBetter,
}

/// What is taken out as evidence.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceParams {
    /// The turn.
    pub turn: String,
    /// Whether its whole conversation is taken.
    pub is_conversation: bool,
    /// Texts to make unreadable.
    pub redacted: Vec<String>,
    /// Whether a page is written instead of a file that Recto opens.
    pub is_page: bool,
    /// Whether the page is in Chinese.
    pub is_chinese: bool,
}

/// What was taken out.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceSavedView {
    /// The file.
    pub path: String,
    /// Turns that are in it.
    pub n_turns: u32,
    /// Texts in which something was made unreadable.
    pub n_redacted: u32,
}

/// What is to be known of evidence that is looked into.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceNoteView {
    /// When it was made.
    pub made_at_ms: i64,
    /// Turns that are in it.
    pub n_turns: u32,
    /// Texts in which something was made unreadable.
    pub n_redacted: u32,
}

mirror!(OriginKind => OriginKindView { Question, Answer, Result, Memory, Knowledge, Profile, Passage });
mirror!(Level => LevelView { Exact, Unescaped, Normalised, CaseOnly, Near, Value });
mirror!(CompetitorKind => CompetitorKindView { OtherValue, NearDuplicate, FitsBetter });

impl From<Kind> for DifferenceView {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Entered => Self::Entered,
            Kind::Left(_) => Self::Left,
            Kind::Changed => Self::Changed,
            Kind::Moved => Self::Moved,
            Kind::Same => Self::Same,
        }
    }
}

impl From<&Compared> for ComparisonView {
    fn from(compared: &Compared) -> Self {
        let Compared { first, second, difference } = compared;
        let usage = second.row.reply.as_ref().map(|reply| reply.reply.usage);
        let block = |difference: &BlockDifference| BlockDifferenceView {
            kind: difference.kind.into(),
            before: difference.before.and_then(|at| block_of(first, at)),
            after: difference.after.and_then(|at| block_of(second, at)),
            rule: match difference.kind {
                Kind::Left(Some(recto_core::context::plan::Verdict::Dropped { rule, .. })) => Some(rule.into()),
                _ => None,
            },
        };
        Self {
            blocks: difference.blocks.iter().map(block).collect(),
            n_bytes_same: count(difference.prefix.n_bytes),
            n_bytes: count(difference.prefix.of_bytes),
            ends_in: difference.prefix.ends_in.map(count),
            n_tokens_after: difference.prefix.n_tokens_after,
            n_reused: usage.and_then(|usage| usage.n_reused),
            n_evaluated: usage.and_then(|usage| usage.n_evaluated),
        }
    }
}

fn block_of(record: &RequestRecord, at: usize) -> Option<BlockView> {
    let n_placed = record.n_tokens_placed.get(at).copied().unwrap_or_default();
    record.plan.rows.get(at).map(|row| BlockView::new(at, row, n_placed, None))
}

impl From<Trace> for TraceView {
    fn from(trace: Trace) -> Self {
        Self {
            text: trace.text,
            origins: trace.origins.into_iter().map(Into::into).collect(),
            requests: trace.requests.into_iter().map(Into::into).collect(),
            competitors: trace
                .competitors
                .into_iter()
                .map(|(competitor, kind, source)| CompetitorView {
                    why: competitor.kind.into(),
                    kind: kind.into(),
                    source,
                    line: competitor.line,
                })
                .collect(),
            n_turns_before: count(trace.n_turns_before),
            elsewhere: trace.elsewhere.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Elsewhere> for ElsewhereView {
    fn from(place: Elsewhere) -> Self {
        match place {
            Elsewhere::Conversation { title, kind, level, .. } => {
                Self::Conversation { title, kind: kind.into(), level: level.into() }
            }
            Elsewhere::File { path, line, level } => Self::File { path, line: count(line), level: level.into() },
        }
    }
}

impl From<Origin> for OriginView {
    fn from(origin: Origin) -> Self {
        let (turn, number) = origin.turn.unzip();
        Self {
            kind: origin.kind.into(),
            turn: turn.map(|turn| turn.0),
            turn_number: number.map(count),
            source: origin.source,
            level: origin.level.into(),
        }
    }
}

impl From<Traced> for TracedView {
    fn from(traced: Traced) -> Self {
        let block = match &traced.outcome {
            Outcome::Found(found) => recto_app::block_of(found).map(count),
            _ => None,
        };
        let (kind, source) = traced.block.map_or((None, String::new()), |(kind, source)| (Some(kind.into()), source));
        let (needed, had) = traced.room.unzip();
        Self {
            turn: traced.turn.0,
            turn_number: count(traced.turn_number),
            request: traced.request.0,
            number: traced.number,
            purpose: traced.purpose.into(),
            outcome: traced.outcome.into(),
            block,
            kind,
            source,
            needed,
            had,
        }
    }
}

impl From<Outcome> for OutcomeView {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Found(found) => found.into(),
            Outcome::Folded { version } => Self::Folded { version },
            Outcome::NotChosen { chosen } => Self::NotChosen {
                chosen: chosen.into_iter().map(|(source, score)| ScoredView { source, score }).collect(),
            },
            Outcome::EarlierResult => Self::EarlierResult,
            Outcome::NotThere => Self::NotThere,
        }
    }
}

impl From<Whereabouts> for OutcomeView {
    fn from(found: Whereabouts) -> Self {
        match found {
            Whereabouts::Whole(place) => Self::Whole {
                level: place.level.into(),
                number: count(place.number),
                of: count(place.of),
                percent: 100.0 * place.share,
                n_tokens_to_question: place.n_tokens_to_question,
            },
            Whereabouts::Cut { has_beginning, kept_lines, of_lines, line, .. } => {
                Self::Cut { has_beginning, kept_lines, of_lines, line }
            }
            Whereabouts::Stubbed { .. } => Self::Stubbed,
            Whereabouts::InSummary(place) => Self::InSummary { level: place.level.into() },
            Whereabouts::Dropped { rule, order, .. } => Self::Dropped { rule: rule.into(), order },
            Whereabouts::Superseded { .. } => Self::Superseded,
            Whereabouts::NotConsidered => Self::NotThere,
        }
    }
}

impl From<BundleNote> for EvidenceNoteView {
    fn from(note: BundleNote) -> Self {
        Self { made_at_ms: note.made_at_ms, n_turns: count(note.n_turns), n_redacted: count(note.n_redacted) }
    }
}
