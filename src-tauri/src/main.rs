//! The window of Recto: opens the program, shows it, and lets the page ask for what `command_list.rs` names.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use clap::Parser as _;
use recto_window::{Options, run};

fn main() {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .init();
    if let Err(error) = run(Options::parse()) {
        tracing::error!("{error:#}");
        std::process::exit(1);
    }
}
