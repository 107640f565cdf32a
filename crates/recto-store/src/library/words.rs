//! The words of a text as the index knows them, and a question's in the same form.

use jieba_rs::Jieba;
use recto_core::telling::is_common;
use recto_core::text::is_chinese;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The dictionary takes a moment to load, so it is loaded when it is needed first, or by [`warm_up`].
static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);
/// A longer run without a space is no word but data.
const MAX_WORD: usize = 64;
/// Words from this length on are also found by a part of them.
pub(super) const LEAST_WHOLE: usize = 5;

/// Loads the dictionary of Chinese words, so that the first question does not wait for it.
pub fn warm_up() {
    LazyLock::force(&JIEBA);
}

/// The telling words of a text in their order: Chinese ones by the dictionary, others in lower case without their endings, an
/// identifier in one and by its parts.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in runs(text) {
        if run.starts_with(is_chinese) {
            let cut = JIEBA.cut_for_search(run, true);
            words.extend(cut.iter().map(|token| token.word).filter(|word| !is_common(word)).map(str::to_owned));
        } else {
            latin(run, |word| words.push(word));
        }
    }
    words
}

/// The words of a question, each once, in the order of their letters.
pub(super) fn asked(question: &str) -> Vec<String> {
    let words: BTreeSet<String> = words(question).into_iter().collect();
    words.into_iter().collect()
}

/// The longer words of a text as they are written, in lower case, each once.
pub(super) fn whole_words(text: &str, least: usize) -> BTreeSet<String> {
    let is_long = |run: &&str| !run.starts_with(is_chinese) && (least..=MAX_WORD).contains(&run.chars().count());
    let whole = runs(text).filter(is_long).map(str::to_lowercase);
    whole.filter(|word| !is_common(word) && word.chars().any(char::is_alphabetic)).collect()
}

/// Goes through the words of a text that are not Chinese, in the form of the index.
pub(super) fn each_latin(text: &str, mut each: impl FnMut(String)) {
    for run in runs(text).filter(|run| !run.starts_with(is_chinese)) {
        latin(run, &mut each);
    }
}

fn latin(run: &str, mut each: impl FnMut(String)) {
    if run.len() > MAX_WORD * 4 {
        return;
    }
    let parts = parts(run);
    if parts.len() > 1 {
        for part in &parts {
            let part = part.to_lowercase();
            if !is_common(&part) {
                each(stem(&part));
            }
        }
    }
    let word = run.to_lowercase();
    if !is_common(&word) {
        each(stem(&word));
    }
}

/// Runs of letters and digits, Chinese ones apart from the others.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).flat_map(|run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let end = rest.find(|character| is_chinese(character) != is_chinese(first)).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            rest = after;
            Some(run)
        })
    })
}

/// The parts of `readFileSync`; one part for a word without an inner capital.
fn parts(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut was_small = false;
    for (at, character) in run.char_indices() {
        if character.is_uppercase() && was_small {
            parts.push(&run[start..at]);
            start = at;
        }
        was_small = character.is_lowercase();
    }
    parts.push(&run[start..]);
    parts
}

/// A word without the endings that change nothing about what it means here: plurals after Harman ("How effective is suffixing?", 1991),
/// then -ing, -ed and a last e. The same on both sides, so what it gets wrong it gets wrong twice.
fn stem(word: &str) -> String {
    let mut stem = word.to_owned();
    if !word.is_ascii() || word.bytes().any(|byte| byte.is_ascii_digit()) || word.len() < 4 {
        return stem;
    }
    let ends = |stem: &str, end: &str| stem.ends_with(end);
    if ends(&stem, "ies") && stem.len() > 4 {
        stem.truncate(stem.len() - 3);
        stem.push('y');
    } else if ends(&stem, "s") && !ends(&stem, "us") && !ends(&stem, "ss") {
        stem.pop();
    }
    for end in ["ing", "ed"] {
        if ends(&stem, end) && stem.len() - end.len() >= 4 {
            stem.truncate(stem.len() - end.len());
            let bytes = stem.as_bytes();
            let is_doubled = bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
            if is_doubled && !ends(&stem, "ll") && !ends(&stem, "ss") {
                stem.pop();
            }
            break;
        }
    }
    if ends(&stem, "e") && stem.len() > 5 {
        stem.pop();
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(words(text).join(" "), expected, "{text}");
    }

    #[test]
    fn words_of_both_languages_are_cut_and_common_ones_are_left_out() {
        check("What is the threshold for the alerts?", "threshold alert");
        check("语言模型的检索", "语言 模型 检索");
        check("北站的潮位gauge每小时读取", "北站 潮位 gauge 每 小时 读取");
        check("readFileSync(\"a-b\") read_file B04", "sync readfilesync b04");
        check("café naïve 12 km", "café naïve 12");
        check("🦀 \"quoted\" AND * ^ NEAR(", "quot near");
    }

    #[test]
    fn forms_of_a_word_are_one_word() {
        for (a, b) in [
            ("stories", "story"),
            ("watering", "watered"),
            ("planning", "planned"),
            ("creates", "created"),
            ("creating", "create"),
            ("gauges", "gauge"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        assert_ne!(stem("status"), stem("statu"));
        assert_ne!(stem("plan"), stem("plane"));
    }

    #[test]
    fn longer_words_are_kept_whole_to_be_found_by_a_part() {
        let whole = whole_words("The Rescheduler of readFileSync, 潮位 and 1234567 schedule", LEAST_WHOLE);
        assert_eq!(whole.into_iter().collect::<Vec<_>>(), ["readfilesync", "rescheduler", "schedule"]);
    }
}
