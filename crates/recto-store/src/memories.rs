//! What is remembered about the user. A change that a model asked for happens only if everything is still as it was when the person saw it.

use crate::error::StoreError;
use crate::store::Store;
use recto_core::id::{ConversationId, MemoryId, TurnId};
use recto_core::memory;
use recto_core::tool::FileState;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

/// A forgotten sentence can be brought back for so long; then its words go with the next change.
const REGRET_MS: i64 = 24 * 60 * 60 * 1000;

/// A sentence that is about to be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMemory {
    /// Its name.
    pub id: MemoryId,
    /// The sentence.
    pub text: String,
    /// The turn that it comes from; `None` where the person typed it.
    pub source: Option<(ConversationId, TurnId)>,
    /// When, in milliseconds since 1970 UTC.
    pub at_ms: i64,
}

/// A sentence that is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRow {
    /// Its name.
    pub id: MemoryId,
    /// The sentence.
    pub text: String,
    /// Whether it is given to every request.
    pub is_pinned: bool,
    /// When it was first remembered, in milliseconds since 1970 UTC.
    pub created_at_ms: i64,
    /// When its words were last changed.
    pub updated_at_ms: i64,
    /// When it was last given to a request.
    pub last_used_at_ms: Option<i64>,
    /// Where it comes from; `None` where the person typed it.
    pub source: Option<MemorySource>,
}

/// The turn that a sentence comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySource {
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
    /// The conversation's title; `None` if it was deleted.
    pub title: Option<String>,
}

impl Store {
    /// Everything that is remembered, pinned sentences first, then the newest.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn memories(&self) -> Result<Vec<MemoryRow>, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT memories.id, text, is_pinned, memories.created_at, memories.updated_at, last_used_at,
                        conversation_id, turn_id, conversations.id IS NOT NULL, title
                 FROM memories LEFT JOIN conversations ON conversations.id = conversation_id
                 WHERE forgotten_at IS NULL
                 ORDER BY is_pinned DESC, memories.updated_at DESC, memories.id DESC",
            )?;
            let rows = select.query_map([], memory_row)?.collect::<rusqlite::Result<_>>()?;
            Ok(rows)
        })
        .await
    }

    /// Remembers a sentence, if `expected` is what is remembered now; `None` expects nothing. Returns whether it did.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn remember(&self, new: NewMemory, expected: Option<FileState>) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            if !is_as_expected(transaction, expected.as_ref())? {
                return Ok(false);
            }
            sweep(transaction, new.at_ms)?;
            let (conversation, turn) = new.source.unzip();
            transaction
                .prepare_cached(
                    "INSERT INTO memories (id, text, is_pinned, created_at, updated_at, conversation_id, turn_id)
                     VALUES (?1, ?2, 0, ?3, ?3, ?4, ?5)",
                )?
                .execute(params![
                    new.id.as_str(),
                    new.text,
                    new.at_ms,
                    conversation.as_ref().map(ConversationId::as_str),
                    turn.as_ref().map(TurnId::as_str)
                ])?;
            Ok(true)
        })
        .await
    }

    /// Forgets a sentence, if `expected` is what is remembered now; `None` expects nothing. Returns whether it did. It can be brought back for
    /// a day.
    ///
    /// # Errors
    /// `NoSuch` if it is not remembered.
    pub async fn forget(&self, id: MemoryId, expected: Option<FileState>, at_ms: i64) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            if !is_as_expected(transaction, expected.as_ref())? {
                return Ok(false);
            }
            sweep(transaction, at_ms)?;
            change(transaction, &id, "forgotten_at = ?2", "forgotten_at IS NULL", vec![at_ms.into()])?;
            Ok(true)
        })
        .await
    }

    /// Remembers a forgotten sentence again.
    ///
    /// # Errors
    /// `NoSuch` if it is not there any more.
    pub async fn bring_back_memory(&self, id: MemoryId) -> Result<(), StoreError> {
        self.write(move |transaction| {
            change(transaction, &id, "forgotten_at = NULL", "forgotten_at IS NOT NULL", Vec::new())
        })
        .await
    }

    /// Gives a sentence other words.
    ///
    /// # Errors
    /// `NoSuch` if it is not remembered.
    pub async fn reword_memory(&self, id: MemoryId, text: String, at_ms: i64) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let values = vec![text.into(), at_ms.into()];
            change(transaction, &id, "text = ?2, updated_at = ?3", "forgotten_at IS NULL", values)
        })
        .await
    }

    /// Gives a sentence to every request, or only where it fits.
    ///
    /// # Errors
    /// `NoSuch` if it is not remembered.
    pub async fn pin_memory(&self, id: MemoryId, is_pinned: bool) -> Result<(), StoreError> {
        self.write(move |transaction| {
            change(transaction, &id, "is_pinned = ?2", "forgotten_at IS NULL", vec![is_pinned.into()])
        })
        .await
    }

    /// Notes that these sentences were given to a request.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn memories_used(&self, ids: Vec<MemoryId>, at_ms: i64) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let mut update = transaction.prepare_cached("UPDATE memories SET last_used_at = ?2 WHERE id = ?1")?;
            for id in ids {
                update.execute(params![id.as_str(), at_ms])?;
            }
            Ok(())
        })
        .await
    }
}

fn is_as_expected(connection: &Connection, expected: Option<&FileState>) -> rusqlite::Result<bool> {
    let Some(expected) = expected else { return Ok(true) };
    let mut select = connection.prepare_cached("SELECT text FROM memories WHERE forgotten_at IS NULL")?;
    let texts = select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    Ok(memory::state(texts.iter().map(String::as_str)) == *expected)
}

/// Deletes the words of what was forgotten long enough ago.
fn sweep(connection: &Connection, now_ms: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM memories WHERE forgotten_at < ?1")?.execute([now_ms - REGRET_MS])?;
    Ok(())
}

fn change(
    connection: &Connection,
    id: &MemoryId,
    assignment: &'static str,
    condition: &'static str,
    values: Vec<Value>,
) -> Result<(), StoreError> {
    let values = std::iter::once(Value::from(id.0.clone())).chain(values);
    let n_changed = connection
        .prepare_cached(&format!("UPDATE memories SET {assignment} WHERE id = ?1 AND {condition}"))?
        .execute(params_from_iter(values))?;
    if n_changed == 0 { Err(StoreError::no_such("memory", id.as_str())) } else { Ok(()) }
}

fn memory_row(row: &Row<'_>) -> rusqlite::Result<MemoryRow> {
    let (conversation, turn) = (row.get::<_, Option<String>>(6)?, row.get::<_, Option<String>>(7)?);
    let title = |is_there: bool, title: Option<String>| is_there.then(|| title.unwrap_or_default());
    let title = title(row.get(8)?, row.get(9)?);
    let source = conversation.zip(turn).map(|(conversation, turn)| MemorySource {
        conversation: ConversationId(conversation),
        turn: TurnId(turn),
        title,
    });
    Ok(MemoryRow {
        id: MemoryId(row.get(0)?),
        text: row.get(1)?,
        is_pinned: row.get(2)?,
        created_at_ms: row.get(3)?,
        updated_at_ms: row.get(4)?,
        last_used_at_ms: row.get(5)?,
        source,
    })
}
