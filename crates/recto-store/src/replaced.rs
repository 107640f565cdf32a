//! What changes of files replaced, took away, made or moved. For seven days each can be undone; then its bytes go.

use crate::error::StoreError;
use crate::store::Store;
use crate::word::Word;
use recto_core::id::{CallId, ConversationId, TurnId};
use recto_core::text::ContentHash;
use recto_core::tool::{BOTH_ENDS, Operation};
use rusqlite::{OptionalExtension, Row, params};

/// How long it can be put back, in milliseconds.
const REGRET_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// A change of a file that can be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedWrite {
    /// Where it was asked.
    pub conversation: ConversationId,
    /// In which turn.
    pub turn: TurnId,
    /// By which call.
    pub call: CallId,
    /// The folder that the turn was about.
    pub folder: String,
    /// The file, as a path from the folder.
    pub path: String,
    /// The other end of a move.
    pub to: Option<String>,
    /// What was done to it.
    pub operation: Operation,
    /// Hash of the file before; `None` where there was none.
    pub old: Option<ContentHash>,
    /// Hash of the file as it was left; `None` where it was deleted.
    pub new: Option<ContentHash>,
    /// When, in milliseconds since 1970 UTC.
    pub at_ms: i64,
}

impl ReplacedWrite {
    /// What it is about, for a person: the path, and for a move both ends.
    #[must_use]
    pub fn target(&self) -> String {
        match &self.to {
            Some(to) => format!("{}{BOTH_ENDS}{to}", self.path),
            None => self.path.clone(),
        }
    }
}

/// Such a change and the number by which a person names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedRow {
    /// Its number.
    pub id: i64,
    /// The change.
    pub write: ReplacedWrite,
}

impl Store {
    /// Keeps what a change is about to replace, if anything; its number. What was kept for seven days goes.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn keep_replaced(&self, write: ReplacedWrite, old_bytes: Option<Vec<u8>>) -> Result<i64, StoreError> {
        self.write(move |transaction| {
            transaction
                .prepare_cached("DELETE FROM replaced_files WHERE replaced_at < ?1")?
                .execute([write.at_ms - REGRET_MS])?;
            let ReplacedWrite { conversation, turn, call, folder, path, to, operation, old, new, at_ms } = write;
            let values = params![
                conversation.as_str(),
                turn.as_str(),
                call.as_str(),
                folder,
                path,
                old.as_ref().map(ContentHash::as_str),
                new.as_ref().map(ContentHash::as_str),
                old_bytes,
                at_ms,
                to,
                Word(operation)
            ];
            let insert = "INSERT INTO replaced_files
                    (conversation_id, turn_id, call_id, folder, path, old_hash, new_hash, old_bytes, replaced_at,
                     to_path, operation)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
            Ok(transaction.prepare_cached(insert)?.insert(values)?)
        })
        .await
    }

    /// Lets go of what a write would have replaced, because it did not happen.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn drop_replaced(&self, id: i64) -> Result<(), StoreError> {
        self.write(move |transaction| {
            transaction.prepare_cached("DELETE FROM replaced_files WHERE id = ?1")?.execute([id])?;
            Ok(())
        })
        .await
    }

    /// The changes that can be undone at this time, newest first.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn replaced_files(&self, now_ms: i64) -> Result<Vec<ReplacedRow>, StoreError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT id, conversation_id, turn_id, call_id, folder, path, old_hash, new_hash, replaced_at,
                        to_path, operation
                 FROM replaced_files WHERE put_back_at IS NULL AND replaced_at >= ?1 ORDER BY id DESC",
            )?;
            let rows = select.query_map([now_ms - REGRET_MS], replaced_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The content that a change replaced or took away; `None` where it did neither.
    ///
    /// # Errors
    /// `NoSuch` if it is not kept any more.
    pub async fn replaced_bytes(&self, id: i64) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached("SELECT old_bytes FROM replaced_files WHERE id = ?1")?;
            let bytes = select.query_row([id], |row| row.get(0)).optional()?;
            bytes.ok_or_else(|| StoreError::no_such("replaced file", id.to_string()))
        })
        .await
    }

    /// Notes that a change was undone.
    ///
    /// # Errors
    /// `NoSuch` if it is not kept any more, or was put back before.
    pub async fn note_put_back(&self, id: i64, at_ms: i64) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let n_changed = transaction
                .prepare_cached("UPDATE replaced_files SET put_back_at = ?2 WHERE id = ?1 AND put_back_at IS NULL")?
                .execute(params![id, at_ms])?;
            if n_changed == 0 { Err(StoreError::no_such("replaced file", id.to_string())) } else { Ok(()) }
        })
        .await
    }
}

fn replaced_row(row: &Row<'_>) -> rusqlite::Result<ReplacedRow> {
    let write = ReplacedWrite {
        conversation: ConversationId(row.get(1)?),
        turn: TurnId(row.get(2)?),
        call: CallId(row.get(3)?),
        folder: row.get(4)?,
        path: row.get(5)?,
        old: row.get::<_, Option<String>>(6)?.map(ContentHash),
        new: row.get::<_, Option<String>>(7)?.map(ContentHash),
        at_ms: row.get(8)?,
        to: row.get(9)?,
        operation: row.get::<_, Word<_>>(10)?.0,
    };
    Ok(ReplacedRow { id: row.get(0)?, write })
}
