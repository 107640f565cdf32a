//! One question from the command line.

use crate::{json, trail};
use anyhow::Context as _;
use recto_app::{App, TurnOptions};
use recto_core::id::ConversationId;
use recto_core::turn::Ending;
use recto_engine::event::TurnEvent;
use std::io::Write as _;
use std::process::ExitCode;

/// Asks one question and prints its answer. The exit code is 0 if there is a whole answer.
pub(crate) async fn ask(
    app: &App,
    question: String,
    conversation: Option<String>,
    as_json: bool,
    options: TurnOptions,
) -> anyhow::Result<ExitCode> {
    let conversation = match conversation.as_deref() {
        None => {
            let folder = options.folder.as_ref().map(|folder| folder.display().to_string());
            app.create_conversation(folder, None).await?
        }
        Some("last") => latest(app).await?,
        Some(id) => ConversationId(id.to_owned()),
    };
    let ending = one_turn(app, conversation, question, as_json, options).await?;
    Ok(match ending {
        Ending::Answered | Ending::Limited { .. } => ExitCode::SUCCESS,
        Ending::Stopped | Ending::Failed { .. } => ExitCode::FAILURE,
    })
}

async fn latest(app: &App) -> anyhow::Result<ConversationId> {
    let rows = app.record().conversations().await?;
    let latest = rows.into_iter().max_by_key(|row| row.updated_at_ms);
    latest.map(|row| row.id).context("there is no conversation yet; leave out --conversation to begin one")
}

/// Runs a turn to its end. Ctrl-C stops it.
pub(crate) async fn one_turn(
    app: &App,
    conversation: ConversationId,
    question: String,
    as_json: bool,
    options: TurnOptions,
) -> anyhow::Result<Ending> {
    let turn = app.start_turn(conversation, question, options).await?;
    let watching =
        app.watch_turn(&turn).context("the turn ended before it could be watched; `recto show last` has it")?;
    let mut coming = watching.coming;
    let mut printer = Printer { as_json, n_streamed: 0, is_line_open: false };
    let mut ending = None;
    for event in watching.told {
        ending = printer.print(&event)?.or(ending);
    }
    loop {
        tokio::select! {
            event = coming.recv() => match event {
                Some(event) => ending = printer.print(&event)?.or(ending),
                None => break,
            },
            interrupt = tokio::signal::ctrl_c() => {
                interrupt?;
                app.stop_turn(&turn);
            }
        }
    }
    ending.context("the turn ended without saying how; `recto show last` has what is on record")
}

/// Prints events; the answer as it is written.
struct Printer {
    as_json: bool,
    n_streamed: usize,
    is_line_open: bool,
}

impl Printer {
    fn print(&mut self, event: &TurnEvent) -> anyhow::Result<Option<Ending>> {
        if self.as_json {
            if let Some(line) = json::line(event) {
                println!("{line}");
            }
        } else {
            self.print_answer(event)?;
            if let Some(line) = trail::line(event) {
                eprintln!("{line}");
            }
        }
        Ok(match event {
            TurnEvent::Ended { ending, .. } => Some(ending.clone()),
            _ => None,
        })
    }

    fn print_answer(&mut self, event: &TurnEvent) -> std::io::Result<()> {
        let mut out = std::io::stdout();
        match event {
            TurnEvent::Answer(text) => {
                self.n_streamed += text.len();
                self.is_line_open = !text.ends_with('\n');
                write!(out, "{text}")?;
                out.flush()
            }
            // The line is closed before the trail goes on, so that a terminal shows both.
            TurnEvent::Replied { .. } if self.is_line_open => {
                self.is_line_open = false;
                writeln!(out)?;
                out.flush()
            }
            TurnEvent::Ended { answer, .. } if self.n_streamed == 0 && !answer.is_empty() => {
                writeln!(out, "{answer}")?;
                out.flush()
            }
            _ => Ok(()),
        }
    }
}
