//! Replies: saved while they arrive, and whole.

use crate::error::StoreError;
use crate::requests;
use crate::texts;
use crate::word::{Word, count, integer};
use recto_core::id::RequestId;
use recto_core::reply::{Finish, Reply, Usage};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// What came back for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyRow {
    /// What arrived; only the text so far while `is_arriving`.
    pub reply: Reply,
    /// Whether it is still arriving, or was when the program died.
    pub is_arriving: bool,
    /// Why it is not whole.
    pub failure: Option<String>,
    /// When it ended, in milliseconds since 1970 UTC.
    pub ended_at_ms: Option<i64>,
}

/// Replaces what was saved of a reply that is still arriving. A whole reply is never replaced by a part.
pub(crate) fn save_so_far(connection: &Connection, request: &RequestId, text: &str) -> Result<(), StoreError> {
    let seq = requests::seq(connection, request)?;
    connection
        .prepare_cached(
            "INSERT INTO replies (request_seq, text_so_far) VALUES (?1, ?2)
             ON CONFLICT (request_seq) DO UPDATE SET text_so_far = excluded.text_so_far WHERE finish IS NULL",
        )?
        .execute(params![seq, text])?;
    Ok(())
}

/// Saves a reply that ended.
pub(crate) fn save(
    connection: &Connection,
    request: &RequestId,
    reply: &Reply,
    failure: Option<&str>,
    at_ms: i64,
) -> Result<(), StoreError> {
    // Reasoning that goes back is in the request that takes it there.
    let Reply { text, reasoning, thoughts: _, calls, finish, usage } = reply;
    let Usage { n_read, n_reused, n_evaluated, n_written, cost_nanodollars, first_token_ms, total_ms } = usage;
    let seq = requests::seq(connection, request)?;
    let text = texts::keep(connection, text)?;
    let reasoning = texts::keep_some(connection, (!reasoning.is_empty()).then_some(reasoning.as_str()))?;
    let calls = (!calls.is_empty()).then(|| serde_json::to_string(calls)).transpose()?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO replies (request_seq, text_id, reasoning_text_id, calls, finish, n_read, n_reused, n_evaluated,
                 n_written, cost_nanodollars, first_token_ms, total_ms, failure, ended_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            seq,
            text,
            reasoning,
            calls,
            Word(finish),
            n_read,
            n_reused,
            n_evaluated,
            n_written,
            cost_nanodollars.map(integer),
            first_token_ms.map(integer),
            total_ms.map(integer),
            failure,
            at_ms
        ])?;
    Ok(())
}

/// What came back for the request with this number.
pub(crate) fn read(connection: &Connection, seq: i64) -> Result<Option<ReplyRow>, StoreError> {
    let mut select = connection.prepare_cached(
        "SELECT coalesce(text_so_far, (SELECT body FROM texts WHERE id = text_id), ''),
                coalesce((SELECT body FROM texts WHERE id = reasoning_text_id), ''),
                calls, finish, n_read, n_reused, n_evaluated, n_written, first_token_ms, total_ms, failure, ended_at,
                cost_nanodollars
         FROM replies WHERE request_seq = ?1",
    )?;
    let found = select.query_row([seq], |row| Ok((reply_row(row)?, row.get::<_, Option<String>>(2)?))).optional()?;
    let Some((mut reply, calls)) = found else { return Ok(None) };
    if let Some(calls) = calls {
        reply.reply.calls = serde_json::from_str(&calls)?;
    }
    Ok(Some(reply))
}

fn reply_row(row: &Row<'_>) -> rusqlite::Result<ReplyRow> {
    let finish: Option<Word<Finish>> = row.get(3)?;
    let milliseconds = |column| row.get::<_, Option<i64>>(column).map(|value| value.map(count));
    Ok(ReplyRow {
        is_arriving: finish.is_none(),
        reply: Reply {
            text: row.get(0)?,
            reasoning: row.get(1)?,
            thoughts: Vec::new(),
            calls: Vec::new(),
            finish: finish.map(|word| word.0).unwrap_or_default(),
            usage: Usage {
                n_read: row.get(4)?,
                n_reused: row.get(5)?,
                n_evaluated: row.get(6)?,
                n_written: row.get(7)?,
                cost_nanodollars: row.get::<_, Option<i64>>(12)?.map(count),
                first_token_ms: milliseconds(8)?,
                total_ms: milliseconds(9)?,
            },
        },
        failure: row.get(10)?,
        ended_at_ms: row.get(11)?,
    })
}
