//! What is done with a document before it is written: cutting its words takes longest, and must not keep the one writer.

use super::documents::DocumentState;
use super::words::{LEAST_WHOLE, whole_words, words};
use recto_core::library::{Chunk, DocumentKind};
use recto_core::text::ContentHash;

/// A document as it was read just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDocument {
    /// Below which root.
    pub root: i64,
    /// Its path from the root down.
    pub path: String,
    /// How it was read.
    pub kind: DocumentKind,
    /// Its length.
    pub n_bytes: u64,
    /// When it was changed last, in milliseconds since 1970 UTC.
    pub modified_ms: i64,
    /// Of its bytes; `None` where they could not be had.
    pub hash: Option<ContentHash>,
    /// What became of it.
    pub state: DocumentState,
    /// Its passages, in order; none unless it was read.
    pub chunks: Vec<Chunk>,
}

/// A document that only has to be written.
#[derive(Clone, Debug)]
pub struct PreparedDocument {
    pub(super) document: NewDocument,
    pub(super) terms: Vec<Terms>,
}

/// The words of one passage.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) words: String,
    pub(super) n_words: usize,
    pub(super) parts: String,
}

/// Cuts the words of a document. Takes a second for some ten megabytes.
#[must_use]
pub fn prepare(document: NewDocument) -> PreparedDocument {
    let terms = document.chunks.iter().map(terms).collect();
    PreparedDocument { document, terms }
}

fn terms(chunk: &Chunk) -> Terms {
    // A passage is found by the headings that it stands under as well.
    let text = searched(&chunk.headings, &chunk.text);
    let words = words(&text);
    let parts: Vec<String> = whole_words(&text, LEAST_WHOLE).into_iter().collect();
    Terms { n_words: words.len(), words: words.join(" "), parts: parts.join(" ") }
}

/// What of a passage is searched.
pub(super) fn searched(headings: &[String], text: &str) -> String {
    let mut searched = headings.join("\n");
    searched.push('\n');
    searched.push_str(text);
    searched
}
