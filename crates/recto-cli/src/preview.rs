//! What the next question would be sent with, and the summary that stands for what left the history.

use crate::show::{blocks, mark_of};
use anyhow::{Context as _, bail};
use recto_app::record::{Store, SummaryRow};
use recto_app::{App, NextQuestion};
use recto_core::context::summary::Author;
use recto_core::id::ConversationId;
use recto_engine::ports::Stop;
use std::process::ExitCode;

/// Prints the request that would leave. Nothing is sent and nothing is recorded.
pub(crate) async fn preview(app: &App, next: NextQuestion) -> anyhow::Result<ExitCode> {
    let (_switch, stop) = Stop::new();
    let request = app.preview(next, stop).await?;
    let preview = match request.outcome {
        Ok(preview) => preview,
        Err(error) => bail!("nothing could be sent: {error}"),
    };
    let mark = mark_of(request.profile.exactness);
    let budget = preview.plan.budget;
    println!(
        "the next request to {}: {mark}{} of {} tokens, {} kept free for the reply",
        request.profile.name, preview.plan.n_tokens, budget.window, budget.reserve
    );
    if let Some(folded) = &preview.folded {
        println!(
            "{} earlier exchanges would enter the summary first (version {})",
            folded.exchanges.len(),
            folded.summary.version
        );
    }
    print!("{}", blocks(&preview.plan.rows, &request.n_tokens_placed, mark));
    Ok(ExitCode::SUCCESS)
}

/// The conversation that is meant: by its name, or `last`.
pub(crate) async fn conversation(record: &Store, named: &str) -> anyhow::Result<ConversationId> {
    if named != "last" {
        return Ok(ConversationId(named.to_owned()));
    }
    let latest = record.conversations().await?.into_iter().max_by_key(|row| row.updated_at_ms);
    Ok(latest.context("there is no conversation yet; ask something first")?.id)
}

/// Prints every version of the summary of a conversation, the newest first, with the questions that entered it.
pub(crate) async fn summary(record: &Store, named: &str) -> anyhow::Result<ExitCode> {
    let row = record.conversation(conversation(record, named).await?).await?;
    let versions = match row.current_turn {
        Some(turn) => record.summary_versions(turn).await?,
        None => Vec::new(),
    };
    if versions.is_empty() {
        println!("no summary yet: the whole conversation still fits into the model's window");
    }
    for version in versions {
        print!("{}", shown(&version));
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(row: &SummaryRow) -> String {
    let author = match row.summary.author {
        Author::Rule => "taken by rule",
        Author::Model => "written by a model",
        Author::Person => "written by you",
    };
    let mut text =
        format!("== version {}, {author}, after turn {}\n{}\n", row.summary.version, row.turn, row.summary.text());
    for (turn, question) in &row.entered {
        text.push_str(&format!("   {turn}  {}\n", recto_core::text::one_line(question, 100)));
    }
    text.push('\n');
    text
}
