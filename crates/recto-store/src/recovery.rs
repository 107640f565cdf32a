//! What a program that died left unfinished is marked as such at the next start. Nothing is run again.

use crate::error::StoreError;
use crate::{approvals, turns};
use recto_core::id::TurnId;
use rusqlite::Connection;

pub(crate) struct Recovered {
    pub(crate) n_interrupted: usize,
    pub(crate) n_withdrawn: usize,
}

/// Ends every running turn as interrupted, with what had arrived of its answer, and withdraws every open question.
pub(crate) fn recover(connection: &Connection, now_ms: i64) -> Result<Recovered, StoreError> {
    let n_withdrawn = approvals::withdraw_all(connection, now_ms)?;
    let mut running = connection.prepare("SELECT id FROM turns WHERE ending IS NULL")?;
    let running: Vec<TurnId> = running.query_map([], |row| row.get(0).map(TurnId))?.collect::<rusqlite::Result<_>>()?;
    for turn in &running {
        turns::interrupt(connection, turn, now_ms)?;
    }
    Ok(Recovered { n_interrupted: running.len(), n_withdrawn })
}
