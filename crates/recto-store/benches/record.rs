//! What recording costs, and whether it stays flat: `cargo bench -p recto-store`.
//!
//! At 10, 1,000 and 10,000 turns of two requests each it prints, as medians: committing a request of 40 blocks, reading the history
//! for the next turn, and reading the end of the conversation; and the bytes that one request adds to the file and writes to the disk.

use recto_core::context::block::{Block, BlockKind, Role, Seat};
use recto_core::context::plan::{Budget, ByCharacters, plan};
use recto_core::id::{RequestId, TurnId};
use recto_core::request::{AnswerTools, Encoding, Exactness, ModelProfile, Protocol, Purpose, Sampling, Wire};
use recto_core::text::ContentHash;
use recto_engine::ports::{Entry, Journal, RequestEntry};
use recto_store::{NewConversation, NewTurn, Store};
use std::error::Error;
use std::io::{Write, stdout};
use std::path::Path;
use std::time::{Duration, Instant};

const N_BLOCKS: u32 = 40;
const N_SAMPLES: u32 = 200;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    writeln!(
        stdout(),
        "{:>8} {:>12} {:>12} {:>12} {:>14} {:>14}",
        "turns",
        "record",
        "history",
        "open",
        "kept/request",
        "written/req"
    )?;
    for n_turns in [10, 1_000, 10_000] {
        // Beside the build and not in the temporary folder, which may be no disk.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let line = measure(&folder.path().join("record.db"), n_turns).await?;
        writeln!(stdout(), "{line}")?;
    }
    Ok(())
}

async fn measure(path: &Path, n_turns: u32) -> Result<String, Box<dyn Error>> {
    let store = Store::open(path, 1)?.store;
    let new = NewConversation { id: "cv_1".into(), folder: None, model: None, reply_language: None, at_ms: 1 };
    store.create_conversation(new).await?;
    store.begin_turn(turn("tn_1", None)).await?;
    store.record(Entry::Request(Box::new(request("tn_1", 1, 0)?))).await?;
    drop(store);
    fill(path, n_turns)?;

    let store = Store::open(path, 2)?.store;
    let last = format!("tn_{n_turns}");
    store.begin_turn(turn("tn_new", Some(&last))).await?;
    let (size_before, written_before) = (file_size(path)?, bytes_written());
    let mut recording = Vec::new();
    for number in 1..=N_SAMPLES {
        // Made before the clock starts: composing is not recording.
        let entry = Entry::Request(Box::new(request("tn_new", number, number)?));
        let start = Instant::now();
        store.record(entry).await?;
        recording.push(start.elapsed());
    }
    let written = bytes_written().zip(written_before).map(|(after, before)| (after - before) / u64::from(N_SAMPLES));
    // What is older than this entered the summary.
    let until = (n_turns > 20).then(|| TurnId(format!("tn_{}", n_turns - 20)));
    let (mut history, mut opening) = (Vec::new(), Vec::new());
    for _ in 0..N_SAMPLES {
        let start = Instant::now();
        store.exchanges(Some(last.as_str().into()), until.clone()).await?;
        history.push(start.elapsed());
        let start = Instant::now();
        store.turns("cv_1".into(), 30).await?;
        opening.push(start.elapsed());
    }
    // Closing folds the log into the file.
    drop(store);
    let kept = (file_size(path)? - size_before) / u64::from(N_SAMPLES);
    let written = written.map_or("unknown".to_owned(), |bytes| format!("{bytes} B"));
    Ok(format!(
        "{n_turns:>8} {:>12} {:>12} {:>12} {:>14} {written:>14}",
        median(recording),
        median(history),
        median(opening),
        format!("{kept} B")
    ))
}

fn turn(id: &str, parent: Option<&str>) -> NewTurn {
    NewTurn {
        id: id.into(),
        conversation: "cv_1".into(),
        parent: parent.map(TurnId::from),
        question: format!("the question of {id}"),
        model: None,
        folder: None,
        at_ms: 2,
    }
}

/// Adds answered turns with two requests each by copying the first, which is quicker than committing each one.
fn fill(path: &Path, n_turns: u32) -> Result<(), Box<dyn Error>> {
    let connection = rusqlite::Connection::open(path)?;
    connection.execute_batch(&format!(
        "BEGIN;
         CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {n_turns}) SELECT i FROM n;
         INSERT INTO texts (id, hash, body)
         SELECT 1000000 + i, 'sha256:' || lower(hex(randomblob(32))), 'a text of turn ' || i || hex(zeroblob(200)) FROM n;
         INSERT INTO turns (id, conversation_id, parent_id, question_text_id, answer_text_id, ending, started_at, ended_at)
         SELECT 'tn_' || i, 'cv_1', 'tn_' || (i - 1), 1000000 + i, 1000000 + i, 'answered', i, i FROM n WHERE i > 1;
         UPDATE turns SET answer_text_id = 1000001, ending = 'answered', ended_at = 1 WHERE id = 'tn_1';
         CREATE TEMP TABLE m AS SELECT i * 2 + j AS seq, i, j FROM n, (SELECT 0 AS j UNION SELECT 1) WHERE i > 1;
         CREATE TEMP TABLE r AS SELECT * FROM requests;
         CREATE TEMP TABLE rb AS SELECT * FROM request_blocks;
         CREATE TEMP TABLE rp AS SELECT * FROM request_pieces;
         INSERT INTO requests
         SELECT m.seq, 'rq_' || m.seq, 'tn_' || m.i, m.j + 1, purpose, window, reserve, fixed, per_message, n_tokens_planned, n_tokens,
                model, model_window, protocol, takes_trailing_system, answer_tools, exactness, step_text_id, temperature, seed,
                max_tokens, n_stale_rounds, has_reminder, wire_hash, sent_at
         FROM m, r;
         UPDATE rb SET request_seq = 0; UPDATE rp SET request_seq = 0;
         INSERT INTO request_blocks
         SELECT m.seq, position, block_id, kind, source, message, role, answers_call_id, slot, slot_call_id, slot_call_name,
                importance, exchange, score, token_limit, verdict, kept_lines, of_lines, rule, drop_order, n_tokens,
                n_tokens_placed, text_id, placed_text_id
         FROM m, rb;
         INSERT INTO request_pieces SELECT m.seq, position, block_position, encoding, text_id FROM m, rp;
         COMMIT;
         PRAGMA wal_checkpoint(TRUNCATE);"
    ))?;
    Ok(())
}

/// A request of which all but the last two blocks were in the one before.
fn request(turn: &str, number: u32, age: u32) -> Result<RequestEntry, Box<dyn Error>> {
    let block = |position: u32| {
        // The list of blocks moves on by two from one request to the next.
        let name = position + age * 2;
        let role = if position % 2 == 1 { Role::User } else { Role::Assistant };
        let text = format!("the text of block {name}: {}", "some words of a result, ".repeat(20));
        Block::pinned(format!("history/{name}"), BlockKind::History, "an earlier turn", Seat::new(position, role), text)
    };
    let budget = Budget { window: 100_000, reserve: 512, fixed: 0, per_message: 4, fold_to: 99_488 };
    let plan = plan(Purpose::Work, (0..N_BLOCKS).map(block).collect(), budget, &ByCharacters)?;
    let mut wire = Wire::default();
    for (position, row) in plan.rows.iter().enumerate() {
        wire.glue("{\"role\":\"user\",\"content\":\"");
        wire.block(position, row.placed.clone().unwrap_or_default(), Encoding::Json);
        wire.glue("\"},");
    }
    Ok(RequestEntry {
        id: RequestId(format!("rq_{turn}_{number}")),
        turn: turn.into(),
        number,
        n_tokens_placed: plan.rows.iter().map(|row| row.n_tokens).collect(),
        n_tokens: plan.n_tokens,
        profile: ModelProfile {
            name: "a model".into(),
            window: 100_000,
            protocol: Protocol::Native,
            takes_trailing_system: false,
            answer_tools: AnswerTools::Omit,
            exactness: Exactness::Estimate,
        },
        step: None,
        sampling: Sampling { temperature: 0.0, seed: 1, max_tokens: 512 },
        wire_hash: ContentHash::of(wire.bytes().as_bytes()),
        wire,
        plan,
        n_stale_rounds: 0,
        has_reminder: false,
        at_ms: 3,
    })
}

fn median(mut times: Vec<Duration>) -> String {
    times.sort();
    format!("{:.2} ms", times[times.len() / 2].as_secs_f64() * 1_000.0)
}

fn file_size(path: &Path) -> std::io::Result<u64> {
    Ok(path.metadata()?.len())
}

/// Bytes that this program has handed to the system so far; `None` where the system does not count them.
fn bytes_written() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("wchar: "))?.parse().ok()
}
