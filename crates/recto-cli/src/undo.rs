//! Undoing changes of files on the command line.

use anyhow::Context as _;
use recto_app::App;
use std::process::ExitCode;

/// Lists what can be undone, newest first, or undoes one of them.
pub(crate) async fn undo(app: &App, write: Option<String>) -> anyhow::Result<ExitCode> {
    let rows = app.replaced_files().await?;
    let Some(write) = write else {
        for row in rows {
            println!(
                "{:>5}  {:<9}  {}  in {}",
                row.id,
                row.write.operation.as_str(),
                row.write.target(),
                row.write.folder
            );
        }
        return Ok(ExitCode::SUCCESS);
    };
    let id = match write.as_str() {
        "last" => rows.first().context("there is no change to undo")?.id,
        number => number.parse().context("name a change by its number; `recto undo` lists them")?,
    };
    let undone = app.undo(id).await?;
    println!("{} is as it was before", undone.write.path);
    Ok(ExitCode::SUCCESS)
}
