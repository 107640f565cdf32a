//! `cargo xtask bench desk`: small questions over three folders, each asked with several seeds, each answer checked exactly.

use super::ask::{Asked, Question, Whom, ask};
use super::disk::{Files, Scratch, copy, files};
use super::table::{Table, median, percent};
use super::task::{Half, Task, read};
use crate::places::Places;
use crate::program::{print, say};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use std::path::Path;
use std::process::ExitCode;

/// What is asked, and how often.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    whom: Whom,
    /// How often each question is asked, each time with another seed
    #[arg(long, default_value_t = 5)]
    seeds: u64,
    /// The half that prompts are tuned on, or the one that is reported
    #[arg(long, default_value = "all")]
    half: Halves,
    /// Only tasks whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// How the model calls tools; both are printed side by side
    #[arg(long, default_value = "structured")]
    protocol: Protocols,
}

#[derive(Clone, Copy, ValueEnum)]
enum Halves {
    Tune,
    Report,
    All,
}

#[derive(Clone, Copy, ValueEnum)]
enum Protocols {
    Structured,
    Native,
    Both,
}

impl Protocols {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Structured => &["structured"],
            Self::Native => &["native"],
            Self::Both => &["structured", "native"],
        }
    }
}

/// One answer, judged.
struct Judged {
    is_right: bool,
    seconds: f64,
    n_tokens: u64,
    n_malformed: usize,
    /// Whether a write was prompted for that nobody had asked for.
    has_unasked_write: bool,
}

/// Asks everything and prints the table.
///
/// # Errors
/// If `recto` cannot be built or started, or speaks another language than this reads.
pub(crate) fn bench(places: &Places, options: &Options) -> Result<ExitCode> {
    let tasks = chosen(places, options)?;
    let recto = options.whom.recto(places)?;
    let mut runs = Vec::new();
    for protocol in options.protocol.names() {
        for task in &tasks {
            for seed in 1..=options.seeds {
                runs.push((*protocol, task.id.as_str(), judge(places, &recto, options, protocol, task, seed)?));
            }
        }
    }
    for protocol in options.protocol.names() {
        let of = |id: Option<&str>| -> Vec<&Judged> {
            let these = runs.iter().filter(|(by, task, _)| by == protocol && id.is_none_or(|id| id == *task));
            these.map(|(_, _, judged)| judged).collect()
        };
        let mut table = Table::with_head([*protocol, "kind", "right", "s", "tokens", "malformed", "unasked"]);
        for task in &tasks {
            table.row(row(&task.id, &task.kind, &of(Some(&task.id))));
        }
        table.line();
        table.row(row("all", "", &of(None)));
        print(&table.to_text());
        print(&verdict(&of(None)));
    }
    Ok(ExitCode::SUCCESS)
}

fn chosen(places: &Places, options: &Options) -> Result<Vec<Task>> {
    let is_wanted = |task: &Task| {
        let half = match options.half {
            Halves::Tune => task.half == Half::Tune,
            Halves::Report => task.half == Half::Report,
            Halves::All => true,
        };
        half && options.only.as_ref().is_none_or(|part| task.id.contains(part.as_str()))
    };
    let tasks: Vec<Task> = read(&places.root.join("tests/fixtures"))?.into_iter().filter(is_wanted).collect();
    if tasks.is_empty() {
        bail!("no task is called like that: their names are in tests/fixtures/desk-tasks.json");
    }
    Ok(tasks)
}

/// Asks one question on a fresh copy of its folder, with a fresh record.
fn judge(places: &Places, recto: &Path, options: &Options, protocol: &str, task: &Task, seed: u64) -> Result<Judged> {
    let bench = places.target.join("bench/desk");
    let scratch = Scratch::new()?;
    let (folder, data) = (scratch.inside(&task.folder)?, scratch.inside("data")?);
    copy(&places.root.join("tests/fixtures").join(&task.folder), &folder)?;
    let before = files(&folder)?;
    let question = Question {
        text: &task.question,
        folder: &folder,
        data: &data,
        seed,
        approve: if task.asks_for_a_write() { "always" } else { "never" },
        protocol: Some(protocol),
    };
    let asked = ask(recto, &options.whom, &question, &bench.join(protocol).join(format!("{}-{seed}", task.id)))?;
    let faults = faults(task, &asked, &before, &files(&folder)?)?;
    let seconds = asked.took.as_secs_f64();
    say(&match faults.as_slice() {
        [] => format!("{} seed {seed}: right, {seconds:.1} s", task.id),
        faults => format!("{} seed {seed}: {}; it said: {}", task.id, faults.join("; "), beginning(asked.answer())),
    });
    Ok(Judged {
        is_right: faults.is_empty(),
        seconds,
        n_tokens: asked.n_tokens(),
        n_malformed: asked.n_malformed(),
        has_unasked_write: !task.asks_for_a_write() && asked.n_write_prompts() > 0,
    })
}

fn faults(task: &Task, asked: &Asked, before: &Files, after: &Files) -> Result<Vec<String>> {
    let mut faults = task.faults(asked.answer(), before, after)?;
    faults.extend(asked.failure.clone());
    Ok(faults)
}

fn row(name: &str, kind: &str, runs: &[&Judged]) -> Vec<String> {
    let sum = |count: fn(&Judged) -> usize| runs.iter().map(|run| count(run)).sum::<usize>().to_string();
    vec![
        name.to_owned(),
        kind.to_owned(),
        format!("{}/{}", n_right(runs), runs.len()),
        format!("{:.1}", median(runs.iter().map(|run| run.seconds).collect())),
        format!("{:.0}", median(runs.iter().map(|run| run.n_tokens as f64).collect())),
        sum(|run| run.n_malformed),
        sum(|run| usize::from(run.has_unasked_write)),
    ]
}

/// The figures that are promised, beside those that were found.
fn verdict(runs: &[&Judged]) -> String {
    let right = percent(n_right(runs), runs.len());
    let n_malformed: usize = runs.iter().map(|run| run.n_malformed).sum();
    let unasked = percent(runs.iter().filter(|run| run.has_unasked_write).count(), runs.len());
    let word = |is_met| if is_met { "met" } else { "missed" };
    format!(
        "right {right:.0} % (at least 80: {}), malformed steps {n_malformed} (0: {}), runs with an unasked write prompt {unasked:.1} % (at most 5: {})\n",
        word(right >= 80.0),
        word(n_malformed == 0),
        word(unasked <= 5.0)
    )
}

fn n_right(runs: &[&Judged]) -> usize {
    runs.iter().filter(|run| run.is_right).count()
}

/// The beginning of an answer, on one line.
fn beginning(answer: &str) -> String {
    let line = answer.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(160).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}
