//! What was sent: the requests of a turn, block by block, or to the byte.

use anyhow::Context as _;
use recto_app::record::{RequestRecord, RequestRow, Store, Transport};
use recto_app::{curl, spelled};
use recto_core::context::omission::omissions;
use recto_core::context::plan::{PlannedBlock, Verdict};
use recto_core::id::TurnId;
use recto_core::request::{Exactness, Token, Wire};
use recto_core::witness::{Witness, witness};
use std::process::ExitCode;

/// What is printed of each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Its blocks, with what was left out.
    Blocks,
    /// Its bytes.
    Bytes,
    /// The command that sends it again.
    Curl,
    /// What came back, as it came.
    Reply,
    /// The tokens that its bytes became.
    Tokens,
}

/// Prints every request of a turn.
pub(crate) async fn show(record: &Store, turn: &str, what: What) -> anyhow::Result<ExitCode> {
    let turn = if turn == "last" { latest_turn(record).await? } else { TurnId(turn.to_owned()) };
    let asked = record.turn(turn.clone()).await?;
    if what == What::Blocks {
        println!("turn {turn}\nquestion: {}\n", asked.question);
    }
    for row in record.requests(turn).await? {
        if what == What::Blocks {
            print!("{}", shown(&record.request(row.id).await?));
            continue;
        }
        println!("--- request {} ({}), {}", row.number, row.purpose.as_str(), row.wire_hash);
        let transport = record.transport(row.id.clone()).await?;
        match what {
            What::Reply => print!("{}", came_back(&row, transport.as_ref())),
            What::Curl => {
                let wire = record.wire(row.id).await?;
                let nowhere = "# this request went to no address: the model runs inside the program\n".to_owned();
                print!("{}", curl(&wire, transport.as_ref()).unwrap_or(nowhere));
            }
            What::Tokens => {
                let tokens = transport.map(|transport| transport.tokens).unwrap_or_default();
                print!("{}", spelled_out(&record.wire(row.id).await?, &tokens));
            }
            What::Bytes | What::Blocks => println!("{}", record.wire(row.id).await?.bytes()),
        }
    }
    if let (What::Blocks, Some(answer)) = (what, asked.answer) {
        println!("answer: {answer}");
    }
    Ok(ExitCode::SUCCESS)
}

/// What a server sent, or, for a model inside the program, what it wrote.
fn came_back(row: &RequestRow, transport: Option<&Transport>) -> String {
    match transport.filter(|transport| transport.n_bytes > 0) {
        Some(transport) => {
            let rest = transport.n_bytes - transport.stream.len() as u64;
            let missing = if rest > 0 { format!("\n[{rest} bytes more were not kept]\n") } else { String::new() };
            format!("{}{missing}", String::from_utf8_lossy(&transport.stream))
        }
        None => row.reply.as_ref().map(|reply| format!("{}\n", reply.reply.text)).unwrap_or_default(),
    }
}

/// A line for each token: its number, and its text as it would stand in a string of code.
fn spelled_out(wire: &Wire, tokens: &[Token]) -> String {
    if tokens.is_empty() {
        return "# only the server knows the tokens of this request\n".to_owned();
    }
    spelled(wire, tokens).into_iter().map(|token| format!("{:>7} {:?}\n", token.id, token.text)).collect()
}

pub(crate) async fn latest_turn(record: &Store) -> anyhow::Result<TurnId> {
    let rows = record.conversations().await?;
    let latest = rows.into_iter().filter(|row| row.current_turn.is_some()).max_by_key(|row| row.updated_at_ms);
    latest.and_then(|row| row.current_turn).context("there is no turn yet; ask something first")
}

/// One request: a line for each block with its verdict, and its text below.
fn shown(record: &RequestRecord) -> String {
    let row = &record.row;
    let mark = mark_of(row.profile.exactness);
    let mut text = format!(
        "== request {} ({}) to {}: {mark}{} of {} tokens, stale rounds {}{}\n",
        row.number,
        row.purpose.as_str(),
        row.profile.name,
        row.n_tokens,
        row.profile.window,
        row.n_stale_rounds,
        if row.has_reminder { ", reminder" } else { "" },
    );
    let usage = row.reply.as_ref().map(|reply| &reply.reply.usage);
    if let Witness::ReadLess { n_read, n_sent } = witness(row.n_tokens, row.profile.exactness, usage) {
        text.push_str(&format!(
            "!! the server read {n_read} of {mark}{n_sent} tokens: part of this request, mostly its front, was lost\n"
        ));
    }
    text.push_str(&blocks(&record.plan.rows, &record.n_tokens_placed, mark));
    text.push_str(&went_without(record));
    if let Some(reply) = &row.reply {
        text.push_str(&format!("\n[reply]\n   {}\n", reply.reply.text.replace('\n', "\n   ")));
        if let Some(failure) = &reply.failure {
            text.push_str(&format!("   (not whole: {failure})\n"));
        }
    }
    text.push('\n');
    text
}

/// What was left out in the order in which it went, with the room that there was for it.
fn went_without(record: &RequestRecord) -> String {
    let mut text = String::new();
    for omission in omissions(&record.plan, &record.n_tokens_placed) {
        if let Some(had) = omission.had {
            let source = &record.plan.rows[omission.block].block.source;
            let (order, rule, needed) = (omission.order, omission.rule.as_str(), omission.needed);
            text.push_str(&format!("   {order}. {source}: {rule}, needed {needed}, had {had}\n"));
        }
    }
    if text.is_empty() { text } else { format!("\n[left out]\n{text}") }
}

/// How a count is known, in one sign.
pub(crate) fn mark_of(exactness: Exactness) -> char {
    match exactness {
        Exactness::Exact => '=',
        Exactness::Estimate => '~',
        Exactness::Counted | Exactness::Calibrated { .. } => '≈',
    }
}

/// A line for each block with its verdict, and its text below.
pub(crate) fn blocks(rows: &[PlannedBlock], n_tokens_placed: &[u32], mark: char) -> String {
    let mut text = String::new();
    let mut message = None;
    for (planned, n_placed) in rows.iter().zip(n_tokens_placed) {
        let seat = &planned.block.seat;
        if message != Some(seat.message) && planned.placed.is_some() {
            message = Some(seat.message);
            text.push_str(&format!("\n[{}]\n", seat.role.as_str()));
        }
        let verdict = match planned.verdict {
            Verdict::Kept => "kept".to_owned(),
            Verdict::Cut { kept_lines, of_lines } => format!("cut, lines 1–{kept_lines} of {of_lines}"),
            Verdict::Dropped { rule, order } if order > 0 => format!("dropped, {} ({order})", rule.as_str()),
            Verdict::Dropped { rule, .. } => format!("left out, {}", rule.as_str()),
        };
        let size = if planned.placed.is_some() { *n_placed } else { planned.n_tokens };
        text.push_str(&format!(
            "-- {} · {} · {verdict} · {mark}{size} tokens\n",
            planned.block.kind.as_str(),
            planned.block.source
        ));
        if let Some(placed) = &planned.placed {
            for line in placed.trim_matches('\n').lines() {
                text.push_str(&format!("   {line}\n"));
            }
        }
    }
    text
}

/// Prints the conversations, the latest first.
pub(crate) async fn conversations(record: &Store) -> anyhow::Result<ExitCode> {
    for row in record.conversations().await? {
        println!("{}  {} turns  {}", row.id, row.n_turns, row.title.as_deref().unwrap_or("(empty)"));
    }
    Ok(ExitCode::SUCCESS)
}
