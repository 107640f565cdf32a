//! What the person added: folders and files.

use super::index;
use crate::error::StoreError;
use crate::store::Store;
use crate::word::count;
use rusqlite::{OptionalExtension, Row, params};

/// How many documents leave in one transaction, so that a turn that is being recorded does not wait.
const BATCH: usize = 4;

/// A root with what is below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootRow {
    /// Its number.
    pub id: i64,
    /// Its absolute path.
    pub path: String,
    /// When it was read whole the last time, in milliseconds since 1970 UTC; `None` if it never was.
    pub read_at_ms: Option<i64>,
    /// Why it cannot be read now, in words.
    pub reason: Option<String>,
    /// Documents that can be searched.
    pub n_documents: u64,
    /// Documents that could not be read.
    pub n_unread: u64,
    /// The passages of all of them.
    pub n_passages: u64,
    /// What the searchable documents come to.
    pub n_bytes: u64,
}

impl Store {
    /// The roots, in the order in which they were added.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn library_roots(&self) -> Result<Vec<RootRow>, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT library_roots.id, library_roots.path, read_at, library_roots.reason,
                        count(*) FILTER (WHERE state = 'read'), count(*) FILTER (WHERE state = 'unread'),
                        coalesce(sum(n_chunks), 0), coalesce(sum(n_bytes) FILTER (WHERE state = 'read'), 0)
                 FROM library_roots LEFT JOIN library_documents ON root_id = library_roots.id
                 GROUP BY library_roots.id ORDER BY library_roots.id",
            )?;
            Ok(select.query_map([], root)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Adds a root; gives the number of the one that is there already for a path that was added before.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn add_library_root(&self, path: String, at_ms: i64) -> Result<i64, StoreError> {
        self.write(move |transaction| {
            let known = transaction
                .query_row("SELECT id FROM library_roots WHERE path = ?1", [&path], |row| row.get(0))
                .optional()?;
            if let Some(id) = known {
                return Ok(id);
            }
            Ok(transaction
                .prepare_cached("INSERT INTO library_roots (path, added_at) VALUES (?1, ?2)")?
                .insert(params![path, at_ms])?)
        })
        .await
    }

    /// Notes that a root was read whole, or why it could not be.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn library_root_was_read(
        &self,
        root: i64,
        reason: Option<String>,
        at_ms: Option<i64>,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            transaction
                .prepare_cached("UPDATE library_roots SET reason = ?2, read_at = coalesce(?3, read_at) WHERE id = ?1")?
                .execute(params![root, reason, at_ms])?;
            Ok(())
        })
        .await
    }

    /// Removes a root with its documents and every word of them. A record that is written meanwhile does not wait for all of it.
    ///
    /// # Errors
    /// `NoSuch` if it is not there; a failing disk.
    pub async fn remove_library_root(&self, root: i64) -> Result<(), StoreError> {
        self.write(move |transaction| index::empty_if_all_goes(transaction, root)).await?;
        while self
            .write(move |transaction| {
                let mut select = transaction
                    .prepare_cached("SELECT id FROM library_documents WHERE root_id = ?1 ORDER BY id LIMIT ?2")?;
                let documents: Vec<i64> =
                    select.query_map(params![root, BATCH as i64], |row| row.get(0))?.collect::<Result<_, _>>()?;
                for document in &documents {
                    index::forget(transaction, *document)?;
                }
                Ok(!documents.is_empty())
            })
            .await?
        {}
        self.write(move |transaction| {
            let n_gone = transaction.execute("DELETE FROM library_roots WHERE id = ?1", [root])?;
            if n_gone == 0 { Err(StoreError::no_such("folder of the library", root.to_string())) } else { Ok(()) }
        })
        .await?;
        self.tidy_library().await
    }

    /// Takes the words of removed passages out of the indices, where they are only marked as gone at first, and out of the log.
    ///
    /// # Errors
    /// A failing disk.
    pub async fn tidy_library(&self) -> Result<(), StoreError> {
        let mut is_first = true;
        while self.write(move |transaction| index::merge(transaction, is_first)).await? {
            is_first = false;
        }
        self.fold_log().await
    }
}

fn root(row: &Row<'_>) -> rusqlite::Result<RootRow> {
    Ok(RootRow {
        id: row.get(0)?,
        path: row.get(1)?,
        read_at_ms: row.get(2)?,
        reason: row.get(3)?,
        n_documents: count(row.get(4)?),
        n_unread: count(row.get(5)?),
        n_passages: count(row.get(6)?),
        n_bytes: count(row.get(7)?),
    })
}
