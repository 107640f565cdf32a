//! The tasks of the desk benchmark.

mod expect;
mod sheet;

use serde::Deserialize;

pub(crate) use expect::Expect;
pub(crate) use sheet::{NotThere, Set, Sheet};

/// One question over one folder.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Task {
    /// Its name.
    pub(crate) id: String,
    /// The fixture it is asked over.
    pub(crate) folder: String,
    /// What it tries.
    #[serde(alias = "class")]
    pub(crate) kind: String,
    /// The half that prompts are tuned on, or the one that is reported.
    pub(crate) half: Half,
    /// The language of the question, as two letters; empty where a sheet does not say.
    #[serde(default)]
    pub(crate) language: String,
    /// What is asked before, in the same conversation; nothing of it is judged but what it does to the files.
    #[serde(default)]
    pub(crate) before: Vec<String>,
    /// What is asked.
    pub(crate) question: String,
    /// What is right.
    pub(crate) expect: Expect,
}

/// The halves: of the old sheet, and of the two newer ones, which are a file each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Half {
    Tune,
    Report,
    Dev,
    Unseen,
}

#[cfg(test)]
mod tests;
