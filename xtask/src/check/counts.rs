//! What a test runner says it counted, read off its own summary lines.

use std::fmt;
use std::iter::Sum;

/// Tests that passed and tests that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Passed.
    pub(crate) n_passed: u64,
    /// Failed.
    pub(crate) n_failed: u64,
}

impl Counts {
    /// What one line of output adds: the summary lines of cargo's, vitest's and Node's runners, nothing for any other.
    pub(crate) fn of_line(line: &str) -> Self {
        let plain = without_colours(line);
        let words: Vec<&str> = plain.split_whitespace().collect();
        match words.as_slice() {
            ["test", "result:", _, rest @ ..] => Self::named(rest),
            ["Tests", rest @ ..] => Self::named(rest),
            ["#" | "ℹ", "pass", count] => Self { n_passed: count.parse().unwrap_or(0), n_failed: 0 },
            ["#" | "ℹ", "fail", count] => Self { n_passed: 0, n_failed: count.parse().unwrap_or(0) },
            _ => Self::default(),
        }
    }

    /// Numbers that stand before their name: `12 passed; 1 failed;` or `1 failed | 12 passed (13)`.
    fn named(words: &[&str]) -> Self {
        let before = |name: &str| {
            let pair = words.windows(2).find(|pair| pair[1].trim_end_matches([';', ',']) == name);
            pair.and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
        };
        Self { n_passed: before("passed"), n_failed: before("failed") }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            n_passed: sum.n_passed + one.n_passed,
            n_failed: sum.n_failed + one.n_failed,
        })
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.n_passed, self.n_failed)
    }
}

/// A line without its escape sequences of the form `ESC [ … letter`.
fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            characters.by_ref().skip(1).find(char::is_ascii_alphabetic);
        } else {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn every_runners_summary_is_read_and_nothing_else_is() {
        let table = [
            ("test result: ok. 31 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.02s", (31, 0)),
            ("test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out", (3, 1)),
            ("      Tests  1 failed | 12 passed (13)", (12, 1)),
            (
                "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m7 passed\u{1b}[39m\u{1b}[22m\u{1b}[90m (7)\u{1b}[39m",
                (7, 0),
            ),
            (" Test Files  2 passed (2)", (0, 0)),
            ("# pass 4", (4, 0)),
            ("ℹ fail 2", (0, 2)),
            ("# tests 6", (0, 0)),
            ("test todo_t1_the_schema ... ok", (0, 0)),
        ];
        for (line, (n_passed, n_failed)) in table {
            assert_eq!(Counts::of_line(line), Counts { n_passed, n_failed }, "{line}");
        }
    }

    #[test]
    fn the_sum_is_one_line() {
        let sum: Counts = [Counts { n_passed: 2, n_failed: 0 }, Counts { n_passed: 1, n_failed: 3 }].into_iter().sum();
        assert_eq!(sum.to_string(), "3 passed, 3 failed");
    }
}
