//! The chores of Recto: `cargo xtask run`, `cargo xtask test`, `cargo xtask bench <name>`.
//!
//! It depends on none of Recto's crates. What it does it does by running programs, and it says on stderr what it does,
//! so that stdout belongs to the program that was asked for.

mod bench;
mod check;
mod debian;
mod model;
mod page;
mod places;
mod program;
mod run;

use clap::{Parser, Subcommand};
use places::Places;
use std::process::ExitCode;

/// The chores of Recto.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Chores {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Sets up what is missing, builds, and opens the window; after `--` it is the command line `recto`
    Run {
        /// What `recto` is given instead of the window
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Fetches and checks the starter model, and prints where it is
    Model,
    /// Everything that must be green, and the sum of it
    Test(check::Options),
    /// A benchmark, with its table
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let chores = Chores::parse();
    let outcome = Places::find().and_then(|places| match chores.chore {
        Chore::Run { arguments } => run::run(&places, &arguments),
        Chore::Model => {
            let file = model::ensure(&places, model::Model::chosen()?)?;
            program::print(&file.display().to_string());
            Ok(ExitCode::SUCCESS)
        }
        Chore::Test(options) => check::check(&places, &options),
        Chore::Bench(options) => bench::bench(&places, options),
    });
    outcome.unwrap_or_else(|error| {
        program::say(&format!("{error:#}"));
        ExitCode::FAILURE
    })
}
