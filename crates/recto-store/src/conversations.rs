//! Conversations: made, named, listed.

use crate::error::StoreError;
use crate::store::Store;
use recto_core::id::{AssistantId, ConversationId, TurnId};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params, params_from_iter};

/// A conversation that is about to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewConversation {
    /// Its name.
    pub id: ConversationId,
    /// The folder whose files it is about; `None` for none.
    pub folder: Option<String>,
    /// The model chosen for it; `None` follows the setting.
    pub model: Option<String>,
    /// The language to reply in; `None` leaves it to the model.
    pub reply_language: Option<String>,
    /// When, in milliseconds since 1970 UTC.
    pub at_ms: i64,
}

/// A conversation as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationRow {
    /// Its name.
    pub id: ConversationId,
    /// Its title; `None` before the first question.
    pub title: Option<String>,
    /// The folder whose files it is about.
    pub folder: Option<String>,
    /// The model chosen for it.
    pub model: Option<String>,
    /// The language to reply in.
    pub reply_language: Option<String>,
    /// Who works in it; `None` for the assistant that comes with the program.
    pub assistant: Option<AssistantId>,
    /// The last turn of the branch that is shown; `None` before the first question.
    pub current_turn: Option<TurnId>,
    /// When it was made, in milliseconds since 1970 UTC.
    pub created_at_ms: i64,
    /// When its last turn began or ended, or when it was renamed.
    pub updated_at_ms: i64,
    /// Turns on all its branches.
    pub n_turns: u32,
    /// Whether a turn of it is running.
    pub is_running: bool,
    /// Whether a question to the person is open in it.
    pub has_open_approval: bool,
}

impl Store {
    /// Begins a conversation without turns.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn create_conversation(&self, new: NewConversation) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let NewConversation { id, folder, model, reply_language, at_ms } = new;
            transaction
                .prepare_cached(
                    "INSERT INTO conversations (id, folder, model, reply_language, created_at, updated_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
                )?
                .execute(params![id.as_str(), folder, model, reply_language, at_ms])?;
            Ok(())
        })
        .await
    }

    /// Gives a conversation a title in the person's words.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn rename_conversation(&self, id: ConversationId, title: String, at_ms: i64) -> Result<(), StoreError> {
        self.change_conversation(id, "title = ?2, updated_at = ?3", vec![title.into(), at_ms.into()]).await
    }

    /// Chooses the folder whose files later turns are about; `None` for none.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn set_folder(&self, id: ConversationId, folder: Option<String>) -> Result<(), StoreError> {
        self.change_conversation(id, "folder = ?2", vec![folder.into()]).await
    }

    /// Chooses the model of later turns; `None` follows the setting.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn set_model(&self, id: ConversationId, model: Option<String>) -> Result<(), StoreError> {
        self.change_conversation(id, "model = ?2", vec![model.into()]).await
    }

    /// Chooses the language of later replies; `None` leaves it to the model.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn set_reply_language(&self, id: ConversationId, language: Option<String>) -> Result<(), StoreError> {
        self.change_conversation(id, "reply_language = ?2", vec![language.into()]).await
    }

    /// Chooses who works in later turns; `None` for the assistant that comes with the program.
    ///
    /// # Errors
    /// `NoSuch` if the conversation is not there, `Orphan` if the assistant is not.
    pub async fn set_assistant(&self, id: ConversationId, assistant: Option<AssistantId>) -> Result<(), StoreError> {
        self.change_conversation(id, "assistant_id = ?2", vec![assistant.map(|assistant| assistant.0).into()]).await
    }

    async fn change_conversation(
        &self,
        id: ConversationId,
        assignment: &'static str,
        values: Vec<Value>,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let values = std::iter::once(Value::from(id.0.clone())).chain(values);
            let n_changed = transaction
                .prepare_cached(&format!("UPDATE conversations SET {assignment} WHERE id = ?1"))?
                .execute(params_from_iter(values))?;
            if n_changed == 0 { Err(StoreError::no_such("conversation", id.0)) } else { Ok(()) }
        })
        .await
    }

    /// Every conversation, the one with the latest change first.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn conversations(&self) -> Result<Vec<ConversationRow>, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(&format!("{SELECT} ORDER BY updated_at DESC, id"))?;
            let rows = select.query_map([], conversation_row)?.collect::<rusqlite::Result<_>>()?;
            Ok(rows)
        })
        .await
    }

    /// One conversation.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn conversation(&self, id: ConversationId) -> Result<ConversationRow, StoreError> {
        self.read(move |connection| {
            let row = connection
                .prepare_cached(&format!("{SELECT} WHERE id = ?1"))?
                .query_row([id.as_str()], conversation_row)
                .optional()?;
            row.ok_or_else(|| StoreError::no_such("conversation", id.0))
        })
        .await
    }
}

/// The columns of `ConversationRow` in its order.
const SELECT: &str = "
    SELECT id, title, folder, model, reply_language, current_turn_id, created_at, updated_at,
           (SELECT count(*) FROM turns WHERE conversation_id = conversations.id),
           EXISTS (SELECT 1 FROM turns WHERE ending IS NULL AND conversation_id = conversations.id),
           EXISTS (SELECT 1 FROM approvals WHERE answer IS NULL AND conversation_id = conversations.id),
           assistant_id
    FROM conversations";

fn conversation_row(row: &Row<'_>) -> rusqlite::Result<ConversationRow> {
    Ok(ConversationRow {
        id: ConversationId(row.get(0)?),
        title: row.get(1)?,
        folder: row.get(2)?,
        model: row.get(3)?,
        reply_language: row.get(4)?,
        current_turn: row.get::<_, Option<String>>(5)?.map(TurnId),
        created_at_ms: row.get(6)?,
        updated_at_ms: row.get(7)?,
        n_turns: row.get(8)?,
        is_running: row.get(9)?,
        has_open_approval: row.get(10)?,
        assistant: row.get::<_, Option<String>>(11)?.map(AssistantId),
    })
}
