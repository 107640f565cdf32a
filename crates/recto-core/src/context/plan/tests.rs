use super::super::block::{BlockKind, Seat};
use super::*;
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
    Budget { window, reserve: 10, fixed: 0, per_message: 2 }
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
        block("question", 5, Importance::Pinned, "0123456789"),
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
