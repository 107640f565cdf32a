//! The library on the command line. What is printed is on stdout, how far reading has come on stderr.

use crate::interrupts::{Interrupts, interrupted};
use anyhow::Context as _;
use clap::Subcommand;
use recto_app::record::Store;
use recto_app::{App, Change, SyncProgress};
use recto_core::library::passage_id;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio::sync::broadcast::error::RecvError;

/// Passages of one search.
const MOST: usize = 6;

/// What is done with the library.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Action {
    /// Print what was added, and what of it could not be read.
    List,
    /// Add folders and files, and read them.
    Add {
        /// Which.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
    /// Remove what was added; the files themselves are not touched.
    Remove {
        /// A path as `list` prints it.
        path: PathBuf,
    },
    /// Read what is new or changed.
    Sync,
    /// Print the passages that a question would be given, with their scores.
    Search {
        /// The question.
        query: String,
    },
}

impl Action {
    /// Whether it only looks, which is possible beside an open window.
    pub(crate) fn only_looks(&self) -> bool {
        matches!(self, Self::List | Self::Search { .. })
    }
}

/// Prints what is in the record of the library.
pub(crate) async fn look(record: &Store, action: &Action) -> anyhow::Result<ExitCode> {
    if let Action::Search { query } = action {
        return search(record, query).await;
    }
    let roots = record.library_roots().await?;
    for root in &roots {
        println!(
            "{}  {}, {}, {}",
            root.path,
            count(root.n_documents, "document"),
            count(root.n_passages, "passage"),
            size(root.n_bytes)
        );
        if let Some(reason) = &root.reason {
            println!("    cannot be read now: {reason}");
        }
    }
    let unread = record.unread_library_documents().await?;
    if !unread.is_empty() {
        println!("could not be read:");
    }
    for row in unread {
        let reason = match row.state {
            recto_app::record::library::DocumentState::Unread(reason) => reason,
            _ => String::new(),
        };
        let root = roots.iter().find(|root| root.id == row.root).map_or("", |root| root.path.as_str());
        println!("    {} (in {root}): {reason}", row.path);
    }
    Ok(ExitCode::SUCCESS)
}

async fn search(record: &Store, query: &str) -> anyhow::Result<ExitCode> {
    for found in record.search_library(query, MOST).await? {
        let passage = &found.passage;
        println!("({:.2}) {} {}", found.score, passage_id(passage.id), passage.label());
        for line in passage.text.lines() {
            println!("    {line}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Changes what is in the library, and reads it.
pub(crate) async fn change(app: &App, action: Action, interrupts: &mut Interrupts) -> anyhow::Result<ExitCode> {
    match action {
        Action::Add { paths } => {
            for path in paths {
                app.add_to_library(&path).await.with_context(|| format!("cannot add {}", path.display()))?;
            }
        }
        Action::Remove { path } => {
            let named = std::path::absolute(&path).unwrap_or(path.clone());
            let roots = app.library().await?;
            let is_it =
                |root: &Path| root == path || root == named || named.canonicalize().is_ok_and(|real| real == root);
            let root = roots.iter().find(|root| is_it(Path::new(&root.path)));
            let root = root.with_context(|| {
                format!("{} is not in the library; `recto library list` prints what is", path.display())
            })?;
            app.remove_from_library(root.id).await?;
            return Ok(ExitCode::SUCCESS);
        }
        Action::List | Action::Sync | Action::Search { .. } => {}
    }
    sync(app, interrupts).await
}

/// Reads what is new or changed and says how far it has come; Ctrl-C ends it, and what was read until then stays.
async fn sync(app: &App, interrupts: &mut Interrupts) -> anyhow::Result<ExitCode> {
    let mut changes = app.changes();
    let mut was_shown = false;
    let mut syncing = Box::pin(app.sync_library_now());
    let ended = loop {
        tokio::select! {
            done = &mut syncing => break done.map(|()| ExitCode::SUCCESS),
            () = interrupts.next() => {
                app.stop_library_sync();
                syncing.await?;
                break Ok(interrupted());
            }
            change = changes.recv() => {
                let is_progress = matches!(change, Ok(Change::Library) | Err(RecvError::Lagged(_)));
                if let Some(progress) = app.library_progress().filter(|_| is_progress && stderr().is_terminal()) {
                    was_shown = true;
                    eprint!("\r\x1b[K{}", line(&progress));
                    // A terminal that cannot be written to shows no progress, and that is all.
                    let _ = stderr().flush();
                }
            }
        }
    };
    if was_shown {
        eprintln!();
    }
    for root in app.library().await? {
        eprintln!("{}: {}, {} could not be read", root.path, count(root.n_documents, "document"), root.n_unread);
    }
    Ok(ended?)
}

fn line(progress: &SyncProgress) -> String {
    format!(
        "{} of {} files, {} of {}",
        progress.n_done,
        progress.n_files,
        size(progress.n_bytes_done),
        size(progress.n_bytes)
    )
}

fn count(n: u64, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

fn size(n_bytes: u64) -> String {
    match n_bytes {
        0..1_000 => format!("{n_bytes} B"),
        1_000..1_000_000 => format!("{} kB", n_bytes / 1_000),
        _ => format!("{:.1} MB", n_bytes as f64 / 1e6),
    }
}
