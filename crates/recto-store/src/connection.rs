//! Connections and how they are set up.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// How long another program's lock is waited for.
const BUSY: Duration = Duration::from_secs(10);
/// How long readers are waited for before the log is folded.
const FOLDING: Duration = Duration::from_millis(100);
/// The write-ahead log is cut back to this size after a checkpoint.
const JOURNAL_LIMIT_BYTES: i64 = 16 * 1024 * 1024;

/// The connection that writes. The file has to be there: its modes are given by whoever made it.
pub(crate) fn writer(path: &Path) -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    harden(&connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A commit has reached the disk when it returns, also through a power cut.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update(None, "journal_size_limit", JOURNAL_LIMIT_BYTES)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What a person deletes is overwritten and not only unlinked.
    connection.pragma_update(None, "secure_delete", true)?;
    Ok(connection)
}

/// Folds the write-ahead log into the file and empties it. Whether it could: a reader of an older state keeps it from that.
pub(crate) fn fold(connection: &Connection) -> rusqlite::Result<bool> {
    // Nobody is kept waiting by it for long; it can be done later as well.
    connection.busy_timeout(FOLDING)?;
    let folded = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    connection.busy_timeout(BUSY)?;
    folded.map(|is_blocked| !is_blocked)
}

/// A connection that cannot write.
pub(crate) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    harden(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// A file from elsewhere runs no code of its own, damage is noticed, and a failing disk is an error and not a signal.
pub(crate) fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(128);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_says_how_it_is_set_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.db");
        std::fs::File::create(&path).unwrap();
        let connection = writer(&path).unwrap();
        let mut said = String::new();
        for pragma in [
            "journal_mode",
            "synchronous",
            "foreign_keys",
            "trusted_schema",
            "cell_size_check",
            "busy_timeout",
            "mmap_size",
            "journal_size_limit",
            "fullfsync",
            "checkpoint_fullfsync",
            "secure_delete",
        ] {
            let value: rusqlite::types::Value = connection.pragma_query_value(None, pragma, |row| row.get(0)).unwrap();
            said.push_str(&format!("{pragma} {value:?}\n"));
        }
        let defensive = connection.db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE).unwrap();
        said.push_str(&format!("defensive {defensive}\n"));
        expect_test::expect![[r#"
            journal_mode Text("wal")
            synchronous Integer(2)
            foreign_keys Integer(1)
            trusted_schema Integer(0)
            cell_size_check Integer(1)
            busy_timeout Integer(10000)
            mmap_size Integer(0)
            journal_size_limit Integer(16777216)
            fullfsync Integer(1)
            checkpoint_fullfsync Integer(1)
            secure_delete Integer(1)
            defensive true
        "#]]
        .assert_eq(&said);
        let error = reader(&path).unwrap().execute("CREATE TABLE t (x)", []).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::ReadOnly));
    }
}
