//! What stood beside a text and could be taken for it.

use super::needle::{Needle, values};
use crate::context::block::BlockKind;
use crate::context::plan::PlannedBlock;
use crate::telling::TellingWords;
use std::collections::BTreeSet;

/// Lines that are told of at most.
const MOST: usize = 6;
/// The share of a text's telling words that a line has in common with it where it is about the same.
const SAME_KEY: f64 = 0.6;
/// Characters of a line that are looked at.
const LONGEST: usize = 400;

/// A line of a request that competes with a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Competitor {
    /// The block.
    pub block: usize,
    /// Why it competes.
    pub kind: CompetitorKind,
    /// The line.
    pub line: String,
}

/// Why a line competes with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompetitorKind {
    /// It says another value of the same.
    OtherValue,
    /// It says nearly the same.
    NearDuplicate,
    /// It has more of the question's words.
    FitsBetter,
}

/// The lines of a request that compete with a text for an answer to `question`, contradictions first.
#[must_use]
pub fn competitors(needle: &Needle, rows: &[PlannedBlock], question: &str) -> Vec<Competitor> {
    let asked = TellingWords::of(question);
    let own_fit = asked.share_in(needle.text()).1;
    let mut seen = BTreeSet::new();
    let mut found: Vec<(CompetitorKind, usize, Competitor)> = Vec::new();
    for (block, row) in rows.iter().enumerate() {
        let Some(placed) = row.placed.as_deref().filter(|_| may_compete(row.block.kind)) else { continue };
        for line in placed.lines().map(str::trim).filter(|line| !line.is_empty() && line.chars().count() <= LONGEST) {
            let Some((kind, weight)) = kind_of(needle, &asked, own_fit, line) else { continue };
            if seen.insert(line) {
                found.push((kind, usize::MAX - weight, Competitor { block, kind, line: line.to_owned() }));
            }
        }
    }
    found.sort_by_key(|(kind, weight, competitor)| (*kind, *weight, competitor.block));
    found.into_iter().take(MOST).map(|(_, _, competitor)| competitor).collect()
}

/// What is told to the model about its work, and what was done and planned, says nothing about the world.
fn may_compete(kind: BlockKind) -> bool {
    !matches!(
        kind,
        BlockKind::Instructions
            | BlockKind::Tools
            | BlockKind::Language
            | BlockKind::Question
            | BlockKind::Task
            | BlockKind::Notice
            | BlockKind::Done
            | BlockKind::List
            | BlockKind::Step
            | BlockKind::Thought
            | BlockKind::Call
    )
}

fn kind_of(needle: &Needle, asked: &TellingWords, own_fit: usize, line: &str) -> Option<(CompetitorKind, usize)> {
    if line.contains(needle.text()) || needle.text().contains(line) {
        return None;
    }
    let (share, n_common) = needle.telling().share_in(line);
    let is_same_key = share >= SAME_KEY && n_common > 0;
    if is_same_key && !needle.values().is_empty() {
        let own = values(line);
        let has_other = own.iter().any(|value| !needle.values().contains(value));
        let lacks_one = needle.values().iter().any(|value| !own.contains(value));
        if has_other && lacks_one {
            return Some((CompetitorKind::OtherValue, n_common));
        }
    }
    if is_same_key && needle.find(line).is_some() {
        return Some((CompetitorKind::NearDuplicate, n_common));
    }
    let fit = asked.share_in(line).1;
    (fit > own_fit && fit > 0).then_some((CompetitorKind::FitsBetter, fit))
}
