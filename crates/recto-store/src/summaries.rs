//! The rolling summaries: every version, with the exchanges that entered with it.

use crate::error::StoreError;
use crate::store::Store;
use crate::texts;
use crate::word::Word;
use recto_core::context::summary::Summary;
use recto_core::id::{RequestId, TurnId};
use recto_core::turn::Folded;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// A version of a summary as it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRow {
    /// In which turn, or after which.
    pub turn: TurnId,
    /// The summary.
    pub summary: Summary,
    /// The request in which a model wrote it; `None` where none did.
    pub request: Option<RequestId>,
    /// The turns whose exchanges entered with this version, oldest first, each with its question.
    pub entered: Vec<(TurnId, String)>,
    /// When, in milliseconds since 1970 UTC.
    pub made_at_ms: i64,
}

const COLUMNS: &str = "summaries.version, summaries.n_exchanges, summaries.until_turn_id, summaries.author, texts.body,
    summaries.marks, summaries.forbidden";

impl Store {
    /// The summary as `turn` left it, from which a turn that follows it goes on; version 0 where nothing was folded yet.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn summary(&self, turn: Option<TurnId>) -> Result<Summary, StoreError> {
        let Some(turn) = turn else { return Ok(Summary::default()) };
        self.read(move |connection| {
            let mut select = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM turns JOIN summaries ON summaries.id = turns.summary_id
                 JOIN texts ON texts.id = summaries.prose_text_id WHERE turns.id = ?1"
            ))?;
            Ok(select.query_row([turn.as_str()], read_summary).optional()?.unwrap_or_default())
        })
        .await
    }

    /// All versions that the summary of `turn` goes back to, the newest first.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn summary_versions(&self, turn: TurnId) -> Result<Vec<SummaryRow>, StoreError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(&format!(
                "SELECT {COLUMNS}, summaries.turn_id, summaries.request_id, summaries.made_at, summaries.previous_id
                 FROM summaries JOIN texts ON texts.id = summaries.prose_text_id WHERE summaries.id = ?1"
            ))?;
            let mut next = current(connection, &turn)?;
            let mut rows = Vec::new();
            while let Some(id) = next {
                let (row, previous) = select.query_row([id], |row| {
                    let made = SummaryRow {
                        summary: read_summary(row)?,
                        turn: TurnId(row.get(7)?),
                        request: row.get::<_, Option<String>>(8)?.map(RequestId),
                        entered: Vec::new(),
                        made_at_ms: row.get(9)?,
                    };
                    Ok((made, row.get::<_, Option<i64>>(10)?))
                })?;
                rows.push(SummaryRow { entered: entered(connection, id)?, ..row });
                next = previous;
            }
            Ok(rows)
        })
        .await
    }

    /// Keeps a version that the person wrote, after `turn`.
    ///
    /// # Errors
    /// It is not saved; `NoSuch` if the turn is not there.
    pub async fn edit_summary(&self, turn: TurnId, summary: Summary, at_ms: i64) -> Result<(), StoreError> {
        let folded = Folded { summary, exchanges: Vec::new() };
        self.write(move |transaction| insert(transaction, &turn, &folded, None, at_ms)).await
    }
}

/// Adds a version, and makes it the turn's.
pub(crate) fn insert(
    connection: &Connection,
    turn: &TurnId,
    folded: &Folded,
    request: Option<&RequestId>,
    at_ms: i64,
) -> Result<(), StoreError> {
    let Folded { summary, exchanges } = folded;
    let previous = current(connection, turn)?;
    let prose = texts::keep(connection, &summary.prose)?;
    let list = |texts: &[String]| serde_json::Value::from(texts).to_string();
    let id = connection
        .prepare_cached(
            "INSERT INTO summaries (turn_id, previous_id, version, author, request_id, n_exchanges, until_turn_id,
                                    prose_text_id, marks, forbidden, made_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .insert(params![
            turn.as_str(),
            previous,
            summary.version,
            Word(summary.author),
            request.map(RequestId::as_str),
            summary.n_exchanges,
            summary.until.as_ref().map(TurnId::as_str),
            prose,
            list(&summary.marks),
            list(&summary.forbidden),
            at_ms
        ])?;
    let mut enter = connection
        .prepare_cached("INSERT INTO summary_exchanges (summary_id, position, turn_id) VALUES (?1, ?2, ?3)")?;
    for (position, exchange) in (1_i64..).zip(exchanges) {
        enter.execute(params![id, position, exchange.as_str()])?;
    }
    connection.prepare_cached("UPDATE turns SET summary_id = ?2 WHERE id = ?1")?.execute(params![turn.as_str(), id])?;
    Ok(())
}

/// The number of the summary that a turn has, its own or the one it went on from.
fn current(connection: &Connection, turn: &TurnId) -> Result<Option<i64>, StoreError> {
    let mut select = connection.prepare_cached("SELECT summary_id FROM turns WHERE id = ?1")?;
    let found = select.query_row([turn.as_str()], |row| row.get(0)).optional()?;
    found.ok_or_else(|| StoreError::no_such("turn", turn.as_str()))
}

fn entered(connection: &Connection, summary: i64) -> Result<Vec<(TurnId, String)>, StoreError> {
    let mut select = connection.prepare_cached(
        "SELECT turns.id, texts.body FROM summary_exchanges JOIN turns ON turns.id = summary_exchanges.turn_id
         JOIN texts ON texts.id = turns.question_text_id WHERE summary_exchanges.summary_id = ?1 ORDER BY position",
    )?;
    let rows = select.query_map([summary], |row| Ok((TurnId(row.get(0)?), row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn read_summary(row: &Row<'_>) -> rusqlite::Result<Summary> {
    let list = |text: String| serde_json::from_str(&text).unwrap_or_default();
    Ok(Summary {
        version: row.get(0)?,
        n_exchanges: row.get(1)?,
        until: row.get::<_, Option<String>>(2)?.map(TurnId),
        author: row.get::<_, Word<_>>(3)?.0,
        prose: row.get(4)?,
        marks: list(row.get(5)?),
        forbidden: list(row.get(6)?),
    })
}
