//! `cargo xtask bench desk`: questions over folders, each asked with several seeds, each answer checked exactly.

mod report;
mod runs;

use super::ask::{Asked, Place, Question, Whom, ask};
use super::disk::{self, Scratch, copy};
use super::language;
use super::task::{Half, Set, Sheet, Task};
use crate::places::Places;
use crate::program::{print, say};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use runs::{Run, Runs, Start};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What is asked, and how often.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    whom: Whom,
    /// The tasks over three small folders; those over larger ones in ten languages; or the half of these that is put away
    #[arg(long, default_value = "desk")]
    set: Set,
    /// How often each question is asked, each time with another seed
    #[arg(long, default_value_t = 5)]
    seeds: u64,
    /// Of the set `desk`: the half that prompts are tuned on, or the one that is reported
    #[arg(long, default_value = "all")]
    half: Halves,
    /// Only tasks whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// How the model calls tools; both are printed side by side
    #[arg(long, default_value = "structured")]
    protocol: Protocols,
    /// Where the runs are kept, one JSON object a line; without it, in `bench/desk-<set>.jsonl` where cargo builds
    #[arg(long, value_name = "FILE")]
    runs: Option<PathBuf>,
    /// Go on with the file of runs: what it holds is not asked again
    #[arg(long)]
    resume: bool,
    /// Check the sheet and say what is in it; no model is asked
    #[arg(long)]
    list: bool,
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

/// One task, one way to ask it.
struct Exercise<'a> {
    task: &'a Task,
    protocol: &'static str,
    seed: u64,
}

/// Asks everything and prints the tables.
///
/// # Errors
/// If `recto` cannot be built or started, or speaks another language than this reads.
pub(crate) fn bench(places: &Places, options: &Options) -> Result<ExitCode> {
    let sheet = chosen(places, options)?;
    if options.list {
        print(&listed(&sheet.tasks, options.set));
        return Ok(ExitCode::SUCCESS);
    }
    let recto = options.whom.recto(places)?;
    let named = options.runs.clone();
    let path = named.unwrap_or_else(|| places.target.join(format!("bench/desk-{}.jsonl", options.set.name())));
    let mut runs = Runs::open(&path, if options.resume { Start::Resume } else { Start::Afresh })?;
    for protocol in options.protocol.names() {
        for task in &sheet.tasks {
            for seed in 1..=options.seeds {
                if !runs.has(&task.id, protocol, seed) {
                    runs.add(judge(places, &recto, options, &sheet, &Exercise { task, protocol, seed })?)?;
                }
            }
        }
    }
    for protocol in options.protocol.names() {
        let is_asked = |run: &&Run| run.protocol == *protocol && sheet.tasks.iter().any(|task| task.id == run.id);
        print(&report::report(protocol, &runs.all.iter().filter(is_asked).collect::<Vec<_>>()));
    }
    say(&format!("the runs are in {}", path.display()));
    Ok(ExitCode::SUCCESS)
}

fn chosen(places: &Places, options: &Options) -> Result<Sheet> {
    let is_wanted = |task: &Task| {
        let half = match options.half {
            Halves::Tune => task.half == Half::Tune,
            Halves::Report => task.half == Half::Report,
            Halves::All => true,
        };
        half && options.only.as_ref().is_none_or(|part| task.id.contains(part.as_str()))
    };
    let mut sheet = Sheet::read(&places.root.join("tests/fixtures"), options.set)?;
    sheet.tasks.retain(is_wanted);
    if sheet.tasks.is_empty() {
        bail!("no task is called like that: their names are in tests/fixtures/{}", options.set.file());
    }
    Ok(sheet)
}

/// The tasks, and how many there are of each class and language; of the half that is put away the counts alone.
fn listed(tasks: &[Task], set: Set) -> String {
    let mut text = String::new();
    if set != Set::Unseen {
        for Task { id, kind, language, question, .. } in tasks {
            text += &format!("{id}  {kind}  {language}  {question}\n");
        }
    }
    let counted = |of: fn(&Task) -> &String| {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for task in tasks {
            *counts.entry(of(task)).or_default() += 1;
        }
        counts.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
    };
    text += &format!("{} tasks are in order\n", tasks.len());
    text += &format!("classes: {}\n", counted(|task| &task.kind));
    text += &format!("languages: {}\n", counted(|task| &task.language));
    text + &format!("folders: {}", counted(|task| &task.folder))
}

/// Asks one question on a fresh copy of its folder, with a fresh record, after those that stand before it.
fn judge(places: &Places, recto: &Path, options: &Options, sheet: &Sheet, exercise: &Exercise<'_>) -> Result<Run> {
    let Exercise { task, protocol, seed } = exercise;
    let logs = places.target.join("bench").join(options.set.name()).join(protocol);
    let scratch = Scratch::new()?;
    let (folder, data) = (scratch.inside(&task.folder)?, scratch.inside("data")?);
    copy(&places.root.join("tests/fixtures").join(&task.folder), &folder)?;
    let before = disk::read(&folder)?;
    let turn = |text: &str, place: Place, approve: &'static str, log: &str| {
        let question =
            Question { text, folder: &folder, data: &data, place, seed: *seed, approve, protocol: Some(protocol) };
        ask(recto, &options.whom, &question, &logs.join(log))
    };
    let mut place = Place::First;
    let mut earlier = Vec::new();
    for (number, text) in task.before.iter().enumerate() {
        earlier.push(turn(text, place, "never", &format!("{}-{seed}-before-{number}", task.id))?);
        place = Place::Next;
    }
    let approve = if task.asks_for_a_write() { "always" } else { "never" };
    let asked = turn(&task.question, place, approve, &format!("{}-{seed}", task.id))?;
    let after = disk::read(&folder)?;
    let mut faults = task.faults(asked.answer(), &before, &after, &sheet.not_there)?;
    faults.extend(asked.failure.clone());
    let n_unasked = if task.asks_for_a_write() { 0 } else { asked.n_write_prompts() };
    let n_unasked = n_unasked + earlier.iter().map(Asked::n_write_prompts).sum::<usize>();
    let run = Run {
        id: task.id.clone(),
        class: task.kind.clone(),
        language: task.language.clone(),
        protocol: (*protocol).to_owned(),
        seed: *seed,
        right: faults.is_empty(),
        faults,
        damaged: task.damaged(&before, &after)?,
        unasked_write: n_unasked > 0,
        in_language: language::is_in(&task.language, asked.answer()),
        answer: asked.answer().to_owned(),
        seconds: earlier.iter().chain([&asked]).map(|asked| asked.took.as_secs_f64()).collect(),
        tokens: asked.n_tokens(),
        malformed: asked.n_malformed(),
    };
    say(&told(&run, options.set));
    Ok(run)
}

/// What is said about a run while the others go on. Why a task of the half that is put away failed is for the file alone.
fn told(run: &Run, set: Set) -> String {
    let (id, seed, seconds) = (&run.id, run.seed, run.seconds_a_turn());
    match (run.right, set) {
        (true, _) => format!("{id} seed {seed}: right, {seconds:.1} s"),
        (false, Set::Unseen) => format!("{id} seed {seed}: wrong, {seconds:.1} s"),
        (false, _) => {
            format!("{id} seed {seed}: {}; it said: {}", run.faults.join("; "), beginning(&run.answer))
        }
    }
}

/// The beginning of an answer, on one line.
fn beginning(answer: &str) -> String {
    let line = answer.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(160).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}
