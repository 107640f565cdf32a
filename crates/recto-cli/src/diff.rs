//! What differs between two requests, on the command line.

use crate::show;
use anyhow::Context as _;
use recto_app::record::{RequestRecord, Store};
use recto_app::{Compared, compare};
use recto_core::context::plan::Verdict;
use recto_core::difference::{BlockDifference, Kind};
use recto_core::id::{RequestId, TurnId};
use std::process::ExitCode;

/// Prints what became of the first request's blocks in the second one.
pub(crate) async fn diff(record: &Store, first: &str, second: &str) -> anyhow::Result<ExitCode> {
    let compared = compare(record, named(record, first).await?, named(record, second).await?).await?;
    print!("{}", shown(&compared));
    Ok(ExitCode::SUCCESS)
}

/// A request by its own name, or as `TURN/NUMBER`, where the turn may be `last`.
pub(crate) async fn named(record: &Store, name: &str) -> anyhow::Result<RequestId> {
    let Some((turn, number)) = name.split_once('/') else { return Ok(RequestId(name.to_owned())) };
    let turn = if turn == "last" { show::latest_turn(record).await? } else { TurnId(turn.to_owned()) };
    let rows = record.requests(turn.clone()).await?;
    let found = rows.into_iter().find(|row| row.number.to_string() == number);
    found.map(|row| row.id).with_context(|| format!("turn {turn} has no request {number}"))
}

fn shown(compared: &Compared) -> String {
    let Compared { first, second, difference } = compared;
    let title = |record: &RequestRecord| {
        format!("{} {} ({} tokens)", record.row.purpose.as_str(), record.row.number, record.row.n_tokens)
    };
    let mut text = format!("from {} to {}\n", title(first), title(second));
    for block in &difference.blocks {
        text.push_str(&line(first, second, block));
    }
    let prefix = difference.prefix;
    let ends_in = prefix.ends_in.and_then(|at| second.plan.rows.get(at)).map(|row| row.block.source.as_str());
    let place = match ends_in {
        Some(source) => format!("the common beginning ends in {source}"),
        None if prefix.n_bytes == prefix.of_bytes => "the bytes are the same".to_owned(),
        None => "the common beginning ends between two blocks".to_owned(),
    };
    let mark = show::mark_of(second.row.profile.exactness);
    text.push_str(&format!(
        "\n{place}: {} of {} bytes; {mark}{} tokens of blocks follow it\n",
        prefix.n_bytes, prefix.of_bytes, prefix.n_tokens_after
    ));
    let usage = second.row.reply.as_ref().map(|reply| reply.reply.usage);
    if let Some((reused, evaluated)) = usage.and_then(|usage| usage.n_reused.zip(usage.n_evaluated)) {
        text.push_str(&format!("the model reused {reused} tokens and read {evaluated}\n"));
    }
    text
}

fn line(first: &RequestRecord, second: &RequestRecord, block: &BlockDifference) -> String {
    let (word, why) = match block.kind {
        Kind::Entered => ("+", String::new()),
        Kind::Left(None) => ("-", String::new()),
        Kind::Left(Some(Verdict::Dropped { rule, .. })) => ("-", format!(" (there: {})", rule.as_str())),
        Kind::Left(Some(_)) => ("-", String::new()),
        Kind::Changed => ("~", String::new()),
        Kind::Moved => (">", String::new()),
        Kind::Same => ("=", String::new()),
    };
    let size = |record: &RequestRecord, at: Option<usize>| {
        at.and_then(|at| record.n_tokens_placed.get(at)).map_or_else(|| "·".to_owned(), ToString::to_string)
    };
    let row = match (block.before, block.after) {
        (_, Some(after)) => second.plan.rows.get(after),
        (Some(before), None) => first.plan.rows.get(before),
        (None, None) => None,
    };
    let (kind, source) = row.map_or(("", ""), |row| (row.block.kind.as_str(), row.block.source.as_str()));
    format!("{word} {:>6} → {:<6} {kind} · {source}{why}\n", size(first, block.before), size(second, block.after))
}
