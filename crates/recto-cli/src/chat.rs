//! The same conversation in the terminal: one question after the other.

use crate::ask::one_turn;
use crate::interrupts::{Interrupts, interrupted};
use crate::lines::Lines;
use recto_app::{App, TurnOptions};
use std::io::Write as _;
use std::process::ExitCode;

/// Reads questions until the input ends, an empty line, or Ctrl-C where a question is awaited.
pub(crate) async fn chat(
    app: &App,
    options: TurnOptions,
    lines: &Lines,
    interrupts: &mut Interrupts,
) -> anyhow::Result<ExitCode> {
    let folder = options.folder.as_ref().map(|folder| folder.display().to_string());
    let about = folder.as_deref().unwrap_or("no folder; name one with --folder DIR");
    eprintln!("Recto, files: {about}. An empty line ends the conversation.");
    let conversation = app.create_conversation(folder, None).await?;
    loop {
        eprint!("\n> ");
        std::io::stderr().flush()?;
        let line = tokio::select! {
            line = lines.next() => line,
            () = interrupts.next() => {
                eprintln!();
                return Ok(interrupted());
            }
        };
        let Some(question) = line.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()) else {
            return Ok(ExitCode::SUCCESS);
        };
        if let Err(error) = one_turn(app, conversation.clone(), question, false, options.clone(), interrupts).await {
            eprintln!("recto: {error:#}");
        }
    }
}
