//! Assistants: ways to work that a person made. The one that comes with the program has no row.

use crate::deletion::sweep;
use crate::error::StoreError;
use crate::store::Store;
use recto_core::assistant::ToolGroup;
use recto_core::id::AssistantId;
use rusqlite::{OptionalExtension, Row, params};

/// An assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssistantRow {
    /// Its name in the record.
    pub id: AssistantId,
    /// Its name for a person.
    pub name: String,
    /// What it is told beside the rules that every model is told.
    pub instructions: String,
    /// The language to reply in; `None` follows the question.
    pub reply_language: Option<String>,
    /// The folder of a conversation that begins with it.
    pub folder: Option<String>,
    /// The model of a conversation that begins with it.
    pub model: Option<String>,
    /// The tools that it may use.
    pub tools: Vec<ToolGroup>,
    /// When it was made, in milliseconds since 1970 UTC.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
}

impl Store {
    /// Every assistant, by its name.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn assistants(&self) -> Result<Vec<AssistantRow>, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(&format!("{SELECT} ORDER BY name COLLATE NOCASE, id"))?;
            let rows = select.query_map([], assistant_row)?.collect::<rusqlite::Result<_>>()?;
            Ok(rows)
        })
        .await
    }

    /// One assistant.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn assistant(&self, id: AssistantId) -> Result<AssistantRow, StoreError> {
        self.read(move |connection| {
            let row = connection
                .prepare_cached(&format!("{SELECT} WHERE id = ?1"))?
                .query_row([id.as_str()], assistant_row)
                .optional()?;
            row.ok_or_else(|| StoreError::no_such("assistant", id.0))
        })
        .await
    }

    /// Makes an assistant, or changes the one of this name in the record; when it was made stays.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn save_assistant(&self, row: AssistantRow) -> Result<(), StoreError> {
        self.write(move |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO assistants
                         (id, name, instructions, reply_language, folder, model, tools, created_at, updated_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                     ON CONFLICT (id) DO UPDATE SET
                         name = excluded.name, instructions = excluded.instructions,
                         reply_language = excluded.reply_language, folder = excluded.folder, model = excluded.model,
                         tools = excluded.tools, updated_at = excluded.updated_at",
                )?
                .execute(params![
                    row.id.as_str(),
                    row.name,
                    row.instructions,
                    row.reply_language,
                    row.folder,
                    row.model,
                    serde_json::to_string(&row.tools)?,
                    row.created_at_ms,
                    row.updated_at_ms
                ])?;
            Ok(())
        })
        .await
    }

    /// Deletes an assistant with what it knows. Its conversations stay and go on with the one that comes with the program.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn delete_assistant(&self, id: AssistantId) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let n_deleted =
                transaction.prepare_cached("DELETE FROM assistants WHERE id = ?1")?.execute([id.as_str()])?;
            if n_deleted == 0 { Err(StoreError::no_such("assistant", id.0)) } else { sweep(transaction) }
        })
        .await?;
        self.fold_log().await
    }
}

const SELECT: &str =
    "SELECT id, name, instructions, reply_language, folder, model, tools, created_at, updated_at FROM assistants";

fn assistant_row(row: &Row<'_>) -> rusqlite::Result<AssistantRow> {
    let tools: String = row.get(6)?;
    Ok(AssistantRow {
        id: AssistantId(row.get(0)?),
        name: row.get(1)?,
        instructions: row.get(2)?,
        reply_language: row.get(3)?,
        folder: row.get(4)?,
        model: row.get(5)?,
        // A group that this version does not know is no reason to lose the others.
        tools: ToolGroup::ALL.into_iter().filter(|group| tools.contains(&format!("\"{}\"", group.as_str()))).collect(),
        created_at_ms: row.get(7)?,
        updated_at_ms: row.get(8)?,
    })
}
