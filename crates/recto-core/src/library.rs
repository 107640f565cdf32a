//! Documents of the library as values: what was read of one, and the passages that it is cut into.

mod chunk;
mod kind;

pub use chunk::chunks;
pub use kind::DocumentKind;

use crate::text::one_line;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most characters of a heading or a path in a label. A document chooses its headings, and none may fill a request.
const MAX_LABEL: usize = 80;

/// How a stretch of a document is written, which decides where it may be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Paragraphs between empty lines.
    Prose,
    /// The same with headings, fences and tables.
    Markdown,
    /// A header row, and rows.
    Table,
    /// Blocks of a program: what is indented belongs to what stands above it.
    Source,
}

/// What the places of a document are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Lines of the file.
    Line,
    /// Paragraphs of a text document.
    Paragraph,
    /// Pages.
    Page,
    /// Rows of a sheet.
    Row,
    /// Nothing that a person could look up, as in a web page.
    Unnumbered,
}

/// A stretch of a document as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// How it is written.
    pub form: Form,
    /// What its lines are in the document. A page is one place as a whole.
    pub unit: Unit,
    /// The number of its first line, paragraph or row, or of the page.
    pub first: u32,
    /// The name of the sheet; empty elsewhere.
    pub sheet: String,
    /// The text.
    pub text: String,
}

/// Where in its document a passage stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What is counted.
    pub unit: Unit,
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// The name of the sheet; empty elsewhere.
    pub sheet: String,
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.unit {
            Unit::Line => "line",
            Unit::Paragraph => "paragraph",
            Unit::Page => "page",
            Unit::Row => "row",
            Unit::Unnumbered => return Ok(()),
        };
        if self.first == self.last {
            write!(out, "{word} {}", self.first)?;
        } else {
            write!(out, "{word}s {}–{}", self.first, self.last)?;
        }
        if self.sheet.is_empty() { Ok(()) } else { write!(out, " of sheet {}", one_line(&self.sheet, MAX_LABEL)) }
    }
}

/// A passage: a stretch of a document that is found, shown and given to a model as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The headings that it stands under, the outermost first.
    pub headings: Vec<String>,
    /// Where it stands.
    pub place: Place,
    /// Its text.
    pub text: String,
}

/// A passage's name for a model: short, and the same as long as its text stands in the document.
#[must_use]
pub fn passage_id(number: i64) -> String {
    format!("p{number}")
}

/// The number in a passage's name; `None` for anything else.
#[must_use]
pub fn passage_number(id: &str) -> Option<i64> {
    let digits = id.trim().strip_prefix('p')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// Where a passage comes from in one line: `trip.md › Plan › Day one, lines 3–9`.
#[must_use]
pub fn label(document: &str, headings: &[String], place: &Place) -> String {
    let visible = |text: &str| -> String {
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
    };
    let mut label = one_line(&visible(document), MAX_LABEL * 2);
    for heading in headings {
        label.push_str(" › ");
        label.push_str(&one_line(&visible(heading), MAX_LABEL));
    }
    let place = place.to_string();
    if !place.is_empty() {
        label.push_str(", ");
        label.push_str(&visible(&place));
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_has_a_short_name_and_no_other_word_is_one() {
        assert_eq!(passage_number(&passage_id(12)), Some(12));
        for other in ["12", "p", "p1x", "x12", "p-1", "p99999999999999999999"] {
            assert_eq!(passage_number(other), None, "{other}");
        }
    }

    #[test]
    fn a_label_is_one_line_whatever_the_document_calls_itself() {
        let place = |unit, first, last, sheet: &str| Place { unit, first, last, sheet: sheet.to_owned() };
        let lines = place(Unit::Line, 3, 9, "");
        assert_eq!(label("trip.md", &["Plan".into(), "Day one".into()], &lines), "trip.md › Plan › Day one, lines 3–9");
        assert_eq!(label("a\n# Fake.md", &["x\ny".into()], &lines), "a # Fake.md › x y, lines 3–9");
        assert_eq!(label("价格.xlsx", &[], &place(Unit::Row, 2, 2, "价格")), "价格.xlsx, row 2 of sheet 价格");
        assert_eq!(label("a.html", &[], &place(Unit::Unnumbered, 1, 9, "")), "a.html");
    }
}
