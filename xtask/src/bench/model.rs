//! `cargo xtask bench model`: what of the library's speed arrives, and what each request of a turn evaluates and reuses.

use super::ask::{Place, Question, Whom, ask};
use super::disk::{Scratch, copy};
use super::inner;
use super::table::Table;
use crate::model::{self, Model};
use crate::places::Places;
use crate::program::{exit_code, first_line, print, say, status};
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A question that takes a look into a file, so that its turn has all kinds of requests.
const QUESTION: &str = "Read README.md and tell me how to run and how to verify the project";

/// With which model.
#[derive(Args)]
pub(crate) struct Options {
    /// A GGUF file; without it, the starter model (or the small one, by RECTO_MODEL)
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Threads of the decode loops
    #[arg(long, default_value_t = 2)]
    threads: u32,
    #[command(flatten)]
    whom: Whom,
}

/// Prints the speeds beside each other, then the requests of one turn.
///
/// # Errors
/// If the model cannot be had, or if something cannot be built or run.
pub(crate) fn bench(places: &Places, options: &Options) -> Result<ExitCode> {
    let file = match &options.file {
        Some(file) => std::path::absolute(file)?,
        None => model::ensure(places, Model::chosen()?)?,
    };
    let arguments = [file.to_string_lossy().into_owned(), options.threads.to_string()];
    let bare = inner::bench(places, &inner::BARE_LOOP, &arguments)?;
    if bare != ExitCode::SUCCESS {
        return Ok(bare);
    }
    print("Promised: at least 95 % of the bare loop.\n");
    llama_bench(&file, options.threads)?;
    requests_of_a_turn(places, options)?;
    Ok(ExitCode::SUCCESS)
}

/// The library's own benchmark, where it is installed.
fn llama_bench(file: &Path, threads: u32) -> Result<()> {
    if first_line("llama-bench", &["--help"]).is_none() {
        say("llama-bench is not installed here: its line is left out");
        return Ok(());
    }
    let mut bench = Command::new("llama-bench");
    bench.args(["-p", "512", "-n", "128", "-t", &threads.to_string(), "-m"]).arg(file);
    let ended = status(&mut bench)?;
    if !ended.success() {
        bail!("llama-bench failed ({:?})", exit_code(ended));
    }
    Ok(())
}

fn requests_of_a_turn(places: &Places, options: &Options) -> Result<()> {
    let recto = options.whom.recto(places)?;
    let bench = places.target.join("bench/model");
    let scratch = Scratch::new()?;
    let (folder, data) = (scratch.inside("desk")?, scratch.inside("data")?);
    copy(&places.root.join("tests/fixtures/desk"), &folder)?;
    let question = Question {
        text: QUESTION,
        folder: &folder,
        data: &data,
        place: Place::First,
        seed: 1,
        approve: "never",
        protocol: None,
    };
    let asked = ask(&recto, &options.whom, &question, &bench.join("turn"))?;
    if let Some(failure) = &asked.failure {
        bail!("the turn failed: {failure}");
    }
    let mut table =
        Table::with_head(["request", "tokens", "evaluated", "reused", "written", "first token ms", "all ms"]);
    for (request, usage) in asked.requests() {
        let purpose = request["purpose"].as_str().unwrap_or_default();
        let of = |name: &str| usage[name].as_u64().map_or_else(|| "?".to_owned(), |count| count.to_string());
        let columns = ["n_read", "n_evaluated", "n_reused", "n_written", "first_token_ms", "total_ms"].map(of);
        table.row([format!("{} {purpose}", request["number"])].into_iter().chain(columns).collect());
    }
    print(&table.to_text());
    Ok(())
}
