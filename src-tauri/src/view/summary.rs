//! The summary of a branch, version by version.

use recto_app::record::SummaryRow;
use recto_core::context::summary::Author;
use serde::Serialize;
use ts_rs::TS;

/// A version of a summary.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SummaryView {
    /// From 1.
    pub version: u32,
    /// Who wrote it.
    pub author: AuthorView,
    /// Exchanges that it stands for in all.
    pub n_exchanges: u32,
    /// What was said, in short.
    pub prose: String,
    /// Numbers, names and paths that are kept word for word.
    pub marks: Vec<String>,
    /// What the user said not to do, word for word.
    pub forbidden: Vec<String>,
    /// The exchanges that entered with this version.
    pub entered: Vec<EnteredView>,
    /// When it was made.
    pub at_ms: i64,
}

/// Who wrote a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum AuthorView {
    /// It was taken by rule.
    Rule,
    /// A model.
    Model,
    /// The user.
    Person,
}

mirror!(Author => AuthorView { Rule, Model, Person });

/// An exchange that entered a summary.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EnteredView {
    /// Its turn.
    pub turn: String,
    /// Its question.
    pub question: String,
}

impl From<SummaryRow> for SummaryView {
    fn from(row: SummaryRow) -> Self {
        let entered = row.entered.into_iter().map(|(turn, question)| EnteredView { turn: turn.0, question });
        Self {
            version: row.summary.version,
            author: row.summary.author.into(),
            n_exchanges: row.summary.n_exchanges,
            prose: row.summary.prose,
            marks: row.summary.marks,
            forbidden: row.summary.forbidden,
            entered: entered.collect(),
            at_ms: row.made_at_ms,
        }
    }
}
