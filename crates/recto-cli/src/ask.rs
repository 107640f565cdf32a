//! One question from the command line.

use crate::interrupts::{Interrupts, end_now};
use crate::{json, trail};
use anyhow::Context as _;
use recto_app::{App, TurnOptions};
use recto_core::id::ConversationId;
use recto_core::turn::Ending;
use recto_engine::event::TurnEvent;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

/// Asks one question and prints its answer. The exit code is 0 if there is a whole answer.
pub(crate) async fn ask(
    app: &App,
    question: String,
    conversation: Option<String>,
    as_json: bool,
    options: TurnOptions,
    interrupts: &mut Interrupts,
) -> anyhow::Result<ExitCode> {
    let conversation = match conversation.as_deref() {
        None => {
            let folder = options.folder.as_ref().map(|folder| folder.display().to_string());
            app.create_conversation(folder, None).await?
        }
        Some(named) => crate::preview::conversation(app.record(), named).await?,
    };
    let ending = one_turn(app, conversation, question, as_json, options, interrupts).await?;
    Ok(match ending {
        Ending::Answered | Ending::Limited { .. } => ExitCode::SUCCESS,
        Ending::Stopped | Ending::Failed { .. } => ExitCode::FAILURE,
    })
}

/// Runs a turn to its end. Ctrl-C stops it; a second one ends the program.
pub(crate) async fn one_turn(
    app: &App,
    conversation: ConversationId,
    question: String,
    as_json: bool,
    options: TurnOptions,
    interrupts: &mut Interrupts,
) -> anyhow::Result<Ending> {
    let turn = app.start_turn(conversation, question, options).await?;
    let watching =
        app.watch_turn(&turn).context("the turn ended before it could be watched; `recto show last` has it")?;
    let mut coming = watching.coming;
    let is_streaming = std::io::stdout().is_terminal();
    let mut printer = Printer { as_json, is_streaming, n_streamed: 0, is_line_open: false };
    let mut ending = None;
    for event in watching.told {
        ending = printer.print(&event)?.or(ending);
    }
    let mut is_stopping = false;
    loop {
        tokio::select! {
            event = coming.recv() => match event {
                Some(event) => ending = printer.print(&event)?.or(ending),
                None => break,
            },
            () = interrupts.next() => {
                if is_stopping {
                    end_now();
                }
                is_stopping = true;
                app.stop_turn(&turn);
            }
        }
    }
    // The mark stands at the end, where a person who only reads the answer sees it too.
    if let Some((n_read, n_sent)) = app.record().turn(turn).await?.shortened.read_less {
        if as_json {
            println!("{}", serde_json::json!({"type": "read_less", "read": n_read, "sent": n_sent}));
        } else {
            eprintln!(
                "[Answer] !! the server read {n_read} of about {n_sent} tokens that were sent: part of the request, mostly its front, \
                 was lost. Do not rely on this answer"
            );
        }
    }
    ending.context("the turn ended without saying how; `recto show last` has what is on record")
}

/// Prints events; the answer as it is written where a person reads along, and else when it is whole: what a model takes back must
/// not stand in a file.
struct Printer {
    as_json: bool,
    is_streaming: bool,
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
            TurnEvent::Answer(text) if self.is_streaming => {
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
            // What was shown so far is no answer; the one that follows is shown again.
            TurnEvent::DraftDropped => {
                self.n_streamed = 0;
                Ok(())
            }
            TurnEvent::Ended { answer, .. } if self.n_streamed == 0 && !answer.is_empty() => {
                writeln!(out, "{answer}")?;
                out.flush()
            }
            _ => Ok(()),
        }
    }
}
