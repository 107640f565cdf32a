//! Evidence on the command line: a turn or a conversation in one file.

use crate::show;
use clap::{Args, ValueEnum};
use recto_app::record::{BundleScope, Store};
use recto_app::{EvidenceForm, PageLanguage, write_evidence};
use recto_core::id::{ConversationId, TurnId};
use std::path::PathBuf;
use std::process::ExitCode;

/// What goes into the file, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct BundleArguments {
    /// The file to write; it must not be there yet.
    file: PathBuf,
    /// One turn (`last` for the latest).
    #[arg(long, value_name = "ID", conflicts_with = "conversation", default_value = "last")]
    turn: String,
    /// A conversation with all its branches instead.
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// A text to make unreadable; may be given several times.
    #[arg(long, value_name = "TEXT")]
    redact: Vec<String>,
    /// A page of HTML instead of a file that Recto opens.
    #[arg(long)]
    page: bool,
    /// The language of the page.
    #[arg(long, value_enum, default_value_t = Language::En)]
    language: Language,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Language {
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

/// Writes the file and says what is in it.
pub(crate) async fn bundle(record: &Store, arguments: BundleArguments) -> anyhow::Result<ExitCode> {
    let BundleArguments { file, turn, conversation, redact, page, language } = arguments;
    let scope = match conversation {
        Some(id) => BundleScope::Conversation(ConversationId(id)),
        None if turn == "last" => BundleScope::Turn(show::latest_turn(record).await?),
        None => BundleScope::Turn(TurnId(turn)),
    };
    let form = if page {
        EvidenceForm::Page(match language {
            Language::En => PageLanguage::En,
            Language::Zh => PageLanguage::Zh,
        })
    } else {
        EvidenceForm::Bundle
    };
    let note = write_evidence(record, &file, scope, &redact, form).await?;
    println!("{}: {} turns, something redacted in {} texts", file.display(), note.n_turns, note.n_redacted);
    if !page {
        println!("look into it with: recto --bundle {} show last", file.display());
    }
    Ok(ExitCode::SUCCESS)
}
