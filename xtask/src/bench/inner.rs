//! Benchmarks that live beside what they measure, in a crate of their own; here they are only built and started.

use crate::places::{Places, cargo};
use crate::program::{command, exit_code, say, status};
use anyhow::Result;
use std::process::ExitCode;

/// What committing and reading cost: `benches/record.rs` of the store.
pub(crate) const RECORD: Inner = Inner { package: "recto-store", target: &["bench", "--bench", "record"] };
/// How fast streams are read: `benches/streams.rs` of the providers.
pub(crate) const STREAMS: Inner = Inner { package: "recto-providers", target: &["bench", "--bench", "streams"] };
/// What of the library's speed arrives: `examples/bare_loop.rs` of the embedded model, built as the program is.
pub(crate) const BARE_LOOP: Inner = Inner { package: "recto-local", target: &["run", "--example", "bare_loop"] };

/// A benchmark inside a crate.
pub(crate) struct Inner {
    package: &'static str,
    /// How cargo finds it.
    target: &'static [&'static str],
}

/// Builds it, and gives it the terminal.
///
/// # Errors
/// If cargo cannot be started.
pub(crate) fn bench(places: &Places, inner: &Inner, arguments: &[String]) -> Result<ExitCode> {
    say(&format!("building the benchmark in {}", inner.package));
    let mut cargo = command(cargo(), inner.target, &places.root);
    cargo.args(["--quiet", "--package", inner.package, "--"]).args(arguments);
    Ok(exit_code(status(&mut cargo)?))
}
