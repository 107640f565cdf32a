//! Tool calls and the facts that came of them.

use crate::error::StoreError;
use crate::store::Store;
use crate::texts;
use crate::word::Word;
use recto_core::fact::Fact;
use recto_core::id::{CallId, RequestId, TurnId};
use recto_core::text::ContentHash;
use recto_core::tool::{CallOutcome, ToolCall};
use rusqlite::{Connection, Row, params};

/// A call of a turn, with its result where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// Its place among the calls of the turn, from 1.
    pub number: u32,
    /// By which reply it was made.
    pub request: RequestId,
    /// The call.
    pub call: ToolCall,
    /// Its whole result; `None` while it waits or runs, and for one that the program's end cut short.
    pub fact: Option<Fact>,
    /// When it ended, in milliseconds since 1970 UTC.
    pub ended_at_ms: Option<i64>,
}

impl Store {
    /// The calls of a turn in their order.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn calls(&self, turn: TurnId) -> Result<Vec<CallRow>, StoreError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT number, request_id, calls.call_id, name, arguments.body,
                        identity, target, status, result.body, note, written_hash, ended_at
                 FROM calls JOIN texts AS arguments ON arguments.id = arguments_text_id
                 LEFT JOIN facts ON facts.turn_id = calls.turn_id AND facts.call_id = calls.call_id
                 LEFT JOIN texts AS result ON result.id = facts.text_id
                 WHERE calls.turn_id = ?1 ORDER BY number",
            )?;
            let rows = select.query_map([turn.as_str()], call_row)?.collect::<rusqlite::Result<_>>()?;
            Ok(rows)
        })
        .await
    }
}

/// Adds a call of which nothing has run.
pub(crate) fn insert(
    connection: &Connection,
    turn: &TurnId,
    request: &RequestId,
    call: &ToolCall,
    number: u32,
) -> Result<(), StoreError> {
    let ToolCall { id, name, arguments } = call;
    let arguments = texts::keep(connection, arguments)?;
    connection
        .prepare_cached(
            "INSERT INTO calls (turn_id, number, call_id, request_id, name, arguments_text_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![turn.as_str(), number, id.as_str(), request.as_str(), name, arguments])?;
    Ok(())
}

/// Adds the result of a call that was recorded before.
pub(crate) fn insert_fact(connection: &Connection, turn: &TurnId, fact: &Fact, at_ms: i64) -> Result<(), StoreError> {
    let Fact { identity, call, target, outcome } = fact;
    let CallOutcome { status, text, note, written } = outcome;
    let text = texts::keep(connection, text)?;
    connection
        .prepare_cached(
            "INSERT INTO facts (turn_id, call_id, identity, target, status, text_id, note, written_hash, ended_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            turn.as_str(),
            call.id.as_str(),
            Word(identity),
            target,
            Word(status),
            text,
            note,
            written.as_ref().map(ContentHash::as_str),
            at_ms
        ])?;
    Ok(())
}

fn call_row(row: &Row<'_>) -> rusqlite::Result<CallRow> {
    let call = ToolCall { id: CallId(row.get(2)?), name: row.get(3)?, arguments: row.get(4)? };
    let identity: Option<Word<_>> = row.get(5)?;
    let fact = match identity {
        None => None,
        Some(Word(identity)) => Some(Fact {
            identity,
            call: call.clone(),
            target: row.get(6)?,
            outcome: CallOutcome {
                status: row.get::<_, Word<_>>(7)?.0,
                text: row.get(8)?,
                note: row.get(9)?,
                written: row.get::<_, Option<String>>(10)?.map(ContentHash),
            },
        }),
    };
    Ok(CallRow { number: row.get(0)?, request: RequestId(row.get(1)?), call, fact, ended_at_ms: row.get(11)? })
}
