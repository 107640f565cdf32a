//! `cargo xtask bench door`: what the door to the disk and the audit log let through, each with what it is to be.

use super::inner::{self, Inner};
use crate::places::Places;
use anyhow::Result;
use clap::Args;
use std::process::ExitCode;

/// Races, hostile calls and names: `examples/door` of the tools.
const DOOR: Inner =
    Inner { crate_name: "recto-tools", cargo: &["build", "--example", "door"], built: Some("examples/door") };
/// What the audit log costs and finds: `examples/audit_log.rs` of the store.
const AUDIT_LOG: Inner =
    Inner { crate_name: "recto-store", cargo: &["build", "--example", "audit_log"], built: Some("examples/audit_log") };

/// How much is tried.
#[derive(Args)]
pub(crate) struct Options {
    /// Changes made while somebody exchanges names
    #[arg(long, default_value_t = 100_000)]
    races: u64,
    /// A million of them
    #[arg(long, conflicts_with = "races")]
    full: bool,
    /// Calls of a hostile model
    #[arg(long, default_value_t = 20_000)]
    calls: u64,
    /// Hostile paths, each on three platforms
    #[arg(long, default_value_t = 2_000)]
    names: u64,
    /// Rows of the audit log that is verified
    #[arg(long, default_value_t = 1_000_000)]
    rows: u64,
    /// Changes of an audit log behind the program's back
    #[arg(long, default_value_t = 10_000)]
    mutations: u64,
}

/// Runs both halves. It fails where anything got through, was missed, or took too long.
///
/// # Errors
/// If one of them cannot be built or run.
pub(crate) fn bench(places: &Places, options: &Options) -> Result<ExitCode> {
    let races = if options.full { 1_000_000 } else { options.races };
    let arguments = |values: &[(&str, u64)]| -> Vec<String> {
        values.iter().flat_map(|(name, value)| [format!("--{name}"), value.to_string()]).collect()
    };
    let door = arguments(&[("races", races), ("calls", options.calls), ("names", options.names)]);
    let through = inner::bench(places, &DOOR, &door)?;
    let audit_log = arguments(&[("rows", options.rows), ("mutations", options.mutations)]);
    let missed = inner::bench(places, &AUDIT_LOG, &audit_log)?;
    Ok(if through == ExitCode::SUCCESS { missed } else { through })
}
