//! Evidence bundles: a record of its own, in one file, that holds one conversation or one turn of it and nothing else. It is opened like any
//! record, to be read.
//!
//! What goes in is listed here, table by table; what is not listed stays at home.

use crate::error::StoreError;
use crate::store::Store;
use crate::{connection, requests, schema, texts, transports};
use recto_core::id::{ConversationId, TurnId};
use recto_core::redaction::Redaction;
use recto_core::text::ContentHash;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params, params_from_iter};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Under which name a bundle keeps what is to be known of it.
const NOTE: &str = "bundle";

/// What a bundle holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleScope {
    /// A conversation with all its branches.
    Conversation(ConversationId),
    /// One turn.
    Turn(TurnId),
}

/// What is to be known of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleNote {
    /// When it was made, in milliseconds since 1970 UTC.
    pub made_at_ms: i64,
    /// Turns that are in it.
    pub n_turns: usize,
    /// Whether it is one turn out of a conversation.
    pub is_one_turn: bool,
    /// Texts of the record in which something was made unreadable.
    pub n_redacted: usize,
    /// The hash that the bytes of a request had when it left, where they differ from those in the bundle.
    pub original_hashes: BTreeMap<String, ContentHash>,
}

/// A table and what of it goes into a bundle.
struct Table {
    name: &'static str,
    /// Over the columns of the table as `row`, and the chosen turns in `scope`.
    filter: &'static str,
    /// The columns with words of a person, a model or a file.
    words: &'static [&'static str],
    /// The columns with such words inside JSON.
    json: &'static [&'static str],
}

/// What stands under this name in our JSON is a word out of a closed list.
const CLOSED: &str = "kind";

const OF_TURN: &str = "row.turn_id IN (SELECT id FROM scope)";
const OF_REQUEST: &str = "row.request_seq IN (SELECT seq FROM source.requests WHERE turn_id IN (SELECT id FROM scope))";

const TABLES: &[Table] = &[
    Table {
        name: "conversations",
        filter: "row.id IN (SELECT conversation_id FROM source.turns WHERE id IN (SELECT id FROM scope))",
        words: &["title", "folder"],
        json: &[],
    },
    Table { name: "turns", filter: "row.id IN (SELECT id FROM scope)", words: &["folder", "sentence"], json: &[] },
    Table { name: "requests", filter: OF_TURN, words: &[], json: &[] },
    Table { name: "request_blocks", filter: OF_REQUEST, words: &["source"], json: &[] },
    Table { name: "request_pieces", filter: OF_REQUEST, words: &[], json: &[] },
    Table { name: "replies", filter: OF_REQUEST, words: &["text_so_far", "failure"], json: &["calls"] },
    Table { name: "transports", filter: OF_REQUEST, words: &["endpoint"], json: &["failed_attempts"] },
    Table { name: "calls", filter: OF_TURN, words: &[], json: &[] },
    Table { name: "facts", filter: OF_TURN, words: &["target", "note"], json: &[] },
    Table { name: "approvals", filter: OF_TURN, words: &["path", "to_path"], json: &["diff"] },
    Table { name: "todo_snapshots", filter: OF_TURN, words: &[], json: &[] },
    Table { name: "decisions", filter: OF_TURN, words: &["target", "reason", "note"], json: &[] },
    Table { name: "summaries", filter: OF_TURN, words: &[], json: &["marks", "forbidden"] },
    Table {
        name: "summary_exchanges",
        filter: "row.summary_id IN (SELECT id FROM source.summaries WHERE turn_id IN (SELECT id FROM scope))",
        words: &[],
        json: &[],
    },
];

impl Store {
    /// Writes a bundle to `path`, which must not be there yet. Every one of `redacted` is made unreadable wherever it stands in the texts.
    ///
    /// # Errors
    /// `NoSuch` if there is nothing to put in; `BundleExists` if the file is there; the disk. Half a bundle is never left.
    pub async fn bundle(
        &self,
        path: PathBuf,
        scope: BundleScope,
        redacted: &[String],
        now_ms: i64,
    ) -> Result<BundleNote, StoreError> {
        let source = self.path().to_owned();
        let redaction = Redaction::new(redacted);
        // A look of its own would keep a reader busy for as long as the bundle is written.
        let writing = tokio::task::spawn_blocking(move || write(&source, &path, &scope, &redaction, now_ms));
        writing.await.map_err(|_| StoreError::Closed)?
    }

    /// What is to be known of this record as a bundle; `None` if it is none.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn bundle_note(&self) -> Result<Option<BundleNote>, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT value FROM settings WHERE key = ?1")?;
            let note = select.query_row([NOTE], |row| row.get::<_, String>(0)).optional()?;
            Ok(note.map(|note| serde_json::from_str(&note)).transpose()?)
        })
        .await
    }
}

fn write(
    source: &Path,
    path: &Path,
    scope: &BundleScope,
    redaction: &Redaction,
    now_ms: i64,
) -> Result<BundleNote, StoreError> {
    let exists = || StoreError::BundleExists { path: path.to_owned() };
    if path.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot = |error| StoreError::from_io(path, error);
    // A file of its own name that goes by itself unless all of it was written.
    let part = tempfile::Builder::new().prefix(".recto-bundle").tempfile_in(folder).map_err(cannot)?;
    let note = fill(source, part.path(), scope, redaction, now_ms)?;
    part.persist_noclobber(path).map_err(|error| match error.error.kind() {
        std::io::ErrorKind::AlreadyExists => exists(),
        _ => cannot(error.error),
    })?;
    Ok(note)
}

fn fill(
    source: &Path,
    part: &Path,
    scope: &BundleScope,
    redaction: &Redaction,
    now_ms: i64,
) -> Result<BundleNote, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let mut connection = Connection::open_with_flags(part, flags)?;
    connection::harden(&connection)?;
    // One file and no log beside it, so that it can be sent and opened from a place that cannot be written.
    connection.pragma_update(None, "journal_mode", "DELETE")?;
    schema::current().migrations.to_latest(&mut connection).map_err(crate::open::migration_error)?;
    connection.execute("ATTACH DATABASE ?1 AS source", [read_only_address(source)?])?;
    // The rows come with their parents or without; a turn by itself has none.
    connection.pragma_update(None, "foreign_keys", false)?;
    let transaction = connection.transaction()?;
    let n_turns = choose(&transaction, scope)?;
    let mut copying = Copying { connection: &transaction, redaction, texts: HashMap::new(), n_redacted: 0 };
    for table in TABLES {
        copying.copy(table)?;
    }
    let n_redacted = copying.n_redacted;
    let is_one_turn = matches!(scope, BundleScope::Turn(_));
    if let BundleScope::Turn(turn) = scope {
        transaction.execute("UPDATE main.turns SET parent_id = NULL, summary_id = NULL", [])?;
        transaction.execute("UPDATE main.conversations SET current_turn_id = ?1", [turn.as_str()])?;
    }
    // The assistant and its texts stay at home; what they gave to a request is in the request.
    transaction.execute("UPDATE main.conversations SET assistant_id = NULL", [])?;
    let original_hashes = if redaction.is_empty() { BTreeMap::new() } else { rehash(&transaction)? };
    let note = BundleNote { made_at_ms: now_ms, n_turns, is_one_turn, n_redacted, original_hashes };
    transaction.execute(
        "INSERT INTO main.settings (key, value) VALUES (?1, ?2)",
        params![NOTE, serde_json::to_string(&note)?],
    )?;
    transaction.execute("DROP TABLE temp.scope", [])?;
    transaction.commit()?;
    connection.execute("DETACH DATABASE source", [])?;
    Ok(note)
}

/// An address under which SQLite opens a file to read it only. Every byte that may mean something in an address is escaped.
fn read_only_address(path: &Path) -> Result<String, StoreError> {
    let real = path.canonicalize().map_err(|error| StoreError::from_io(path, error))?;
    let mut address = String::from("file:");
    for byte in real.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => address.push(char::from(*byte)),
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address.push_str("?mode=ro");
    Ok(address)
}

/// The turns that go in, in a table of this connection.
fn choose(connection: &Connection, scope: &BundleScope) -> Result<usize, StoreError> {
    connection.execute("CREATE TEMP TABLE scope (id TEXT PRIMARY KEY)", [])?;
    let (n_turns, missing) = match scope {
        BundleScope::Conversation(id) => (
            connection
                .execute("INSERT INTO scope SELECT id FROM source.turns WHERE conversation_id = ?1", [id.as_str()])?,
            StoreError::no_such("conversation", id.as_str()),
        ),
        BundleScope::Turn(id) => (
            connection.execute("INSERT INTO scope SELECT id FROM source.turns WHERE id = ?1", [id.as_str()])?,
            StoreError::no_such("turn", id.as_str()),
        ),
    };
    if n_turns == 0 { Err(missing) } else { Ok(n_turns) }
}

struct Copying<'a> {
    connection: &'a Connection,
    redaction: &'a Redaction,
    /// From the number of a text at home to its number in the bundle.
    texts: HashMap<i64, i64>,
    n_redacted: usize,
}

impl Copying<'_> {
    fn copy(&mut self, table: &Table) -> Result<(), StoreError> {
        let name = table.name;
        let connection = self.connection;
        let mut select =
            connection.prepare(&format!("SELECT row.* FROM source.{name} AS row WHERE {}", table.filter))?;
        let columns: Vec<String> = select.column_names().into_iter().map(str::to_owned).collect();
        let places = vec!["?"; columns.len()].join(", ");
        let mut insert =
            connection.prepare(&format!("INSERT INTO main.{name} ({}) VALUES ({places})", columns.join(", ")))?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let mut values = Vec::with_capacity(columns.len());
            for (index, column) in columns.iter().enumerate() {
                let value: Value = row.get(index)?;
                values.push(match value {
                    Value::Integer(id) if column.ends_with("text_id") => Value::Integer(self.text(id)?),
                    // Tokens spell the text that they stand for.
                    Value::Blob(_) if column == "tokens" && !self.redaction.is_empty() => Value::Null,
                    Value::Blob(stream) if column == "stream" => Value::Blob(self.stream(stream)?),
                    Value::Text(text) if table.words.contains(&column.as_str()) => {
                        Value::Text(self.redaction.text(&text))
                    }
                    Value::Text(text) if table.json.contains(&column.as_str()) => Value::Text(self.json(&text)?),
                    other => other,
                });
            }
            insert.execute(params_from_iter(values))?;
        }
        Ok(())
    }

    /// JSON in which only what was said is redacted: a name of a field that happens to be chosen has to stay, or nobody could read it.
    fn json(&self, text: &str) -> Result<String, StoreError> {
        if self.redaction.is_empty() {
            return Ok(text.to_owned());
        }
        let mut value = serde_json::from_str(text)?;
        self.redact(&mut value);
        Ok(value.to_string())
    }

    fn redact(&self, value: &mut serde_json::Value) {
        match value {
            serde_json::Value::String(text) => *text = self.redaction.text(text),
            serde_json::Value::Array(items) => items.iter_mut().for_each(|item| self.redact(item)),
            serde_json::Value::Object(fields) => {
                fields.iter_mut().filter(|(name, _)| *name != CLOSED).for_each(|(_, value)| self.redact(value));
            }
            _ => {}
        }
    }

    /// What a server sent says its words a few characters at a time, where none of the chosen texts can be found; so it stays at home whole
    /// as soon as anything is redacted.
    fn stream(&self, stream: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        if self.redaction.is_empty() { Ok(stream) } else { transports::deflated(b"[redacted]") }
    }

    /// The number of a text in the bundle; it is brought there the first time.
    fn text(&mut self, id: i64) -> Result<i64, StoreError> {
        if let Some(known) = self.texts.get(&id) {
            return Ok(*known);
        }
        let mut select = self.connection.prepare_cached("SELECT body FROM source.texts WHERE id = ?1")?;
        let bytes = texts::bytes(select.query_row([id], |row| row.get::<_, Value>(0))?);
        let redacted = self.redaction.apply(&bytes);
        self.n_redacted += usize::from(redacted.is_some());
        let kept = texts::keep_bytes(self.connection, redacted.as_deref().unwrap_or(&bytes))?;
        self.texts.insert(id, kept);
        Ok(kept)
    }
}

/// Gives requests whose bytes are others now the hash of those, and returns the ones that they had.
fn rehash(connection: &Connection) -> Result<BTreeMap<String, ContentHash>, StoreError> {
    let mut select = connection.prepare("SELECT seq, id, wire_hash FROM main.requests")?;
    let requests: Vec<(i64, String, String)> =
        select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect::<rusqlite::Result<_>>()?;
    let mut original = BTreeMap::new();
    for (seq, id, hash) in requests {
        let now = ContentHash::of(requests::pieces(connection, seq)?.bytes().as_bytes());
        if now.as_str() != hash {
            connection.execute("UPDATE main.requests SET wire_hash = ?1 WHERE seq = ?2", params![now.as_str(), seq])?;
            original.insert(id, ContentHash(hash));
        }
    }
    Ok(original)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of text that hold no words of anyone: names, hashes, and words out of a closed list.
    fn is_closed(column: &str) -> bool {
        const CLOSED: &[&str] = &[
            "id",
            "model",
            "reply_language",
            "ending",
            "purpose",
            "protocol",
            "answer_tools",
            "exactness",
            "wire_hash",
            "kind",
            "role",
            "slot",
            "slot_call_name",
            "importance",
            "verdict",
            "rule",
            "encoding",
            "finish",
            "name",
            "identity",
            "status",
            "written_hash",
            "tool",
            "operation",
            "before_hash",
            "after_hash",
            "digest",
            "answer",
            "event",
            "decider",
            "link",
            "author",
            "flags",
        ];
        column.ends_with("_id") || CLOSED.contains(&column)
    }

    #[test]
    fn every_column_with_words_is_redacted_and_every_text_is_brought_along() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::current().migrations.to_latest(&mut connection).unwrap();
        for table in TABLES {
            let mut columns = connection.prepare(&format!("PRAGMA table_info({})", table.name)).unwrap();
            let columns: Vec<(String, String)> = columns
                .query_map([], |row| Ok((row.get(1)?, row.get(2)?)))
                .unwrap()
                .collect::<rusqlite::Result<_>>()
                .unwrap();
            for word in table.words.iter().chain(table.json) {
                assert!(columns.iter().any(|(name, _)| name == word), "{} has no column {word}", table.name);
            }
            for (name, kind) in columns.iter().filter(|(_, kind)| kind == "TEXT") {
                let is_known = is_closed(name) || table.words.iter().chain(table.json).any(|word| word == name);
                assert!(is_known, "{}.{name} ({kind}): are these words that may have to be redacted?", table.name);
            }
        }
    }

    #[test]
    fn an_address_escapes_what_means_something_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a?b#c %.db");
        std::fs::write(&path, "").unwrap();
        let address = read_only_address(&path).unwrap();
        assert!(address.ends_with("/a%3Fb%23c%20%25.db?mode=ro"), "{address}");
    }
}
