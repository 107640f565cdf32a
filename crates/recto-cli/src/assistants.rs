//! Assistants on the command line.

use anyhow::Context as _;
use clap::{Args, Subcommand};
use recto_app::record::{AssistantRow, KnowledgeContent};
use recto_app::{App, AssistantDraft, KnowledgeDraft};
use recto_core::assistant::ToolGroup;
use recto_core::prompt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The name of the assistant that comes with the program.
const BUILT_IN: &str = "recto";

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Assistants {
    /// List them.
    List,
    /// Print one with all that it is told and always knows.
    Show {
        /// Its name.
        name: String,
    },
    /// Make one.
    Create {
        /// Its name.
        name: String,
        #[command(flatten)]
        wishes: Wishes,
    },
    /// Change one; what is not named stays.
    Edit {
        /// Its name.
        name: String,
        #[command(flatten)]
        wishes: Wishes,
    },
    /// Make one that is like another.
    Copy {
        /// The other's name.
        name: String,
        /// The new one's name.
        new_name: String,
    },
    /// Delete one with all that it knows; its conversations stay.
    Delete {
        /// Its name.
        name: String,
    },
    /// Give one a file that is read at the start of each turn.
    Know {
        /// Its name.
        name: String,
        /// The file.
        file: PathBuf,
    },
}

/// What an assistant is to be like.
#[derive(Clone, Debug, Args)]
pub(crate) struct Wishes {
    /// What it is told.
    #[arg(long, conflicts_with = "instructions_file")]
    instructions: Option<String>,
    /// The same from a text file.
    #[arg(long, value_name = "FILE")]
    instructions_file: Option<PathBuf>,
    /// The language of its answers.
    #[arg(long, value_enum)]
    language: Option<crate::Language>,
    /// The folder of a conversation that begins with it.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The model of a conversation that begins with it.
    #[arg(long)]
    model: Option<String>,
    /// The tools that it may use: `reading`, `writing`, `memories`, separated by commas; `none` for none.
    #[arg(long, value_delimiter = ',')]
    tools: Option<Vec<String>>,
}

impl Wishes {
    fn over(self, draft: AssistantDraft) -> anyhow::Result<AssistantDraft> {
        let instructions = match (self.instructions, self.instructions_file) {
            (Some(text), _) => text,
            (None, Some(file)) => {
                std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?
            }
            (None, None) => draft.instructions,
        };
        let reply_language = match self.language {
            None => draft.reply_language,
            Some(crate::Language::Auto) => None,
            Some(crate::Language::En) => Some("en".to_owned()),
            Some(crate::Language::Zh) => Some("zh".to_owned()),
        };
        let folder = match self.folder {
            Some(folder) => Some(absolute(&folder)?),
            None => draft.folder,
        };
        let tools = match self.tools {
            Some(names) => groups(&names)?,
            None => draft.tools,
        };
        Ok(AssistantDraft { instructions, reply_language, folder, model: self.model.or(draft.model), tools, ..draft })
    }
}

fn groups(names: &[String]) -> anyhow::Result<Vec<ToolGroup>> {
    let named = |name: &String| {
        let found = ToolGroup::ALL.into_iter().find(|group| group.as_str() == name);
        found.with_context(|| format!("there is no group of tools `{name}`; there are reading, writing and memories"))
    };
    names.iter().filter(|name| *name != "none").map(named).collect()
}

fn absolute(path: &Path) -> anyhow::Result<String> {
    let path = std::path::absolute(path).with_context(|| format!("cannot find {}", path.display()))?;
    Ok(path.display().to_string())
}

/// Lists or changes assistants.
pub(crate) async fn assistants(app: &App, what: Option<Assistants>) -> anyhow::Result<ExitCode> {
    match what.unwrap_or(Assistants::List) {
        Assistants::List => {
            println!("  {BUILT_IN}  (comes with the program)");
            for row in app.record().assistants().await? {
                println!("  {}  {}", row.name, row.id);
            }
        }
        Assistants::Show { name } => show(app, named(app, &name).await?).await?,
        Assistants::Create { name, wishes } => {
            let draft = wishes.over(AssistantDraft { name, ..AssistantDraft::default() })?;
            println!("{}", app.create_assistant(draft).await?);
        }
        Assistants::Edit { name, wishes } => {
            let row = own(app, &name).await?;
            app.change_assistant(row.id.clone(), wishes.over(row.into())?).await?;
        }
        Assistants::Copy { name, new_name } => {
            let id = named(app, &name).await?.map(|row| row.id);
            println!("{}", app.copy_assistant(id, new_name).await?);
        }
        Assistants::Delete { name } => app.delete_assistant(own(app, &name).await?.id).await?,
        Assistants::Know { name, file } => {
            let title = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let content = KnowledgeContent::File(absolute(&file)?);
            let draft = KnowledgeDraft { title, content, is_on: true };
            println!("{}", app.add_knowledge(own(app, &name).await?.id, draft).await?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn show(app: &App, row: Option<AssistantRow>) -> anyhow::Result<()> {
    let Some(row) = row else {
        println!("{}", prompt::instructions());
        return Ok(());
    };
    println!("name: {}", row.name);
    println!("language: {}", row.reply_language.as_deref().unwrap_or("auto"));
    println!("folder: {}", row.folder.as_deref().unwrap_or("(none)"));
    println!("model: {}", row.model.as_deref().unwrap_or("(as chosen)"));
    println!("tools: {}", row.tools.iter().map(|group| group.as_str()).collect::<Vec<&str>>().join(", "));
    println!("\n{}", prompt::instructions_of(&row.instructions));
    for known in app.record().knowledge(row.id).await? {
        let state = if known.is_on { "" } else { " (off)" };
        match known.content {
            KnowledgeContent::Text(text) => println!("\nknows {}{state}:\n{text}", known.title),
            KnowledgeContent::File(path) => println!("\nknows {}{state}: the file {path}", known.title),
        }
    }
    Ok(())
}

/// The assistant of that name or id; `None` for the one that comes with the program.
async fn named(app: &App, name: &str) -> anyhow::Result<Option<AssistantRow>> {
    let mut rows: Vec<AssistantRow> = app.record().assistants().await?;
    rows.retain(|row| row.id.as_str() == name || row.name.eq_ignore_ascii_case(name));
    anyhow::ensure!(
        rows.len() < 2,
        "several assistants are called {name}; give its id, which `recto assistants` lists"
    );
    match rows.pop() {
        Some(row) => Ok(Some(row)),
        None if name.eq_ignore_ascii_case(BUILT_IN) => Ok(None),
        None => anyhow::bail!("there is no assistant {name}; `recto assistants` lists them"),
    }
}

/// One that the person made, so that it can be changed.
async fn own(app: &App, name: &str) -> anyhow::Result<AssistantRow> {
    let row = named(app, name).await?;
    row.context("the assistant that comes with the program cannot be changed; copy it and change the copy")
}

/// Lets the named assistant work in this conversation, or in the one that is about to begin.
pub(crate) async fn choose_for_next(app: &App, name: Option<&str>, conversation: Option<&str>) -> anyhow::Result<()> {
    let Some(name) = name else { return Ok(()) };
    let id = named(app, name).await?.map(|row| row.id);
    match conversation {
        None => app.prefer_assistant(id).await?,
        Some(conversation) => {
            app.choose_assistant(crate::preview::conversation(app.record(), conversation).await?, id).await?;
        }
    }
    Ok(())
}
