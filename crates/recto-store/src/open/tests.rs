//! What only the inside can bring about: a layout that fails to be brought up to date, a full disk, a file held by another.

use super::*;
use crate::conversations::NewConversation;
use rusqlite_migration::{M, Migrations};

fn conversation(id: &str) -> NewConversation {
    NewConversation { id: id.into(), folder: None, model: None, reply_language: None, at_ms: 1 }
}

#[test]
fn the_steps_are_valid() {
    schema::current().migrations.validate().unwrap();
}

#[tokio::test]
async fn a_step_that_fails_leaves_the_record_as_it_was_and_a_copy_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.db");
    let steps = |last: &'static str| Layout {
        migrations: Migrations::new(vec![M::up(include_str!("../../migrations/0001_texts.sql")), M::up(last)]),
        version: 2,
    };
    let first = Connection::open(&path).unwrap();
    first.execute_batch(include_str!("../../migrations/0001_texts.sql")).unwrap();
    first.execute_batch("INSERT INTO texts (hash, body) VALUES ('h', 'kept'); PRAGMA user_version = 1").unwrap();
    drop(first);

    let broken = steps("CREATE TABLE half (id); INSERT INTO nowhere VALUES (1);");
    let error = open_with(&path, 1, &broken).unwrap_err();
    assert!(matches!(error, StoreError::Migration { .. }), "{error:?}");
    for file in [path.clone(), beside(&path, ".before-update-from-1")] {
        let left: (i64, String, i64) = Connection::open(&file)
            .unwrap()
            .query_row(
                "SELECT (SELECT user_version FROM pragma_user_version), (SELECT body FROM texts),
                        (SELECT count(*) FROM sqlite_schema WHERE name = 'half')",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap();
        assert_eq!(left, (1, "kept".into(), 0), "{}", file.display());
    }
}

#[tokio::test]
async fn store_s4_a_full_disk_is_a_sentence_and_costs_nothing_that_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.db");
    let store = Store::open(&path, 1).unwrap().store;
    let limit = |n_pages: i64| {
        store.write(move |transaction| {
            Ok(transaction.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0)).and_then(|there| {
                transaction.pragma_update_and_check(None, "max_page_count", there + n_pages, |row| row.get::<_, i64>(0))
            })?)
        })
    };
    limit(4).await.unwrap();
    let mut n_saved = 0;
    let error = loop {
        let key = format!("key {n_saved}");
        match store.set_setting(key, Some("x".repeat(1_000))).await {
            Ok(()) => n_saved += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}");
    assert_eq!(error.to_string(), "the disk is full, so nothing can be saved; free some space and try again");
    let count = |store: Store| async move {
        store
            .read(|connection| {
                Ok(connection.query_row("SELECT count(*) FROM settings", [], |row| row.get::<_, i32>(0))?)
            })
            .await
    };
    assert_eq!(count(store.clone()).await.unwrap(), n_saved);
    // With space again it goes on where it was.
    limit(100).await.unwrap();
    store.set_setting("key".into(), Some("x".repeat(1_000))).await.unwrap();
    assert_eq!(count(store.clone()).await.unwrap(), n_saved + 1);
    drop(store);
    assert!(Store::open(&path, 2).is_ok());
}

#[tokio::test]
async fn another_program_that_holds_the_file_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.db");
    let store = Store::open(&path, 1).unwrap().store;
    // The wait of ten seconds is cut short for the test.
    store.write(|transaction| Ok(transaction.busy_timeout(Duration::from_millis(1))?)).await.unwrap();
    let viewer = Connection::open(&path).unwrap();
    viewer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.create_conversation(conversation("cv_1")).await.unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error:?}");
    viewer.execute_batch("ROLLBACK").unwrap();
    store.create_conversation(conversation("cv_1")).await.unwrap();
    assert_eq!(store.conversations().await.unwrap().len(), 1);
}

#[tokio::test]
async fn after_an_error_of_the_disk_the_file_is_opened_anew_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("record.db"), 1).unwrap().store;
    // A name that only this connection knows is gone with it.
    store.write(|transaction| Ok(transaction.execute_batch("CREATE TEMP TABLE mark (id)")?)).await.unwrap();
    let failed = store.write(|_| -> Result<(), StoreError> {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_FSYNC);
        Err(rusqlite::Error::SqliteFailure(code, None).into())
    });
    assert!(matches!(failed.await, Err(StoreError::Disk { .. })));
    let mark = store.write(|transaction| Ok(transaction.execute("INSERT INTO mark VALUES (1)", [])?)).await;
    assert!(matches!(mark, Err(StoreError::Statement { .. })), "{mark:?}");
    store.create_conversation(conversation("cv_1")).await.unwrap();
}

#[tokio::test]
async fn a_connection_in_doubt_is_never_used_again_even_while_no_other_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let (path, away) = (folder.path().join("record.db"), folder.path().join("away.db"));
    let store = Store::open(&path, 1).unwrap().store;
    let failed = store.write({
        let (path, away) = (path.clone(), away.clone());
        move |_| -> Result<(), StoreError> {
            std::fs::rename(path, away).unwrap();
            let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_FSYNC);
            Err(rusqlite::Error::SqliteFailure(code, None).into())
        }
    });
    assert!(matches!(failed.await, Err(StoreError::Disk { .. })));
    // The old connection still has the file open and would take this.
    for _ in 0..2 {
        let error = store.create_conversation(conversation("cv_1")).await.unwrap_err();
        assert!(matches!(error, StoreError::CannotOpen { .. }), "{error:?}");
    }
    std::fs::rename(&away, &path).unwrap();
    store.create_conversation(conversation("cv_1")).await.unwrap();
    assert_eq!(store.conversations().await.unwrap().len(), 1);
}
