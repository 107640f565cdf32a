use super::*;
use expect_test::expect;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const NOW_MS: i64 = 1_000 * DAY_MS;

fn memory(id: &str, text: &str, age_days: i64) -> Memory {
    Memory { id: id.into(), text: text.into(), is_pinned: false, fresh_at_ms: NOW_MS - age_days * DAY_MS }
}

fn pinned(id: &str, text: &str) -> Memory {
    Memory { is_pinned: true, ..memory(id, text, 2_000) }
}

fn check(question: &str, memories: &[Memory], expected: &expect_test::Expect) {
    let lines = offered(question, memories, NOW_MS).into_iter().map(|one| format!("{:.2} {}\n", one.score, one.text));
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn assembly_e3_a_memory_scores_by_the_words_of_the_question_and_a_pinned_one_always_full() {
    let memories = [
        memory("a", "Prefers metric units.", 0),
        memory("b", "The boat is called Petrel and lies in Oslo.", 0),
        memory("c", "The boat needs a new mast.", 0),
        pinned("d", "Is allergic to nuts."),
    ];
    check(
        "How high is the mast of the boat, in units that I like?",
        &memories,
        &expect![[r#"
            1.00 Is allergic to nuts.
            0.36 The boat needs a new mast.
            0.21 Prefers metric units.
            0.15 The boat is called Petrel and lies in Oslo.
        "#]],
    );
    check(
        "What is for dinner?",
        &memories,
        &expect![[r#"
        1.00 Is allergic to nuts.
    "#]],
    );
}

#[test]
fn a_memory_fades_by_half_in_ninety_days_and_never_below_a_quarter() {
    let score = |age_days| offered("metric units", &[memory("a", "Prefers metric units.", age_days)], NOW_MS)[0].score;
    let shown = [-5, 0, 29, 30, 90, 180, 900].map(|age_days| format!("{:.2}", score(age_days)));
    assert_eq!(shown, ["1.00", "1.00", "1.00", "0.79", "0.50", "0.25", "0.25"]);
}

#[test]
fn assembly_e13_a_day_later_the_same_memories_score_the_same() {
    let memories = [memory("a", "Prefers metric units.", 3), memory("b", "Writes units out.", 40)];
    let at = |now_ms| offered("Which units?", &memories, now_ms);
    assert_eq!(at(NOW_MS), at(NOW_MS + DAY_MS));
}

#[test]
fn at_most_twelve_are_given_and_what_says_nearly_nothing_is_not() {
    let many: Vec<Memory> = (10..40).map(|n| memory(&format!("m{n}"), &format!("Unit number {n}."), 0)).collect();
    let given = offered("Which unit?", &many, NOW_MS);
    assert_eq!(given.len(), MAX_OFFERED);
    assert_eq!(given[0].id, "m10");
    let long = format!("unit {}", (0..80).map(|n| format!("word{n:02} ")).collect::<String>());
    assert_eq!(offered(&long, &[memory("a", "One unit.", 0)], NOW_MS), []);
}

#[test]
fn a_chinese_question_finds_its_memories() {
    let memories = [memory("a", "喜欢用公制单位", 0), memory("b", "养了一只狗", 0)];
    check(
        "长度该用什么单位？",
        &memories,
        &expect![[r#"
            0.25 喜欢用公制单位
        "#]],
    );
}

#[test]
fn a_sentence_is_kept_on_one_line() {
    assert_eq!(read_text("  likes\n tea \t"), Ok("likes tea".to_owned()));
    assert!(read_text(" \n").is_err());
    assert_eq!(read_text(&"字".repeat(MAX_CHARACTERS)).map(|text| text.chars().count()), Ok(MAX_CHARACTERS));
    assert!(read_text(&"字".repeat(MAX_CHARACTERS + 1)).is_err_and(|why| why.contains("501 characters")));
}

#[test]
fn what_is_to_be_forgotten_has_to_be_clear() {
    let memories = [memory("a", "Likes tea.", 0), memory("b", "Likes tea with milk.", 0), memory("c", "养了一只狗", 0)];
    let found = |text: &str| meant(text, &memories).map(|memory| memory.id.0.as_str());
    assert_eq!(found("likes tea"), Some("a"));
    assert_eq!(found("The user likes milk"), Some("b"));
    assert_eq!(found("The user drinks milk at night"), None, "most of it stands nowhere");
    assert_eq!(found("milk"), Some("b"));
    assert_eq!(found("tea"), None, "two memories speak of it");
    assert_eq!(found("我养了一只狗"), Some("c"));
    assert_eq!(found("anything"), None);
}

#[test]
fn a_state_is_the_same_in_every_order_and_another_with_any_other_sentence() {
    let state = |texts: &[&str]| state(texts.iter().copied());
    assert_eq!(state(&["a", "b"]), state(&["b", "a"]));
    assert_ne!(state(&["a", "b"]), state(&["a\nb"]));
    assert_ne!(state(&["a"]), state(&["a", "a"]));
    assert_eq!(state(&[]).n_bytes, 0);
}
