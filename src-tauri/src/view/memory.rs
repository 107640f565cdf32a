//! What is known about the person, as its page shows and changes it.

use recto_app::record::MemoryRow;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Everything that is known about the person.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoriesView {
    /// The sentences, pinned ones first, then the newest.
    pub memories: Vec<MemoryView>,
    /// What the person said about themselves.
    pub profile: String,
    /// Whether sentences may be remembered without a question.
    pub may_remember: bool,
}

/// A sentence that is remembered.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoryView {
    /// Which.
    pub id: String,
    /// The sentence.
    pub text: String,
    /// Whether it is given to every request.
    pub is_pinned: bool,
    /// When its words were last changed.
    pub updated_at_ms: i64,
    /// When it was last given to a request.
    pub last_used_at_ms: Option<i64>,
    /// Where it comes from; `None` where the person typed it.
    pub source: Option<MemorySourceView>,
}

/// The conversation that a sentence comes from.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemorySourceView {
    /// Which.
    pub conversation: String,
    /// Its title; `None` if it was deleted.
    pub title: Option<String>,
}

/// Other words for a sentence.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoryWriteParams {
    /// Which.
    pub memory: String,
    /// The words.
    pub text: String,
}

/// Whether a sentence is given to every request.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoryPinParams {
    /// Which.
    pub memory: String,
    /// Whether it is.
    pub is_pinned: bool,
}

impl From<MemoryRow> for MemoryView {
    fn from(row: MemoryRow) -> Self {
        let source =
            row.source.map(|source| MemorySourceView { conversation: source.conversation.0, title: source.title });
        Self {
            id: row.id.0,
            text: row.text,
            is_pinned: row.is_pinned,
            updated_at_ms: row.updated_at_ms,
            last_used_at_ms: row.last_used_at_ms,
            source,
        }
    }
}
