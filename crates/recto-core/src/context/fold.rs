//! The fold: what leaves the history enters the summary before the request goes out, by rule.
//!
//! For each exchange the first sentence of the question and of the answer, and the numbers, names and paths that those do not hold already; beside
//! that, word for word, what the user said not to do. The same exchanges always give the same bytes.

use super::plan::CountTokens;
use super::summary::{Author, Summary};
use crate::conversation::Exchange;
use crate::text::one_line;
use std::collections::BTreeSet;
use unicode_segmentation::UnicodeSegmentation;

/// Characters of a sentence that are kept.
const SENTENCE: usize = 140;
/// Numbers, names and paths of one exchange that are kept.
const MOST_MARKS: usize = 12;
/// Stands where older lines had to go.
const LEFT_OUT: &str = "- (Older exchanges are not repeated here.)\n";

/// Words of a sentence that says what is not to be done.
const NOT: [&str; 12] =
    ["do not", "don't", "don’t", "never", "must not", "should not", "without", "不要", "别", "不得", "不能", "禁止"];

/// The next version of a summary, with `exchanges` (oldest first) taken in, in at most `limit` tokens; the same one if there are none.
/// Where not all fits, the older half of the lines keeps its questions alone, then the oldest go, then the oldest of the marks; what the user
/// said not to do goes last.
#[must_use]
pub fn fold(summary: &Summary, exchanges: &[&Exchange], limit: u32, count: &dyn CountTokens) -> Summary {
    let Some(last) = exchanges.last() else { return summary.clone() };
    let mut lines = lines_of(&summary.prose);
    lines.extend(exchanges.iter().map(|exchange| line_of(exchange)));
    let whole = Summary {
        version: summary.version + 1,
        n_exchanges: summary.n_exchanges + u32::try_from(exchanges.len()).unwrap_or(u32::MAX),
        until: Some(last.turn.clone()),
        author: Author::Rule,
        prose: String::new(),
        marks: summary.marks.clone(),
        forbidden: summary.forbidden.iter().cloned().chain(forbidden(exchanges)).collect::<Vec<String>>(),
    };
    let whole = Summary { forbidden: each_once(whole.forbidden), ..whole };
    fitted(&whole, &lines, limit, count)
}

/// `whole` with as much of `lines` and of what stands beside them as fits into `limit` tokens.
pub(super) fn fitted(whole: &Summary, lines: &[String], limit: u32, count: &dyn CountTokens) -> Summary {
    let (n_lines, n_marks, n_forbidden) = (lines.len(), whole.marks.len(), whole.forbidden.len());
    // Each step gives up a little more: the second halves of the older lines, then the oldest lines, then what is word for word.
    let n_halves = n_lines / 2;
    let written = |step: usize| {
        let n_gone = step.saturating_sub(n_halves).min(n_lines);
        let n_short = if n_gone == 0 { step } else { n_gone + (n_lines - n_gone) / 2 };
        let n_marks_gone = step.saturating_sub(n_halves + n_lines).min(n_marks);
        let n_forbidden_gone = step.saturating_sub(n_halves + n_lines + n_marks).min(n_forbidden);
        let mut prose = if n_gone > 0 { LEFT_OUT.to_owned() } else { String::new() };
        for (at, line) in lines.iter().enumerate().skip(n_gone).filter(|(_, line)| n_gone == 0 || *line != LEFT_OUT) {
            if at < n_short { prose.push_str(&question_of(line)) } else { prose.push_str(line) }
        }
        Summary {
            prose: prose.trim_end().to_owned(),
            marks: whole.marks[n_marks_gone..].to_vec(),
            forbidden: whole.forbidden[n_forbidden_gone..].to_vec(),
            ..whole.clone()
        }
    };
    // More steps hardly ever make it longer, so the first that fits is found by halving.
    let (mut low, mut high) = (0, n_halves + n_lines + n_marks + n_forbidden);
    while low < high {
        let middle = usize::midpoint(low, high);
        if count.count(&written(middle).text()) <= limit { high = middle } else { low = middle + 1 }
    }
    written(low)
}

/// The prose of a summary in parts that can go by themselves: lines of exchanges, and sentences of what a model or a person wrote.
fn lines_of(prose: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for line in prose.lines() {
        if line.starts_with("- ") {
            parts.push(format!("{line}\n"));
        } else {
            let mut sentences: Vec<String> = line.split_sentence_bounds().map(str::to_owned).collect();
            if let Some(last) = sentences.last_mut() {
                last.push('\n');
            }
            parts.extend(sentences);
        }
    }
    parts
}

/// The first half of an exchange's line; another line as it is.
fn question_of(line: &str) -> String {
    match line.split_once(" → ") {
        Some((question, _)) if line.starts_with("- ") => format!("{question}\n"),
        _ => line.to_owned(),
    }
}

/// One exchange in one line.
fn line_of(exchange: &Exchange) -> String {
    let (question, answer) = (first_sentence(&exchange.question), first_sentence(&exchange.answer));
    let said = if answer.is_empty() { format!("- {question}") } else { format!("- {question} → {answer}") };
    let marks: Vec<String> = marks(&[&exchange.question, &exchange.answer])
        .into_iter()
        .filter(|mark| !said.contains(mark.as_str()))
        .collect();
    let marks = &marks[..marks.len().min(MOST_MARKS)];
    if marks.is_empty() { format!("{said}\n") } else { format!("{said} [{}]\n", marks.join(", ")) }
}

fn first_sentence(text: &str) -> String {
    one_line(text.trim().split_sentence_bounds().next().unwrap_or_default(), SENTENCE)
}

/// Numbers, names and paths of some texts, each once, in their order: words with a digit, a slash or a dot inside, and words with a capital letter
/// that do not begin a sentence.
pub(super) fn marks(texts: &[&str]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut marks = Vec::new();
    for text in texts {
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
                if is_mark && word.chars().count() <= 60 && seen.insert(word) {
                    marks.push(word.to_owned());
                }
            }
        }
    }
    marks
}

/// Sentences of the questions that say what is not to be done.
pub(super) fn forbidden(exchanges: &[&Exchange]) -> Vec<String> {
    let sentences = exchanges.iter().flat_map(|exchange| exchange.question.split_sentence_bounds());
    let says_not = sentences.map(str::trim).filter(|sentence| {
        let lower = sentence.to_lowercase();
        NOT.iter().any(|word| lower.contains(word))
    });
    says_not.map(|sentence| one_line(sentence, 2 * SENTENCE)).collect()
}

/// The texts, each where it stands first.
pub(super) fn each_once(texts: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.into_iter().filter(|text| seen.insert(text.clone())).collect()
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

    fn folded(summary: &Summary, exchanges: &[Exchange], limit: u32) -> Summary {
        fold(summary, &exchanges.iter().collect::<Vec<_>>(), limit, &ByCharacters)
    }

    #[test]
    fn assembly_e9_each_exchange_is_one_line_with_its_numbers_names_and_paths_and_what_was_forbidden_word_for_word() {
        let summary = folded(&Summary::default(), &trip(), 1_000);
        expect![[r#"
            (Taken by rule from 3 earlier exchanges; their own words are kept in the record.)
            - When does the train leave? → It leaves at 9:40 from track 3. [Ms, Dahl]
            - What is in notes/oslo.md? → A list of museums. [Munch, Museum, 10:00]
            - 不要改预算。 → 预算是 14,500 元。
            The user said:
            - “Do not book anything.”
            - “不要改预算。”"#]]
        .assert_eq(&summary.text());
        assert_eq!((summary.version, summary.until), (1, Some("tn_3".into())));
        assert_eq!(folded(&Summary::default(), &[], 1_000), Summary::default());
    }

    #[test]
    fn assembly_e9_the_next_version_goes_on_from_the_one_before_whoever_wrote_it() {
        let (first, rest) = (&trip()[..1], &trip()[1..]);
        let at_once = folded(&Summary::default(), &trip(), 1_000);
        let one_by_one = folded(&folded(&Summary::default(), first, 1_000), rest, 1_000);
        assert_eq!(one_by_one.text(), at_once.text());
        assert_eq!((one_by_one.version, at_once.version), (2, 1));

        let written =
            Summary { author: Author::Model, marks: vec!["B-04".into()], ..folded(&Summary::default(), first, 1_000) };
        let written = Summary { prose: "They spoke of a train. It leaves early.".into(), ..written };
        expect![[r#"
            (Taken by rule from 3 earlier exchanges; their own words are kept in the record.)
            They spoke of a train. It leaves early.
            - What is in notes/oslo.md? → A list of museums. [Munch, Museum, 10:00]
            - 不要改预算。 → 预算是 14,500 元。
            Numbers, names and paths: B-04
            The user said:
            - “Do not book anything.”
            - “不要改预算。”"#]]
        .assert_eq(&folded(&written, rest, 1_000).text());
    }

    #[test]
    fn assembly_e9_a_summary_too_long_gives_up_the_oldest_first_and_what_is_forbidden_last() {
        let all: Vec<Exchange> =
            (0..200).map(|n| exchange(n, &format!("Question {n}? Never mention {n}."), "Yes.")).collect();
        let mut n_before = usize::MAX;
        for limit in [60_000, 3_500, 3_000, 2_500, 1_000, 60] {
            let text = folded(&Summary::default(), &all, limit).text();
            assert!(ByCharacters.count(&text) <= limit, "{limit}: {text}");
            assert!(text.contains("Question 199?") || limit < 3_000, "the newest stays longest");
            assert!(text.contains("“Never mention 199.”") || limit < 1_000, "{limit}: {text}");
            assert!(text.len() <= n_before);
            n_before = text.len();
        }
        let text = folded(&Summary::default(), &all, 2_500).text();
        assert!(
            text.contains("Older exchanges are not repeated here") && text.contains("“Never mention 0.”"),
            "{text}"
        );
    }

    #[test]
    fn assembly_e9_a_summary_that_was_folded_a_thousand_times_keeps_its_limit_and_says_once_that_older_ones_are_missing()
     {
        let mut summary = Summary::default();
        for n in 0..1_000 {
            summary = folded(&summary, &[exchange(n, &format!("What is number {n}?"), &format!("It is {n}."))], 300);
            assert!(ByCharacters.count(&summary.text()) <= 300);
        }
        assert_eq!((summary.version, summary.n_exchanges), (1_000, 1_000));
        assert_eq!(summary.prose.matches("Older exchanges").count(), 1, "{}", summary.prose);
        assert!(summary.prose.ends_with("- What is number 999? → It is 999."), "{}", summary.prose);
    }
}
