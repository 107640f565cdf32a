//! What differs between two requests: which blocks entered, left, changed and moved, and up to where their bytes are the same.

use crate::context::block::{BlockKind, Role};
use crate::context::plan::{Plan, PlannedBlock, Verdict};
use crate::request::Wire;
use std::collections::{BTreeSet, HashMap};

/// One request of the two.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its verdicts.
    pub plan: &'a Plan,
    /// Tokens of each block as it was placed, in the order of the plan's rows.
    pub n_placed: &'a [u32],
    /// Its bytes.
    pub wire: &'a Wire,
}

/// What became of a block from the one request to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is in the second one only.
    Entered,
    /// It is in the first one only. What the second one says of it, where it was considered there.
    Left(Option<Verdict>),
    /// It is in both, with other words.
    Changed,
    /// It is in both with the same words, at another place among the others, in another role, or as a fact instead of a result.
    Moved,
    /// It is in both, unchanged.
    Same,
}

/// A block of either request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDifference {
    /// What became of it.
    pub kind: Kind,
    /// Its place in the first plan.
    pub before: Option<usize>,
    /// Its place in the second plan.
    pub after: Option<usize>,
}

/// What differs between two requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The blocks: those of the second request in their order, each that left at the place where it stood.
    pub blocks: Vec<BlockDifference>,
    /// The beginning that they share.
    pub prefix: Prefix,
}

/// The beginning that two requests share. A server that keeps what it read reads only what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// Bytes that are the same.
    pub n_bytes: usize,
    /// Bytes of the second request.
    pub of_bytes: usize,
    /// The block of the second request in which it ends; `None` where it ends in what the interface adds, or is all of it.
    pub ends_in: Option<usize>,
    /// Tokens of the second request that follow it: they had to be read. A block in which it ends counts by its bytes.
    pub n_tokens_after: u32,
}

/// Compares two requests.
#[must_use]
pub fn difference(first: Side<'_>, second: Side<'_>) -> Difference {
    let pairs = pairs(first.plan, second.plan);
    let moved = moved(&pairs, first.plan, second.plan);
    let partner: HashMap<usize, usize> = pairs.iter().map(|&(before, after)| (after, before)).collect();
    let taken: BTreeSet<usize> = pairs.iter().map(|&(before, _)| before).collect();
    let mut left = placed(first.plan).filter(|(index, _)| !taken.contains(index)).peekable();
    let mut blocks = Vec::new();
    for (after, row) in placed(second.plan) {
        let before = partner.get(&after).copied();
        // What left stands before the next block that stayed where it was.
        if let Some(stayed) = before.filter(|before| !moved.contains(before)) {
            while let Some((index, gone)) = left.next_if(|(index, _)| *index < stayed) {
                blocks.push(gone_from(second.plan, index, gone));
            }
        }
        let kind = match before {
            None => Kind::Entered,
            Some(before) if moved.contains(&before) => Kind::Moved,
            Some(before) if first.plan.rows[before].placed == row.placed => Kind::Same,
            Some(_) => Kind::Changed,
        };
        blocks.push(BlockDifference { kind, before, after: Some(after) });
    }
    blocks.extend(left.map(|(index, gone)| gone_from(second.plan, index, gone)));
    Difference { blocks, prefix: prefix(first, second) }
}

fn placed(plan: &Plan) -> impl Iterator<Item = (usize, &PlannedBlock)> {
    plan.rows.iter().enumerate().filter(|(_, row)| row.placed.as_deref().is_some_and(|text| !text.is_empty()))
}

fn gone_from(plan: &Plan, before: usize, gone: &PlannedBlock) -> BlockDifference {
    let considered = plan.rows.iter().find(|row| row.block.id == gone.block.id).map(|row| row.verdict);
    BlockDifference { kind: Kind::Left(considered), before: Some(before), after: None }
}

/// Blocks that are the same thing in both: by their name, then by their words, then a result and the fact that was made of it.
fn pairs(first: &Plan, second: &Plan) -> Vec<(usize, usize)> {
    let mut open: Vec<(usize, &PlannedBlock)> = placed(first).collect();
    let mut pairs = Vec::new();
    let mut rest: Vec<(usize, &PlannedBlock)> = placed(second).collect();
    let is_same_thing: [fn(&PlannedBlock, &PlannedBlock) -> bool; 3] = [
        |before, after| before.block.id == after.block.id && before.block.kind == after.block.kind,
        |before, after| before.placed == after.placed,
        |before, after| {
            let result = before.block.id.as_str().strip_prefix("result/");
            result.is_some() && result == after.block.id.as_str().strip_prefix("fact/")
        },
    ];
    for is_same_thing in is_same_thing {
        rest.retain(|&(after, row)| {
            let Some(at) = open.iter().position(|(_, before)| is_same_thing(before, row)) else { return true };
            pairs.push((open.remove(at).0, after));
            false
        });
    }
    pairs.sort_by_key(|&(_, after)| after);
    pairs
}

/// The blocks of the first request, by their place there, that stand elsewhere in the second: not in the longest run of blocks that keep
/// their order, in another role, or of another kind.
fn moved(pairs: &[(usize, usize)], first: &Plan, second: &Plan) -> BTreeSet<usize> {
    let places: Vec<usize> = pairs.iter().map(|&(before, _)| before).collect();
    let in_order = longest_ascending(&places);
    let speaks = |row: &PlannedBlock| -> (Role, BlockKind) { (row.block.seat.role, row.block.kind) };
    pairs
        .iter()
        .filter(|(before, after)| {
            !in_order.contains(before) || speaks(&first.rows[*before]) != speaks(&second.rows[*after])
        })
        .map(|&(before, _)| before)
        .collect()
}

/// The members of one longest ascending run, by patience sorting (Fredman, 1975).
fn longest_ascending(values: &[usize]) -> BTreeSet<usize> {
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        let at = ends.partition_point(|&end| values[end] < *value);
        previous.push(at.checked_sub(1).map(|before| ends[before]));
        if at == ends.len() {
            ends.push(index);
        } else {
            ends[at] = index;
        }
    }
    let mut run = BTreeSet::new();
    let mut at = ends.last().copied();
    while let Some(index) = at {
        run.insert(values[index]);
        at = previous[index];
    }
    run
}

fn prefix(first: Side<'_>, second: Side<'_>) -> Prefix {
    let (before, after) = (first.wire.bytes(), second.wire.bytes());
    let n_bytes = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
    let mut at = 0;
    let mut ends_in = None;
    let mut n_after_of_blocks: u64 = 0;
    let mut bytes_of: HashMap<usize, (u64, u64)> = HashMap::new();
    for piece in &second.wire.pieces {
        let size = piece.bytes().len();
        let end = at + size;
        if let Some(block) = piece.block {
            let (of, beyond) = bytes_of.entry(block).or_default();
            *of += size as u64;
            *beyond += end.saturating_sub(n_bytes.max(at)) as u64;
            if (at..end).contains(&n_bytes) {
                ends_in = Some(block);
            }
        }
        at = end;
    }
    for (block, (of, beyond)) in bytes_of {
        let tokens = u64::from(second.n_placed.get(block).copied().unwrap_or_default());
        n_after_of_blocks += (tokens * beyond).div_ceil(of.max(1));
    }
    let n_tokens_after = u32::try_from(n_after_of_blocks).unwrap_or(u32::MAX);
    Prefix { n_bytes, of_bytes: after.len(), ends_in, n_tokens_after }
}

#[cfg(test)]
mod tests;
