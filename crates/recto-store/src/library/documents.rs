//! The documents of a root, as they were when they were read.

use super::index;
use super::prepare::{NewDocument, PreparedDocument};
use crate::error::StoreError;
use crate::store::Store;
use crate::word::{Word, count, integer};
use recto_core::library::DocumentKind;
use recto_core::text::ContentHash;
use rusqlite::{Row, Transaction, params};
use std::sync::Arc;

/// How many passages are written in one transaction, so that a turn that is being recorded does not wait for a large document.
const BATCH: usize = 64;

/// What became of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentState {
    /// It is being read, or was when the program ended.
    Partial,
    /// It can be searched.
    Read,
    /// It cannot be read, and why, in words.
    Unread(String),
    /// Its name promised nothing, and it is none.
    NoDocument,
}

impl DocumentState {
    fn word(&self) -> &'static str {
        match self {
            Self::Partial => "partial",
            Self::Read => "read",
            Self::Unread(_) => "unread",
            Self::NoDocument => "no_document",
        }
    }
}

/// A document as it stands in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRow {
    /// Its number.
    pub id: i64,
    /// Below which root.
    pub root: i64,
    /// Its path from the root down.
    pub path: String,
    /// How it was read.
    pub kind: DocumentKind,
    /// Its length when it was read.
    pub n_bytes: u64,
    /// When it had been changed last.
    pub modified_ms: i64,
    /// Of its bytes; `None` where they could not be had.
    pub hash: Option<ContentHash>,
    /// What became of it.
    pub state: DocumentState,
}

const SELECT: &str = "SELECT id, root_id, path, kind, n_bytes, modified_at, hash, state, reason FROM library_documents";

impl Store {
    /// The documents below a root, in the order of their paths.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn library_documents(&self, root: i64) -> Result<Vec<DocumentRow>, StoreError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(&format!("{SELECT} WHERE root_id = ?1 ORDER BY path"))?;
            Ok(select.query_map([root], row)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// The documents that could not be read, below all roots.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn unread_library_documents(&self) -> Result<Vec<DocumentRow>, StoreError> {
        self.read(|connection| {
            let mut select =
                connection.prepare_cached(&format!("{SELECT} WHERE state = 'unread' ORDER BY root_id, path"))?;
            Ok(select.query_map([], row)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Whether nothing can be searched.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn library_is_empty(&self) -> Result<bool, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT NOT EXISTS (SELECT 1 FROM library_chunks)")?;
            Ok(select.query_row([], |row| row.get(0))?)
        })
        .await
    }

    /// Writes a document in the place of what was known of it. Passages whose text stands in both keep their names. A large one is
    /// written in several transactions; one that was not finished is read anew the next time.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn index_document(&self, prepared: PreparedDocument) -> Result<(), StoreError> {
        let prepared = Arc::new(prepared);
        let n_chunks = prepared.document.chunks.len();
        let first = Arc::clone(&prepared);
        let (document, known) = self
            .write(move |transaction| {
                let document = begin(transaction, &first.document)?;
                let known = index::keep_equal(transaction, document, &first.document.chunks)?;
                if n_chunks <= BATCH {
                    index::add(transaction, document, &first, &known, 0..n_chunks)?;
                    finish(transaction, document, &first.document)?;
                }
                Ok((document, known))
            })
            .await?;
        if n_chunks <= BATCH {
            return Ok(());
        }
        let known = Arc::new(known);
        for start in (0..n_chunks).step_by(BATCH) {
            let (prepared, known) = (Arc::clone(&prepared), Arc::clone(&known));
            let range = start..(start + BATCH).min(n_chunks);
            self.write(move |transaction| index::add(transaction, document, &prepared, &known, range)).await?;
        }
        self.write(move |transaction| finish(transaction, document, &prepared.document)).await
    }

    /// Notes that a document was touched and is the same.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn library_document_is_the_same(
        &self,
        document: i64,
        n_bytes: u64,
        modified_ms: i64,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            transaction
                .prepare_cached("UPDATE library_documents SET n_bytes = ?2, modified_at = ?3 WHERE id = ?1")?
                .execute(params![document, integer(n_bytes), modified_ms])?;
            Ok(())
        })
        .await
    }

    /// Takes a document out of the index; its words are out of the file after `tidy_library`.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn forget_library_document(&self, document: i64) -> Result<(), StoreError> {
        self.write(move |transaction| index::forget(transaction, document)).await
    }
}

/// Makes the document's row, as one that is not finished.
fn begin(transaction: &Transaction<'_>, new: &NewDocument) -> Result<i64, StoreError> {
    Ok(transaction
        .prepare_cached(
            "INSERT INTO library_documents
                 (root_id, path, kind, n_bytes, modified_at, hash, state, reason, n_chunks, n_words)
             VALUES (?1, ?2, ?3, ?4, ?5, NULL, 'partial', NULL, 0, 0)
             ON CONFLICT (root_id, path) DO UPDATE
             SET kind = excluded.kind, n_bytes = excluded.n_bytes, modified_at = excluded.modified_at, hash = NULL,
                 state = 'partial', reason = NULL
             RETURNING id",
        )?
        .query_row(params![new.root, new.path, Word(new.kind), integer(new.n_bytes), new.modified_ms], |row| {
            row.get(0)
        })?)
}

fn finish(transaction: &Transaction<'_>, document: i64, new: &NewDocument) -> Result<(), StoreError> {
    let reason = match &new.state {
        DocumentState::Unread(reason) => Some(reason),
        DocumentState::Partial | DocumentState::Read | DocumentState::NoDocument => None,
    };
    let hash = new.hash.as_ref().map(ContentHash::as_str);
    transaction
        .prepare_cached(
            "UPDATE library_documents
             SET hash = ?2, state = ?3, reason = ?4,
                 (n_chunks, n_words) =
                     (SELECT count(*), coalesce(sum(n_words), 0) FROM library_chunks WHERE document_id = ?1)
             WHERE id = ?1",
        )?
        .execute(params![document, hash, new.state.word(), reason])?;
    Ok(())
}

fn row(row: &Row<'_>) -> rusqlite::Result<DocumentRow> {
    let state: String = row.get(7)?;
    let state = match state.as_str() {
        "read" => DocumentState::Read,
        "unread" => DocumentState::Unread(row.get::<_, Option<String>>(8)?.unwrap_or_default()),
        "no_document" => DocumentState::NoDocument,
        _ => DocumentState::Partial,
    };
    let Word(kind) = row.get(3)?;
    Ok(DocumentRow {
        id: row.get(0)?,
        root: row.get(1)?,
        path: row.get(2)?,
        kind,
        n_bytes: count(row.get(4)?),
        modified_ms: row.get(5)?,
        hash: row.get::<_, Option<String>>(6)?.map(ContentHash),
        state,
    })
}
