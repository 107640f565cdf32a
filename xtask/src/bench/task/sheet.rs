//! Where the tasks stand, and whether a sheet measures what it says.

use super::expect::regex;
use super::{Half, Task};
use crate::bench::disk;
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Which sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Set {
    /// The first one, over three small folders.
    Desk,
    /// Larger folders in ten languages: the half to learn from.
    Dev,
    /// The half over other folders that is put away until the end.
    Unseen,
}

impl Set {
    /// The word it is chosen by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Desk => "desk",
            Self::Dev => "dev",
            Self::Unseen => "unseen",
        }
    }

    /// Its file among the fixtures.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Desk => "desk-tasks.json",
            Self::Dev => "folder-tasks.json",
            Self::Unseen => "folder-tasks-unseen.json",
        }
    }

    fn halves(self) -> &'static [Half] {
        match self {
            Self::Desk => &[Half::Tune, Half::Report],
            Self::Dev => &[Half::Dev],
            Self::Unseen => &[Half::Unseen],
        }
    }
}

/// A sheet that was checked.
pub(crate) struct Sheet {
    /// Its tasks.
    pub(crate) tasks: Vec<Task>,
    /// How each language says that something is not there.
    pub(crate) not_there: NotThere,
}

/// Patterns for an answer that says that something is not there, by language.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct NotThere(BTreeMap<String, Vec<String>>);

impl NotThere {
    /// Those of a language.
    ///
    /// # Errors
    /// If there are none.
    pub(super) fn phrases(&self, language: &str) -> Result<&[String]> {
        let phrases = self.0.get(language).map(Vec::as_slice);
        phrases.with_context(|| format!("not-there.json has no phrases for the language {language:?}"))
    }
}

#[derive(Deserialize)]
struct Tasks {
    tasks: Vec<Task>,
}

impl Sheet {
    /// Reads a sheet and refuses one that would measure something else than it says.
    ///
    /// # Errors
    /// If a file cannot be read, if a name stands twice, a fixture is missing, a pattern is none, or a change could not be made.
    pub(crate) fn read(fixtures: &Path, set: Set) -> Result<Self> {
        let path = fixtures.join(set.file());
        let tasks = json::<Tasks>(&path)?.tasks;
        let not_there: NotThere = json(&fixtures.join("not-there.json"))?;
        for phrase in not_there.0.values().flatten() {
            regex(phrase).context("not-there.json")?;
        }
        let sheet = Self { tasks, not_there };
        for (index, task) in sheet.tasks.iter().enumerate() {
            let (id, path) = (&task.id, path.display());
            if sheet.tasks[..index].iter().any(|other| other.id == *id) {
                bail!("{path}: two tasks are called {id}");
            }
            if !set.halves().contains(&task.half) {
                bail!("{path}: {id} belongs to another half");
            }
            sheet.check(fixtures, task).with_context(|| format!("{path}: {id}"))?;
        }
        Ok(sheet)
    }

    fn check(&self, fixtures: &Path, task: &Task) -> Result<()> {
        let folder = fixtures.join(&task.folder);
        if !folder.is_dir() {
            bail!("its folder is not there: {}", task.folder);
        }
        if task.expect.is_not_there() {
            self.not_there.phrases(&task.language)?;
        }
        task.expect.check(&disk::read(&folder)?)
    }
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not what it should be", path.display()))
}
