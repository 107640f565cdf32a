//! The cards of check-ups, the last one of each model, with the bytes of every request that was made for it.

use crate::error::StoreError;
use crate::store::Store;
use crate::word::{Word, count, integer};
use recto_core::checkup::{Card, Check, Finding, Mark};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// A check-up as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckupRow {
    /// What it found.
    pub card: Card,
    /// The bytes that went out for each finding, in the same order; empty where a check was not tried.
    pub asked: Vec<String>,
    /// How long it took.
    pub took_ms: u64,
    /// When it ended, in milliseconds since 1970 UTC.
    pub checked_at_ms: i64,
}

impl Store {
    /// The last check-up of a model; `None` if there was none.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn checkup(&self, model: String) -> Result<Option<CheckupRow>, StoreError> {
        self.read(move |connection| read(connection, &model)).await
    }

    /// Keeps a check-up in the place of the one before of the same model.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn keep_checkup(&self, model: String, row: CheckupRow) -> Result<(), StoreError> {
        self.write(move |transaction| {
            forget(transaction, &model)?;
            transaction
                .prepare_cached(
                    "INSERT INTO checkups (model, n_window, n_tried, read_per_s, written_per_s, took_ms, checked_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![
                    model,
                    row.card.window,
                    row.card.n_tried,
                    row.card.read_per_s,
                    row.card.written_per_s,
                    integer(row.took_ms),
                    row.checked_at_ms
                ])?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO checkup_findings (model, position, check_, mark, said, asked) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            for (position, (finding, asked)) in (0_i64..).zip(row.card.findings.iter().zip(&row.asked)) {
                let Finding { check, mark, said } = finding;
                insert.execute(params![model, position, Word(check), Word(mark), said, asked])?;
            }
            Ok(())
        })
        .await
    }

    /// Forgets the check-up of a model.
    ///
    /// # Errors
    /// It is still there.
    pub async fn forget_checkup(&self, model: String) -> Result<(), StoreError> {
        self.write(move |transaction| forget(transaction, &model)).await
    }
}

fn forget(connection: &Connection, model: &str) -> Result<(), StoreError> {
    connection.prepare_cached("DELETE FROM checkups WHERE model = ?1")?.execute([model])?;
    Ok(())
}

fn read(connection: &Connection, model: &str) -> Result<Option<CheckupRow>, StoreError> {
    let mut select = connection.prepare_cached(
        "SELECT n_window, n_tried, read_per_s, written_per_s, took_ms, checked_at FROM checkups WHERE model = ?1",
    )?;
    let row = select.query_row([model], checkup).optional()?;
    let Some(mut row) = row else { return Ok(None) };
    let mut select = connection
        .prepare_cached("SELECT check_, mark, said, asked FROM checkup_findings WHERE model = ?1 ORDER BY position")?;
    let mut rows = select.query([model])?;
    while let Some(found) = rows.next()? {
        let check: Word<Check> = found.get(0)?;
        let mark: Word<Mark> = found.get(1)?;
        row.card.findings.push(Finding { check: check.0, mark: mark.0, said: found.get(2)? });
        row.asked.push(found.get(3)?);
    }
    Ok(Some(row))
}

fn checkup(row: &Row<'_>) -> rusqlite::Result<CheckupRow> {
    let card = Card {
        findings: Vec::new(),
        window: row.get(0)?,
        n_tried: row.get(1)?,
        read_per_s: row.get(2)?,
        written_per_s: row.get(3)?,
    };
    Ok(CheckupRow { card, asked: Vec::new(), took_ms: count(row.get(4)?), checked_at_ms: row.get(5)? })
}
