//! The tasks of the desk benchmark, and what makes an answer right.

use super::disk::Files;
use anyhow::{Context as _, Result, bail};
use regex_lite::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[derive(Deserialize)]
struct Sheet {
    tasks: Vec<Task>,
}

/// One question over one folder.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Task {
    /// Its name.
    pub(crate) id: String,
    /// The fixture it is asked over.
    pub(crate) folder: String,
    /// What it tries.
    pub(crate) kind: String,
    /// The half that prompts are tuned on, or the one that is reported.
    pub(crate) half: Half,
    /// What is asked.
    pub(crate) question: String,
    /// What is right.
    pub(crate) expect: Expect,
}

/// The two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Half {
    Tune,
    Report,
}

/// What makes an answer right.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    /// Each of these matches the answer.
    #[serde(default)]
    all: Vec<String>,
    /// At least one of these does, if there are any.
    #[serde(default)]
    any: Vec<String>,
    /// None of these does.
    #[serde(default)]
    none: Vec<String>,
    /// What these files hold afterwards, white space at the end apart.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Whether a write may be asked for.
    #[serde(default)]
    writes: Writes,
}

/// Whether a write may be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Writes {
    /// It was asked for.
    #[default]
    Asked,
    /// It was not.
    None,
}

impl Task {
    /// Whether a write is what the question asks for.
    pub(crate) fn asks_for_a_write(&self) -> bool {
        self.expect.writes == Writes::Asked
    }

    /// What is wrong with an answer and with the files after it; nothing if it is right.
    ///
    /// # Errors
    /// If a pattern of the task is none.
    pub(crate) fn faults(&self, answer: &str, before: &Files, after: &Files) -> Result<Vec<String>> {
        let expect = &self.expect;
        let mut faults = Vec::new();
        for pattern in &expect.all {
            if !matches(pattern, answer)? {
                faults.push(format!("the answer lacks /{pattern}/"));
            }
        }
        if !expect.any.is_empty() && !any(&expect.any, answer)? {
            faults.push(format!("the answer lacks any of /{}/", expect.any.join("/ /")));
        }
        for pattern in &expect.none {
            if matches(pattern, answer)? {
                faults.push(format!("the answer says /{pattern}/"));
            }
        }
        faults.extend(self.wrong_files(before, after));
        Ok(faults)
    }

    /// Files that are not as they should be: those that were asked for, and all others, which should be as before.
    fn wrong_files(&self, before: &Files, after: &Files) -> Vec<String> {
        let wanted = &self.expect.files;
        let missing = wanted.iter().filter(|(name, text)| {
            let found = after.get(*name).map(|bytes| String::from_utf8_lossy(bytes).trim_end().to_owned());
            found.as_deref() != Some(text.as_str())
        });
        let missing = missing.map(|(name, _)| format!("{name} does not hold what was asked for"));
        let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
        let changed = names.filter(|name| !wanted.contains_key(*name) && before.get(*name) != after.get(*name));
        missing.chain(changed.map(|name| format!("{name} was changed"))).collect()
    }
}

/// Reads the tasks and refuses a sheet that would measure something else than it says.
///
/// # Errors
/// If the file cannot be read, if a name stands twice, a fixture is missing, or a pattern is none.
pub(crate) fn read(fixtures: &Path) -> Result<Vec<Task>> {
    let path = fixtures.join("desk-tasks.json");
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let tasks = serde_json::from_str::<Sheet>(&text)
        .with_context(|| format!("{} is not a sheet of tasks", path.display()))?
        .tasks;
    for (index, task) in tasks.iter().enumerate() {
        let id = &task.id;
        if tasks[..index].iter().any(|other| other.id == *id) {
            bail!("{}: two tasks are called {id}", path.display());
        }
        if !fixtures.join(&task.folder).is_dir() {
            bail!("{}: the folder of {id} is not there: {}", path.display(), task.folder);
        }
        let expect = &task.expect;
        for pattern in expect.all.iter().chain(&expect.any).chain(&expect.none) {
            regex(pattern).with_context(|| format!("{}: {id}", path.display()))?;
        }
    }
    Ok(tasks)
}

fn any(patterns: &[String], text: &str) -> Result<bool> {
    for pattern in patterns {
        if matches(pattern, text)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn matches(pattern: &str, text: &str) -> Result<bool> {
    Ok(regex(pattern)?.is_match(text))
}

fn regex(pattern: &str) -> Result<Regex> {
    RegexBuilder::new(pattern).case_insensitive(true).build().with_context(|| format!("/{pattern}/ is no pattern"))
}

#[cfg(test)]
mod tests;
