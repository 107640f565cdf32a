//! What a request went without: each block that was dropped, with the room that was left for it when its turn came.

use super::plan::{DropRule, Plan, Verdict};

/// A block that is not in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omission {
    /// Its place in the plan.
    pub block: usize,
    /// By which rule.
    pub rule: DropRule,
    /// The how many-th to be dropped, from 1; 0 for one that no size decided.
    pub order: u32,
    /// Its tokens.
    pub needed: u32,
    /// Tokens that were left for it; `None` for one that no size decided. Less than `needed`, or the block would be there.
    pub had: Option<u32>,
}

/// The omissions of a plan in the order in which they went, those that no size decided last. `n_placed` are the tokens of each block as
/// it was placed, in the order of the plan's rows.
///
/// What a block had is what the request may hold, less everything that was still in it when the block went: what was kept, and what went
/// after it. History goes further than it must, down to the fold target, so for an exchange the target is what the request may hold.
#[must_use]
pub fn omissions(plan: &Plan, n_placed: &[u32]) -> Vec<Omission> {
    let order_of = |verdict: &Verdict| match verdict {
        Verdict::Dropped { order, .. } => *order,
        _ => 0,
    };
    // What was cut later on was whole when a block went before it.
    let cut: u32 = plan
        .rows
        .iter()
        .zip(n_placed)
        .filter(|(row, _)| matches!(row.verdict, Verdict::Cut { .. }) && row.block.limit.is_none())
        .map(|(row, placed)| row.n_tokens.saturating_sub(*placed))
        .sum();
    let mut omissions: Vec<Omission> = plan
        .rows
        .iter()
        .enumerate()
        .filter_map(|(block, row)| {
            let Verdict::Dropped { rule, order } = row.verdict else { return None };
            let had = (order > 0).then(|| {
                let later: u32 =
                    plan.rows.iter().filter(|other| order_of(&other.verdict) > order).map(|other| other.n_tokens).sum();
                let limit = match rule {
                    DropRule::OldestHistory => plan.budget.fold_to.min(plan.budget.room()),
                    _ => plan.budget.room(),
                };
                limit.saturating_sub(plan.n_tokens + later + cut)
            });
            Some(Omission { block, rule, order, needed: row.n_tokens, had })
        })
        .collect();
    omissions.sort_by_key(|omission| (omission.order == 0, omission.order, omission.block));
    omissions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::block::{Block, BlockKind, Importance, Role, Seat};
    use crate::context::plan::{Budget, ByCharacters, CountTokens as _, plan};
    use crate::request::Purpose;

    fn memory(id: &str, n_words: usize) -> Block {
        let text = "word ".repeat(n_words);
        let pinned = Block::pinned(id, BlockKind::Memory, id, Seat::new(0, Role::System), text);
        Block { importance: Importance::Ranked, score: Some(0.5), ..pinned }
    }

    #[test]
    fn assembly_e11_what_was_dropped_says_what_it_needed_and_what_was_left_for_it() {
        let question =
            Block::pinned("question", BlockKind::Question, "question", Seat::new(1, Role::User), "Why?".into());
        let empty = Block { text: String::new(), ..memory("empty", 1) };
        let blocks = vec![memory("first", 40), memory("second", 80), memory("third", 30), empty, question];
        let budget = Budget { window: 100, reserve: 10, fixed: 0, per_message: 0, fold_to: 90 };
        let plan = plan(Purpose::Work, blocks, budget, &ByCharacters).unwrap();
        let n_placed: Vec<u32> =
            plan.rows.iter().map(|row| row.placed.as_deref().map_or(0, |placed| ByCharacters.count(placed))).collect();
        let shown: Vec<(String, u32, Option<u32>)> = omissions(&plan, &n_placed)
            .into_iter()
            .map(|omission| (plan.rows[omission.block].block.id.to_string(), omission.order, omission.had))
            .collect();
        let size = |n_words: usize| ByCharacters.count(&"word ".repeat(n_words));
        let rest = plan.n_tokens;
        assert!(size(30) > 90 - (rest + size(80)).min(90), "{rest}");
        assert_eq!(
            shown,
            [
                ("third".to_owned(), 1, Some(90_u32.saturating_sub(rest + size(80)))),
                ("second".to_owned(), 2, Some(90 - rest)),
                ("empty".to_owned(), 0, None),
            ]
        );
    }
}
