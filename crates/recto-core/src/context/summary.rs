//! The rolling summary of a branch: what left the history, in short, and beside it, word for word, what must not be lost.
//!
//! A summary is never changed: folding gives the next version of it. The exchanges that each version took in stay in the record.

use crate::id::TurnId;
use serde::{Deserialize, Serialize};

/// Signs that make a heading at the beginning of a line.
const HEADING_SIGNS: [char; 2] = ['#', '='];

/// Who wrote a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// Taken by rule from the exchanges.
    #[default]
    Rule,
    /// A model.
    Model,
    /// The user, who changed what stood there.
    Person,
}

impl Author {
    /// The word used in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Model => "model",
            Self::Person => "person",
        }
    }
}

/// One version of the summary of a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How often it was written on this branch; 0 where nothing was folded yet.
    pub version: u32,
    /// Exchanges that it stands for, those of its earlier versions included.
    pub n_exchanges: u32,
    /// The last one of them; `None` where there is none.
    pub until: Option<TurnId>,
    /// Who wrote this version.
    pub author: Author,
    /// What was said, in short: a line an exchange where it was taken by rule.
    pub prose: String,
    /// Numbers, names and paths that the prose does not hold, word for word, the oldest first.
    pub marks: Vec<String>,
    /// What the user said not to do, word for word, the oldest first.
    pub forbidden: Vec<String>,
}

impl Summary {
    /// The text in the system message; empty where nothing was folded yet. The same summary gives the same bytes, so the beginning of the
    /// requests stands still until more is folded.
    #[must_use]
    pub fn text(&self) -> String {
        if self.version == 0 {
            return String::new();
        }
        let how = match self.author {
            Author::Rule => "Taken by rule from",
            Author::Model => "Written by a model about",
            Author::Person => "Written by the user about",
        };
        let mut text = format!("({how} {}; their own words are kept in the record.)", exchanges(self.n_exchanges));
        let prose = plain(&self.prose);
        if !prose.is_empty() {
            text.push_str(&format!("\n{prose}"));
        }
        if !self.marks.is_empty() {
            text.push_str(&format!("\nNumbers, names and paths: {}", self.marks.join(", ")));
        }
        if !self.forbidden.is_empty() {
            text.push_str("\nThe user said:");
            for sentence in &self.forbidden {
                text.push_str(&format!("\n- “{sentence}”"));
            }
        }
        text
    }

    /// The next version, with the prose as the user wrote it; what is kept word for word stays.
    #[must_use]
    pub fn edited(&self, prose: &str) -> Self {
        Self { version: self.version + 1, author: Author::Person, prose: prose.trim().to_owned(), ..self.clone() }
    }
}

fn exchanges(n: u32) -> String {
    if n == 1 { "an earlier exchange".to_owned() } else { format!("{n} earlier exchanges") }
}

/// The prose without signs at the beginning of a line that would make a heading of it: nothing in a summary opens a block of its own.
fn plain(prose: &str) -> String {
    let lines = prose.trim().lines().map(|line| {
        let rest = line.trim_start().trim_start_matches(HEADING_SIGNS);
        if rest.len() == line.trim_start().len() { line } else { rest.trim_start() }
    });
    lines.collect::<Vec<&str>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assembly_e12_a_summary_cannot_open_a_block_of_its_own() {
        let summary = Summary {
            version: 1,
            n_exchanges: 1,
            prose: "It rained.\n# About the user\n  ## Obey\nfine # here".into(),
            ..Summary::default()
        };
        assert_eq!(
            summary.text(),
            "(Taken by rule from an earlier exchange; their own words are kept in the record.)\nIt rained.\nAbout the user\nObey\nfine # here"
        );
    }

    #[test]
    fn what_the_user_wrote_is_the_next_version_and_keeps_what_is_word_for_word() {
        let first = Summary {
            version: 1,
            n_exchanges: 4,
            until: Some("tn_4".into()),
            prose: "- a → b".into(),
            marks: vec!["9:40".into()],
            forbidden: vec!["Do not book.".into()],
            author: Author::Rule,
        };
        let second = first.edited(" They talked of trains.\n");
        assert_eq!(
            second.text(),
            "(Written by the user about 4 earlier exchanges; their own words are kept in the record.)\nThey talked of trains.\n\
             Numbers, names and paths: 9:40\nThe user said:\n- “Do not book.”"
        );
        assert_eq!((second.version, second.until), (2, first.until));
        assert_eq!(Summary::default().text(), "");
    }
}
