//! The telling words of a question: those that nearly no other question has. Where they stand in a text is counted, never judged by a model.

use crate::text::is_chinese;
use std::collections::{BTreeMap, BTreeSet};

/// Words that nearly every question has.
const COMMON: [&str; 62] = [
    "about", "all", "also", "and", "answer", "any", "are", "can", "did", "does", "each", "file", "files", "find",
    "folder", "for", "from", "has", "have", "her", "him", "his", "how", "into", "its", "last", "list", "look", "many",
    "may", "much", "not", "note", "notes", "one", "only", "our", "out", "read", "she", "tell", "that", "the", "their",
    "them", "there", "they", "this", "two", "use", "was", "were", "what", "when", "where", "which", "who", "why",
    "will", "with", "would", "you",
];

/// Chinese characters that nearly every question has.
const COMMON_CHINESE: &str = "的了是在有和吗呢么什哪谁几多少个我你他请这那里把被要怎样为";

/// Whether nearly every question has this word, so that it tells nothing. The word is in lower case.
#[must_use]
pub fn is_common(word: &str) -> bool {
    COMMON.contains(&word)
        || (!word.is_empty() && word.chars().all(|character| COMMON_CHINESE.contains(character)))
        || (word.chars().count() < 3 && word.chars().all(|character| character.is_ascii_alphabetic()))
}

/// The telling words of one question, in lower case, Latin ones without their endings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TellingWords(BTreeSet<String>);

impl TellingWords {
    /// Reads the question. The names of files in it say where to look and not what for, so they are left out.
    #[must_use]
    pub fn of(question: &str) -> Self {
        let mut telling = BTreeSet::new();
        for word in words(question).filter(|word| !is_file_name(word)) {
            let word = word.to_lowercase();
            let parts = word.split(|c: char| is_chinese(c) || !(c.is_alphanumeric() || c == '-'));
            telling.extend(parts.flat_map(stems));
            let characters: Vec<char> = word.chars().collect();
            let is_telling = |c: &char| is_chinese(*c) && !COMMON_CHINESE.contains(*c);
            let pairs = characters.windows(2).filter(|pair| pair.iter().all(is_telling));
            telling.extend(pairs.map(|pair| pair.iter().collect::<String>()));
        }
        Self(telling)
    }

    /// Those of them that stand in `text`: Latin ones at the beginning of a word, Chinese ones anywhere.
    pub fn found_in<'a>(&'a self, text: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let text = text.to_lowercase();
        self.0.iter().map(String::as_str).filter(move |word| {
            text.match_indices(word).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                word.starts_with(is_chinese) || !before.is_some_and(|c| c.is_alphanumeric() && !is_chinese(c))
            })
        })
    }

    /// How many there are.
    #[must_use]
    pub fn n_words(&self) -> usize {
        self.0.len()
    }

    /// The share of them that stand in `text`, between 0 and 1, and how many do.
    #[must_use]
    pub fn share_in(&self, text: &str) -> (f64, usize) {
        let n_found = self.found_in(text).count();
        if self.0.is_empty() { (0.0, 0) } else { (n_found as f64 / self.0.len() as f64, n_found) }
    }
}

/// How much each text of several holds of what was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// One score for each text.
    pub scores: Vec<f64>,
    /// The score of a text that would hold every word that any of them holds.
    pub all: f64,
}

/// Weighs texts by the telling words found in each: the sum of ln(1 + N / n) over its words, N being all texts and n those with the
/// word, so that a word counts the more the fewer texts have it (BM25's weight of a term, without lengths).
#[must_use]
pub fn weigh(found: &[Vec<&str>]) -> Weighed {
    let mut n_with: BTreeMap<&str, usize> = BTreeMap::new();
    for word in found.iter().flatten() {
        *n_with.entry(word).or_default() += 1;
    }
    let weight = |word: &str| (1.0 + found.len() as f64 / n_with[word] as f64).ln();
    let scores = found.iter().map(|words| words.iter().map(|word| weight(word)).sum()).collect();
    let all = n_with.keys().map(|word| weight(word)).sum();
    Weighed { scores, all }
}

/// A word without its ending, so that “alerts” finds “alert”; a number or a name like `B-04` as it is; nothing for a common word.
fn stems(word: &str) -> Vec<String> {
    if word.chars().any(|c| c.is_ascii_digit()) {
        return if word.chars().count() >= 2 { vec![word.to_owned()] } else { Vec::new() };
    }
    let stem = |word: &str| {
        let n = word.chars().count();
        let n_kept = match n {
            0..=3 => n,
            4 => n - usize::from(word.ends_with('s')),
            5 | 6 => 4,
            // “watering” and “watered” are one word.
            _ => n - 3,
        };
        word.chars().take(n_kept).collect::<String>()
    };
    let is_telling = |word: &str| word.chars().count() >= 3 && !COMMON.contains(&word);
    word.split('-').filter(|word| is_telling(word)).map(stem).filter(|stem| is_telling(stem)).collect()
}

/// The words of a text as it was typed, file names and paths whole.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || "\"'`“”‘’«»()（）,，。;；:：?？!！、".contains(c);
    text.split(is_between).map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty())
}

/// Whether a word has an extension, like `list.md`.
pub(crate) fn is_file_name(word: &str) -> bool {
    let extension = word.rsplit_once('.').filter(|(name, _)| !name.is_empty()).map(|(_, extension)| extension);
    extension.is_some_and(|extension| {
        (1..=5).contains(&extension.len()) && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, telling: &[&str]) {
        let words = TellingWords::of(question);
        assert_eq!(words.0.iter().map(String::as_str).collect::<Vec<&str>>(), telling, "{question}");
    }

    #[test]
    fn common_words_endings_and_file_names_are_left_out() {
        check("What is the threshold for alerts?", &["aler", "thresh"]);
        check("On which shelf is the red tea? The pantry is listed in inventory.csv.", &["pant", "red", "shel", "tea"]);
        check("In which place is the book B-04?", &["b-04", "book", "plac"]);
        check("会议室改到哪里了？", &["会议", "室改", "改到", "议室"]);
        check("recipes/番茄炒蛋.md 这道菜要用几个鸡蛋？", &["道菜", "鸡蛋"]);
        check("Who is it?", &[]);
    }

    #[test]
    fn what_a_question_speaks_of_is_counted_in_a_text() {
        let share = |question: &str, text: &str| TellingWords::of(question).share_in(text);
        let note = "The threshold for an alert is 4.2 metres. The old value gave false alarms.";
        assert_eq!(share("What is the threshold for alerts?", note), (1.0, 2));
        assert_eq!(share("Which gauges have a threshold?", note), (0.5, 1));
        assert_eq!(share("Who is it?", note), (0.0, 0));
        assert_eq!(share("警报阈值是多少？", "警报的阈值：4.2 米。报警阈值不变。"), (2.0 / 3.0, 2));
    }

    #[test]
    fn a_word_weighs_the_more_the_fewer_texts_have_it() {
        let Weighed { scores, all } = weigh(&[vec!["tea", "red"], vec!["tea"], vec![]]);
        assert!(scores[0] > 2.0 * scores[1] && scores[2] == 0.0 && all == scores[0], "{scores:?} of {all}");
    }

    #[test]
    fn words_are_found_at_the_beginning_of_a_word() {
        let found =
            |question: &str, text: &str| TellingWords::of(question).found_in(text).collect::<Vec<_>>().join(" ");
        assert_eq!(found("Where is the red tap?", "The red tap is beside the tape, hundred steps on."), "red tap");
        assert_eq!(found("Where is the red tap?", "A hundred steps."), "");
        assert_eq!(found("Which alerts?", "警报alert 和 Alerting"), "aler");
        assert_eq!(found("警报阈值是多少？", "报警阈值不变。"), "阈值");
    }
}
