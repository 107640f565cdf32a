//! `cargo xtask bench <name>`: figures that a promise rests on, each with its table.

mod ask;
mod desk;
mod disk;
mod inner;
mod table;
mod task;
mod todo;

use crate::places::Places;
use anyhow::Result;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Which benchmark.
#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    name: Name,
}

#[derive(Subcommand)]
enum Name {
    /// Small questions over three folders, on a real model
    Desk(desk::Options),
    /// The plan: kept while working, and given back to the byte
    Todo(todo::Options),
    /// The model inside against a bare decode loop, and what a turn evaluates and reuses
    Model(inner::Options),
    /// The record: assembling, committing, opening
    Record(inner::Options),
    /// Stream decoding
    Streams(inner::Options),
}

/// Runs it and prints its table.
///
/// # Errors
/// If what it measures cannot be built or run.
pub(crate) fn bench(places: &Places, options: Options) -> Result<ExitCode> {
    match options.name {
        Name::Desk(options) => desk::bench(places, &options),
        Name::Todo(options) => todo::bench(places, &options),
        Name::Model(options) => inner::bench(places, &inner::MODEL, &options),
        Name::Record(options) => inner::bench(places, &inner::RECORD, &options),
        Name::Streams(options) => inner::bench(places, &inner::STREAMS, &options),
    }
}
