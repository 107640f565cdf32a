//! What is known about the person, on the command line: remembered sentences, and what they say about themselves.

use anyhow::Context as _;
use clap::Subcommand;
use recto_app::App;
use recto_core::id::MemoryId;
use std::process::ExitCode;

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Memories {
    /// List them, pinned ones with a star.
    List,
    /// Remember a sentence.
    Add {
        /// The sentence.
        text: String,
    },
    /// Forget a sentence.
    Forget {
        /// Its id, or enough of its end to tell it apart.
        id: String,
    },
    /// Give a sentence to every request.
    Pin {
        /// Its id, or enough of its end to tell it apart.
        id: String,
    },
    /// Give a sentence only where it fits the question.
    Unpin {
        /// Its id, or enough of its end to tell it apart.
        id: String,
    },
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Profile {
    /// Print it.
    Show,
    /// Replace it; an empty text is none.
    Set {
        /// The text.
        text: String,
    },
}

/// Lists or changes what is remembered.
pub(crate) async fn memories(app: &App, what: Option<Memories>) -> anyhow::Result<ExitCode> {
    match what.unwrap_or(Memories::List) {
        Memories::List => {
            for row in app.record().memories().await? {
                let pin = if row.is_pinned { '*' } else { ' ' };
                let source = match row.source.map(|source| source.title) {
                    None => "typed by you".to_owned(),
                    Some(None) => "from a conversation that was deleted".to_owned(),
                    Some(Some(title)) => format!("from “{title}”"),
                };
                println!("{pin} {}  {}  ({source})", row.id, row.text);
            }
        }
        Memories::Add { text } => println!("{}", app.add_memory(&text).await?),
        Memories::Forget { id } => app.forget_memory(named(app, &id).await?).await?,
        Memories::Pin { id } => app.pin_memory(named(app, &id).await?, true).await?,
        Memories::Unpin { id } => app.pin_memory(named(app, &id).await?, false).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The one memory whose id ends like this: ids begin with the time, so their ends differ.
async fn named(app: &App, end: &str) -> anyhow::Result<MemoryId> {
    let rows = app.record().memories().await?;
    let mut found = rows.into_iter().map(|row| row.id).filter(|id| id.as_str().ends_with(end));
    let id = found.next().context("no memory has this id; `recto memories` lists them")?;
    anyhow::ensure!(found.next().is_none(), "several memories have an id that ends in {end}; give more of it");
    Ok(id)
}

/// Prints or replaces what the person says about themselves.
pub(crate) async fn profile(app: &App, what: Option<Profile>) -> anyhow::Result<ExitCode> {
    match what.unwrap_or(Profile::Show) {
        Profile::Show => println!("{}", app.profile().await?),
        Profile::Set { text } => app.set_profile(&text).await?,
    }
    Ok(ExitCode::SUCCESS)
}
