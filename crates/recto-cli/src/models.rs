//! Models on the command line: what can be chosen, servers and their keys, the check-up.

use crate::interrupts::{Interrupts, interrupted};
use anyhow::Context as _;
use clap::Subcommand;
use recto_app::record::CheckupRow;
use recto_app::{App, KeyKeeping, KeyPlace, LOCAL_PORTS, ModelId, ModelKind};
use recto_core::checkup::{Check, Mark};
use std::io::{BufRead as _, IsTerminal as _, Write as _, stderr};
use std::path::PathBuf;
use std::process::ExitCode;

/// What is done with models.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Action {
    /// List the models that can be chosen.
    List,
    /// Ask a server what it offers and keep all of it.
    Add {
        /// Its address, like http://127.0.0.1:8080.
        url: String,
        /// Let texts and the key go there unencrypted, where it is not on this computer and has no https.
        #[arg(long)]
        unencrypted: bool,
    },
    /// Say what a server offers, or what is wrong with it, and keep nothing.
    Test {
        /// Its address.
        url: String,
    },
    /// List the servers on the usual ports of this computer that are not kept yet.
    Find,
    /// Forget a server with its models and its key.
    Remove {
        /// Its address as `list` prints it.
        url: String,
    },
    /// List the models that can be downloaded.
    Offered,
    /// Download a model of the list, check its hash, and go on where an earlier try broke off.
    Get {
        /// Its name as `offered` prints it.
        name: String,
    },
    /// Add a GGUF file where it is.
    AddFile {
        /// The file.
        path: PathBuf,
    },
    /// Delete a file of the models folder; one that was added from elsewhere only leaves the list.
    RemoveFile {
        /// The model's name as `list` prints it.
        name: String,
    },
    /// Find out what works with a model, within two minutes.
    Check {
        /// Which; the one of new conversations without it.
        model: Option<String>,
    },
    /// The key for a server, in the keychain of this system.
    Key {
        #[command(subcommand)]
        action: KeyAction,
    },
}

/// What is done with a key.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum KeyAction {
    /// Read the key from standard input, one line, and keep it for this server.
    Set {
        /// The server's address.
        url: String,
    },
    /// Forget the key for this server.
    Clear {
        /// The server's address.
        url: String,
    },
}

/// Does it.
pub(crate) async fn models(app: &App, action: Option<Action>, interrupts: &mut Interrupts) -> anyhow::Result<ExitCode> {
    match action.unwrap_or(Action::List) {
        Action::List => return list(app).await,
        Action::Add { url, unencrypted } => {
            if unencrypted {
                app.allow_unencrypted(&url).await?;
            }
            println!("{}", app.add_server(&url).await?.0);
        }
        Action::Test { url } => {
            let found = app.test_server(&url).await?;
            for model in found.models {
                println!("{}#{}  {} tokens", found.base_url, model.name, model.window);
            }
        }
        Action::Find => {
            for found in app.find_local_servers(&LOCAL_PORTS).await? {
                let names: Vec<String> = found.models.into_iter().map(|model| model.name).collect();
                println!("{}  {}", found.base_url, names.join(", "));
            }
        }
        Action::Offered => {
            app.ask_for_sizes().await;
            for model in app.offered_files() {
                let size = model.n_bytes.map_or_else(|| "size unknown".to_owned(), |n| format!("{} MB", n / 1_000_000));
                println!("{}  {}  {size}  {}  {}", model.id, model.title, model.licence, model.publisher);
            }
        }
        Action::Get { name } => return get(app, &name, interrupts).await,
        Action::AddFile { path } => println!("{}", app.add_model_file(&path).await?.0),
        Action::RemoveFile { name } => app.remove_model_file(&ModelId(name)).await?,
        Action::Remove { url } => app.remove_server(url.trim_end_matches('/')).await?,
        Action::Check { model } => return check(app, model.map(ModelId), interrupts).await,
        Action::Key { action: KeyAction::Clear { url } } => app.remove_key(&url).await?,
        Action::Key { action: KeyAction::Set { url } } => {
            let mut key = String::new();
            std::io::stdin().lock().read_line(&mut key).context("the key cannot be read from standard input")?;
            app.set_key(&url, &key, KeyKeeping::Keychain).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(app: &App) -> anyhow::Result<ExitCode> {
    let rows = app.models().await?;
    if rows.is_empty() {
        println!("no model yet; `cargo xtask run` fetches the starter model into {}", app.models_folder().display());
    }
    for row in rows {
        let mark = if row.is_chosen { '*' } else { ' ' };
        let key = match row.kind {
            ModelKind::Server => app.key_state(&row.location).await?,
            ModelKind::Embedded => None,
        };
        let key = key.map_or("", |key| match key.place {
            KeyPlace::Environment => "  key in RECTO_API_KEY",
            KeyPlace::Keychain => "  key in the keychain",
            KeyPlace::Session => "  key for this session",
        });
        println!("{mark} {}  {}  {}{key}", row.id.0, row.title, row.location);
    }
    Ok(ExitCode::SUCCESS)
}

/// Downloads, and says how far it is; Ctrl-C ends it, and what has arrived stays.
async fn get(app: &App, name: &str, interrupts: &mut Interrupts) -> anyhow::Result<ExitCode> {
    let mut changes = app.changes();
    let mut getting = Box::pin(app.get_model(name));
    let id = loop {
        tokio::select! {
            got = &mut getting => break got?,
            () = interrupts.next() => {
                app.stop_download(name);
                // What it says is that it was stopped, which whoever pressed Ctrl-C knows.
                let _ = getting.await;
                return Ok(interrupted());
            }
            _ = changes.recv() => {
                let progress = app.downloads().into_iter().find_map(|download| download.progress);
                if let Some(progress) = progress.filter(|_| stderr().is_terminal()) {
                    let (done, all) = (progress.n_done / 1_000_000, progress.n_bytes / 1_000_000);
                    eprint!("\r\x1b[K{done} of {all} MB");
                    // A terminal that cannot be written to shows no progress, and that is all.
                    let _ = stderr().flush();
                }
            }
        }
    };
    println!("{}", id.0);
    Ok(ExitCode::SUCCESS)
}

async fn check(app: &App, model: Option<ModelId>, interrupts: &mut Interrupts) -> anyhow::Result<ExitCode> {
    let mut checking = Box::pin(app.check_model(model));
    let row = tokio::select! {
        row = &mut checking => row?,
        () = interrupts.next() => {
            app.stop_checkup();
            // What it says is that it was stopped, which whoever pressed Ctrl-C knows.
            let _ = checking.await;
            return Ok(interrupted());
        }
    };
    print!("{}", shown(&row));
    Ok(ExitCode::SUCCESS)
}

fn shown(row: &CheckupRow) -> String {
    let card = &row.card;
    let mut text = String::new();
    for finding in &card.findings {
        let mark = match finding.mark {
            Mark::Works => "yes",
            Mark::Fails => "no",
            Mark::Unknown => "unknown",
        };
        text.push_str(&format!("{:<38} {mark:<8} {}\n", name(finding.check), finding.said));
    }
    let speed = |speed: Option<u32>| speed.map_or_else(|| "unknown".to_owned(), |n| format!("{n} tokens/s"));
    text.push_str(&format!("{:<38} {} of {} tokens\n", "window tried", card.n_tried, card.window));
    text.push_str(&format!("{:<38} {}\n", "reads", speed(card.read_per_s)));
    text.push_str(&format!("{:<38} {}\n", "writes", speed(card.written_per_s)));
    text.push_str(&format!("{:<38} {:.1} s\n", "took", row.took_ms as f64 / 1_000.0));
    text
}

fn name(check: Check) -> &'static str {
    match check {
        Check::NativeCalls => "calls tools natively",
        Check::SystemBesideTools => "keeps the system message beside tools",
        Check::StructuredSteps => "writes structured steps",
        Check::ConsecutiveRoles => "takes two messages of the user in a row",
        Check::Window => "reads the head of a long request",
        Check::Prefix => "reuses what two requests share",
    }
}
