//! The plan: one verdict for each block that was considered. The inspector shows it and the request is built from it.

use super::block::{Block, Importance, Role, Slot};
use crate::request::Purpose;
use crate::text::prefix_within;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Counts tokens of a text by itself.
pub trait CountTokens {
    /// The number of tokens of `text`.
    fn count(&self, text: &str) -> u32;
}

/// Counts by kind of character: about four Latin letters, one and a half Chinese characters, or two other signs a token.
/// An estimate for models whose vocabulary is not here.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByCharacters;

impl CountTokens for ByCharacters {
    fn count(&self, text: &str) -> u32 {
        let mut twelfths = 0_u64;
        for character in text.chars() {
            twelfths += match character {
                'a'..='z' | 'A'..='Z' | ' ' => 3,
                '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' => 8,
                _ => 6,
            };
        }
        u32::try_from(twelfths.div_ceil(12)).unwrap_or(u32::MAX)
    }
}

/// Counts with whatever counter it was made from; a value, so that a turn can own it.
#[derive(Clone)]
pub struct Counter(pub Arc<dyn CountTokens + Send + Sync>);

impl fmt::Debug for Counter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Counter")
    }
}

/// What a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Tokens that the request and the reply share.
    pub window: u32,
    /// Tokens kept free for the reply.
    pub reserve: u32,
    /// Tokens that are sent beside the blocks: tool definitions.
    pub fixed: u32,
    /// Tokens that each message costs beside its text.
    pub per_message: u32,
}

/// What happened to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// It is in the request, whole.
    Kept,
    /// Only its beginning is in the request.
    Cut {
        /// Lines that are in.
        kept_lines: u32,
        /// Lines that it has.
        of_lines: u32,
    },
    /// It is not in the request.
    Dropped {
        /// By which rule.
        rule: DropRule,
        /// The how many-th to be dropped, from 1; 0 for one that no size decided.
        order: u32,
    },
}

impl Verdict {
    /// The word used in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Cut { .. } => "cut",
            Self::Dropped { .. } => "dropped",
        }
    }
}

/// Why a block is not in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropRule {
    /// It has no text.
    Empty,
    /// The oldest exchanges go first when not all fits.
    OldestHistory,
    /// The same call gave a later result, which stands in its place.
    Superseded,
    /// The answer request holds no tool traffic.
    NotInAnswer,
}

impl DropRule {
    /// The word used in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::OldestHistory => "oldest_history",
            Self::Superseded => "superseded",
            Self::NotInAnswer => "not_in_answer",
        }
    }
}

/// A block with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedBlock {
    /// The block as it was gathered.
    pub block: Block,
    /// What happened to it.
    pub verdict: Verdict,
    /// Tokens of the whole block.
    pub n_tokens: u32,
    /// The bytes that are in the request; `None` if it was dropped.
    pub placed: Option<String>,
}

/// The verdicts of one request, in the order of the blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What the request is for.
    pub purpose: Purpose,
    /// What it may take.
    pub budget: Budget,
    /// One row a block.
    pub rows: Vec<PlannedBlock>,
    /// Tokens of all that is sent.
    pub n_tokens: u32,
}

/// Nothing can be sent: what is never dropped does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct DoesNotFit {
    /// What is never dropped, with its size in tokens.
    pub pinned: Vec<(String, u32)>,
    /// Tokens kept free for the reply.
    pub reserve: u32,
    /// The window.
    pub window: u32,
}

impl DoesNotFit {
    fn sentence(&self) -> String {
        let sizes: Vec<String> = self.pinned.iter().map(|(name, size)| format!("{name}: {size}")).collect();
        format!(
            "this does not fit into the model's window of {} tokens. Never left out: {}; kept free for the reply: {}",
            self.window,
            sizes.join(", "),
            self.reserve
        )
    }
}

/// Gives every block its verdict.
///
/// A block over its own limit is cut to it first. Not all fits: the oldest exchanges go first, whole; then shared blocks (facts) are cut to fair shares, at line boundaries.
/// What is pinned is never touched. A larger budget never keeps less.
///
/// # Errors
/// `DoesNotFit` if the pinned blocks and the reserve alone exceed the window.
pub fn plan(purpose: Purpose, blocks: Vec<Block>, budget: Budget, count: &dyn CountTokens) -> Result<Plan, DoesNotFit> {
    let mut rows: Vec<PlannedBlock> = blocks
        .into_iter()
        .map(|block| {
            let n_tokens = count.count(&block.text);
            let (verdict, placed) = first_verdict(&block, n_tokens, count);
            PlannedBlock { block, verdict, n_tokens, placed }
        })
        .collect();
    let room = budget.window.saturating_sub(budget.reserve);
    let mut order = 0;
    while total(&rows, budget, count) > room {
        let Some(oldest) = oldest_exchange(&rows) else { break };
        order += 1;
        for row in rows.iter_mut().filter(|row| row.block.importance == Importance::Exchange(oldest)) {
            row.placed = None;
            row.verdict = Verdict::Dropped { rule: DropRule::OldestHistory, order };
        }
    }
    if total(&rows, budget, count) > room {
        cut_shared(&mut rows, budget, room, count);
    }
    trim_first_of_system_message(&mut rows);
    let n_tokens = total(&rows, budget, count);
    if n_tokens > room {
        return Err(does_not_fit(&rows, budget));
    }
    Ok(Plan { purpose, budget, rows, n_tokens })
}

/// What is decided about a block before sizes are compared.
fn first_verdict(block: &Block, n_tokens: u32, count: &dyn CountTokens) -> (Verdict, Option<String>) {
    let dropped = |rule| (Verdict::Dropped { rule, order: 0 }, None);
    if let Importance::LeftOut(rule) = block.importance {
        return dropped(rule);
    }
    if block.text.is_empty() && block.slot == Slot::Text {
        return dropped(DropRule::Empty);
    }
    match block.limit {
        Some(limit) if n_tokens > limit => {
            let cut = cut_lines(&block.text, limit, count);
            (Verdict::Cut { kept_lines: cut.kept_lines, of_lines: cut.of_lines }, Some(cut.text))
        }
        _ => (Verdict::Kept, Some(block.text.clone())),
    }
}

fn oldest_exchange(rows: &[PlannedBlock]) -> Option<u32> {
    rows.iter()
        .filter(|row| row.placed.is_some())
        .filter_map(|row| match row.block.importance {
            Importance::Exchange(number) => Some(number),
            Importance::Pinned | Importance::Shared | Importance::LeftOut(_) => None,
        })
        .min()
}

fn total(rows: &[PlannedBlock], budget: Budget, count: &dyn CountTokens) -> u32 {
    let mut sum = budget.fixed;
    let mut message = None;
    for row in rows {
        let Some(placed) = &row.placed else { continue };
        if message != Some(row.block.seat.message) {
            message = Some(row.block.seat.message);
            sum = sum.saturating_add(budget.per_message);
        }
        let size = if placed.len() == row.block.text.len() { row.n_tokens } else { count.count(placed) };
        sum = sum.saturating_add(size);
    }
    sum
}

/// Cuts the shared blocks to fair shares: what a small one does not need is left to the large ones.
fn cut_shared(rows: &mut [PlannedBlock], budget: Budget, room: u32, count: &dyn CountTokens) {
    let size_of = |row: &PlannedBlock| row.placed.as_deref().map_or(0, |placed| count.count(placed));
    let is_shared = |row: &PlannedBlock| row.block.importance == Importance::Shared && row.placed.is_some();
    let mut sizes: Vec<u32> = rows.iter().filter(|row| is_shared(row)).map(size_of).collect();
    let shared: u32 = sizes.iter().sum();
    let others = total(rows, budget, count).saturating_sub(shared);
    let share = fair_share(&mut sizes, room.saturating_sub(others));
    for row in rows.iter_mut().filter(|row| is_shared(row)) {
        if size_of(row) > share {
            let cut = cut_lines(&row.block.text, share, count);
            row.verdict = Verdict::Cut { kept_lines: cut.kept_lines, of_lines: cut.of_lines };
            row.placed = Some(cut.text);
        }
    }
}

/// The largest share such that blocks no larger than it stay whole and all together fit into `room`.
fn fair_share(sizes: &mut [u32], room: u32) -> u32 {
    sizes.sort_unstable();
    let mut left = room;
    for (index, size) in sizes.iter().enumerate() {
        let sharers = u32::try_from(sizes.len() - index).unwrap_or(u32::MAX);
        let share = left / sharers;
        if *size > share {
            return share;
        }
        left -= size;
    }
    u32::MAX
}

/// The beginning of a text, with a mark that says what is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutText {
    /// The kept lines and the mark.
    pub text: String,
    /// Lines that are kept.
    pub kept_lines: u32,
    /// Lines that there are.
    pub of_lines: u32,
}

/// Cuts a text to at most `limit` tokens, mark included, after a whole line; a single long line is cut between graphemes.
/// A limit too small for the mark keeps the mark alone.
#[must_use]
pub fn cut_lines(text: &str, limit: u32, count: &dyn CountTokens) -> CutText {
    let of_lines = lines(text);
    let mark_of = |kept: &str| {
        let kept_lines = lines(kept);
        let break_before = if kept.is_empty() || kept.ends_with('\n') { "" } else { "\n" };
        if kept_lines == of_lines {
            format!("{break_before}[cut: {} of {} bytes of this line]\n", kept.len(), text.len())
        } else {
            format!("{break_before}[cut: lines 1–{kept_lines} of {of_lines}]\n")
        }
    };
    let fits = |kept: &str| count.count(&format!("{kept}{}", mark_of(kept))) <= limit;
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).filter(|end| *end < text.len()).collect();
    // Longer prefixes have more tokens, so the longest that fits is found by halving.
    let n_fitting = ends.partition_point(|end| fits(&text[..*end]));
    let mut kept = if n_fitting == 0 { "" } else { &text[..ends[n_fitting - 1]] };
    if kept.is_empty() {
        let first_line = ends.first().copied().unwrap_or(text.len());
        let (mut low, mut high) = (0, first_line);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if fits(prefix_within(&text[..first_line], middle)) { low = middle } else { high = middle - 1 }
        }
        kept = prefix_within(&text[..first_line], low);
    }
    CutText { text: format!("{kept}{}", mark_of(kept)), kept_lines: lines(kept), of_lines }
}

fn lines(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
}

/// Separators come before a block, so the first one that is left in the system message begins without. Only there: what a person
/// or a tool wrote is never changed by a byte.
fn trim_first_of_system_message(rows: &mut [PlannedBlock]) {
    let first = rows.iter_mut().find(|row| row.placed.is_some());
    if let Some(PlannedBlock { block, placed: Some(placed), .. }) = first
        && block.seat.role == Role::System
    {
        let trimmed = placed.trim_start_matches('\n').len();
        placed.drain(..placed.len() - trimmed);
    }
}

fn does_not_fit(rows: &[PlannedBlock], budget: Budget) -> DoesNotFit {
    let pinned = rows
        .iter()
        .filter(|row| row.placed.is_some())
        .map(|row| (row.block.source.clone(), row.n_tokens))
        .chain((budget.fixed > 0).then(|| ("tool definitions".to_owned(), budget.fixed)))
        .collect();
    DoesNotFit { pinned, reserve: budget.reserve, window: budget.window }
}

#[cfg(test)]
mod tests;
