//! The seals of the audit log and its anchor: what was changed behind the program's back shows even where the chain was computed anew.

use crate::entries::*;
use recto_core::audit::seal::{Anchor, SealKey};
use recto_core::audit::{AuditEntry, AuditEvent, CHAIN_START, link};
use recto_core::text::ContentHash;
use recto_core::tool::CallStatus;
use recto_engine::ports::{Entry, Journal};
use recto_store::{AuditFault, AuditFaultKind, AuditVerdict, AuditWitness, Store};
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};

const NO_TRIGGERS: &str = "
    DROP TRIGGER decisions_are_not_changed; DROP TRIGGER decisions_are_not_deleted; DROP TRIGGER decisions_are_not_replaced;
    DROP TRIGGER audit_seals_are_not_changed; DROP TRIGGER audit_seals_are_not_deleted; DROP TRIGGER audit_seals_are_not_replaced;";

fn key() -> SealKey {
    SealKey::new([7; 32])
}

fn entry(number: i64) -> AuditEntry {
    let event = if number % 2 == 0 {
        AuditEvent::Outcome { status: CallStatus::Done, note: format!("written, {number} bytes"), written: None }
    } else {
        AuditEvent::Decision {
            is_allowed: true,
            decider: "person approved".into(),
            reason: None,
            digest: Some(ContentHash::of(&number.to_be_bytes())),
            before: None,
            after: None,
        }
    };
    AuditEntry {
        at_ms: number,
        conversation: "cv_1".into(),
        turn: "tn_1".into(),
        call: format!("c{number}").as_str().into(),
        tool: "write_file".into(),
        target: format!("{number}.md"),
        event,
    }
}

/// Adds rows until there are so many, by a program that has the key or has not.
async fn grow(scratch: &Scratch, to: i64, has_key: bool) -> Anchor {
    let store = scratch.open().store;
    if has_key {
        store.seal_with(key()).await.unwrap();
    }
    for number in store.audit_anchor().await.unwrap().n_rows + 1..=to {
        store.record(Entry::Audit(entry(number))).await.unwrap();
    }
    store.audit_anchor().await.unwrap()
}

async fn verify(path: &Path, key: Option<SealKey>, anchor: Option<Anchor>) -> AuditVerdict {
    let witness = AuditWitness { key, anchor };
    Store::open_to_read(path).unwrap().verify_audit_with(witness).await.unwrap()
}

/// Five rows from before there was a key, fifteen sealed ones, five that were added without a keychain, and fifteen sealed ones.
async fn log(scratch: &Scratch) -> Anchor {
    grow(scratch, 5, false).await;
    grow(scratch, 20, true).await;
    grow(scratch, 25, false).await;
    grow(scratch, 40, true).await
}

fn bad(seq: i64, kind: AuditFaultKind) -> Option<AuditFault> {
    Some(AuditFault { seq, kind })
}

#[tokio::test]
async fn permission_p7_old_rows_stay_valid_and_it_is_said_from_where_on_the_log_is_sealed() {
    let scratch = Scratch::new();
    let anchor = log(&scratch).await;
    assert_eq!((anchor.n_rows, anchor.sealed_to), (40, 40));
    let whole = AuditVerdict { n_rows: 40, first_bad: None, sealed_from: Some(6), n_unsealed: 5, n_behind: Some(0) };
    assert_eq!(verify(&scratch.path(), Some(key()), Some(anchor)).await, whole);
    // Without a keychain the chain alone is checked.
    assert_eq!(verify(&scratch.path(), None, None).await, AuditVerdict { n_behind: None, ..whole });
}

#[tokio::test]
async fn permission_p7_a_key_that_comes_late_seals_what_this_program_added_and_nothing_older() {
    let scratch = Scratch::new();
    grow(&scratch, 3, false).await;
    let store = scratch.open().store;
    store.record(Entry::Audit(entry(4))).await.unwrap();
    store.seal_with(key()).await.unwrap();
    store.seal_with(key()).await.unwrap();
    store.record(Entry::Audit(entry(5))).await.unwrap();
    let verdict = verify(&scratch.path(), Some(key()), None).await;
    assert_eq!((verdict.sealed_from, verdict.n_unsealed, verdict.first_bad), (Some(4), 0, None));
}

#[tokio::test]
async fn permission_p7_a_row_that_somebody_else_adds_while_the_program_runs_is_not_sealed() {
    let scratch = Scratch::new();
    let store = scratch.open().store;
    store.seal_with(key()).await.unwrap();
    store.record(Entry::Audit(entry(1))).await.unwrap();
    let anchor = store.audit_anchor().await.unwrap();
    forge(&scratch.path(), &entry(2));
    let loose = verify(&scratch.path(), Some(key()), Some(anchor.clone())).await;
    assert_eq!((loose.n_behind, loose.first_bad), (Some(1), bad(2, AuditFaultKind::AnchorBehind)));
    store.record(Entry::Audit(entry(3))).await.unwrap();
    let verdict = verify(&scratch.path(), Some(key()), None).await;
    assert_eq!((verdict.n_rows, verdict.n_unsealed), (3, 1));
}

#[tokio::test]
async fn permission_p7_rows_after_the_anchor_are_whole_where_they_are_sealed() {
    let scratch = Scratch::new();
    let anchor = grow(&scratch, 3, true).await;
    grow(&scratch, 8, true).await;
    let verdict = verify(&scratch.path(), Some(key()), Some(anchor)).await;
    assert_eq!((verdict.n_behind, verdict.first_bad), (Some(5), None));
}

#[tokio::test]
async fn permission_p7_the_seals_themselves_cannot_be_changed_or_deleted() {
    let scratch = Scratch::new();
    grow(&scratch, 3, true).await;
    let connection = Connection::open(scratch.path()).unwrap();
    for statement in [
        "UPDATE audit_seals SET mac = '' WHERE seq = 2",
        "DELETE FROM audit_seals",
        "INSERT OR REPLACE INTO audit_seals SELECT * FROM audit_seals WHERE seq = 3",
    ] {
        assert_eq!(connection.execute(statement, []).unwrap_err().to_string(), "the audit log is append-only");
    }
}

/// What somebody with the file and without the keychain can do, each with what is said of it.
#[tokio::test]
async fn permission_p7_verify_says_where_and_what_kind() {
    let scratch = Scratch::new();
    let anchor = log(&scratch).await;
    let relinked = "-- computed anew from here on";
    for (statements, expected) in [
        ("UPDATE decisions SET target = 'x' WHERE seq = 9", bad(9, AuditFaultKind::Altered)),
        ("DELETE FROM decisions WHERE seq = 9", bad(9, AuditFaultKind::Missing)),
        (
            "UPDATE decisions SET seq = 99 WHERE seq = 9; UPDATE decisions SET seq = 9 WHERE seq = 12;
             UPDATE decisions SET seq = 12 WHERE seq = 99;",
            bad(9, AuditFaultKind::Reordered),
        ),
        ("DELETE FROM decisions WHERE seq > 38", bad(39, AuditFaultKind::Cut)),
        (
            "DELETE FROM decisions WHERE seq > 38; DELETE FROM audit_seals WHERE seq > 38;
             UPDATE sqlite_sequence SET seq = 38 WHERE name = 'decisions'",
            bad(39, AuditFaultKind::Cut),
        ),
        ("DELETE FROM audit_seals WHERE seq = 9", bad(9, AuditFaultKind::Unsealed)),
        ("DELETE FROM audit_seals WHERE seq > 30", bad(40, AuditFaultKind::Unsealed)),
        (
            "UPDATE decisions SET target = 'x' WHERE seq = 9; -- computed anew from here on",
            bad(9, AuditFaultKind::Altered),
        ),
        // A row without a seal is held by the next one that has one.
        (
            "UPDATE decisions SET target = 'x' WHERE seq = 3; -- computed anew from here on",
            bad(6, AuditFaultKind::Altered),
        ),
        (
            "UPDATE decisions SET target = 'x' WHERE seq = 22; -- computed anew from here on",
            bad(26, AuditFaultKind::Altered),
        ),
        (
            "UPDATE decisions SET target = 'x' WHERE seq = 9; DELETE FROM audit_seals; -- computed anew from here on",
            bad(40, AuditFaultKind::Altered),
        ),
    ] {
        let path = copy(&scratch.path(), &scratch.folder.path().join("copy.db"));
        tamper(&path, statements);
        if statements.contains(relinked) {
            relink(&path).await;
        }
        let verdict = verify(&path, Some(key()), Some(anchor.clone())).await;
        assert_eq!(verdict.first_bad, expected, "{statements}");
    }
}

/// T-56, A-15: flip, delete, swap, cut, cut and add again, forge, strip, renumber, restore, with the chain computed anew or not.
#[tokio::test]
async fn permission_p7_a_thousand_random_mutations_are_all_found() {
    let scratch = Scratch::new();
    grow(&scratch, 5, false).await;
    grow(&scratch, 20, true).await;
    let older = copy(&scratch.path(), &scratch.folder.path().join("older.db"));
    grow(&scratch, 25, false).await;
    let anchor = grow(&scratch, 40, true).await;
    let mut random = Random(20_261_201);
    let path = scratch.folder.path().join("copy.db");
    let mut n_of_each = [0; N_KINDS];
    for round in 0..1_000 {
        let kind = random.below(N_KINDS as u64) as usize;
        let from = if kind == RESTORES { older.clone() } else { scratch.path() };
        copy(&from, &path);
        let done = mutate(&path, kind, &mut random).await;
        let verdict = verify(&path, Some(key()), Some(anchor.clone())).await;
        assert_ne!(verdict.first_bad, None, "round {round}, {done}");
        n_of_each[kind] += 1;
    }
    assert!(n_of_each.iter().all(|n| *n > 30), "{n_of_each:?}");
}

const N_KINDS: usize = 12;
const RESTORES: usize = 11;

async fn mutate(path: &Path, kind: usize, random: &mut Random) -> String {
    let seq = 1 + random.below(40) as i64;
    let other = 1 + (seq + random.below(39) as i64) % 40;
    let column = ["conversation_id", "turn_id", "call_id", "tool", "target", "link"][random.below(6) as usize];
    let flip = format!("UPDATE decisions SET {column} = {column} || 'x' WHERE seq = {seq};");
    let flip_said = format!("UPDATE decisions SET target = target || 'x' WHERE seq = {seq};");
    let delete = format!("DELETE FROM decisions WHERE seq = {seq};");
    let renumber = format!(
        "DELETE FROM audit_seals WHERE seq = {seq}; UPDATE decisions SET seq = seq - 1 WHERE seq > {seq};
         UPDATE audit_seals SET seq = seq - 1, previous = max(previous - 1, 0) WHERE seq > {seq};
         UPDATE sqlite_sequence SET seq = 39 WHERE name = 'decisions';"
    );
    let swap = format!(
        "UPDATE decisions SET seq = 99 WHERE seq = {seq}; UPDATE decisions SET seq = {seq} WHERE seq = {other};
         UPDATE decisions SET seq = {other} WHERE seq = 99;"
    );
    let cut = format!(
        "DELETE FROM decisions WHERE seq >= {seq}; DELETE FROM audit_seals WHERE seq >= {seq};
         UPDATE sqlite_sequence SET seq = {} WHERE name = 'decisions';",
        seq - 1
    );
    let sealed = if (6..=20).contains(&seq) || seq > 25 { seq } else { 6 + seq % 5 };
    let (statements, is_relinked) = match kind {
        0 => (flip, false),
        1 => (flip_said, true),
        2 => (format!("{flip_said} DELETE FROM audit_seals WHERE seq >= {seq};"), true),
        3 => (delete, false),
        4 => (format!("{delete} {renumber}"), true),
        5 => (swap.clone(), false),
        6 => (swap, true),
        7 | 8 => (cut, false),
        9 => (format!("DELETE FROM audit_seals WHERE seq = {sealed};"), false),
        10 => (
            format!("UPDATE audit_seals SET mac = substr(mac, 2) || substr(mac, 1, 1) || '0' WHERE seq = {sealed};"),
            false,
        ),
        _ => (String::new(), false),
    };
    tamper(path, &statements);
    if is_relinked {
        relink(path).await;
    }
    if kind == 8 {
        // As long as before, and with a chain that holds.
        for number in seq..=40 {
            forge(path, &entry(number + 100));
        }
    }
    format!("kind {kind}: {statements}")
}

fn copy(from: &Path, to: &Path) -> PathBuf {
    for beside in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{beside}", to.display()));
    }
    std::fs::copy(from, to).unwrap();
    to.to_owned()
}

/// A connection that does not wait for the disk; nothing of these copies has to survive.
fn careless(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA synchronous = OFF;").unwrap();
    connection
}

fn tamper(path: &Path, statements: &str) {
    let connection = careless(path);
    connection.execute_batch(NO_TRIGGERS).unwrap();
    connection.execute_batch(statements).unwrap();
}

/// Computes the chain anew over what the rows say now.
async fn relink(path: &Path) {
    let rows = Store::open_to_read(path).unwrap().audit_after(0, 1_000).await.unwrap();
    let connection = careless(path);
    let mut head = ContentHash(CHAIN_START.to_owned());
    for row in rows {
        head = link(&head, &row.entry);
        connection.execute("UPDATE decisions SET link = ?1 WHERE seq = ?2", params![head.as_str(), row.seq]).unwrap();
    }
}

/// Adds a row with a chain that holds, as anybody can who has the file.
fn forge(path: &Path, entry: &AuditEntry) {
    let connection = careless(path);
    let head: Option<String> = connection
        .query_row("SELECT max(link) FILTER (WHERE seq = (SELECT max(seq) FROM decisions)) FROM decisions", [], |row| {
            row.get(0)
        })
        .unwrap();
    let link = link(&ContentHash(head.unwrap_or_else(|| CHAIN_START.to_owned())), entry);
    let (note, decider) = match &entry.event {
        AuditEvent::Outcome { note, .. } => (Some(note), None),
        AuditEvent::Decision { decider, .. } => (None, Some(decider)),
    };
    let digest = match &entry.event {
        AuditEvent::Decision { digest, .. } => digest.as_ref().map(ContentHash::as_str),
        AuditEvent::Outcome { .. } => None,
    };
    connection
        .execute(
            "INSERT INTO decisions (recorded_at, conversation_id, turn_id, call_id, tool, target, event, is_allowed, decider, digest,
                 status, note, link) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            params![
                entry.at_ms,
                entry.conversation.as_str(),
                entry.turn.as_str(),
                entry.call.as_str(),
                entry.tool,
                entry.target,
                entry.event.as_str(),
                decider.map(|_| true),
                decider,
                digest,
                note.map(|_| "done"),
                note,
                link.as_str()
            ],
        )
        .unwrap();
}

/// Numbers that look drawn and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
