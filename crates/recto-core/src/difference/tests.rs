use super::*;
use crate::context::block::{Block, Importance, Seat};
use crate::context::plan::{Budget, ByCharacters, CountTokens as _, plan};
use crate::request::{Encoding, Purpose};
use expect_test::{Expect, expect};

fn block(id: &str, kind: BlockKind, message: u32, role: Role, text: &str) -> Block {
    Block::pinned(id, kind, id, Seat::new(message, role), text.into())
}

fn system(text: &str) -> Block {
    block("instructions", BlockKind::Instructions, 0, Role::System, text)
}

fn question() -> Block {
    block("question", BlockKind::Question, 9, Role::User, "When does the ferry leave?\n")
}

/// A request as its plan, its sizes and its bytes.
struct Made(Plan, Vec<u32>, Wire);

fn made(blocks: Vec<Block>, window: u32) -> Made {
    let budget = Budget { window, reserve: 0, fixed: 0, per_message: 0, fold_to: window };
    let plan = plan(Purpose::Work, blocks, budget, &ByCharacters).unwrap();
    let size = |row: &PlannedBlock| row.placed.as_deref().map_or(0, |placed| ByCharacters.count(placed));
    let n_placed = plan.rows.iter().map(size).collect();
    let mut wire = Wire::default();
    for (index, row) in plan.rows.iter().enumerate() {
        if let Some(text) = &row.placed {
            wire.glue("<");
            wire.block(index, text.clone(), Encoding::Plain);
            wire.glue(">\n");
        }
    }
    Made(plan, n_placed, wire)
}

fn check(first: &Made, second: &Made, expected: Expect) {
    let sides = [first, second].map(|made| Side { plan: &made.0, n_placed: &made.1, wire: &made.2 });
    let Difference { blocks, prefix } = difference(sides[0], sides[1]);
    let mut text = String::new();
    for BlockDifference { kind, before, after } in blocks {
        let id = match (before, after) {
            (_, Some(after)) => &second.0.rows[after].block.id,
            (Some(before), None) => &first.0.rows[before].block.id,
            (None, None) => unreachable!("a block of neither"),
        };
        text.push_str(&format!("{id}: {kind:?}\n"));
    }
    let ends_in = prefix.ends_in.map(|block| second.0.rows[block].block.id.to_string());
    text.push_str(&format!(
        "{} of {} bytes are the same, up to {}; {} tokens follow\n",
        prefix.n_bytes,
        prefix.of_bytes,
        ends_in.as_deref().unwrap_or("what stands between"),
        prefix.n_tokens_after
    ));
    expected.assert_eq(&text);
}

#[test]
fn a_request_with_one_more_result_shares_all_before_it() {
    let result = |n: u32| block(&format!("result/{n}"), BlockKind::Result, 10 + n, Role::User, &format!("row {n}\n"));
    let first = made(vec![system("Be exact."), question(), result(1)], 1_000);
    let second = made(vec![system("Be exact."), question(), result(1), result(2)], 1_000);
    check(
        &first,
        &second,
        expect![[r#"
        instructions: Same
        question: Same
        result/1: Same
        result/2: Entered
        51 of 60 bytes are the same, up to what stands between; 2 tokens follow
    "#]],
    );
}

#[test]
fn from_work_to_answer_a_result_becomes_a_fact_and_the_rest_of_the_work_leaves() {
    let history = block("history/tn_1", BlockKind::History, 1, Role::User, "Hello\n");
    let step = block("step/1", BlockKind::Step, 10, Role::Assistant, r#"{"name":"read_file"}"#);
    let result = block("result/1", BlockKind::Result, 11, Role::User, "9:40 from pier 3\n");
    let fact = block("fact/1", BlockKind::Fact, 1, Role::User, "Result of read_file ferry.md:\n9:40 from pier 3\n");
    let left_out =
        Block { importance: Importance::LeftOut(crate::context::plan::DropRule::NotInAnswer), ..step.clone() };
    let first = made(vec![system("Be exact."), history, question(), step, result], 1_000);
    let moved_question = Block { seat: Seat::new(1, Role::User), ..question() };
    let second = made(vec![system("Be exact."), fact, moved_question, left_out], 1_000);
    check(
        &first,
        &second,
        expect![[r#"
        instructions: Same
        fact/1: Moved
        history/tn_1: Left(None)
        question: Same
        step/1: Left(Some(Dropped { rule: NotInAnswer, order: 0 }))
        13 of 92 bytes are the same, up to fact/1; 23 tokens follow
    "#]],
    );
}

#[test]
fn what_was_reworded_and_what_changed_places_is_told_apart() {
    let memory = |id: &str, text: &str| block(id, BlockKind::Memory, 0, Role::System, text);
    let first =
        made(vec![system("Be exact."), memory("a", "likes tea\n"), memory("b", "lives in Oslo\n"), question()], 1_000);
    let second =
        made(vec![system("Be short."), memory("b", "lives in Oslo\n"), memory("a", "likes tea\n"), question()], 1_000);
    check(
        &first,
        &second,
        expect![[r#"
        instructions: Changed
        b: Moved
        a: Same
        question: Same
        4 of 72 bytes are the same, up to instructions; 17 tokens follow
    "#]],
    );
}

#[test]
fn the_same_request_differs_in_nothing() {
    let request = made(vec![system("Be exact."), question()], 1_000);
    check(
        &request,
        &request,
        expect![[r#"
        instructions: Same
        question: Same
        42 of 42 bytes are the same, up to what stands between; 0 tokens follow
    "#]],
    );
}
