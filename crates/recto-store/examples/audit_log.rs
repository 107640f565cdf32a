//! What the audit log costs, and whether it shows every change: the second half of `cargo xtask bench door`.
//!
//! It prints how many rows a second are committed one by one, how long it takes to verify a long log with its seals, and how many of many changes
//! made behind the program's back `verify` finds. After every second of them the chain is computed anew, which only the seals and the anchor show.

use recto_core::audit::seal::SealKey;
use recto_core::audit::{AuditEntry, AuditEvent, CHAIN_START, link};
use recto_core::text::ContentHash;
use recto_core::tool::CallStatus;
use recto_engine::ports::{Entry, Journal as _};
use recto_store::{AuditWitness, Store};
use rusqlite::{Connection, params};
use std::collections::hash_map::RandomState;
use std::error::Error;
use std::hash::BuildHasher as _;
use std::io::{Write as _, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// So many rows are committed one by one, each waiting for the disk.
const COMMITTED: i64 = 1_000;
/// So many rows has the log that is changed behind the program's back.
const SHORT: i64 = 100;
/// A log of a million rows is to be verified within this.
const SECONDS_PER_MILLION: f64 = 10.0;

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (mut n_rows, mut n_changes) = (1_000_000_i64, 10_000_u64);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("`{name}` needs a value"))?;
        match name.as_str() {
            "--rows" => n_rows = value.parse()?,
            "--mutations" => n_changes = value.parse()?,
            _ => return Err(format!("there is no option `{name}`").into()),
        }
    }
    // Not in memory: what is measured is the disk.
    let folder = tempfile::tempdir()?;
    let is_quick = measure(&folder.path().join("long.db"), n_rows).await?;
    let is_found = change(&folder.path().join("short.db"), n_changes).await?;
    Ok(if is_quick && is_found { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn measure(path: &Path, n_rows: i64) -> Result<bool, Box<dyn Error>> {
    let store = Store::open(path, 1)?.store;
    store.seal_with(key()).await?;
    let started = Instant::now();
    for number in 1..=COMMITTED {
        store.record(Entry::Audit(entry(number))).await?;
    }
    let per_second = COMMITTED as f64 / started.elapsed().as_secs_f64();
    drop(store);
    fill(path, n_rows)?;
    let store = Store::open(path, 2)?.store;
    let anchor = store.audit_anchor().await?;
    let started = Instant::now();
    let verdict = store.verify_audit_with(AuditWitness { key: Some(key()), anchor: Some(anchor) }).await?;
    let seconds = started.elapsed().as_secs_f64();
    let is_whole = verdict.first_bad.is_none()
        && verdict.n_rows == n_rows.max(COMMITTED).unsigned_abs()
        && (verdict.sealed_from, verdict.n_unsealed) == (Some(1), 0);
    writeln!(
        stdout(),
        "audit log    {per_second:.0} rows a second committed one by one; {} sealed rows verified in {seconds:.1} s, {}",
        verdict.n_rows,
        if is_whole { "whole" } else { "BROKEN" }
    )?;
    Ok(is_whole && seconds <= SECONDS_PER_MILLION * (n_rows as f64 / 1e6).max(1.0))
}

/// What a real log has in the keychain.
fn key() -> SealKey {
    SealKey::new([7; 32])
}

/// A decision or the outcome of the one before.
fn entry(number: i64) -> AuditEntry {
    let hash = |what: &str| Some(ContentHash::of(format!("{what} {number}").as_bytes()));
    let event = if number % 2 == 1 {
        AuditEvent::Decision {
            is_allowed: true,
            decider: "person approved".into(),
            reason: Some(format!("reason {number}")),
            digest: hash("digest"),
            before: hash("before"),
            after: hash("after"),
        }
    } else {
        let note = format!("written, {number} bytes");
        AuditEvent::Outcome { status: CallStatus::Done, note, written: hash("written") }
    };
    AuditEntry {
        at_ms: 1_700_000_000_000 + number,
        conversation: format!("cv_{}", number / 100).as_str().into(),
        turn: format!("tn_{}", number / 10).as_str().into(),
        call: format!("c{number}").as_str().into(),
        tool: "write_file".into(),
        target: format!("notes/list-{number}.md"),
        event,
    }
}

/// Adds the rows up to the last one in one go, as the store does one by one.
fn fill(path: &Path, n_rows: i64) -> Result<(), Box<dyn Error>> {
    let mut connection = Connection::open(path)?;
    let transaction = connection.transaction()?;
    let (last, head): (i64, String) = transaction.query_row(
        "SELECT coalesce(max(seq), 0), coalesce((SELECT link FROM decisions ORDER BY seq DESC LIMIT 1), ?1) FROM decisions",
        [CHAIN_START],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let mut previous = ContentHash(head);
    for number in last + 1..=n_rows {
        let AuditEntry { at_ms, conversation, turn, call, tool, target, event } = entry(number);
        let as_entry = entry(number);
        previous = link(&previous, &as_entry);
        let name = event.as_str();
        let text = |hash: Option<ContentHash>| hash.map(|hash| hash.as_str().to_owned());
        let (allowed, decider, reason, digest, before, after, status, note, written) = match event {
            AuditEvent::Decision { is_allowed, decider, reason, digest, before, after } => {
                (Some(is_allowed), Some(decider), reason, text(digest), text(before), text(after), None, None, None)
            }
            AuditEvent::Outcome { note, written, .. } => {
                (None, None, None, None, None, None, Some("done"), Some(note), text(written))
            }
        };
        transaction
            .prepare_cached(
                "INSERT INTO decisions (recorded_at, conversation_id, turn_id, call_id, tool, target, event, is_allowed, decider,
                     reason, digest, before_hash, after_hash, status, note, written_hash, link)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
            )?
            .execute(params![
                at_ms,
                conversation.as_str(),
                turn.as_str(),
                call.as_str(),
                tool,
                target,
                name,
                allowed,
                decider,
                reason,
                digest,
                before,
                after,
                status,
                note,
                written,
                previous.as_str()
            ])?;
        transaction
            .prepare_cached("INSERT INTO audit_seals (seq, previous, mac) VALUES (?1, ?2, ?3)")?
            .execute(params![number, number - 1, key().seal(number, number - 1, &previous)])?;
    }
    transaction.commit()?;
    Ok(())
}

/// The columns that are said of every row, of a decision and of an outcome.
const OF_ALL: [&str; 6] = ["conversation_id", "turn_id", "call_id", "tool", "target", "link"];
const OF_DECISION: [&str; 5] = ["decider", "reason", "digest", "before_hash", "after_hash"];
const OF_OUTCOME: [&str; 2] = ["note", "written_hash"];

async fn change(path: &Path, n_changes: u64) -> Result<bool, Box<dyn Error>> {
    let store = Store::open(path, 1)?.store;
    store.seal_with(key()).await?;
    for number in 1..=SHORT {
        store.record(Entry::Audit(entry(number))).await?;
    }
    let witness = AuditWitness { key: Some(key()), anchor: Some(store.audit_anchor().await?) };
    let behind = Connection::open(path)?;
    behind.execute_batch(
        "PRAGMA synchronous = OFF;
         DROP TRIGGER decisions_are_not_changed; DROP TRIGGER decisions_are_not_deleted;
         DROP TRIGGER decisions_are_not_replaced;
         DROP TRIGGER audit_seals_are_not_deleted;
         CREATE TEMP TABLE whole AS SELECT * FROM decisions; CREATE TEMP TABLE seals AS SELECT * FROM audit_seals;",
    )?;
    let seed = RandomState::new();
    let started = Instant::now();
    let (mut n_found, mut missed, mut is_whole) = (0, Vec::new(), true);
    for number in 0..n_changes {
        let dice = |what: u64, n: i64| (seed.hash_one((number, what)) % n.unsigned_abs()) as i64;
        let statement = statement(&dice);
        behind.execute_batch(&statement)?;
        // A changed link that is computed anew is the old one.
        if number % 2 == 1 && !statement.contains("SET link") {
            compute_anew(&store, &behind, dice(9, 3) == 0).await?;
        }
        if store.verify_audit_with(witness.clone()).await?.first_bad.is_some() {
            n_found += 1;
        } else {
            missed.push(statement);
        }
        behind.execute_batch(&format!(
            "DELETE FROM decisions; INSERT INTO decisions SELECT * FROM whole;
             DELETE FROM audit_seals; INSERT INTO audit_seals SELECT * FROM seals;
             UPDATE sqlite_sequence SET seq = {SHORT} WHERE name = 'decisions';"
        ))?;
        // What was found has to be this change and not what is left of the one before.
        is_whole &= store.verify_audit_with(witness.clone()).await?.first_bad.is_none();
    }
    writeln!(
        stdout(),
        "             {n_changes} changes behind the program's back, {n_found} found; whole again without them: {is_whole}, {:.1} s",
        started.elapsed().as_secs_f64()
    )?;
    for statement in missed.iter().take(10) {
        writeln!(stdout(), "             missed: {statement}")?;
    }
    Ok(is_whole && missed.is_empty())
}

/// What somebody does who knows how the chain is made: every link, and the file's own count of rows; and takes the seals away, or not.
async fn compute_anew(store: &Store, behind: &Connection, is_stripped: bool) -> Result<(), Box<dyn Error>> {
    let mut head = ContentHash(CHAIN_START.to_owned());
    for row in store.audit_after(0, 10 * SHORT.unsigned_abs() as usize).await? {
        head = link(&head, &row.entry);
        behind.execute("UPDATE decisions SET link = ?1 WHERE seq = ?2", params![head.as_str(), row.seq])?;
    }
    behind.execute_batch(
        "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(seq), 0) FROM decisions) WHERE name = 'decisions'",
    )?;
    if is_stripped {
        behind.execute_batch("DELETE FROM audit_seals")?;
    }
    Ok(())
}

/// A change of one row or of several, which is never none.
fn statement(dice: &impl Fn(u64, i64) -> i64) -> String {
    let row = dice(1, SHORT) + 1;
    let is_decision = row % 2 == 1;
    let other = (row + dice(2, SHORT - 1)) % SHORT + 1;
    match dice(0, 10) {
        0..=2 => {
            let own: &[&str] = if is_decision { &OF_DECISION } else { &OF_OUTCOME };
            let columns: Vec<&&str> = OF_ALL.iter().chain(own).collect();
            let column = columns[dice(3, columns.len() as i64) as usize];
            match dice(4, 3) {
                0 => format!("UPDATE decisions SET {column} = {column} || 'x' WHERE seq = {row}"),
                1 => format!("UPDATE decisions SET {column} = substr({column}, 2) WHERE seq = {row}"),
                _ => format!("UPDATE decisions SET {column} = '' WHERE seq = {row}"),
            }
        }
        3 => format!("UPDATE decisions SET recorded_at = recorded_at + {} WHERE seq = {row}", dice(3, 9) + 1),
        4 if is_decision => format!("UPDATE decisions SET is_allowed = 0 WHERE seq = {row}"),
        4 => format!("UPDATE decisions SET status = 'failed' WHERE seq = {row}"),
        5 => format!("DELETE FROM decisions WHERE seq = {row}"),
        6 => format!("DELETE FROM decisions WHERE seq > {}", row - 1),
        7 => format!(
            "UPDATE decisions SET seq = 1000 WHERE seq = {row}; UPDATE decisions SET seq = {row} WHERE seq = {other};
             UPDATE decisions SET seq = {other} WHERE seq = 1000;"
        ),
        // A row that was never there, with a link that fits another one.
        8 => format!(
            "INSERT INTO decisions SELECT {}, recorded_at, conversation_id, turn_id, call_id, tool, 'forged.md', event, is_allowed,
                 decider, reason, digest, before_hash, after_hash, status, note, written_hash, link FROM decisions WHERE seq = {row};",
            SHORT + 1
        ),
        // The end is cut and something else takes its place.
        _ => format!(
            "DELETE FROM decisions WHERE seq = {SHORT};
             INSERT INTO decisions SELECT {SHORT}, recorded_at, conversation_id, turn_id, call_id, tool, 'forged.md', event, is_allowed,
                 decider, reason, digest, before_hash, after_hash, status, note, written_hash, link FROM whole WHERE seq = {row};"
        ),
    }
}
