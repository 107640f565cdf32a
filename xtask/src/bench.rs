//! `cargo xtask bench <name>`: figures that a promise rests on, each with its table.

mod ask;
mod desk;
mod disk;
mod door;
mod inner;
mod language;
mod layout;
mod model;
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
    /// Questions over folders, on a real model: three small ones, or larger ones in ten languages
    Desk(desk::Options),
    /// The plan: kept while working, and given back to the byte
    Todo(todo::Options),
    /// The model inside against a bare decode loop, and what a turn evaluates and reuses
    Model(model::Options),
    /// The same table and question as a raw tool result and as an answer request, on a real model
    Layout(layout::Options),
    /// What the door to the disk lets through when somebody tries, and what the audit log finds
    Door(door::Options),
    /// What composing and recording a request costs, up to 10,000 turns
    Assemble(Passed),
    /// Facts planted in thirteen ways: where they went, and how long it takes to say so
    Where(Passed),
    /// What recording and reading the record cost, up to 10,000 turns
    Record(Passed),
    /// What indexing 50 MB of documents takes, and questions to them
    Library(Passed),
    /// How fast streams are read, and every split of the transcripts
    Streams(Passed),
    /// How far counts are off for a vocabulary that is not here, before and after twenty requests; give a GGUF file
    Counts(Passed),
}

/// What a benchmark inside a crate is given.
#[derive(Args)]
struct Passed {
    /// Passed on as it is
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Runs it and prints its table.
///
/// # Errors
/// If what it measures cannot be built or run.
pub(crate) fn bench(places: &Places, options: Options) -> Result<ExitCode> {
    match options.name {
        Name::Desk(options) => desk::bench(places, &options),
        Name::Todo(options) => todo::bench(places, &options),
        Name::Model(options) => model::bench(places, &options),
        Name::Layout(options) => layout::bench(places, &options),
        Name::Door(options) => door::bench(places, &options),
        Name::Assemble(passed) => inner::bench(places, &inner::ASSEMBLE, &passed.arguments),
        Name::Where(passed) => inner::bench(places, &inner::WHERE, &passed.arguments),
        Name::Record(passed) => inner::bench(places, &inner::RECORD, &passed.arguments),
        Name::Library(passed) => inner::bench(places, &inner::LIBRARY, &passed.arguments),
        Name::Counts(passed) => inner::bench(places, &inner::COUNTS, &passed.arguments),
        Name::Streams(passed) => inner::bench(places, &inner::STREAMS, &passed.arguments),
    }
}
