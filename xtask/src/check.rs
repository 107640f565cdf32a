//! `cargo xtask test`: everything that must be green, one step after the other, and the sum of what the runners counted.

mod counts;
mod journeys;
mod step;

use crate::places::{Places, cargo};
use crate::program::{command, print, say};
use crate::{debian, model, page};
use anyhow::{Result, bail};
use clap::Args;
use counts::Counts;
use std::process::ExitCode;
use step::{Done, Step};

/// What can be left out.
#[derive(Args)]
pub(crate) struct Options {
    /// Only the steps whose name contains this
    #[arg(long)]
    only: Option<String>,
}

/// Runs every step, also those after one that failed, and prints the sum.
///
/// # Errors
/// If the system packages are missing and cannot be installed: without them nothing would say anything useful.
pub(crate) fn check(places: &Places, options: &Options) -> Result<ExitCode> {
    debian::ensure(&[debian::COMMAND_LINE, debian::WINDOW, debian::TESTS].concat())?;
    if let Err(error) = model::ensure(places, &model::SMALL) {
        say(&format!("{error:#}; the tests on a real model are left out"));
    }
    let all = steps(places);
    let is_wanted = |step: &Step<'_>| options.only.as_ref().is_none_or(|part| step.name.contains(part.as_str()));
    let wanted: Vec<_> = all.into_iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        bail!("no step is called like that");
    }
    let done: Vec<Done> = wanted.into_iter().map(Step::run).collect();
    Ok(summary(&done))
}

/// The steps, in order. The window's page comes first, because the window is compiled with it inside.
fn steps(places: &Places) -> Vec<Step<'_>> {
    let rust = |arguments: &[&str]| command(cargo(), arguments, &places.root);
    let npm = |script: &str| {
        let mut npm = command(page::npm(), &["run", script], &places.ui());
        npm.env("CI", "true");
        npm
    };
    let mut tests = rust(&["test", "--workspace", "--no-fail-fast", "--quiet"]);
    tests.env("RECTO_MODELS", &places.models);
    // The keychain of whoever runs this is left alone.
    tests.env("RECTO_KEYCHAIN", "none");
    vec![
        Step::runs("format", rust(&["fmt", "--all", "--check"])),
        Step::does("page: packages", || {
            page::packages(&places.ui())?;
            Ok(Counts::default())
        }),
        Step::runs("page: check", npm("check")),
        Step::runs("page: lint", npm("lint")),
        Step::counts("page: test", npm("test")),
        Step::runs("page: build", npm("build")),
        Step::runs("clippy", rust(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])),
        // With the features of the whole workspace, like the tests, so that llama.cpp is compiled once.
        Step::runs("programs", rust(&["build", "--quiet", "--workspace", "--bins"])),
        Step::counts("tests", tests),
        Step::does("journeys", || journeys::run(places)),
    ]
}

/// Prints a line for each step and the sum, which is what the exit code says too.
fn summary(steps: &[Done]) -> ExitCode {
    print("");
    for step in steps {
        print(&step.to_string());
    }
    let sum: Counts = steps.iter().map(Done::counts).sum();
    print("");
    print(&sum.to_string());
    if sum.n_failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
