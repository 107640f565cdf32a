//! Evidence of what happened in a turn or a conversation, to be given to somebody else: a record of its own, or a page to be read anywhere.

mod page;
mod words;

use crate::open::AppError;
use crate::ports::WallClock;
use recto_core::id::ConversationId;
use recto_engine::ports::Clock as _;
use recto_store::{BundleNote, BundleScope, Store, TurnRow};
use std::path::{Path, PathBuf};

pub use words::PageLanguage;

/// How evidence is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceForm {
    /// A record that another Recto opens to be read.
    Bundle,
    /// One page of HTML that needs nothing beside it.
    Page(PageLanguage),
}

/// Writes evidence to `path`, which must not be there yet. Every one of `redacted` is made unreadable in it.
///
/// # Errors
/// There is nothing to write, the file is there already, or it cannot be written.
pub async fn write_evidence(
    record: &Store,
    path: &Path,
    scope: BundleScope,
    redacted: &[String],
    form: EvidenceForm,
) -> Result<BundleNote, AppError> {
    let now_ms = WallClock.now_ms();
    let EvidenceForm::Page(language) = form else {
        return Ok(record.bundle(path.to_owned(), scope, redacted, now_ms).await?);
    };
    // The page is made from a bundle, so that what is redacted and what stays at home is decided in one place.
    let folder = tempfile::tempdir().map_err(|error| AppError::NotWritten(path.to_owned(), error))?;
    let bundle = folder.path().join("evidence.recto");
    let note = record.bundle(bundle.clone(), scope, redacted, now_ms).await?;
    let page = evidence_page(&Store::open_to_read(&bundle)?, language).await?;
    write_new(path, page.as_bytes()).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => AppError::Store(exists(path)),
        _ => AppError::NotWritten(path.to_owned(), error),
    })?;
    Ok(note)
}

fn exists(path: &Path) -> recto_store::StoreError {
    recto_store::StoreError::BundleExists { path: path.to_owned() }
}

/// A page for its owner alone, like the record.
fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    std::io::Write::write_all(&mut options.open(path)?, bytes)
}

/// The page of a bundle.
///
/// # Errors
/// The bundle cannot be read, or is none.
pub async fn evidence_page(bundle: &Store, language: PageLanguage) -> Result<String, AppError> {
    let note = bundle.bundle_note().await?;
    let mut told = Vec::new();
    for row in bundle.conversations().await? {
        let mut turns = Vec::new();
        for turn in shown_turns(bundle, row.id.clone()).await? {
            turns.push(told_turn(bundle, turn).await?);
        }
        let snapshots = bundle.todo_snapshots(row.id.clone()).await?;
        told.push(page::ToldConversation { title: row.title.unwrap_or_default(), turns, snapshots });
    }
    Ok(page::page(&told, note.as_ref(), language))
}

/// The turns of the branch that is shown, oldest first.
async fn shown_turns(bundle: &Store, conversation: ConversationId) -> Result<Vec<TurnRow>, AppError> {
    Ok(bundle.turns(conversation, usize::MAX).await?.turns)
}

async fn told_turn(bundle: &Store, turn: TurnRow) -> Result<page::ToldTurn, AppError> {
    let mut requests = Vec::new();
    for row in bundle.requests(turn.id.clone()).await? {
        let bytes = bundle.wire(row.id.clone()).await?.bytes();
        requests.push((bundle.request(row.id).await?, bytes));
    }
    let filter = recto_store::AuditFilter { conversation: None, turn: Some(turn.id.clone()) };
    let mut decisions = bundle.audit(filter, None, usize::MAX).await?;
    decisions.reverse();
    Ok(page::ToldTurn { calls: bundle.calls(turn.id.clone()).await?, turn, requests, decisions })
}

/// A name for evidence of this title in this folder that is not taken.
#[must_use]
pub fn free_name(folder: &Path, title: &str, ending: &str) -> PathBuf {
    let kept: String = title.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = kept.split_whitespace().collect();
    let name: String = words.join("-").chars().take(40).collect();
    let name = if name.is_empty() { "recto".to_owned() } else { name };
    let first = folder.join(format!("{name}.{ending}"));
    let others = (2..).map(|number| folder.join(format!("{name}-{number}.{ending}")));
    std::iter::once(first).chain(others).find(|path| !path.exists()).unwrap_or_else(|| folder.join(name))
}
