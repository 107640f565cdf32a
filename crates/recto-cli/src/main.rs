//! `recto`: the same program without a window. The answer goes to stdout, the live trail to stderr.

#![allow(clippy::print_stdout, reason = "printing is what a command line does")]

mod approver;
mod ask;
mod assistants;
mod audit;
mod audit_export;
mod bundle;
mod chat;
mod diff;
mod interrupts;
mod json;
mod library;
mod lines;
mod memories;
mod models;
mod preview;
mod show;
mod trail;
mod undo;
mod whereabouts;

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand, ValueEnum};
use recto_app::{App, ModelId, NextQuestion, OpenOptions, TurnOptions, open_bundle, open_to_read};
use recto_core::approval::Policy;
use recto_core::prompt::ReplyLanguage;
use recto_core::request::Protocol;
use recto_engine::ports::Approver;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Which server gets the key, for the help.
const KEYS: &str = "A server that asks for a key gets the one in RECTO_API_KEY, if its host is the one in RECTO_API_KEY_FOR \
                    (host or host:port). Where RECTO_API_KEY_FOR is not set, only the server named with --model gets it.";

/// A desktop assistant that shows its working.
#[derive(Debug, Parser)]
#[command(name = "recto", version, after_help = KEYS)]
struct Arguments {
    /// Where conversations are kept.
    #[arg(long, global = true, env = "RECTO_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Look into this file of evidence instead of the own record.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "data")]
    bundle: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Ask one question; the answer is printed on stdout, what happens on stderr.
    Ask {
        /// The question.
        question: String,
        /// Go on in this conversation (`last` for the latest) instead of beginning one.
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Print one JSON object a line on stdout instead.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        options: AskOptions,
    },
    /// Ask one question after the other.
    Chat {
        #[command(flatten)]
        options: AskOptions,
    },
    /// Print every request of a turn, block by block, with what was left out and why.
    Show {
        /// The turn (`last` for the latest).
        turn: String,
        /// The exact bytes instead.
        #[arg(long, conflicts_with_all = ["curl", "reply", "tokens"])]
        raw: bool,
        /// The command that sends each request again, without a key.
        #[arg(long, conflicts_with_all = ["reply", "tokens"])]
        curl: bool,
        /// What came back for each request, as it came.
        #[arg(long, conflicts_with = "tokens")]
        reply: bool,
        /// The tokens that each request became, with their numbers (models inside the program only).
        #[arg(long)]
        tokens: bool,
    },
    /// Say where a text went: in which requests it was, whole or cut, and by which rule it was left out.
    Where {
        /// The text.
        text: String,
        /// Up to this turn (`last` for the latest).
        #[arg(long, value_name = "ID", conflicts_with = "conversation", default_value = "last")]
        turn: String,
        /// Up to the end of this conversation instead.
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
    },
    /// Print what became of one request's blocks in another one.
    Diff {
        /// The first request: its name, or `TURN/NUMBER` (`last/1`).
        first: String,
        /// The second request.
        second: String,
    },
    /// Write a turn or a conversation into one file, for somebody else to look into.
    Bundle(#[command(flatten)] bundle::BundleArguments),
    /// Print what a question would be sent with and what would not fit, without sending it.
    Preview {
        /// The question; it may be left out.
        #[arg(default_value = "")]
        question: String,
        /// In this conversation (`last` for the latest); a new one without it.
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Another window than the model's, in tokens.
        #[arg(long, value_name = "TOKENS")]
        window: Option<u32>,
        #[command(flatten)]
        options: AskOptions,
    },
    /// Print what left the history of a conversation, in short, version by version; or write it yourself.
    Summary {
        /// The conversation (`last` for the latest).
        #[arg(default_value = "last")]
        conversation: String,
        /// Put this text in the place of the prose; numbers, names and what you said not to do stay beside it.
        #[arg(long, value_name = "TEXT")]
        edit: Option<String>,
    },
    /// Documents whose passages questions are given.
    Library {
        #[command(subcommand)]
        action: library::Action,
    },
    /// Print the audit log.
    Audit {
        /// Check the chain and say where it breaks: of the log, or of an exported file, for which no record is needed.
        #[arg(long, value_name = "FILE", num_args = 0..=1)]
        verify: Option<Option<PathBuf>>,
        /// Write the whole log to a new file, one JSON object a line.
        #[arg(long, value_name = "FILE", conflicts_with = "verify")]
        export: Option<PathBuf>,
    },
    /// List the changes of files in the last seven days, or undo one of them.
    Undo {
        /// The number of the change (`last` for the latest).
        write: Option<String>,
    },
    /// List the conversations with their turns.
    Conversations,
    /// The models that can be chosen, servers and their keys, and the check-up.
    Models {
        #[command(subcommand)]
        action: Option<models::Action>,
    },
    /// What is remembered about you.
    Memories {
        #[command(subcommand)]
        what: Option<memories::Memories>,
    },
    /// What you say about yourself.
    Profile {
        #[command(subcommand)]
        what: Option<memories::Profile>,
    },
    /// Ways to work, each with its own instructions and texts.
    Assistants {
        #[command(subcommand)]
        what: Option<assistants::Assistants>,
    },
}

impl Command {
    /// Whether it reads a record and nothing else.
    fn only_looks(&self) -> bool {
        matches!(
            self,
            Self::Show { .. }
                | Self::Where { .. }
                | Self::Diff { .. }
                | Self::Bundle(_)
                | Self::Summary { edit: None, .. }
                | Self::Audit { .. }
                | Self::Conversations
        )
    }
}

/// How a question is asked.
#[derive(Clone, Debug, Args)]
struct AskOptions {
    /// The folder whose files it is about.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Who works: the name of an assistant, or `recto` for the one that comes with the program.
    #[arg(long, value_name = "NAME")]
    assistant: Option<String>,
    /// A model's name, a GGUF file, or `http://host:port#name` (for keys see `recto --help`).
    #[arg(long)]
    model: Option<String>,
    /// What to do about writes.
    #[arg(long, value_enum, default_value_t = Approve::Ask)]
    approve: Approve,
    /// How the model is asked for tools.
    #[arg(long, value_enum)]
    protocol: Option<ProtocolChoice>,
    /// Makes a run repeatable.
    #[arg(long)]
    seed: Option<u32>,
    /// 0 is greedy.
    #[arg(long)]
    temperature: Option<f32>,
    /// The language of the answer.
    #[arg(long, value_enum, default_value_t = Language::Auto)]
    language: Language,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Approve {
    /// Ask for each one on the terminal.
    Ask,
    /// Refuse each one.
    Never,
    /// Allow each one, except files that another program runs later.
    Always,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProtocolChoice {
    /// The interface's own tool calls.
    Native,
    /// One JSON value a step.
    Structured,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Language {
    /// The question's own.
    Auto,
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

impl AskOptions {
    fn turn_options(&self) -> anyhow::Result<TurnOptions> {
        let folder = match &self.folder {
            Some(folder) => Some(
                std::path::absolute(folder).with_context(|| format!("cannot find the folder: {}", folder.display()))?,
            ),
            None => None,
        };
        Ok(TurnOptions {
            model: self.model.clone().map(ModelId),
            folder,
            policy: match self.approve {
                Approve::Ask => Policy::Ask,
                Approve::Never => Policy::Never,
                Approve::Always => Policy::Always,
            },
            protocol: self.protocol.map(|protocol| match protocol {
                ProtocolChoice::Native => Protocol::Native,
                ProtocolChoice::Structured => Protocol::Structured,
            }),
            temperature: self.temperature,
            seed: self.seed,
            language: match self.language {
                Language::Auto => ReplyLanguage::Auto,
                Language::En => ReplyLanguage::En,
                Language::Zh => ReplyLanguage::Zh,
            },
            after: None,
        })
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::try_from_env("RECTO_LOG").unwrap_or_else(|_| "off".into()))
        .with_writer(std::io::stderr)
        .init();
    match run(arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("recto: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if arguments.command.only_looks() {
        // Whoever reads only the first lines (`recto show last | head`) is no fault. A turn that runs goes on.
        sigpipe::reset();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start")?;
    let data = arguments.data;
    let look = || match &arguments.bundle {
        Some(file) => open_bundle(file),
        None => open_to_read(data.clone()),
    };
    if arguments.bundle.is_some() && !arguments.command.only_looks() {
        anyhow::bail!(
            "a file of evidence can only be looked into: use show, where, diff, bundle, summary, audit or conversations"
        );
    }
    let lines = lines::Lines::default();
    let open = |options: Option<&AskOptions>| {
        let approver: Arc<dyn Approver> = Arc::new(approver::Terminal { lines: lines.clone() });
        let model = options.and_then(|options| options.model.clone());
        App::open(OpenOptions { data: data.clone(), models: None, model, approver: Some(approver), keychain: None })
    };
    let code = runtime.block_on(async {
        match arguments.command {
            Command::Ask { question, conversation, json, options } => {
                let (app, mut interrupts) = (open(Some(&options))?, interrupts::Interrupts::listen()?);
                assistants::choose_for_next(&app, options.assistant.as_deref(), conversation.as_deref()).await?;
                let code = ask::ask(&app, question, conversation, json, options.turn_options()?, &mut interrupts).await;
                // The program ends, so how far the audit log goes is written down now.
                app.seal_audit().await;
                code
            }
            Command::Chat { options } => {
                let (app, mut interrupts) = (open(Some(&options))?, interrupts::Interrupts::listen()?);
                assistants::choose_for_next(&app, options.assistant.as_deref(), None).await?;
                let code = chat::chat(&app, options.turn_options()?, &lines, &mut interrupts).await;
                app.seal_audit().await;
                code
            }
            Command::Memories { what } => memories::memories(&open(None)?, what).await,
            Command::Profile { what } => memories::profile(&open(None)?, what).await,
            Command::Assistants { what } => assistants::assistants(&open(None)?, what).await,
            Command::Library { action } if action.only_looks() => {
                library::look(&open_to_read(data.clone())?, &action).await
            }
            Command::Library { action } => {
                let (app, mut interrupts) = (open(None)?, interrupts::Interrupts::listen()?);
                library::change(&app, action, &mut interrupts).await
            }
            Command::Models { action } => {
                let (app, mut interrupts) = (open(None)?, interrupts::Interrupts::listen()?);
                models::models(&app, action, &mut interrupts).await
            }
            Command::Preview { question, conversation, window, options } => {
                let app = open(Some(&options))?;
                let conversation = match conversation {
                    Some(named) => Some(preview::conversation(app.record(), &named).await?),
                    None => None,
                };
                let options = options.turn_options()?;
                preview::preview(&app, NextQuestion { conversation, text: question, options, chosen: None, window })
                    .await
            }
            Command::Summary { conversation, edit: Some(prose) } => {
                let app = open(None)?;
                let conversation = preview::conversation(app.record(), &conversation).await?;
                app.edit_summary(conversation.clone(), &prose).await?;
                preview::summary(app.record(), conversation.as_str()).await
            }
            // Looking is possible beside an open window.
            Command::Summary { conversation, edit: None } => preview::summary(&look()?, &conversation).await,
            Command::Show { turn, raw, curl, reply, tokens } => {
                let asked = [
                    (raw, show::What::Bytes),
                    (curl, show::What::Curl),
                    (reply, show::What::Reply),
                    (tokens, show::What::Tokens),
                ];
                let what =
                    asked.into_iter().find(|(is_asked, _)| *is_asked).map_or(show::What::Blocks, |(_, what)| what);
                show::show(&look()?, &turn, what).await
            }
            Command::Where { text, turn, conversation } => {
                whereabouts::whereabouts(&look()?, &text, &turn, conversation).await
            }
            Command::Diff { first, second } => diff::diff(&look()?, &first, &second).await,
            Command::Bundle(arguments) => bundle::bundle(&look()?, arguments).await,
            Command::Audit { verify: Some(Some(file)), .. } => audit_export::verify(&file),
            Command::Audit { verify: Some(None), .. } => audit::verify(&look()?).await,
            Command::Audit { export: Some(file), .. } => audit_export::export(&look()?, &file).await,
            Command::Audit { .. } => audit::audit(&look()?).await,
            Command::Undo { write } => {
                let app = open(None)?;
                let code = undo::undo(&app, write).await;
                app.seal_audit().await;
                code
            }
            Command::Conversations => show::conversations(&look()?).await,
        }
    });
    // A look-up or a read that is still under way keeps nobody waiting.
    runtime.shutdown_background();
    code
}
