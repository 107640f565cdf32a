use super::*;
use crate::context::block::{Block, Importance, Role, Seat};
use crate::context::plan::{Budget, ByCharacters, CountTokens as _, Plan, plan};
use crate::request::Purpose;
use proptest::prelude::*;

fn level(needle: &str, text: &str) -> Option<Level> {
    let needle = Needle::new(needle).unwrap();
    let found = needle.find(text)?;
    assert!(text.get(found.start..found.end).is_some_and(|found| !found.is_empty()), "{found:?} in {text}");
    Some(found.level)
}

#[test]
fn a_text_is_found_at_the_level_at_which_it_is_there() {
    let fact = "The boiler's pressure is 1.4 bar, said Ms Söderström.";
    let cases = [
        ("Note: The boiler's pressure is 1.4 bar, said Ms Söderström. End", Some(Level::Exact)),
        (r#"{"t":"The boiler's pressure is 1.4 bar, said Ms S\u00f6derstr\u00f6m."}"#, Some(Level::Unescaped)),
        ("The boiler&#39;s pressure is 1.4 bar, said Ms Söderström.", Some(Level::Unescaped)),
        ("The boiler’s pressure\n  is 1.4 bar,\nsaid Ms So\u{308}derstro\u{308}m.", Some(Level::Normalised)),
        (r#""The boiler's pressure\n is 1.4 bar, said Ms S\u00f6derstr\u00f6m.""#, Some(Level::Normalised)),
        ("THE BOILER'S PRESSURE IS 1.4 BAR, SAID MS SÖDERSTRÖM.", Some(Level::CaseOnly)),
        ("The boiler's presure is 1.4 bar, said Mr Söderström.", Some(Level::Near)),
        ("Boiler: Söderström says that its pressure is 1.4", Some(Level::Value)),
        ("The boiler's pressure is 1.6 bar, said Ms Söderström.", None),
        ("The boiler's pressure is 1.45 bar, said Ms Söderström.", None),
        ("The boiler's pressure is 11.4 bar, said Ms Söderström.", None),
        ("The tap's pressure is 1.4 bar.", None),
        ("", None),
    ];
    for (text, expected) in cases {
        assert_eq!(level(fact, text), expected, "{text}");
    }
    assert_eq!(level("会议改到三楼 302 室", "记录：会议改到三楼\n302 室。"), Some(Level::Normalised));
    assert_eq!(level("会议改到三楼302室", r#"{"t":"会议改到三楼302室"}"#), Some(Level::Exact));
    assert_eq!(
        level("会议改到三楼302室", r#"{"t":"\u4f1a\u8bae\u6539\u5230\u4e09\u697c302\u5ba4"}"#),
        Some(Level::Unescaped)
    );
    assert_eq!(level("会议改到三楼302室", "会议改到三楼303室"), None);
    assert_eq!(level("pier 1", "at pier 12 and pier 1."), Some(Level::Exact));
    assert!(Needle::new(" \n").is_none());
}

#[test]
fn a_match_says_where_in_the_text_as_it_is() {
    let found = |needle: &str, text: &str| {
        let found = Needle::new(needle).unwrap().find(text).unwrap();
        text[found.start..found.end].to_owned()
    };
    assert_eq!(found("a b", "x a\n\n b y"), "a\n\n b");
    assert_eq!(found("naïve idea", "one nai\u{308}ve  idea two"), "nai\u{308}ve  idea");
    assert_eq!(found("杭州 is far", r#"{"c":"\u676d\u5dde is far"}"#), r"\u676d\u5dde is far");
    assert_eq!(found("the quick brown fox jumps", "xx the quick brwn fox jumps yy"), "the quick brwn fox jumps");
}

fn block(id: &str, kind: BlockKind, message: u32, importance: Importance, text: &str) -> Block {
    Block { importance, ..Block::pinned(id, kind, id, Seat::new(message, Role::User), text.to_owned()) }
}

const FACT: &str = "The ferry leaves at 9:40 from pier 3.";

fn planned(blocks: Vec<Block>, window: u32) -> (Plan, Vec<u32>) {
    let budget = Budget { window, reserve: 0, fixed: 0, per_message: 0, fold_to: window };
    let plan = plan(Purpose::Work, blocks, budget, &ByCharacters).unwrap();
    let size = |row: &PlannedBlock| row.placed.as_deref().map_or(0, |placed| ByCharacters.count(placed));
    let n_placed = plan.rows.iter().map(size).collect();
    (plan, n_placed)
}

fn found(blocks: Vec<Block>, window: u32) -> Whereabouts {
    let (plan, n_placed) = planned(blocks, window);
    whereabouts(&Needle::new(FACT).unwrap(), &plan.rows, &n_placed)
}

fn question() -> Block {
    block("question", BlockKind::Question, 9, Importance::Question, "When does the ferry leave?")
}

#[test]
fn a_text_that_is_in_the_request_is_told_with_its_place_and_its_distance_to_the_question() {
    let fact = block("fact/c1", BlockKind::Fact, 1, Importance::Shared, &format!("Timetable:\n{FACT}\nNo dogs.\n"));
    let other = block("fact/c2", BlockKind::Fact, 2, Importance::Shared, "The lamp is green.\n");
    let Whereabouts::Whole(place) = found(vec![fact, other, question()], 1_000) else { panic!("not whole") };
    assert_eq!((place.block, place.level, place.offset, place.number, place.of), (0, Level::Exact, 11, 1, 3));
    let rest = ByCharacters.count("The lamp is green.\n");
    let distance = place.n_tokens_to_question.unwrap();
    assert!((rest..=rest + 4).contains(&distance), "{distance}");
    assert!(place.share > 0.4 && place.share < 0.7, "{}", place.share);
}

#[test]
fn a_text_in_the_part_that_was_cut_is_told_with_its_line() {
    let rows = "a row without it\n".repeat(80);
    let fact = block("fact/c1", BlockKind::Fact, 1, Importance::Shared, &format!("{rows}{FACT}\n"));
    let Whereabouts::Cut { block, level, has_beginning, kept_lines, of_lines, line } =
        found(vec![fact, question()], 120)
    else {
        panic!("not cut")
    };
    assert_eq!((block, level, has_beginning, of_lines, line), (0, Level::Exact, false, 81, 81));
    assert!(kept_lines < 81);
}

#[test]
fn what_was_dropped_superseded_or_never_considered_is_told_apart() {
    let memory = block("memory/1", BlockKind::Memory, 0, Importance::Ranked, &FACT.repeat(20));
    let dropped = found(vec![memory, question()], 30);
    assert!(
        matches!(dropped, Whereabouts::Dropped { block: 0, rule: DropRule::LowestMemory, order: 1, .. }),
        "{dropped:?}"
    );
    let named = |id: &str, importance, text: &str| Block {
        source: "read_file ferry.md".into(),
        ..block(id, BlockKind::Fact, 1, importance, text)
    };
    let superseded = found(
        vec![
            named("fact/c1", Importance::LeftOut(DropRule::Superseded), FACT),
            named("fact/c2", Importance::Shared, "The ferry leaves at 10:15 from pier 3."),
            question(),
        ],
        1_000,
    );
    assert_eq!(superseded, Whereabouts::Superseded { block: 0, level: Level::Exact, by: Some(1) });
    assert_eq!(found(vec![question()], 1_000), Whereabouts::NotConsidered);
    let summary = block("summary", BlockKind::Summary, 0, Importance::Ranked, &format!("Numbers: 9:40\n{FACT}"));
    assert!(matches!(found(vec![summary, question()], 1_000), Whereabouts::InSummary(_)));
}

#[test]
fn what_says_another_value_of_the_same_comes_first_among_the_competitors() {
    let fact = block("fact/c1", BlockKind::Fact, 1, Importance::Shared, FACT);
    let old =
        block("fact/c2", BlockKind::Fact, 2, Importance::Shared, "The ferry leaves at 10:15 from pier 3.\nIt is red.");
    let fits = block(
        "history",
        BlockKind::History,
        3,
        Importance::Pinned,
        "When the summer ferry leaves depends on the tide.",
    );
    let done = block("done", BlockKind::Done, 4, Importance::Pinned, "- read_file summer-ferry.md: when it leaves\n");
    let (plan, _) = planned(vec![fact, old, fits, done, question()], 1_000);
    let told: Vec<(CompetitorKind, String)> =
        competitors(&Needle::new(FACT).unwrap(), &plan.rows, "When does the summer ferry leave?")
            .into_iter()
            .map(|competitor| (competitor.kind, competitor.line))
            .collect();
    assert_eq!(
        told,
        [
            (CompetitorKind::OtherValue, "The ferry leaves at 10:15 from pier 3.".to_owned()),
            (CompetitorKind::FitsBetter, "When the summer ferry leaves depends on the tide.".to_owned()),
        ]
    );
}

/// A sentence with a value in it, and words around it.
fn sentence() -> impl Strategy<Value = String> {
    ("[A-Z][a-z]{3,8}", "[a-zäöéß]{4,9}", 10_u32..9_999, "[a-z]{3,8}", "[\u{4e00}-\u{4e40}]{0,4}").prop_map(
        |(who, what, value, where_, chinese)| {
            format!("{who} keeps the {what} {value} in the {where_} room {chinese}.").replace(" .", ".")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_planted_sentence_is_found_whatever_was_done_to_it(fact in sentence(), before in "[ -~\n]{0,80}", after in "[ -~\n]{0,80}") {
        let around = |text: &str| format!("{before}\n{text}\n{after}");
        prop_assert_eq!(level(&fact, &around(&fact)), Some(Level::Exact));
        let wrapped = fact.replace(' ', "\n  ");
        prop_assert!(level(&fact, &around(&wrapped)) <= Some(Level::Normalised) && level(&fact, &around(&wrapped)).is_some());
        let escaped = crate::text::ascii_json_string(&around(&fact));
        prop_assert!(level(&fact, &escaped).is_some_and(|found| found <= Level::Normalised), "{}", escaped);
        use unicode_normalization::UnicodeNormalization as _;
        let decomposed: String = fact.nfd().collect();
        prop_assert!(level(&fact, &around(&decomposed)).is_some_and(|found| found <= Level::Normalised));
    }

    #[test]
    fn one_changed_letter_in_twenty_is_near_and_one_changed_digit_is_another_fact(fact in sentence(), at in 0_usize..100) {
        let characters: Vec<char> = fact.chars().collect();
        let letters: Vec<usize> = (0..characters.len()).filter(|&index| characters[index].is_ascii_lowercase()).collect();
        let digits: Vec<usize> = (0..characters.len()).filter(|&index| characters[index].is_ascii_digit()).collect();
        let changed = |index: usize, by: char| -> String {
            characters.iter().enumerate().map(|(at, c)| if at == index { by } else { *c }).collect()
        };
        let letter = letters[at % letters.len()];
        let typo = changed(letter, if characters[letter] == 'x' { 'q' } else { 'x' });
        prop_assert!(matches!(level(&fact, &typo), Some(Level::Near | Level::Value)), "{} in {}", fact, typo);
        let digit = digits[at % digits.len()];
        let other = changed(digit, if characters[digit] == '7' { '8' } else { '7' });
        prop_assert_eq!(level(&fact, &other), None, "{} in {}", fact, other);
    }

    #[test]
    fn no_text_makes_the_search_fail(needle in "\\PC{1,60}", text in "\\PC{0,300}") {
        if let Some(needle) = Needle::new(&needle) && let Some(found) = needle.find(&text) {
            prop_assert!(text.get(found.start..found.end).is_some());
        }
    }
}
