//! Sealing rows in the transaction that adds them. The key comes from whoever opens the record, and may come late or never.

use crate::error::StoreError;
use crate::store::Store;
use recto_core::audit::CHAIN_START;
use recto_core::audit::seal::{Anchor, SealKey};
use recto_core::text::ContentHash;
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// What sealing needs while a record is open.
#[derive(Debug)]
pub(crate) struct Sealing {
    key: Mutex<Option<SealKey>>,
    /// The last row that was there before this program opened the record. Nothing up to it is sealed any more.
    found: i64,
    /// The number of the newest row of this program's.
    newest: watch::Sender<i64>,
}

impl Sealing {
    pub(crate) fn after(found: i64) -> Self {
        Self { key: Mutex::default(), found, newest: watch::Sender::new(found) }
    }

    fn key(&self) -> MutexGuard<'_, Option<SealKey>> {
        self.key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Seals the rows after `before`, which this very transaction has added.
    pub(crate) fn seal_after(&self, connection: &Connection, before: i64) -> Result<(), StoreError> {
        match self.key().clone() {
            Some(key) => seal_after(connection, &key, before),
            None => Ok(()),
        }
    }

    /// Says that rows up to `newest` are committed.
    pub(crate) fn committed(&self, newest: i64) {
        self.newest.send_if_modified(|known| std::mem::replace(known, newest) != newest);
    }
}

/// The number of the newest row; 0 if there is none.
pub(crate) fn newest(connection: &Connection) -> Result<i64, StoreError> {
    let mut select = connection.prepare_cached("SELECT coalesce(max(seq), 0) FROM decisions")?;
    Ok(select.query_row([], |row| row.get(0))?)
}

fn sealed_to(connection: &Connection) -> Result<i64, StoreError> {
    let mut select = connection.prepare_cached("SELECT coalesce(max(seq), 0) FROM audit_seals")?;
    Ok(select.query_row([], |row| row.get(0))?)
}

fn seal_after(connection: &Connection, key: &SealKey, before: i64) -> Result<(), StoreError> {
    let mut previous = sealed_to(connection)?;
    let mut select = connection.prepare_cached("SELECT seq, link FROM decisions WHERE seq > ?1 ORDER BY seq")?;
    let rows = select.query_map([before.max(previous)], |row| Ok((row.get(0)?, ContentHash(row.get(1)?))))?;
    let rows: Vec<(i64, ContentHash)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut insert = connection.prepare_cached("INSERT INTO audit_seals (seq, previous, mac) VALUES (?1, ?2, ?3)")?;
    for (seq, link) in rows {
        insert.execute(params![seq, previous, key.seal(seq, previous, &link)])?;
        previous = seq;
    }
    Ok(())
}

impl Store {
    /// Seals the rows that this program adds from now on, and those that it has added since it opened the record.
    ///
    /// # Errors
    /// The record cannot be written.
    pub async fn seal_with(&self, key: SealKey) -> Result<(), StoreError> {
        let sealing = self.sealing().clone();
        // Inside the transaction: no row of this run may get a seal before those that stand before it.
        self.write(move |transaction| {
            seal_after(transaction, &key, sealing.found)?;
            *sealing.key() = Some(key);
            Ok(())
        })
        .await
    }

    /// How far the log goes now.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn audit_anchor(&self) -> Result<Anchor, StoreError> {
        self.read(|connection| {
            let newest: Option<(i64, String)> = connection
                .prepare_cached("SELECT seq, link FROM decisions ORDER BY seq DESC LIMIT 1")?
                .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let (n_rows, head) = newest.unwrap_or_else(|| (0, CHAIN_START.to_owned()));
            Ok(Anchor { n_rows, head: ContentHash(head), sealed_to: sealed_to(connection)? })
        })
        .await
    }

    /// Whether the log is not the one that the anchor was written down for: it is shorter, or has another row at that place.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn contradicts(&self, anchor: Anchor) -> Result<bool, StoreError> {
        self.read(move |connection| {
            if anchor.n_rows == 0 {
                return Ok(false);
            }
            let link: Option<String> = connection
                .prepare_cached("SELECT link FROM decisions WHERE seq = ?1")?
                .query_row([anchor.n_rows], |row| row.get(0))
                .optional()?;
            Ok(link.as_deref() != Some(anchor.head.as_str()) || sealed_to(connection)? < anchor.sealed_to)
        })
        .await
    }

    /// The number of the newest row, again whenever this program has added one.
    #[must_use]
    pub fn audit_growth(&self) -> watch::Receiver<i64> {
        self.sealing().newest.subscribe()
    }
}
