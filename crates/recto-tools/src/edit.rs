//! Replacing one passage of a text.

use crate::content::LineEnds;
use crate::visible::{shown_name, shown_path};

/// So often a passage is looked for; one that stands more often is not meant by anybody.
const MAX_COUNTED: usize = 1_000;

/// Why a passage was not replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EditFault {
    /// It is nowhere in the file; the line that is most like its first one, with its number.
    Absent { near: Option<(usize, String)> },
    /// It begins in each of these lines. A passage that stands very often is not counted to the end.
    Many { lines: Vec<usize> },
}

impl EditFault {
    /// The sentence for the model, with the next right step.
    pub(crate) fn sentence(&self, name: &str) -> String {
        let name = shown_path(name);
        match self {
            Self::Absent { near: Some((number, line)) } => format!(
                "`old_text` is not in `{name}`. Line {number} is the nearest: `{line}`. Copy the passage exactly as it stands in the file."
            ),
            Self::Absent { near: None } => {
                format!("`old_text` is not in `{name}`. Read the file with read_file and copy the passage exactly.")
            }
            Self::Many { lines } => {
                let shown: Vec<String> = lines.iter().take(10).map(usize::to_string).collect();
                let at_least = if lines.len() >= MAX_COUNTED { "at least " } else { "" };
                format!(
                    "`old_text` is in `{name}` {at_least}{} times (lines {}). Copy more of the lines around the one you mean, so that it is there once.",
                    lines.len(),
                    shown.join(", ")
                )
            }
        }
    }
}

/// Replaces the one place where `old` stands in `text`. A line feed in `old` fits either kind of line end; `new` gets the line
/// ends of the text. Everything else stays as it is, to the byte.
///
/// # Errors
/// The passage is not there exactly once.
pub(crate) fn replace_once(text: &str, old: &str, new: &str) -> Result<String, EditFault> {
    let plain = Plain::of(text);
    let old = old.replace("\r\n", "\n");
    let places = occurrences(&plain.text, &old);
    match places.as_slice() {
        [] => Err(EditFault::Absent { near: nearest_line(&plain.text, &old) }),
        [at] => {
            let (start, end) = (plain.position(*at), plain.position(at + old.len()));
            let new = LineEnds::of(text).apply(new);
            Ok(format!("{}{new}{}", &text[..start], &text[end..]))
        }
        many => Err(EditFault::Many { lines: lines_of(&plain.text, many) }),
    }
}

/// A text with line feeds only, and where each of them lost its carriage return.
struct Plain {
    text: String,
    /// Positions in `text` of line feeds that had a carriage return before them, ascending.
    shortened_at: Vec<usize>,
}

impl Plain {
    fn of(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut shortened_at = Vec::new();
        for (index, part) in original.split("\r\n").enumerate() {
            if index > 0 {
                shortened_at.push(text.len());
                text.push('\n');
            }
            text.push_str(part);
        }
        Self { text, shortened_at }
    }

    /// Where a position of the text is in the original.
    fn position(&self, at: usize) -> usize {
        at + self.shortened_at.partition_point(|shortened| *shortened < at)
    }
}

/// Every place where `wanted` begins, overlapping ones too: `aa` is in `aaa` twice. At most `MAX_COUNTED` of them.
fn occurrences(text: &str, wanted: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(wanted).filter(|_| found.len() < MAX_COUNTED) {
        found.push(from + at);
        from = text.ceil_char_boundary(from + at + 1);
    }
    found
}

/// The numbers of the lines in which these places are. They ascend, so the text is walked through once.
fn lines_of(text: &str, places: &[usize]) -> Vec<usize> {
    let (mut number, mut counted_to) = (1, 0);
    places
        .iter()
        .map(|at| {
            number += text[counted_to..*at].matches('\n').count();
            counted_to = *at;
            number
        })
        .collect()
}

/// The line most like the first line of the passage that says anything.
fn nearest_line(text: &str, old: &str) -> Option<(usize, String)> {
    const MAX_LINES: usize = 5_000;
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty())?;
    let (number, line, score) = text
        .lines()
        .take(MAX_LINES)
        .enumerate()
        .map(|(index, line)| (index + 1, line, likeness(line.trim(), wanted)))
        .max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0)))?;
    (score > 0.5).then(|| (number, shown_name(line)))
}

fn likeness(line: &str, wanted: &str) -> f64 {
    // Long lines are compared by their beginnings: the comparison takes the product of both lengths.
    let head = |text: &str| text.chars().take(160).collect::<String>().to_lowercase();
    strsim::normalized_levenshtein(&head(line), &head(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_passage_that_stands_once_is_replaced() {
        assert_eq!(replace_once("one\ntwo\nthree\n", "two", "2"), Ok("one\n2\nthree\n".to_owned()));
        assert_eq!(replace_once("潮位：一\n潮位：二\n", "潮位：二", "潮位：三"), Ok("潮位：一\n潮位：三\n".to_owned()));
        assert_eq!(replace_once("a\nb\n", "a\nb\n", ""), Ok(String::new()));
    }

    #[test]
    fn line_ends_stay_as_they_are() {
        assert_eq!(replace_once("one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2"), Ok("1\r\n2\r\nthree\r\n".to_owned()));
        assert_eq!(replace_once("one\r\ntwo\r\n", "one\r\ntwo\r\n", "x\n"), Ok("x\r\n".to_owned()));
        assert_eq!(replace_once("a\r\nb\nc\r\n", "b\nc", "B\nC"), Ok("a\r\nB\r\nC\r\n".to_owned()));
        assert_eq!(replace_once("a\r\nb", "\nb", "\nB"), Ok("a\r\nB".to_owned()));
    }

    #[test]
    fn a_passage_that_stands_more_than_once_is_not_guessed() {
        assert_eq!(replace_once("x\ny\nx\n", "x", "z"), Err(EditFault::Many { lines: vec![1, 3] }));
        assert_eq!(replace_once("aaa", "aa", "b"), Err(EditFault::Many { lines: vec![1, 1] }));
    }

    #[test]
    fn a_passage_that_stands_very_often_is_not_counted_to_the_end() {
        // Counted to the end, with the lines counted anew for each, this would take hours.
        let text = "a\n".repeat(4_000_000);
        let fault = replace_once(&text, "a", "b").expect_err("is there often");
        assert_eq!(
            fault.sentence("x.txt"),
            "`old_text` is in `x.txt` at least 1000 times (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10). Copy more of the lines around the one you mean, so that it is there once."
        );
        assert_eq!(fault, EditFault::Many { lines: (1..=1_000).collect() });
    }

    #[test]
    fn a_passage_that_is_not_there_is_answered_with_the_nearest_line() {
        let fault = replace_once("# Title\n\nport = 8080\n", "port: 8080", "port = 1").expect_err("is not there");
        assert_eq!(
            fault.sentence("app.conf"),
            "`old_text` is not in `app.conf`. Line 3 is the nearest: `port = 8080`. Copy the passage exactly as it stands in the file."
        );
        assert_eq!(replace_once("abc\n", "漢字", "x"), Err(EditFault::Absent { near: None }));
    }

    proptest! {
        #[test]
        fn whatever_surrounds_the_passage_stays_to_the_byte(
            before in "[ab\r\n潮]{0,30}", passage in "[xyz\n]{1,8}[xyz]", after in "[ab\r\n潮]{0,30}", new in "[pq]{0,5}",
        ) {
            prop_assume!(passage.starts_with(['x', 'y', 'z']));
            let text = format!("{before}{passage}{after}");
            prop_assert_eq!(replace_once(&text, &passage, &new), Ok(format!("{before}{new}{after}")));
        }
    }
}
