use super::super::block::{BlockKind, Seat};
use super::*;
use expect_test::expect;
use proptest::prelude::*;

/// One token a byte, so that sizes can be read off.
struct ByBytes;

impl CountTokens for ByBytes {
    fn count(&self, text: &str) -> u32 {
        u32::try_from(text.len()).unwrap()
    }
}

fn block(id: &str, message: u32, importance: Importance, text: &str) -> Block {
    let role = if message == 0 { Role::System } else { Role::User };
    Block { importance, ..Block::pinned(id, BlockKind::History, id, Seat::new(message, role), text.to_owned()) }
}

fn budget(window: u32) -> Budget {
    Budget { window, reserve: 10, fixed: 0, per_message: 2, fold_to: window.saturating_sub(10) }
}

fn verdicts(plan: &Plan) -> String {
    let words: Vec<String> = plan
        .rows
        .iter()
        .map(|row| match row.verdict {
            Verdict::Kept => format!("{} kept", row.block.id),
            Verdict::Cut { kept_lines, of_lines } => format!("{} {kept_lines}/{of_lines}", row.block.id),
            Verdict::Dropped { rule, order } => format!("{} {} {order}", row.block.id, rule.as_str()),
        })
        .collect();
    words.join(", ")
}

fn conversation() -> Vec<Block> {
    vec![
        block("system", 0, Importance::Pinned, "0123456789"),
        block("q1", 1, Importance::Exchange(0), "0123456789"),
        block("a1", 2, Importance::Exchange(0), "0123456789"),
        block("q2", 3, Importance::Exchange(1), "0123456789"),
        block("a2", 4, Importance::Exchange(1), "0123456789"),
        block("question", 5, Importance::Question, "0123456789"),
    ]
}

fn check(window: u32, expected: &str) {
    let plan = plan(Purpose::Work, conversation(), budget(window), &ByBytes).unwrap();
    assert_eq!(verdicts(&plan), expected, "window {window}");
}

#[test]
fn assembly_e5_the_oldest_exchanges_go_first_and_whole() {
    check(82, "system kept, q1 kept, a1 kept, q2 kept, a2 kept, question kept");
    check(81, "system kept, q1 oldest_history 1, a1 oldest_history 1, q2 kept, a2 kept, question kept");
    check(
        57,
        "system kept, q1 oldest_history 1, a1 oldest_history 1, q2 oldest_history 2, a2 oldest_history 2, question kept",
    );
}

#[test]
fn assembly_e6_what_is_never_dropped_and_does_not_fit_is_an_error_with_every_size() {
    let error = plan(Purpose::Work, conversation(), budget(33), &ByBytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this does not fit into the model's window of 33 tokens. Never left out: system: 10, question: 10; kept free for the reply: 10"
    );
}

#[test]
fn an_empty_block_is_considered_and_leaves_nothing() {
    let blocks = vec![
        block("instructions", 0, Importance::Pinned, ""),
        block("language", 0, Importance::Pinned, "\n\nReply."),
        block("question", 1, Importance::Pinned, "\n\nas typed"),
    ];
    let plan = plan(Purpose::Work, blocks, budget(100), &ByBytes).unwrap();
    assert_eq!(verdicts(&plan), "instructions empty 0, language kept, question kept");
    assert_eq!(plan.rows[1].placed.as_deref(), Some("Reply."));
    assert_eq!(plan.rows[2].placed.as_deref(), Some("\n\nas typed"), "a question is never changed by a byte");
}

#[test]
fn answer_a5_shares_are_fair_and_what_a_small_one_does_not_need_is_left_to_the_large_ones() {
    assert_eq!(fair_share(&mut [5, 50, 60], 65), 30);
    assert_eq!(fair_share(&mut [50, 60, 5], 200), u32::MAX);
    assert_eq!(fair_share(&mut [50, 60], 0), 0);
}

#[test]
fn assembly_e10_a_cut_is_stated_where_it_happens_and_splits_no_line_and_no_grapheme() {
    let text = "line 1\nline 2\nline 3\n";
    let cut = cut_lines(text, 40, &ByBytes);
    assert_eq!(cut.text, "line 1\nline 2\n[cut: lines 1–2 of 3]\n");
    assert_eq!((cut.kept_lines, cut.of_lines), (2, 3));
    let cut = cut_lines(
        "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
        44,
        &ByBytes,
    );
    assert_eq!(cut.text, "e\u{301}e\u{301}e\u{301}\n[cut: 9 of 48 bytes of this line]\n");
}

fn of_kind(id: &str, kind: BlockKind, importance: Importance, text: &str) -> Block {
    Block { importance, ..Block::pinned(id, kind, id, Seat::new(0, Role::System), text.to_owned()) }
}

/// Everything that can be in a first work request, ten bytes each.
fn everything() -> Vec<Block> {
    let ranked = |id: &str, kind| of_kind(id, kind, Importance::Ranked, "0123456789");
    let mut blocks = vec![
        block("instructions", 0, Importance::Pinned, "0123456789"),
        ranked("profile", BlockKind::Profile),
        of_kind("memories", BlockKind::Memory, Importance::Heading, "0123456789"),
        ranked("m1", BlockKind::Memory),
        ranked("m2", BlockKind::Memory),
        of_kind("passages", BlockKind::Passage, Importance::Heading, "0123456789"),
        ranked("p1", BlockKind::Passage),
        ranked("p2", BlockKind::Passage),
        ranked("summary", BlockKind::Summary),
    ];
    blocks.extend(conversation().split_off(1));
    blocks
}

#[test]
fn assembly_e5_what_is_over_budget_goes_in_the_stated_order_and_no_other() {
    let mut gone: Vec<String> = Vec::new();
    for window in (0..200).rev() {
        let Ok(plan) = plan(Purpose::Work, everything(), budget(window), &ByBytes) else { continue };
        let dropped = plan.rows.iter().filter_map(|row| match row.verdict {
            Verdict::Dropped { rule, order } => Some((order, format!("{} {}", row.block.id, rule.as_str()))),
            _ => None,
        });
        let mut dropped: Vec<(u32, String)> = dropped.collect();
        dropped.sort_by_key(|(order, _)| *order);
        for (_, line) in dropped {
            if !gone.contains(&line) {
                gone.push(line);
            }
        }
    }
    expect![[r#"
        q1 oldest_history
        a1 oldest_history
        q2 oldest_history
        a2 oldest_history
        m2 lowest_memory
        memories nothing_below
        m1 lowest_memory
        p2 lowest_passage
        passages nothing_below
        p1 lowest_passage
        profile profile
        summary summary"#]]
    .assert_eq(&gone.join("\n"));
}

#[test]
fn assembly_e7_putting_the_last_dropped_block_back_would_exceed_the_budget() {
    for window in 0..200 {
        let Ok(plan) = plan(Purpose::Work, everything(), budget(window), &ByBytes) else { continue };
        let last = plan.rows.iter().filter_map(|row| match row.verdict {
            Verdict::Dropped { order, .. } if order > 0 => Some(order),
            _ => None,
        });
        let Some(last) = last.max() else { continue };
        let is_last = |row: &&PlannedBlock| matches!(row.verdict, Verdict::Dropped { order, .. } if order == last);
        let kind = plan.rows.iter().find(is_last).unwrap().block.kind;
        // With the last of its kind its heading would come back, too.
        let is_its_heading = |row: &PlannedBlock| {
            row.block.kind == kind && matches!(row.verdict, Verdict::Dropped { rule: DropRule::NothingBelow, .. })
        };
        let back = plan.rows.iter().filter(|row| is_last(row) || is_its_heading(row));
        let back: u32 = back.map(|row| row.n_tokens + if row.block.seat.message > 0 { 2 } else { 0 }).sum();
        assert!(plan.n_tokens + back > plan.budget.room(), "window {window}");
    }
}

#[test]
fn assembly_e9_history_is_dropped_down_to_the_fold_target_so_that_the_beginning_then_stands_still() {
    let folding = |window| Budget { fold_to: 40, ..budget(window) };
    let kept = |window| {
        let plan = plan(Purpose::Work, conversation(), folding(window), &ByBytes).unwrap();
        plan.rows
            .iter()
            .filter(|row| row.placed.is_some())
            .map(|row| row.block.id.as_str().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(114).len(), 6, "72 are taken, and the tools still have room, so nothing is folded");
    assert_eq!(kept(113), ["system", "question"], "one exchange alone would still be over the target");
}

#[test]
fn assembly_e8_a_question_too_big_by_itself_keeps_its_head_and_its_tail_with_a_mark_that_gives_both_sizes() {
    let long: String = (0..400).map(|number| format!("{number:03}\n")).collect();
    let blocks =
        vec![block("system", 0, Importance::Pinned, "0123456789"), block("question", 1, Importance::Question, &long)];
    let plan = plan(Purpose::Work, blocks.clone(), budget(300), &ByBytes).unwrap();
    let placed = plan.rows[1].placed.clone().unwrap();
    let (head, rest) = placed.split_once("\n[cut: ").unwrap();
    let (mark, tail) = rest.split_once("]\n").unwrap();
    assert!(long.starts_with(head) && long.ends_with(tail));
    let shown = head.len() + tail.len();
    assert_eq!(mark, format!("{shown} of 1600 tokens are shown; the middle is left out"));
    assert!((74..=76).contains(&(100 * head.len() / shown)), "{} of {shown}", head.len());
    assert!(matches!(plan.rows[1].verdict, Verdict::Cut { of_lines: 400, .. }));
    assert!(plan.n_tokens > plan.budget.room() - 8, "what is left is used");
    // One that fits is never changed by a byte.
    let plan = super::plan(Purpose::Work, blocks, budget(1_624), &ByBytes).unwrap();
    assert_eq!((plan.rows[1].verdict, plan.rows[1].placed.as_deref()), (Verdict::Kept, Some(long.as_str())));
}

#[test]
fn assembly_e10_a_question_is_cut_between_graphemes() {
    let long = "👩‍👩‍👧e\u{301}中".repeat(60);
    for window in 90..400 {
        let blocks = vec![block("question", 1, Importance::Question, &long)];
        let Ok(plan) = plan(Purpose::Work, blocks, budget(window), &ByBytes) else { continue };
        let placed = plan.rows[0].placed.clone().unwrap();
        let (head, rest) = placed.split_once("\n[cut: ").unwrap();
        let tail = rest.split_once("]\n").unwrap().1;
        let is_boundary =
            |at: usize| unicode_segmentation::GraphemeCursor::new(at, long.len(), true).is_boundary(&long, 0).unwrap();
        assert!(is_boundary(head.len()) && is_boundary(long.len() - tail.len()), "window {window}");
    }
}

#[test]
fn assembly_e15_the_oldest_results_become_one_line_when_the_turn_outgrows_the_window() {
    let result = |id: &str, number, text: &str| Block {
        stub: Some("[left out]".into()),
        ..block(id, number, Importance::Result(number), text)
    };
    let newest = block("r3", 4, Importance::Pinned, &"z".repeat(40));
    let blocks = vec![
        block("question", 1, Importance::Question, "0123456789"),
        result("r1", 2, &"x\n".repeat(20)),
        result("r2", 3, &"y".repeat(40)),
        newest,
    ];
    let placed = |window| {
        let plan = plan(Purpose::Work, blocks.clone(), budget(window), &ByBytes).unwrap();
        let sizes: Vec<usize> = plan.rows.iter().map(|row| row.placed.as_ref().unwrap().len()).collect();
        (sizes, verdicts(&plan))
    };
    assert_eq!(placed(148).0, [10, 40, 40, 40]);
    assert_eq!(placed(147), (vec![10, 10, 40, 40], "question kept, r1 0/20, r2 kept, r3 kept".to_owned()));
    assert_eq!(placed(117).0, [10, 10, 10, 40]);
}

fn any_blocks() -> impl Strategy<Value = Vec<Block>> {
    let exchange = prop::collection::vec("[a-z\n中🦀]{0,30}", 2);
    let fact = "[a-z\n中]{0,120}";
    (prop::collection::vec(exchange, 0..5), prop::collection::vec(fact, 0..4)).prop_map(|(exchanges, facts)| {
        let mut blocks = vec![block("system", 0, Importance::Pinned, "You help.")];
        let mut message = 0;
        for (number, texts) in (0_u32..).zip(&exchanges) {
            for (part, text) in texts.iter().enumerate() {
                message += 1;
                blocks.push(block(&format!("h{number}/{part}"), message, Importance::Exchange(number), text));
            }
        }
        for (number, text) in facts.iter().enumerate() {
            blocks.push(block(&format!("f{number}"), message + 1, Importance::Shared, text));
        }
        blocks.push(block("question", message + 1, Importance::Pinned, "why?"));
        blocks
    })
}

/// Bytes of each block that a plan keeps; none at all where nothing can be sent.
fn kept(blocks: &[Block], window: u32) -> Option<Vec<usize>> {
    let plan = plan(Purpose::Work, blocks.to_vec(), budget(window), &ByBytes).ok()?;
    Some(plan.rows.iter().map(|row| row.placed.as_ref().map_or(0, String::len)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Shrinks the window one token at a time: always within it, nothing pinned is touched, whole exchanges, oldest first.
    #[test]
    fn assembly_e4_e7_the_plan_fits_is_minimal_and_monotone_at_every_window(blocks in any_blocks()) {
        let mut n_dropped_before = usize::MAX;
        for window in 0..420 {
            let Ok(plan) = plan(Purpose::Work, blocks.clone(), budget(window), &ByBytes) else { continue };
            prop_assert!(plan.n_tokens + plan.budget.reserve <= window);
            prop_assert_eq!(plan.rows.len(), blocks.len());
            for row in &plan.rows {
                if row.block.importance == Importance::Pinned {
                    prop_assert_eq!(row.verdict, Verdict::Kept);
                }
            }
            let dropped: Vec<u32> = plan.rows.iter().filter_map(|row| match (row.block.importance, row.verdict) {
                (Importance::Exchange(number), Verdict::Dropped { rule: DropRule::OldestHistory, .. }) => Some(number),
                _ => None,
            }).collect();
            let kept_exchanges: Vec<u32> = plan.rows.iter().filter_map(|row| match (row.block.importance, row.verdict) {
                (Importance::Exchange(number), Verdict::Kept) => Some(number),
                _ => None,
            }).collect();
            prop_assert!(dropped.iter().all(|gone| kept_exchanges.iter().all(|there| gone < there)));
            prop_assert!(dropped.len() <= n_dropped_before, "a larger window never drops more");
            n_dropped_before = dropped.len();
        }
    }

    #[test]
    fn assembly_e7_a_larger_window_never_keeps_less_of_anything(blocks in any_blocks(), window in 0_u32..400) {
        if let (Some(small), Some(large)) = (kept(&blocks, window), kept(&blocks, window + 1)) {
            for (index, (small, large)) in small.iter().zip(&large).enumerate() {
                // The mark of a cut may be longer than what it stands for, so only whole blocks are compared by their bytes.
                let is_shared = blocks[index].importance == Importance::Shared;
                prop_assert!(is_shared || small <= large, "block {index}: {small} > {large}");
            }
        }
    }
}
