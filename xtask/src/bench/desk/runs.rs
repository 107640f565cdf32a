//! The runs of a benchmark on disk, one JSON object a line, so that two of them can be compared and one that died goes on.

use crate::bench::table::median;
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// One task, asked once and judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    /// The task.
    pub(crate) id: String,
    /// What it tries.
    pub(crate) class: String,
    /// The language of its question.
    pub(crate) language: String,
    /// How the model called tools.
    pub(crate) protocol: String,
    /// The seed of the draw.
    pub(crate) seed: u64,
    /// Whether there is no fault.
    pub(crate) right: bool,
    /// What is wrong.
    pub(crate) faults: Vec<String>,
    /// Files that lost something which nobody asked to lose.
    pub(crate) damaged: Vec<String>,
    /// Whether a write was prompted for that nobody had asked for.
    pub(crate) unasked_write: bool,
    /// Whether the answer is in the question's language; `None` where that cannot be told.
    pub(crate) in_language: Option<bool>,
    /// The last answer.
    pub(crate) answer: String,
    /// What each turn took.
    pub(crate) seconds: Vec<f64>,
    /// Tokens of all requests of the last turn.
    pub(crate) tokens: u64,
    /// Steps of work that were none.
    pub(crate) malformed: usize,
}

impl Run {
    /// What a turn of it took.
    pub(crate) fn seconds_a_turn(&self) -> f64 {
        median(self.seconds.clone())
    }
}

/// The file of runs.
pub(crate) struct Runs {
    path: PathBuf,
    /// All of them, those of an earlier start first.
    pub(crate) all: Vec<Run>,
}

/// Whether a file of runs is gone on with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    Afresh,
    Resume,
}

impl Runs {
    /// Opens the file, or begins it anew.
    ///
    /// # Errors
    /// If it cannot be made, or holds something else.
    pub(crate) fn open(path: &Path, start: Start) -> Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        }
        let mut all = Vec::new();
        if start == Start::Resume && path.exists() {
            // A run that died may have left half a line, which is asked again.
            let text = fs::read_to_string(path)?;
            all.extend(text.split_inclusive('\n').filter_map(|line| serde_json::from_str(line).ok()));
        }
        let mut lines = String::new();
        for run in &all {
            lines += &(serde_json::to_string(run)? + "\n");
        }
        fs::write(path, lines).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Self { path: path.to_owned(), all })
    }

    /// Whether this one is there.
    pub(crate) fn has(&self, id: &str, protocol: &str, seed: u64) -> bool {
        self.all.iter().any(|run| run.id == id && run.protocol == protocol && run.seed == seed)
    }

    /// Adds one, on disk first.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn add(&mut self, run: Run) -> Result<()> {
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        file.write_all((serde_json::to_string(&run)? + "\n").as_bytes())?;
        self.all.push(run);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Run, Runs, Start};

    fn run(id: &str) -> Run {
        Run {
            id: id.to_owned(),
            class: "row".to_owned(),
            language: "de".to_owned(),
            protocol: "structured".to_owned(),
            seed: 1,
            right: true,
            faults: Vec::new(),
            damaged: Vec::new(),
            unasked_write: false,
            in_language: None,
            answer: "12 €".to_owned(),
            seconds: vec![1.0, 3.0],
            tokens: 7,
            malformed: 0,
        }
    }

    #[test]
    fn a_file_that_broke_off_in_a_line_is_gone_on_with_behind_the_last_whole_one() {
        let path = std::env::temp_dir().join(format!("recto-runs-{}.jsonl", std::process::id()));
        Runs::open(&path, Start::Afresh).unwrap().add(run("a")).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{{\"id\":\"b")).unwrap();
        let mut runs = Runs::open(&path, Start::Resume).unwrap();
        assert_eq!(
            [runs.has("a", "structured", 1), runs.has("a", "structured", 2), runs.has("b", "structured", 1)],
            [true, false, false]
        );
        runs.add(run("b")).unwrap();
        assert_eq!(Runs::open(&path, Start::Resume).unwrap().all.len(), 2);
        assert_eq!(Runs::open(&path, Start::Afresh).unwrap().all.len(), 0);
        std::fs::remove_file(&path).unwrap();
    }
}
