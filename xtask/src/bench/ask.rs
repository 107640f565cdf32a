//! One run of `recto ask --json` as a program of its own, and what its events say.

use crate::places::Places;
use crate::program::{reason, written};
use crate::run;
use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A turn that takes longer is ended and counts as wrong.
const PATIENCE: Duration = Duration::from_secs(600);

/// Of whom questions are asked.
#[derive(Args)]
pub(crate) struct Whom {
    /// The model, as `recto --model` takes it
    #[arg(long)]
    model: Option<String>,
    /// A `recto` that is built already, another version of it for instance; without it, this checkout's is built
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

impl Whom {
    /// The `recto` that is asked, built if need be.
    ///
    /// # Errors
    /// If it cannot be built.
    pub(crate) fn recto(&self, places: &Places) -> Result<PathBuf> {
        if let Some(program) = &self.program {
            return Ok(program.clone());
        }
        run::build_command_line(places)?;
        Ok(places.built("recto"))
    }
}

/// What is asked, and where.
pub(crate) struct Question<'a> {
    /// The words.
    pub(crate) text: &'a str,
    /// The folder it is about.
    pub(crate) folder: &'a Path,
    /// The folder of the record, empty before the first question.
    pub(crate) data: &'a Path,
    /// Whether it is asked in the conversation that the record holds, or begins one.
    pub(crate) place: Place,
    /// The seed of the draw.
    pub(crate) seed: u64,
    /// `never` or `always`.
    pub(crate) approve: &'static str,
    /// `structured` or `native`; `None` leaves it to the model.
    pub(crate) protocol: Option<&'a str>,
}

/// Where a question stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// It begins a conversation.
    First,
    /// It goes on in the latest one.
    Next,
}

/// What came of it.
pub(crate) struct Asked {
    /// Every event, in order.
    events: Vec<Value>,
    /// From the start of the program to its end.
    pub(crate) took: Duration,
    /// How the program failed; `None` if it did not.
    pub(crate) failure: Option<String>,
}

/// Asks, and keeps the events in `<log>.jsonl` and what was said on stderr in `<log>.log`.
///
/// # Errors
/// If the program cannot be started, or if it prints something that is no event.
pub(crate) fn ask(recto: &Path, whom: &Whom, question: &Question<'_>, log: &Path) -> Result<Asked> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    let (events, words) = (log.with_extension("jsonl"), log.with_extension("log"));
    let mut recto = Command::new(recto);
    recto.env("OMP_WAIT_POLICY", "passive").env("RECTO_KEYCHAIN", "none");
    recto.args(["ask", "--json", "--approve", question.approve, "--seed", &question.seed.to_string()]);
    recto.arg("--folder").arg(question.folder).arg("--data").arg(question.data);
    recto.args(whom.model.iter().flat_map(|model| ["--model", model]));
    if question.place == Place::Next {
        recto.args(["--conversation", "last"]);
    }
    recto.args(question.protocol.iter().flat_map(|protocol| ["--protocol", protocol]));
    recto.arg("--").arg(question.text).stdin(Stdio::null());
    recto.stdout(File::create(&events)?).stderr(File::create(&words)?);
    let start = Instant::now();
    let child = recto.spawn().with_context(|| format!("`{}` cannot be started", written(&recto)))?;
    let status = wait(child)?;
    let took = start.elapsed();
    let failure = match status {
        Some(status) if status.success() => None,
        Some(status) => Some(format!("{}: {}", reason(status), last_words(&words))),
        None => Some(format!("not done after {} s", PATIENCE.as_secs())),
    };
    Ok(Asked { events: read(&events)?, took, failure })
}

/// Waits for the end; `None` if patience ran out, and the program was ended.
fn wait(mut child: Child) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn read(events: &PathBuf) -> Result<Vec<Value>> {
    let text = fs::read_to_string(events).with_context(|| format!("{} cannot be read", events.display()))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).with_context(|| format!("`recto ask --json` printed no event: {line}")))
        .collect()
}

fn last_words(words: &Path) -> String {
    fs::read_to_string(words).unwrap_or_default().lines().last().unwrap_or_default().to_owned()
}

impl Asked {
    /// The answer; empty if there is none.
    pub(crate) fn answer(&self) -> &str {
        self.of("ended").last().and_then(|ended| ended["answer"].as_str()).unwrap_or_default()
    }

    /// Tokens of all its requests.
    pub(crate) fn n_tokens(&self) -> u64 {
        self.of("request").filter_map(|request| request["tokens"].as_u64()).sum()
    }

    /// Its requests, each with the counts of its reply.
    pub(crate) fn requests(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.of("request").filter_map(|request| {
            let reply = self.of("replied").find(|reply| reply["request"] == request["id"])?;
            Some((request, &reply["usage"]))
        })
    }

    /// Requests of this purpose.
    pub(crate) fn n_requests(&self, purpose: &str) -> usize {
        self.of("request").filter(|request| request["purpose"] == purpose).count()
    }

    /// Steps of work that were none: arguments that did not fit their tool, a tool that there is not, or a call that came
    /// as text and so was taken for the answer.
    pub(crate) fn n_malformed(&self) -> usize {
        let is_call = |text: &str| text.contains("<tool_call>") || text.trim_start().starts_with("{\"name\":");
        let n_invalid = self.of("tool").filter(|tool| tool["status"] == "invalid_arguments").count();
        n_invalid + usize::from(is_call(self.answer()))
    }

    /// Writes that the user was or would have been asked about.
    pub(crate) fn n_write_prompts(&self) -> usize {
        self.of("permission").filter(|one| one["effect"] == "write" && one["tool"] != "todo_write").count()
    }

    /// The results of the calls of a tool that were carried out.
    pub(crate) fn results<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a str> {
        let done = self.of("tool").filter(move |one| one["tool"] == tool && one["status"] == "done");
        done.filter_map(|one| one["result"].as_str())
    }

    fn of<'a>(&'a self, kind: &'a str) -> impl DoubleEndedIterator<Item = &'a Value> {
        self.events.iter().filter(move |event| event["type"] == kind)
    }
}
