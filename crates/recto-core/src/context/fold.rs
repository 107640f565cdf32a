//! The fold: what leaves the history enters the summary before the request goes out, by rule.
//!
//! For each exchange the first sentence of the question and of the answer, and the numbers, names and paths that those do not hold already; beside
//! that, word for word, what the user said not to do. The same exchanges always give the same bytes, so the beginning of the requests stands
//! still as long as nothing more is folded.

use super::plan::CountTokens;
use crate::conversation::Exchange;
use crate::text::one_line;
use std::collections::BTreeSet;
use unicode_segmentation::UnicodeSegmentation;

/// Characters of a sentence that are kept.
const SENTENCE: usize = 140;
/// Numbers, names and paths of one exchange that are kept.
const MOST_MARKS: usize = 12;

/// Words of a sentence that says what is not to be done.
const NOT: [&str; 12] =
    ["do not", "don't", "don’t", "never", "must not", "should not", "without", "不要", "别", "不得", "不能", "禁止"];

/// A summary of `exchanges`, oldest first, in at most `limit` tokens; empty for none. Where not all fits, the oldest exchanges keep their
/// question alone, and then are counted only; what is not to be done goes last.
#[must_use]
pub fn fold(exchanges: &[&Exchange], limit: u32, count: &dyn CountTokens) -> String {
    if exchanges.is_empty() {
        return String::new();
    }
    let whole: Vec<String> = exchanges.iter().map(|exchange| line_of(exchange)).collect();
    let short: Vec<String> =
        exchanges.iter().map(|exchange| format!("- {}", first_sentence(&exchange.question))).collect();
    let forbidden = forbidden(exchanges);
    // Each step gives up a little more of the oldest: the first one that fits stands.
    let n = exchanges.len();
    let written = |step: usize| {
        let (n_short, n_counted) = (step.min(n), step.saturating_sub(n));
        let lines = (n_counted..n).map(|at| if at < n_short { &short[at] } else { &whole[at] }.as_str());
        text(n, n_counted, lines.collect(), &forbidden)
    };
    // More steps never make it longer, so the first that fits is found by halving.
    let (mut low, mut high) = (0, 2 * n);
    while low < high {
        let middle = usize::midpoint(low, high);
        if count.count(&written(middle)) <= limit { high = middle } else { low = middle + 1 }
    }
    written(low)
}

fn text(n: usize, n_counted: usize, lines: Vec<&str>, forbidden: &[String]) -> String {
    let mut text = format!("(Taken by rule from {n} earlier exchanges; their own words are kept in the record.)");
    if n_counted > 0 {
        text.push_str(&format!("\n- ({n_counted} older exchanges are not repeated here.)"));
    }
    for line in lines {
        text.push('\n');
        text.push_str(line);
    }
    if !forbidden.is_empty() {
        text.push_str("\nThe user said:");
        for sentence in forbidden {
            text.push_str(&format!("\n- “{sentence}”"));
        }
    }
    text
}

/// One exchange in one line.
fn line_of(exchange: &Exchange) -> String {
    let (question, answer) = (first_sentence(&exchange.question), first_sentence(&exchange.answer));
    let said = if answer.is_empty() { format!("- {question}") } else { format!("- {question} → {answer}") };
    let marks = marks(exchange, &said);
    if marks.is_empty() { said } else { format!("{said} [{}]", marks.join(", ")) }
}

fn first_sentence(text: &str) -> String {
    one_line(text.trim().split_sentence_bounds().next().unwrap_or_default(), SENTENCE)
}

/// Numbers, names and paths of an exchange that `said` does not hold: words with a digit, a slash or a dot inside, and words with a capital
/// letter that do not begin a sentence.
fn marks<'a>(exchange: &'a Exchange, said: &str) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let mut marks = Vec::new();
    for text in [&exchange.question, &exchange.answer] {
        for sentence in text.split_sentence_bounds() {
            for (at, word) in sentence.split_whitespace().enumerate() {
                let word = word.trim_matches(|c: char| {
                    c.is_ascii_punctuation() && !"/.-".contains(c) || "“”。，；：！？".contains(c)
                });
                let word = word.trim_end_matches('.');
                let is_mark = word.chars().any(|c| c.is_ascii_digit())
                    || word.contains('/')
                    || word.trim_start_matches('.').contains('.')
                    || (at > 0 && word.chars().next().is_some_and(char::is_uppercase));
                if is_mark && word.chars().count() <= 60 && !said.contains(word) && seen.insert(word) {
                    marks.push(word);
                }
            }
        }
    }
    marks.truncate(MOST_MARKS);
    marks
}

/// Sentences of the questions that say what is not to be done, each once.
fn forbidden(exchanges: &[&Exchange]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let sentences = exchanges.iter().flat_map(|exchange| exchange.question.split_sentence_bounds());
    let says_not = sentences.map(str::trim).filter(|sentence| {
        let lower = sentence.to_lowercase();
        NOT.iter().any(|word| lower.contains(word))
    });
    says_not.map(|sentence| one_line(sentence, 2 * SENTENCE)).filter(|sentence| seen.insert(sentence.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::plan::ByCharacters;
    use super::*;
    use expect_test::expect;

    fn exchange(number: u32, question: &str, answer: &str) -> Exchange {
        Exchange { turn: format!("tn_{number}").as_str().into(), question: question.into(), answer: answer.into() }
    }

    fn trip() -> Vec<Exchange> {
        vec![
            exchange(
                1,
                "When does the train leave? Do not book anything.",
                "It leaves at 9:40 from track 3. Ask Ms Dahl.",
            ),
            exchange(2, "What is in notes/oslo.md?", "A list of museums. The Munch Museum opens at 10:00."),
            exchange(3, "不要改预算。预算多少？", "预算是 14,500 元。"),
        ]
    }

    fn folded(exchanges: &[Exchange], limit: u32) -> String {
        fold(&exchanges.iter().collect::<Vec<_>>(), limit, &ByCharacters)
    }

    #[test]
    fn assembly_e9_each_exchange_is_one_line_with_its_numbers_names_and_paths_and_what_was_forbidden_word_for_word() {
        expect![[r#"
            (Taken by rule from 3 earlier exchanges; their own words are kept in the record.)
            - When does the train leave? → It leaves at 9:40 from track 3. [Ms, Dahl]
            - What is in notes/oslo.md? → A list of museums. [Munch, Museum, 10:00]
            - 不要改预算。 → 预算是 14,500 元。
            The user said:
            - “Do not book anything.”
            - “不要改预算。”"#]]
        .assert_eq(&folded(&trip(), 1_000));
        assert_eq!(folded(&[], 1_000), "");
    }

    #[test]
    fn assembly_e9_a_summary_too_long_gives_up_the_oldest_first_and_what_is_forbidden_last() {
        let all: Vec<Exchange> =
            (0..200).map(|n| exchange(n, &format!("Question {n}? Never mention {n}."), "Yes.")).collect();
        let mut n_before = usize::MAX;
        for limit in [60_000, 3_500, 3_000, 2_500] {
            let text = folded(&all, limit);
            assert!(ByCharacters.count(&text) <= limit, "{limit}: {text}");
            assert!(text.contains("Question 199?") || limit < 3_000, "the newest stays longest");
            assert!(text.len() <= n_before);
            n_before = text.len();
        }
        let text = folded(&all, 2_500);
        assert!(
            text.contains("older exchanges are not repeated here") && text.contains("“Never mention 0.”"),
            "{text}"
        );
    }
}
