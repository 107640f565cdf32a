//! The same conversation in the terminal: one question after the other.

use crate::ask::one_turn;
use recto_app::{App, TurnOptions};
use std::io::Write as _;
use std::process::ExitCode;
use tokio::io::{AsyncBufReadExt as _, BufReader};

/// Reads questions until the input ends.
pub(crate) async fn chat(app: &App, options: TurnOptions) -> anyhow::Result<ExitCode> {
    let folder = options.folder.as_ref().map(|folder| folder.display().to_string());
    let about = folder.as_deref().unwrap_or("no folder; name one with --folder DIR");
    eprintln!("Recto, files: {about}. An empty line ends the conversation.");
    let conversation = app.create_conversation(folder, None).await?;
    loop {
        eprint!("\n> ");
        std::io::stderr().flush()?;
        let mut line = String::new();
        // A reader of its own for each question, so that an approval in between gets the next line.
        let n_bytes = BufReader::with_capacity(1, tokio::io::stdin()).read_line(&mut line).await?;
        if n_bytes == 0 || line.trim().is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        if let Err(error) = one_turn(app, conversation.clone(), line.trim().to_owned(), false, options.clone()).await {
            eprintln!("recto: {error:#}");
        }
    }
}
