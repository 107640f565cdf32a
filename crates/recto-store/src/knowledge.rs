//! What an assistant always knows: texts, and files that are read at the start of each turn.

use crate::error::StoreError;
use crate::store::Store;
use crate::texts;
use recto_core::id::{AssistantId, KnowledgeId};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Something that an assistant always knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeRow {
    /// Its name in the record.
    pub id: KnowledgeId,
    /// Whose it is.
    pub assistant: AssistantId,
    /// Its name for a person and for a model.
    pub title: String,
    /// What it is.
    pub content: KnowledgeContent,
    /// Whether it is given at all.
    pub is_on: bool,
}

/// What an assistant knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnowledgeContent {
    /// A text in the record.
    Text(String),
    /// A file on the disk, by its whole path.
    File(String),
}

impl Store {
    /// What an assistant knows, in its order.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn knowledge(&self, assistant: AssistantId) -> Result<Vec<KnowledgeRow>, StoreError> {
        self.read(move |connection| of_assistant(connection, &assistant)).await
    }

    /// Adds something at the end, or changes what has this name in the record; its place stays.
    ///
    /// # Errors
    /// `Orphan` if the assistant is not there.
    pub async fn save_knowledge(&self, row: KnowledgeRow) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let (text, path) = match &row.content {
                KnowledgeContent::Text(text) => (Some(texts::keep(transaction, text)?), None),
                KnowledgeContent::File(path) => (None, Some(path)),
            };
            transaction
                .prepare_cached(
                    "INSERT INTO knowledge (id, assistant_id, title, text_id, path, position, is_on)
                     VALUES (?1, ?2, ?3, ?4, ?5,
                             (SELECT coalesce(max(position), 0) + 1 FROM knowledge WHERE assistant_id = ?2), ?6)
                     ON CONFLICT (id) DO UPDATE SET
                         title = excluded.title, text_id = excluded.text_id, path = excluded.path, is_on = excluded.is_on",
                )?
                .execute(params![row.id.as_str(), row.assistant.as_str(), row.title, text, path, row.is_on])?;
            Ok(())
        })
        .await
    }

    /// Takes something away from an assistant. Its words go with the next sweep of the texts.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn delete_knowledge(&self, id: KnowledgeId) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let n_deleted =
                transaction.prepare_cached("DELETE FROM knowledge WHERE id = ?1")?.execute([id.as_str()])?;
            if n_deleted == 0 { Err(StoreError::no_such("text", id.0)) } else { Ok(()) }
        })
        .await
    }

    /// Moves something one place up, before the one above it; the first stays where it is.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn raise_knowledge(&self, id: KnowledgeId) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let found: Option<(String, i64)> = transaction
                .prepare_cached("SELECT assistant_id, position FROM knowledge WHERE id = ?1")?
                .query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((assistant, position)) = found else { return Err(StoreError::no_such("text", id.0)) };
            let above: Option<(String, i64)> = transaction
                .prepare_cached(
                    "SELECT id, position FROM knowledge WHERE assistant_id = ?1 AND position < ?2
                     ORDER BY position DESC LIMIT 1",
                )?
                .query_row(params![assistant, position], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            if let Some((other, above)) = above {
                let mut place = transaction.prepare_cached("UPDATE knowledge SET position = ?2 WHERE id = ?1")?;
                place.execute(params![id.as_str(), above])?;
                place.execute(params![other, position])?;
            }
            Ok(())
        })
        .await
    }
}

fn of_assistant(connection: &Connection, assistant: &AssistantId) -> Result<Vec<KnowledgeRow>, StoreError> {
    let mut select = connection.prepare_cached(
        "SELECT knowledge.id, assistant_id, title, body, path, is_on
         FROM knowledge LEFT JOIN texts ON texts.id = text_id WHERE assistant_id = ?1 ORDER BY position, knowledge.id",
    )?;
    let rows = select.query_map([assistant.as_str()], knowledge_row)?.collect::<rusqlite::Result<_>>()?;
    Ok(rows)
}

fn knowledge_row(row: &Row<'_>) -> rusqlite::Result<KnowledgeRow> {
    let content = match row.get::<_, Option<String>>(4)? {
        Some(path) => KnowledgeContent::File(path),
        None => KnowledgeContent::Text(row.get(3)?),
    };
    Ok(KnowledgeRow {
        id: KnowledgeId(row.get(0)?),
        assistant: AssistantId(row.get(1)?),
        title: row.get(2)?,
        content,
        is_on: row.get(5)?,
    })
}
