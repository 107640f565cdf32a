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

/// Runs a test runner and reads its counts.
///
/// # Errors
/// If it cannot be started, or if its counts do not say how it ended.
pub(crate) fn counted(command: Command) -> Result<Counts> {
    let (counts, is_success, how) = watch(command)?;
    judged(counts, is_success, &how)
}

/// A runner that fails without a failed test (it did not compile, say) is an error, and so is one that ran no test.
fn judged(counts: Counts, is_success: bool, how: &str) -> Result<Counts> {
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

#[cfg(test)]
mod tests {
    use super::{Counts, Step, counted, judged};
    use std::process::Command;

    #[test]
    fn a_runner_counts_its_failures_and_whatever_else_goes_wrong_is_one() {
        let table = [
            ((5, 0), true, "5 passed, 0 failed"),
            ((3, 2), false, "3 passed, 2 failed"),
            ((3, 0), false, "0 passed, 1 failed"),
            ((0, 0), false, "0 passed, 1 failed"),
            ((0, 0), true, "0 passed, 1 failed"),
        ];
        for ((n_passed, n_failed), is_success, expected) in table {
            let work = move || judged(Counts { n_passed, n_failed }, is_success, "it failed");
            assert_eq!(Step::does("step", work).run().counts().to_string(), expected);
        }
    }

    #[test]
    fn a_runner_that_is_not_there_is_named() {
        let error = counted(Command::new("no-such-runner")).unwrap_err();
        assert_eq!(error.to_string(), "`no-such-runner` cannot be started: is it installed?");
    }
}
