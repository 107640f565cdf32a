//! `cargo xtask bench <name>`.

use crate::places::Places;
use anyhow::Result;
use clap::Args;
use std::process::ExitCode;

/// Which.
#[derive(Args)]
pub(crate) struct Options {}

pub(crate) fn bench(_places: &Places, _options: Options) -> Result<ExitCode> {
    anyhow::bail!("soon")
}
