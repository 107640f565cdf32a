//! The lists of the work: every one that was written, each with the one it replaced.

use crate::error::StoreError;
use crate::store::Store;
use crate::texts;
use crate::word::{count, integer};
use recto_core::id::{CallId, ConversationId, TurnId};
use recto_core::reminder::StaleCounter;
use recto_core::todo::{TodoChange, TodoList, TodoState};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::sync::Arc;

/// A list as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoSnapshot {
    /// In which turn.
    pub turn: TurnId,
    /// By which call.
    pub call: CallId,
    /// How often the list had been replaced with it.
    pub version: u64,
    /// The list.
    pub list: TodoList,
    /// Its bytes as they were given back to the model.
    pub snapshot: String,
    /// What it changed of the list before it on its branch.
    pub changes: Vec<TodoChange>,
    /// When, in milliseconds since 1970 UTC.
    pub written_at_ms: i64,
}

impl Store {
    /// The list and its counter as `turn` left them, from which a turn that follows it goes on; empty for `None`.
    ///
    /// # Errors
    /// `NoSuch` if the turn is not there.
    pub async fn todo_state(&self, turn: Option<TurnId>) -> Result<TodoState, StoreError> {
        let Some(turn) = turn else { return Ok(TodoState::default()) };
        self.read(move |connection| {
            let Some(snapshot) = current(connection, &turn)? else { return Ok(TodoState::default()) };
            let mut select = connection.prepare_cached(
                "SELECT body, version, n_stale_rounds FROM todo_snapshots JOIN texts ON texts.id = text_id
                 WHERE todo_snapshots.id = ?1",
            )?;
            let (body, version, n_stale_rounds): (String, i64, u32) =
                select.query_row([snapshot], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            let list = Arc::new(read_list(&body)?);
            Ok(TodoState { list, version: count(version), stale: StaleCounter::at(n_stale_rounds) })
        })
        .await
    }

    /// Every list that was written in a conversation, on all its branches, oldest first.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn todo_snapshots(&self, conversation: ConversationId) -> Result<Vec<TodoSnapshot>, StoreError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT now.turn_id, now.call_id, now.version, body.body, now.written_at,
                        (SELECT body FROM texts JOIN todo_snapshots AS earlier ON earlier.text_id = texts.id
                         WHERE earlier.id = now.previous_id)
                 FROM turns JOIN todo_snapshots AS now ON now.turn_id = turns.id JOIN texts AS body ON body.id = now.text_id
                 WHERE turns.conversation_id = ?1 AND now.call_id IS NOT NULL
                 ORDER BY now.id",
            )?;
            let mut rows = select.query([conversation.as_str()])?;
            let mut snapshots = Vec::new();
            while let Some(row) = rows.next()? {
                snapshots.push(snapshot(row)?);
            }
            Ok(snapshots)
        })
        .await
    }
}

/// Adds the list as it is now, and makes it the turn's.
pub(crate) fn insert(
    connection: &Connection,
    turn: &TurnId,
    call: Option<&CallId>,
    state: &TodoState,
    at_ms: i64,
) -> Result<(), StoreError> {
    let TodoState { list, version, stale } = state;
    let previous = current(connection, turn)?;
    let text = texts::keep(connection, &list.snapshot())?;
    let id = connection
        .prepare_cached(
            "INSERT INTO todo_snapshots (turn_id, call_id, previous_id, version, n_stale_rounds, text_id, written_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .insert(params![
            turn.as_str(),
            call.map(CallId::as_str),
            previous,
            integer(*version),
            stale.n_rounds(),
            text,
            at_ms
        ])?;
    connection
        .prepare_cached("UPDATE turns SET todo_snapshot_id = ?2 WHERE id = ?1")?
        .execute(params![turn.as_str(), id])?;
    Ok(())
}

/// The number of the list that a turn has, its own or the one it went on from.
fn current(connection: &Connection, turn: &TurnId) -> Result<Option<i64>, StoreError> {
    let mut select = connection.prepare_cached("SELECT todo_snapshot_id FROM turns WHERE id = ?1")?;
    let found = select.query_row([turn.as_str()], |row| row.get(0)).optional()?;
    found.ok_or_else(|| StoreError::no_such("turn", turn.as_str()))
}

fn snapshot(row: &Row<'_>) -> Result<TodoSnapshot, StoreError> {
    let snapshot: String = row.get(3)?;
    let list = read_list(&snapshot)?;
    let earlier = row.get::<_, Option<String>>(5)?.map(|body| read_list(&body)).transpose()?.unwrap_or_default();
    Ok(TodoSnapshot {
        turn: TurnId(row.get(0)?),
        call: CallId(row.get(1)?),
        version: count(row.get(2)?),
        changes: earlier.changes_to(&list),
        list,
        snapshot,
        written_at_ms: row.get(4)?,
    })
}

/// A snapshot has the form of a call's arguments.
fn read_list(snapshot: &str) -> Result<TodoList, StoreError> {
    TodoList::read(snapshot).map_err(|faults| StoreError::BadList { faults: faults.join("; ") })
}
