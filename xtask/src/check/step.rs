//! One thing that must be green, and how it came out.

use super::counts::Counts;
use crate::program::{print, reason, say, timed, written};
use anyhow::{Context as _, Result, bail};
use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

type Work<'a> = Box<dyn FnOnce() -> Result<Counts> + 'a>;

/// One thing that must be green.
pub(crate) struct Step<'a> {
    /// What it is called in the summary.
    pub(crate) name: &'static str,
    work: Work<'a>,
}

/// How a step came out.
pub(crate) struct Done {
    name: &'static str,
    took: Duration,
    result: Result<Counts>,
}

impl<'a> Step<'a> {
    /// A command that must succeed and counts nothing.
    pub(crate) fn runs(name: &'static str, command: Command) -> Self {
        Self::does(name, || {
            let (_, is_success, how) = watch(command)?;
            if is_success { Ok(Counts::default()) } else { bail!(how) }
        })
    }

    /// A test runner, whose counts are read off what it prints.
    pub(crate) fn counts(name: &'static str, command: Command) -> Self {
        Self::does(name, || counted(command))
    }

    /// Anything else.
    pub(crate) fn does(name: &'static str, work: impl FnOnce() -> Result<Counts> + 'a) -> Self {
        Self { name, work: Box::new(work) }
    }

    /// Does it.
    pub(crate) fn run(self) -> Done {
        say(&format!("── {} ──", self.name));
        let (result, took) = timed(self.work);
        if let Err(error) = &result {
            say(&format!("{}: {error:#}", self.name));
        }
        Done { name: self.name, took, result }
    }
}

impl Done {
    /// What it adds to the sum; a step that failed without counting anything is one failure.
    pub(crate) fn counts(&self) -> Counts {
        match &self.result {
            Ok(counts) => *counts,
            Err(_) => Counts { n_passed: 0, n_failed: 1 },
        }
    }
}

impl fmt::Display for Done {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:16} {:7.1} s  ", self.name, self.took.as_secs_f64())?;
        match &self.result {
            Ok(counts) if *counts == Counts::default() => out.write_str("ok"),
            Ok(counts) => write!(out, "{counts}"),
            Err(error) => write!(out, "FAILED: {error}"),
        }
    }
}

/// Runs a test runner and reads its counts. One that fails without a failed test (it did not compile, say) is an error,
/// and so is one that succeeds without having run a test.
///
/// # Errors
/// If it cannot be started, or as said.
pub(crate) fn counted(command: Command) -> Result<Counts> {
    let (counts, is_success, how) = watch(command)?;
    match (is_success, counts) {
        (true, Counts { n_passed: 0, n_failed: 0 }) => bail!("no test ran"),
        (false, Counts { n_failed: 0, .. }) => bail!("{how}, though no test failed"),
        _ => Ok(counts),
    }
}

/// Runs a command, passes on what it prints line by line, and adds up the counts in it.
fn watch(mut command: Command) -> Result<(Counts, bool, String)> {
    let name = written(&command);
    let mut child = command
        .stdout(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("`{name}` cannot be started: is it installed?"))?;
    let mut counts = Vec::new();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            print(&line);
            counts.push(Counts::of_line(&line));
        }
    }
    let status = child.wait()?;
    Ok((counts.into_iter().sum(), status.success(), format!("`{name}` failed ({})", reason(status))))
}
