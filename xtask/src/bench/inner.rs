//! Benchmarks that live beside what they measure, in a crate of their own; here they are only built and started.

use crate::places::{Places, cargo};
use crate::program::{command, exit_code, say, status};
use anyhow::Result;
use clap::Args;
use std::process::ExitCode;

/// What is passed on.
#[derive(Args)]
pub(crate) struct Options {
    /// Passed on to the benchmark
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// A benchmark inside a crate.
pub(crate) struct Inner {
    package: &'static str,
    /// How cargo finds it.
    target: &'static [&'static str],
}

pub(crate) const MODEL: Inner = Inner { package: "recto-local", target: &["run", "--release", "--example", "speed"] };
pub(crate) const RECORD: Inner = Inner { package: "recto-store", target: &["bench", "--bench", "record"] };
pub(crate) const STREAMS: Inner = Inner { package: "recto-providers", target: &["bench", "--bench", "streams"] };

/// Builds it, and gives it the terminal.
///
/// # Errors
/// If cargo cannot be started.
pub(crate) fn bench(places: &Places, inner: &Inner, options: &Options) -> Result<ExitCode> {
    say(&format!("building the benchmark in {}", inner.package));
    let mut cargo = command(cargo(), inner.target, &places.root);
    cargo.args(["--quiet", "--package", inner.package, "--"]).args(&options.arguments);
    cargo.env("RECTO_MODELS", &places.models);
    Ok(exit_code(status(&mut cargo)?))
}
