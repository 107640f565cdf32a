//! How much of what a question speaks of stands in a result: counted, never judged by a model.

use std::collections::BTreeSet;

/// Words that nearly every question has.
const COMMON: [&str; 34] = [
    "about", "also", "answer", "does", "each", "file", "files", "find", "folder", "from", "have", "into", "last",
    "list", "look", "many", "much", "note", "notes", "read", "tell", "that", "their", "there", "they", "this", "what",
    "when", "where", "which", "will", "with", "would", "your",
];

/// Chinese characters that nearly every question has.
const COMMON_CHINESE: &str = "的了是在有和吗呢么什哪谁几多少个我你他请这那里把被要怎样为";

/// The share of the question's telling words that stand in `text`, between 0 and 1, and how many of them do. A Latin word counts
/// by its beginning, so that endings do not matter; Chinese text by pairs of characters.
#[must_use]
pub fn relevance(question: &str, text: &str) -> (f64, usize) {
    let telling = telling_words(question);
    let text = text.to_lowercase();
    let n_found = telling.iter().filter(|word| text.contains(word.as_str())).count();
    if telling.is_empty() { (0.0, 0) } else { (n_found as f64 / telling.len() as f64, n_found) }
}

fn telling_words(question: &str) -> BTreeSet<String> {
    let lower = question.to_lowercase();
    let mut words: BTreeSet<String> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() >= 4 && !COMMON.contains(word))
        .map(|word| word[..word.len().saturating_sub(2).max(4)].to_owned())
        .collect();
    let is_telling = |c: char| matches!(c, '\u{3400}'..='\u{9fff}') && !COMMON_CHINESE.contains(c);
    let characters: Vec<char> = lower.chars().collect();
    let pairs = characters.windows(2).filter(|pair| pair.iter().all(|c| is_telling(*c)));
    words.extend(pairs.map(|pair| pair.iter().collect::<String>()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_speaks_of_is_counted_in_a_result() {
        let note = "The threshold for an alert is 4.2 metres. The old value gave false alarms.";
        assert_eq!(relevance("What is the threshold for alerts?", note), (1.0, 2));
        assert_eq!(relevance("Which gauges have a threshold?", note), (0.5, 1));
        assert_eq!(relevance("Who is it?", note), (0.0, 0));
        assert_eq!(relevance("警报阈值是多少？", "警报的阈值：4.2 米。报警阈值不变。"), (2.0 / 3.0, 2));
    }
}
