//! Opening: whatever is wrong is one sentence, and the file is left as it was.

use crate::entries::*;
use recto_engine::ports::Journal;
use recto_store::{Store, StoreError, TurnState};
use rusqlite::Connection;
use std::path::Path;

/// The sentence, with the path taken out.
fn sentence(error: &StoreError, path: &Path) -> String {
    error.to_string().replace(&path.display().to_string(), "PATH")
}

/// Opens what is at the path of `scratch`, which has to fail without a byte being changed.
fn refusal(scratch: &Scratch) -> StoreError {
    let before = std::fs::read(scratch.path()).unwrap();
    let error = Store::open(&scratch.path(), 1_000).unwrap_err();
    assert!(std::fs::read(scratch.path()).unwrap() == before, "the file was changed: {error}");
    error
}

#[cfg(unix)]
#[tokio::test]
async fn the_record_and_its_folder_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let folder = scratch.folder.path().join("data").join("recto");
    let store = Store::open(&folder.join("record.db"), 1).unwrap().store;
    store.create_conversation(conversation("cv_1")).await.unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let mut files: Vec<String> = Vec::new();
    for file in std::fs::read_dir(&folder).unwrap() {
        let file = file.unwrap();
        files.push(file.file_name().into_string().unwrap());
        assert_eq!(mode(&file.path()), 0o600, "{file:?}");
    }
    files.sort();
    assert_eq!(files, ["record.db", "record.db-shm", "record.db-wal", "record.db.lock"]);
    // A closed record is one file and its lock.
    drop(store);
    let path = folder.join("record.db");
    // One that was copied here with wide modes is theirs alone while it is open as well, with its log and that log's index.
    let widen = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let beside = |suffix: &str| folder.join(format!("record.db{suffix}"));
    widen(&path);
    let modes = || ["", "-wal", "-shm"].map(|suffix| mode(&beside(suffix)));
    let store = Store::open(&path, 1).unwrap().store;
    store.create_conversation(conversation("cv_2")).await.unwrap();
    assert_eq!(modes(), [0o600; 3]);
    // The same with a log that came along, as a program leaves one that is killed.
    let copies = ["", "-wal", "-shm"].map(|suffix| (beside(suffix), std::fs::read(beside(suffix)).unwrap()));
    drop(store);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    for (copy, bytes) in copies {
        std::fs::write(&copy, bytes).unwrap();
        widen(&copy);
    }
    let store = Store::open(&path, 1).unwrap().store;
    assert_eq!(modes(), [0o600; 3]);
    assert_eq!(store.conversations().await.unwrap().len(), 2);
}

#[tokio::test]
async fn store_s4_a_second_instance_never_writes() {
    let scratch = Scratch::new();
    let first = scratch.store().await;
    let error = Store::open(&scratch.path(), 1_000).unwrap_err();
    assert!(matches!(error, StoreError::OpenElsewhere { .. }));
    expect_test::expect!["another Recto has this record open; use that one or close it first: PATH"]
        .assert_eq(&sentence(&error, &scratch.path()));
    // Nor through another name of the file.
    #[cfg(unix)]
    {
        let link = scratch.folder.path().join("link.db");
        std::os::unix::fs::symlink(scratch.path(), &link).unwrap();
        assert!(matches!(Store::open(&link, 1_000), Err(StoreError::OpenElsewhere { .. })));
    }
    drop(first);
    assert_eq!(scratch.open().store.conversations().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_second_instance_may_look_while_the_first_writes() {
    let scratch = Scratch::new();
    let missing = Store::open_to_read(&scratch.path()).unwrap_err();
    assert!(matches!(missing, StoreError::CannotOpen { .. }), "{missing:?}");
    assert!(!scratch.path().exists());

    let first = scratch.store().await;
    first.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    let second = Store::open_to_read(&scratch.path()).unwrap();
    // A turn that runs over there is not interrupted by looking at it.
    assert_eq!(second.turn(tn("tn_1")).await.unwrap().state, TurnState::Running);
    let error = second.begin_turn(turn("tn_2", Some("tn_1"), "q")).await.unwrap_err();
    assert!(matches!(error, StoreError::OpenedToRead), "{error:?}");
    first.record(end("tn_1", "a")).await.unwrap();
    assert_eq!(second.turn(tn("tn_1")).await.unwrap().answer.as_deref(), Some("a"));
}

#[tokio::test]
async fn store_s4_a_newer_layout_is_refused_and_left_untouched() {
    let scratch = Scratch::new();
    drop(scratch.store().await);
    Connection::open(scratch.path()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = refusal(&scratch);
    assert!(matches!(error, StoreError::NewerSchema { found: 99, known: 19, .. }));
    expect_test::expect!["this record was written by a newer Recto (layout 99; this one knows 19) and was left untouched; update Recto to open it: PATH"].assert_eq(&sentence(&error, &scratch.path()));
}

#[tokio::test]
async fn store_s4_a_file_that_is_no_record_is_left_untouched() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path(), "a diary, and not a database\n".repeat(100)).unwrap();
    let error = refusal(&scratch);
    assert!(matches!(error, StoreError::NotARecord { .. }), "{error:?}");
    expect_test::expect!["this file is not a record of Recto and was left untouched; choose another place: PATH"]
        .assert_eq(&sentence(&error, &scratch.path()));

    let scratch = Scratch::new();
    Connection::open(scratch.path()).unwrap().execute_batch("CREATE TABLE stamps (id, country)").unwrap();
    let error = refusal(&scratch);
    assert!(matches!(error, StoreError::NotARecord { .. }), "{error:?}");

    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path()).unwrap();
    let error = Store::open(&scratch.path(), 1).unwrap_err();
    assert!(matches!(error, StoreError::NotARecord { .. }), "{error:?}");
}

/// A record of some hundred pages.
async fn sizeable(scratch: &Scratch) -> Vec<u8> {
    let store = scratch.store().await;
    for number in 0..60 {
        let text = format!("question {number} ").repeat(500);
        store.begin_turn(turn(&format!("tn_{number}"), None, &text)).await.unwrap();
    }
    drop(store);
    std::fs::read(scratch.path()).unwrap()
}

#[tokio::test]
async fn store_s4_a_damaged_page_is_noticed_and_left_as_it_is() {
    let scratch = Scratch::new();
    let whole = sizeable(&scratch).await;
    // Every page that is the root of a table or an index, and not the first, which says what the file is.
    let connection = Connection::open(scratch.path()).unwrap();
    let mut select = connection.prepare("SELECT rootpage FROM sqlite_schema WHERE rootpage > 1").unwrap();
    let roots: Vec<u32> = select.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    drop(select);
    drop(connection);
    assert!(roots.len() > 20);
    for root in roots.into_iter().map(|root| root as usize) {
        let mut damaged = whole.clone();
        damaged[(root - 1) * 4096..root * 4096].fill(0xa5);
        std::fs::write(scratch.path(), &damaged).unwrap();
        let error = refusal(&scratch);
        assert!(matches!(error, StoreError::Damaged { .. }), "page {root}: {error:?}");
    }
    std::fs::write(scratch.path(), &whole[..whole.len() - 4096 * 3]).unwrap();
    let error = refusal(&scratch);
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    assert!(sentence(&error, &scratch.path()).starts_with("part of the record is damaged ("), "{error}");
    std::fs::write(scratch.path(), &whole).unwrap();
    scratch.open();
}

/// Opens the record as a user who may not write into its folder, and gives what that user is told.
#[cfg(unix)]
fn told_without_rights(folder: &Path, path: &Path) -> String {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let helper = folder.join("record-stream");
    std::fs::copy(env!("CARGO_BIN_EXE_record-stream"), &helper).unwrap();
    std::fs::set_permissions(&helper, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    let mut command = std::process::Command::new(&helper);
    command.arg("open").arg(path);
    // Modes do not hold for root.
    if folder.metadata().unwrap().uid() == 0 {
        command.uid(65_534).gid(65_534);
    }
    // A program that another test starts at this moment may hold the copy open for writing until it is on its way.
    let output = loop {
        match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            output => break output.unwrap(),
        }
    };
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    String::from_utf8(output.stdout).unwrap().replace(&path.display().to_string(), "PATH")
}

#[cfg(unix)]
#[tokio::test]
async fn store_s4_a_read_only_folder_is_a_sentence() {
    let scratch = Scratch::new();
    let told = told_without_rights(scratch.folder.path(), &scratch.path());
    expect_test::expect![[r#"
        the record cannot be written here; make the folder writable or choose another one: PATH
    "#]]
    .assert_eq(&told);
    // The same with a record in it, lock file and all.
    drop(scratch.store().await);
    let before = std::fs::read(scratch.path()).unwrap();
    assert_eq!(told_without_rights(scratch.folder.path(), &scratch.path()), told);
    assert!(std::fs::read(scratch.path()).unwrap() == before);
}

#[test]
fn a_folder_that_cannot_be_there_is_a_sentence() {
    let scratch = Scratch::new();
    std::fs::write(scratch.folder.path().join("file"), "").unwrap();
    let path = scratch.folder.path().join("file").join("record.db");
    let error = Store::open(&path, 1).unwrap_err();
    assert!(matches!(error, StoreError::CannotOpen { .. }), "{error:?}");
    expect_test::expect![
        "the record cannot be opened; check that the folder is there and on a disk of this computer: PATH"
    ]
    .assert_eq(&sentence(&error, &path));
}

#[tokio::test]
async fn what_could_be_undone_before_the_layout_changed_can_be_undone_after_and_no_number_is_given_twice() {
    let scratch = Scratch::new();
    let connection = Connection::open(scratch.path()).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut steps: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    steps.sort();
    for step in &steps[..14] {
        connection.execute_batch(&std::fs::read_to_string(step).unwrap()).unwrap();
    }
    connection
        .execute_batch(
            "PRAGMA user_version = 14;
             INSERT INTO conversations (id, created_at, updated_at) VALUES ('cv_1', 1, 1);
             INSERT INTO replaced_files (conversation_id, turn_id, call_id, folder, path, old_hash, new_hash, old_bytes, replaced_at)
                 VALUES ('cv_1', 'tn_1', 'c1', '/notes', 'a.md', 'sha256:1', 'sha256:2', x'61', 1),
                        ('cv_1', 'tn_1', 'c2', '/notes', 'b.md', 'sha256:1', 'sha256:2', x'62', 2),
                        ('cv_1', 'tn_1', 'c3', '/notes', 'c.md', 'sha256:1', 'sha256:2', x'63', 3);
             DELETE FROM replaced_files WHERE id = 3;",
        )
        .unwrap();
    drop(connection);

    let store = scratch.open().store;
    let rows = store.replaced_files(4).await.unwrap();
    let told: Vec<(i64, &str)> = rows.iter().map(|row| (row.id, row.write.path.as_str())).collect();
    assert_eq!(told, [(2, "b.md"), (1, "a.md")]);
    assert_eq!(store.replaced_bytes(1).await.unwrap(), Some(b"a".to_vec()));
    let next = store.keep_replaced(rows[0].write.clone(), None).await.unwrap();
    assert_eq!(next, 4);
}

#[tokio::test]
async fn a_record_of_an_earlier_layout_is_brought_up_to_date_and_a_copy_is_kept() {
    let scratch = Scratch::new();
    let connection = Connection::open(scratch.path()).unwrap();
    connection.execute_batch(include_str!("../../migrations/0001_texts.sql")).unwrap();
    connection
        .execute_batch("PRAGMA user_version = 1; INSERT INTO texts (hash, body) VALUES ('sha256:1', '旧')")
        .unwrap();
    drop(connection);

    let error = Store::open_to_read(&scratch.path()).unwrap_err();
    assert!(matches!(error, StoreError::OlderSchema { .. }), "{error:?}");
    let opened = scratch.open();
    opened.store.create_conversation(conversation("cv_1")).await.unwrap();
    assert_eq!(opened.store.conversations().await.unwrap().len(), 1);
    let copy = opened.copy.unwrap();
    assert_eq!(copy, scratch.folder.path().join("record.db.before-update-from-1"));
    drop(opened.store);
    let read = |path: &Path| -> (i64, String, u32) {
        let connection = Connection::open(path).unwrap();
        connection
            .query_row(
                "SELECT (SELECT user_version FROM pragma_user_version), (SELECT body FROM texts),
                        (SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'turns')",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap()
    };
    assert_eq!(read(&copy), (1, "旧".into(), 0));
    assert_eq!(read(&scratch.path()), (19, "旧".into(), 1));
    assert_eq!(scratch.open().copy, None);
}

#[tokio::test]
async fn a_first_start_that_died_before_its_first_commit_is_no_obstacle() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path(), "").unwrap();
    drop(scratch.open());
    let scratch = Scratch::new();
    // WAL was switched on and nothing else: one page, no tables, no name.
    Connection::open(scratch.path()).unwrap().pragma_update(None, "journal_mode", "WAL").unwrap();
    assert_eq!(scratch.open().copy, None);
}

#[test]
fn the_layout_is_this() {
    let scratch = Scratch::new();
    drop(scratch.open());
    let connection = Connection::open(scratch.path()).unwrap();
    let mut shown = String::new();
    let mut objects = connection
        .prepare(
            "SELECT type, name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type DESC, name",
        )
        .unwrap();
    let mut objects = objects.query([]).unwrap();
    while let Some(object) = objects.next().unwrap() {
        let (kind, name, table): (String, String, String) =
            (object.get(0).unwrap(), object.get(1).unwrap(), object.get(2).unwrap());
        if kind != "table" {
            shown.push_str(&format!("{kind} {name} on {table}\n"));
            continue;
        }
        let mut columns = connection.prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1)").unwrap();
        let columns: Vec<String> = columns
            .query_map([&name], |row| {
                let (name, kind, is_filled, key): (String, String, bool, i64) =
                    (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                let optional = if is_filled || key > 0 { "" } else { "?" };
                let key = if key > 0 { " key" } else { "" };
                Ok(format!("    {name} {}{optional}{key}\n", kind.to_lowercase()))
            })
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        shown.push_str(&format!("table {name}\n{}", columns.concat()));
    }
    expect_test::expect_file!["layout.txt"].assert_eq(&shown);
}
