//! The plan: one verdict for each block that was considered. The inspector shows it and the request is built from it.

use super::block::{Block, BlockKind, Importance, Role, Slot};
use super::cut::{cut_lines, cut_middle, lines};
use crate::calibration::Weights;
use crate::request::Purpose;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashMap;
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
        Weights::default().count(text)
    }
}

/// Counts each text once: the same blocks are planned several times until a request and what is said about its cuts agree.
pub(crate) struct Once<'a> {
    counter: &'a dyn CountTokens,
    counted: RefCell<HashMap<String, u32>>,
}

impl<'a> Once<'a> {
    pub(crate) fn new(counter: &'a dyn CountTokens) -> Self {
        Self { counter, counted: RefCell::default() }
    }
}

impl CountTokens for Once<'_> {
    fn count(&self, text: &str) -> u32 {
        if let Some(counted) = self.counted.borrow().get(text) {
            return *counted;
        }
        let count = self.counter.count(text);
        self.counted.borrow_mut().insert(text.to_owned(), count);
        count
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

/// Tokens that a template puts around a message or a call at most, beside its text.
pub const PER_MESSAGE: u32 = 8;

/// The share of the room that the summary of what was folded may take.
const SUMMARY_PERCENT: u32 = 15;

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
    /// Tokens down to which history is dropped, and a question too big by itself is cut, once not all fits: less than what fits, so that the
    /// beginning then stands still for many turns and there is room to work. Never more than window less reserve.
    pub fold_to: u32,
}

impl Budget {
    /// Tokens that may be sent.
    #[must_use]
    pub fn room(&self) -> u32 {
        self.window.saturating_sub(self.reserve)
    }

    /// Tokens above which history is folded: half of what `fold_to` would free stays free, so that a tool can say something in a turn that
    /// begins with a long history.
    #[must_use]
    pub fn fold_from(&self) -> u32 {
        let fold_to = self.fold_to.min(self.room());
        fold_to + (self.room() - fold_to) / 2
    }

    /// Tokens that the summary of what was folded may take: 15 % of the room.
    #[must_use]
    pub fn summary_limit(&self) -> u32 {
        self.room() / 100 * SUMMARY_PERCENT
    }
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
    /// Then the memories, the one with the lowest score first.
    LowestMemory,
    /// Then the passages, the one with the lowest score first.
    LowestPassage,
    /// Then what the user said about themselves.
    Profile,
    /// Then the summary.
    Summary,
    /// Nothing is left of what it stands over.
    NothingBelow,
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
            Self::LowestMemory => "lowest_memory",
            Self::LowestPassage => "lowest_passage",
            Self::Profile => "profile",
            Self::Summary => "summary",
            Self::NothingBelow => "nothing_below",
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
/// A block over its own limit is cut to it first. Then, while not all fits and in this order: the oldest exchanges go, whole, down to
/// `fold_to`, already where more than `fold_from` is taken; the memories and the passages, the lowest score first; the profile; the
/// summary; the oldest results of the turn become one line each; shared blocks (facts) are cut to fair shares, at line boundaries; a question too big by itself is cut in its middle.
/// What is pinned is never touched. A larger budget never keeps less.
///
/// # Errors
/// `DoesNotFit` if what is never dropped and the reserve alone exceed the window.
pub fn plan(purpose: Purpose, blocks: Vec<Block>, budget: Budget, count: &dyn CountTokens) -> Result<Plan, DoesNotFit> {
    plan_on(purpose, Vec::new(), blocks, budget, count)
}

/// As [`plan`], for blocks that follow those of an earlier request of the turn: the verdicts of `settled` stand, so that the earlier
/// request is a prefix of this one.
///
/// # Errors
/// As for [`plan`].
pub fn plan_on(
    purpose: Purpose,
    settled: Vec<PlannedBlock>,
    blocks: Vec<Block>,
    budget: Budget,
    count: &dyn CountTokens,
) -> Result<Plan, DoesNotFit> {
    let n_settled = settled.len();
    let mut rows = settled;
    rows.extend(blocks.into_iter().map(|block| {
        let n_tokens = count.count(&block.text);
        let (verdict, placed) = first_verdict(&block, n_tokens, count);
        PlannedBlock { block, verdict, n_tokens, placed }
    }));
    let mut planning = Planning { rows, n_settled, n_dropped: 0, budget, count };
    planning.drop_history();
    planning.drop_ranked();
    planning.drop_headings();
    planning.stub_results();
    planning.cut_shared();
    planning.cut_question();
    let Planning { mut rows, .. } = planning;
    trim_first_of_system_message(&mut rows);
    let n_tokens = total(&rows, budget, count);
    if n_tokens > budget.room() {
        return Err(does_not_fit(&rows, budget));
    }
    Ok(Plan { purpose, budget, rows, n_tokens })
}

/// The rows while they are being decided on.
struct Planning<'a> {
    rows: Vec<PlannedBlock>,
    /// Rows at the beginning whose verdicts stand.
    n_settled: usize,
    n_dropped: u32,
    budget: Budget,
    count: &'a dyn CountTokens,
}

/// The kinds that are dropped by themselves, in their order, with their rule.
const RANKED: [(BlockKind, DropRule); 4] = [
    (BlockKind::Memory, DropRule::LowestMemory),
    (BlockKind::Passage, DropRule::LowestPassage),
    (BlockKind::Profile, DropRule::Profile),
    (BlockKind::Summary, DropRule::Summary),
];

impl Planning<'_> {
    fn total(&self) -> u32 {
        total(&self.rows, self.budget, self.count)
    }

    fn is_over(&self) -> bool {
        self.total() > self.budget.room()
    }

    /// The rows that may still be decided on and are in the request so far.
    fn open(&self) -> impl Iterator<Item = (usize, &PlannedBlock)> {
        self.rows.iter().enumerate().skip(self.n_settled).filter(|(_, row)| row.placed.is_some())
    }

    fn drop_row(&mut self, index: usize, rule: DropRule) {
        self.rows[index].placed = None;
        self.rows[index].verdict = Verdict::Dropped { rule, order: self.n_dropped };
    }

    fn drop_history(&mut self) {
        if self.total() <= self.budget.fold_from() {
            return;
        }
        while self.total() > self.budget.fold_to.min(self.budget.room()) {
            let exchanges = self.open().filter_map(|(_, row)| match row.block.importance {
                Importance::Exchange(number) => Some(number),
                _ => None,
            });
            let Some(oldest) = exchanges.min() else { return };
            self.n_dropped += 1;
            let of_it = self.open().filter(|(_, row)| row.block.importance == Importance::Exchange(oldest));
            for index in of_it.map(|(index, _)| index).collect::<Vec<usize>>() {
                self.drop_row(index, DropRule::OldestHistory);
            }
        }
    }

    fn drop_ranked(&mut self) {
        for (kind, rule) in RANKED {
            while self.is_over() {
                let of_kind = |row: &PlannedBlock| row.block.kind == kind && row.block.importance == Importance::Ranked;
                // Blocks stand by score, the best first, so the last one is the lowest.
                let Some(lowest) = self.open().filter(|(_, row)| of_kind(row)).map(|(index, _)| index).last() else {
                    break;
                };
                self.n_dropped += 1;
                self.drop_row(lowest, rule);
                self.drop_headings();
            }
        }
    }

    fn drop_headings(&mut self) {
        let is_left =
            |kind| self.open().any(|(_, row)| row.block.kind == kind && row.block.importance == Importance::Ranked);
        let bare =
            self.open().filter(|(_, row)| row.block.importance == Importance::Heading && !is_left(row.block.kind));
        for index in bare.map(|(index, _)| index).collect::<Vec<usize>>() {
            self.rows[index].placed = None;
            self.rows[index].verdict = Verdict::Dropped { rule: DropRule::NothingBelow, order: 0 };
        }
    }

    fn stub_results(&mut self) {
        while self.is_over() {
            let whole = self.open().filter(|(_, row)| row.block.stub.is_some() && row.placed != row.block.stub);
            let results = whole.filter_map(|(index, row)| match row.block.importance {
                Importance::Result(number) => Some((number, index)),
                _ => None,
            });
            let Some((_, oldest)) = results.min() else { return };
            let row = &mut self.rows[oldest];
            row.placed.clone_from(&row.block.stub);
            row.verdict = Verdict::Cut { kept_lines: 0, of_lines: lines(&row.block.text) };
        }
    }

    /// Cuts the shared blocks to fair shares: what a small one does not need is left to the large ones.
    fn cut_shared(&mut self) {
        if !self.is_over() {
            return;
        }
        let count = self.count;
        let size_of = |row: &PlannedBlock| row.placed.as_deref().map_or(0, |placed| count.count(placed));
        let is_shared = |row: &PlannedBlock| row.block.importance == Importance::Shared && row.placed.is_some();
        let mut sizes: Vec<u32> = self.rows.iter().filter(|row| is_shared(row)).map(size_of).collect();
        let shared: u32 = sizes.iter().sum();
        let others = self.total().saturating_sub(shared);
        let share = fair_share(&mut sizes, self.budget.room().saturating_sub(others));
        for row in self.rows.iter_mut().filter(|row| is_shared(row)) {
            if size_of(row) > share {
                let cut = cut_lines(&row.block.text, share, count);
                row.verdict = Verdict::Cut { kept_lines: cut.kept_lines, of_lines: cut.of_lines };
                row.placed = Some(cut.text);
            }
        }
    }

    fn cut_question(&mut self) {
        if !self.is_over() {
            return;
        }
        let others = self.total();
        let questions = self.open().filter(|(_, row)| row.block.importance == Importance::Question);
        let Some((index, n_tokens)) = questions.map(|(index, row)| (index, row.n_tokens)).last() else { return };
        let others = others.saturating_sub(n_tokens);
        let left = self.budget.fold_to.min(self.budget.room()).saturating_sub(others);
        let row = &mut self.rows[index];
        if let Some(cut) = cut_middle(&row.block.text, left, self.count) {
            row.verdict = Verdict::Cut { kept_lines: cut.kept_lines, of_lines: cut.of_lines };
            row.placed = Some(cut.text);
        }
    }
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
            let in_the_middle =
                (block.importance == Importance::Question).then(|| cut_middle(&block.text, limit, count));
            let cut = in_the_middle.flatten().unwrap_or_else(|| cut_lines(&block.text, limit, count));
            (Verdict::Cut { kept_lines: cut.kept_lines, of_lines: cut.of_lines }, Some(cut.text))
        }
        _ => (Verdict::Kept, Some(block.text.clone())),
    }
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
        if matches!(row.block.slot, Slot::Call { .. }) {
            // Its name and its marks are sent, too.
            sum = sum.saturating_add(budget.per_message);
        }
        let size = if placed.len() == row.block.text.len() { row.n_tokens } else { count.count(placed) };
        sum = sum.saturating_add(size);
    }
    sum
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
mod states;
#[cfg(test)]
mod tests;
