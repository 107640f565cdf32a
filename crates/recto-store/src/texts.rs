//! Texts by their hash, each once.

use recto_core::text::ContentHash;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;

/// The number of a text in the record; adds it if it is new.
pub(crate) fn keep(connection: &Connection, text: &str) -> rusqlite::Result<i64> {
    keep_bytes(connection, text.as_bytes())
}

/// The same for bytes that need not be text.
pub(crate) fn keep_bytes(connection: &Connection, bytes: &[u8]) -> rusqlite::Result<i64> {
    let hash = ContentHash::of(bytes);
    let known = connection
        .prepare_cached("SELECT id FROM texts WHERE hash = ?1")?
        .query_row([hash.as_str()], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    let mut insert = connection.prepare_cached("INSERT INTO texts (hash, body) VALUES (?1, ?2)")?;
    match std::str::from_utf8(bytes) {
        Ok(text) => insert.insert(params![hash.as_str(), text]),
        Err(_) => insert.insert(params![hash.as_str(), bytes]),
    }
}

/// The same for a text that may be missing.
pub(crate) fn keep_some(connection: &Connection, text: Option<&str>) -> rusqlite::Result<Option<i64>> {
    text.map(|text| keep(connection, text)).transpose()
}

/// Keeps the texts of one request. Most of them occur in it several times (as a block, as placed, as a piece) and are hashed once.
pub(crate) struct Keeping<'a> {
    connection: &'a Connection,
    kept: HashMap<&'a str, i64>,
}

impl<'a> Keeping<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self { connection, kept: HashMap::new() }
    }

    pub(crate) fn keep(&mut self, text: &'a str) -> rusqlite::Result<i64> {
        if let Some(id) = self.kept.get(text) {
            return Ok(*id);
        }
        let id = keep(self.connection, text)?;
        self.kept.insert(text, id);
        Ok(id)
    }
}

/// The bytes of a text, as a column `body` gives them.
pub(crate) fn bytes(body: Value) -> Vec<u8> {
    match body {
        Value::Text(text) => text.into_bytes(),
        Value::Blob(bytes) => bytes,
        Value::Null | Value::Integer(_) | Value::Real(_) => Vec::new(),
    }
}
