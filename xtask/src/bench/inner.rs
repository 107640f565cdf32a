//! Benchmarks that live beside what they measure, in a crate of their own; here they are only built and started.

use crate::places::{Places, cargo};
use crate::program::{command, exit_code, must, say, status};
use anyhow::Result;
use std::process::{Command, ExitCode};

/// What committing and reading cost: `benches/record.rs` of the store.
pub(crate) const RECORD: Inner =
    Inner { crate_name: "recto-store", cargo: &["bench", "--bench", "record"], built: None };
/// What reading documents into the library and asking it cost: `benches/library.rs` of the store.
pub(crate) const LIBRARY: Inner =
    Inner { crate_name: "recto-store", cargo: &["bench", "--bench", "library"], built: None };
/// How fast streams are read: `benches/streams.rs` of the providers.
pub(crate) const STREAMS: Inner =
    Inner { crate_name: "recto-providers", cargo: &["bench", "--bench", "streams"], built: None };
/// What of the library's speed arrives: `examples/bare_loop.rs` of the embedded model, built as the program is.
pub(crate) const BARE_LOOP: Inner =
    Inner { crate_name: "recto-local", cargo: &["build", "--example", "bare_loop"], built: Some("examples/bare_loop") };

/// How far counts are off for a model whose vocabulary is not here: `examples/counts.rs` of the embedded model.
pub(crate) const COUNTS: Inner =
    Inner { crate_name: "recto-local", cargo: &["build", "--example", "counts"], built: Some("examples/counts") };

/// What the arrangement alone does to an answer: `examples/layout.rs` of the program without a window.
pub(crate) const LAYOUT: Inner =
    Inner { crate_name: "recto-app", cargo: &["build", "--example", "layout"], built: Some("examples/layout") };
/// Where planted facts went, and how long it takes to say so: `examples/whereabouts.rs` of the program without a window.
pub(crate) const WHERE: Inner = Inner {
    crate_name: "recto-app",
    cargo: &["build", "--example", "whereabouts"],
    built: Some("examples/whereabouts"),
};
/// What composing and recording a request costs: `benches/assemble.rs` of the store.
pub(crate) const ASSEMBLE: Inner =
    Inner { crate_name: "recto-store", cargo: &["bench", "--bench", "assemble"], built: None };

/// A benchmark inside a crate.
pub(crate) struct Inner {
    pub(super) crate_name: &'static str,
    /// How cargo builds it, or builds and runs it.
    pub(super) cargo: &'static [&'static str],
    /// The program that was built, where cargo does not run it itself.
    pub(super) built: Option<&'static str>,
}

/// Builds it, and gives it the terminal. The features are those of the whole workspace, so that llama.cpp is compiled once.
///
/// # Errors
/// If cargo cannot be started, or the benchmark cannot be built.
pub(crate) fn bench(places: &Places, inner: &Inner, arguments: &[String]) -> Result<ExitCode> {
    say(&format!("building the benchmark in {}", inner.crate_name));
    let mut cargo = command(cargo(), inner.cargo, &places.root);
    cargo.args(["--quiet", "--workspace"]);
    let Some(program) = inner.built else {
        return Ok(exit_code(status(cargo.arg("--").args(arguments))?));
    };
    must(&mut cargo)?;
    Ok(exit_code(status(Command::new(places.built(program)).args(arguments).env("OMP_WAIT_POLICY", "passive"))?))
}
