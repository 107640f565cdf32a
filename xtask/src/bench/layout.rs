//! `cargo xtask bench layout`: what the arrangement alone does to an answer.

use super::inner;
use crate::model::{self, Model};
use crate::places::Places;
use crate::program::print;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// With which model, and how many items.
#[derive(Args)]
pub(crate) struct Options {
    /// A GGUF file; without it, the starter model (or the small one, by RECTO_MODEL)
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Items, each asked in both layouts
    #[arg(long, default_value_t = 24)]
    items: u32,
}

/// Prints how many answers are right in each layout.
///
/// # Errors
/// If the model cannot be had, or if something cannot be built or run.
pub(crate) fn bench(places: &Places, options: &Options) -> Result<ExitCode> {
    let file = match &options.file {
        Some(file) => std::path::absolute(file)?,
        None => model::ensure(places, Model::chosen()?)?,
    };
    let arguments = [file.to_string_lossy().into_owned(), options.items.to_string()];
    let code = inner::bench(places, &inner::LAYOUT, &arguments)?;
    print("Promised: the answer request right at least three times as often.");
    Ok(code)
}
