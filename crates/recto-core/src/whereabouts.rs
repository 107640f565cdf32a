//! Where a text went: in which block of each request it was, whether it was whole there, and what stood beside it.
//!
//! What is asked is usually “I am sure that I gave it that fact; why did the answer ignore it?”. Only whoever assembled the requests can say.

mod competitor;
mod folded;
mod matching;
mod needle;

pub use competitor::{Competitor, CompetitorKind, competitors};
pub use matching::{Level, Match};
pub use needle::Needle;

use crate::context::block::BlockKind;
use crate::context::plan::{DropRule, PlannedBlock, Verdict};

/// What became of a text in one request.
#[derive(Clone, Debug, PartialEq)]
pub enum Whereabouts {
    /// It is in the request.
    Whole(Place),
    /// The block that holds it was cut, and the text is in the part that is missing, or partly so.
    Cut {
        /// The block.
        block: usize,
        /// How it was found in the whole text.
        level: Level,
        /// Whether its beginning is in the request.
        has_beginning: bool,
        /// Lines of the block that are in.
        kept_lines: u32,
        /// Lines that it has.
        of_lines: u32,
        /// The line of the block on which the text begins, from 1.
        line: u32,
    },
    /// A tool's result that holds it was made one line to make room; it stays a fact.
    Stubbed {
        /// The block.
        block: usize,
        /// How it was found in the whole text.
        level: Level,
    },
    /// The exchange that it was in left the history, and the summary has it.
    InSummary(Place),
    /// It was considered and left out.
    Dropped {
        /// The block.
        block: usize,
        /// How it was found in it.
        level: Level,
        /// By which rule.
        rule: DropRule,
        /// The how many-th to go, from 1; 0 for one that no size decided.
        order: u32,
    },
    /// A later result of the same call stands in its place.
    Superseded {
        /// The block that it was in.
        block: usize,
        /// How it was found in it.
        level: Level,
        /// The block that stands in its place; `None` if that one is not in the request either.
        by: Option<usize>,
    },
    /// No block that was considered has it.
    NotConsidered,
}

/// Where a text is in a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The block.
    pub block: usize,
    /// How it was found.
    pub level: Level,
    /// Bytes of the block before it.
    pub offset: usize,
    /// The block's number among those that are in the request, from 1.
    pub number: usize,
    /// Blocks that are in the request.
    pub of: usize,
    /// Share of the block in the request, between 0 and 1.
    pub share: f64,
    /// Tokens between its end and the question; `None` where it stands after it or there is none.
    pub n_tokens_to_question: Option<u32>,
}

/// What became of the text in a request with these rows. `n_placed` are their tokens as they were placed.
///
/// A text that is in several blocks is told of where it is best off: whole before cut, as it is written before reworded, near the question
/// before far from it.
#[must_use]
pub fn whereabouts(needle: &Needle, rows: &[PlannedBlock], n_placed: &[u32]) -> Whereabouts {
    let found: Vec<(usize, Option<Match>, Option<Match>)> = rows
        .iter()
        .enumerate()
        .filter_map(|(index, row)| {
            let whole = needle.find(&row.block.text);
            let placed = match &row.placed {
                Some(placed) if *placed == row.block.text => whole,
                Some(placed) => needle.find(placed),
                None => None,
            };
            (whole.is_some() || placed.is_some()).then_some((index, whole, placed))
        })
        .collect();
    let level = |found: Option<Match>| found.map_or(Level::Value, |found| found.level);
    let placed = found.iter().filter_map(|&(index, _, placed)| placed.map(|found| place(rows, n_placed, index, found)));
    let is_source = |place: &Place| rows[place.block].block.kind != BlockKind::Summary;
    let (sources, summaries): (Vec<Place>, Vec<Place>) = placed.partition(is_source);
    // A lesser trace elsewhere (the question repeats a number) is no reason to call a cut fact whole.
    let best_level = found.iter().map(|&(_, whole, placed)| level(whole.or(placed))).min();
    let best = |places: Vec<Place>| {
        let nearest = |place: &Place| place.n_tokens_to_question.unwrap_or(u32::MAX);
        places.into_iter().filter(|place| Some(place.level) == best_level).min_by_key(nearest)
    };
    if let Some(place) = best(sources) {
        return Whereabouts::Whole(place);
    }
    let lost = |wanted: fn(&PlannedBlock) -> bool| {
        let lost = found.iter().filter(move |(index, _, placed)| placed.is_none() && wanted(&rows[*index]));
        lost.min_by_key(|&&(_, whole, _)| level(whole)).map(|&(index, whole, _)| (index, level(whole), whole))
    };
    if let Some((block, level, _)) = lost(|row| row.placed.is_some() && is_stub(row)) {
        return Whereabouts::Stubbed { block, level };
    }
    if let Some((block, level, whole)) = lost(|row| row.placed.is_some()) {
        return cut(needle, &rows[block], block, level, whole.map_or(0, |found| found.start));
    }
    if let Some(place) = best(summaries) {
        return Whereabouts::InSummary(place);
    }
    if let Some((block, level, _)) = lost(|row| dropped_by(row).is_some_and(|(rule, _)| rule == DropRule::Superseded)) {
        return Whereabouts::Superseded { block, level, by: standing_for(rows, block) };
    }
    match lost(|row| dropped_by(row).is_some()) {
        Some((block, level, _)) => {
            let (rule, order) = dropped_by(&rows[block]).unwrap_or((DropRule::Empty, 0));
            Whereabouts::Dropped { block, level, rule, order }
        }
        None => Whereabouts::NotConsidered,
    }
}

fn is_stub(row: &PlannedBlock) -> bool {
    matches!(row.verdict, Verdict::Cut { kept_lines: 0, .. })
}

fn dropped_by(row: &PlannedBlock) -> Option<(DropRule, u32)> {
    match row.verdict {
        Verdict::Dropped { rule, order } => Some((rule, order)),
        _ => None,
    }
}

/// The later block from the same source that is in the request.
fn standing_for(rows: &[PlannedBlock], block: usize) -> Option<usize> {
    let source = &rows[block].block.source;
    let later = rows.iter().enumerate().skip(block + 1);
    later.filter(|(_, row)| row.placed.is_some() && row.block.source == *source).map(|(index, _)| index).next_back()
}

fn cut(needle: &Needle, row: &PlannedBlock, block: usize, level: Level, start: usize) -> Whereabouts {
    let (kept_lines, of_lines) = match row.verdict {
        Verdict::Cut { kept_lines, of_lines } => (kept_lines, of_lines),
        _ => (0, 0),
    };
    let placed = row.placed.as_deref().unwrap_or_default();
    let before = row.block.text.get(..start).unwrap_or_default();
    let line = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1);
    Whereabouts::Cut { block, level, has_beginning: needle.begins_in(placed), kept_lines, of_lines, line }
}

fn place(rows: &[PlannedBlock], n_placed: &[u32], block: usize, found: Match) -> Place {
    let tokens = |index: usize| n_placed.get(index).copied().unwrap_or_default();
    let is_in = |row: &PlannedBlock| row.placed.is_some();
    let total: u32 = (0..rows.len()).map(tokens).sum();
    let question = rows.iter().position(|row| row.block.kind == BlockKind::Question && is_in(row));
    let length = rows[block].placed.as_deref().map_or(0, str::len).max(1);
    let n_tokens_to_question = question.filter(|question| *question > block).map(|question| {
        let rest = length.saturating_sub(found.end) as u64 * u64::from(tokens(block)) / length as u64;
        u32::try_from(rest).unwrap_or(u32::MAX) + (block + 1..question).map(tokens).sum::<u32>()
    });
    Place {
        block,
        level: found.level,
        offset: found.start,
        number: rows[..=block].iter().filter(|row| is_in(row)).count(),
        of: rows.iter().filter(|row| is_in(row)).count(),
        share: f64::from(tokens(block)) / f64::from(total.max(1)),
        n_tokens_to_question,
    }
}

#[cfg(test)]
mod tests;
