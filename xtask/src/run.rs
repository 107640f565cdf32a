//! `cargo xtask run`: from a fresh checkout to the open window, or to the command line.

use crate::model::Model;
use crate::places::{Places, cargo};
use crate::program::{command, exit_code, must, say, status};
use crate::{debian, model, page};
use anyhow::Result;
use std::env;
use std::process::{Command, ExitCode};

/// Sets up what is missing, then opens the window, or `recto` with `arguments`.
///
/// # Errors
/// If something that is missing cannot be had, or if the build fails.
pub(crate) fn run(places: &Places, arguments: &[String]) -> Result<ExitCode> {
    let has_display = has_display();
    if !arguments.is_empty() {
        return command_line(places, arguments);
    }
    if !has_display {
        say(
            "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): opening the conversation in the terminal",
        );
        return command_line(places, &["chat".to_owned()]);
    }
    let packages = [debian::COMMAND_LINE, debian::WINDOW].concat();
    debian::ensure(&packages)?;
    page::ensure(places)?;
    build(places, "recto-window", &packages)?;
    model_or_say(places);
    say("opening the window");
    Ok(exit_code(status(&mut Command::new(places.built("recto-window")))?))
}

/// The command line; it needs neither WebKit nor Node nor a display.
fn command_line(places: &Places, arguments: &[String]) -> Result<ExitCode> {
    build_command_line(places)?;
    model_or_say(places);
    Ok(exit_code(status(Command::new(places.built("recto")).args(arguments))?))
}

/// Builds one package of the workspace, for which these system packages are needed.
///
/// # Errors
/// If cargo fails.
fn build(places: &Places, package: &str, needed: &[&str]) -> Result<()> {
    say(&format!("building {package}"));
    let built = must(&mut command(cargo(), &["build", "--quiet", "--package", package], &places.root));
    built.map_err(|error| match debian::elsewhere(needed) {
        Some(hint) => error.context(hint),
        None => error,
    })
}

/// Builds the command line, and nothing that it does not need.
///
/// # Errors
/// If system packages are missing and cannot be installed, or if the build fails.
pub(crate) fn build_command_line(places: &Places) -> Result<()> {
    debian::ensure(debian::COMMAND_LINE)?;
    build(places, "recto-cli", debian::COMMAND_LINE)
}

/// Fetches the starter model. Without it the program still opens, and can be given another model; so this only says so.
fn model_or_say(places: &Places) {
    if let Err(error) = Model::chosen().and_then(|chosen| model::ensure(places, chosen)) {
        say(&format!("{error:#}"));
    }
}

fn has_display() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos"))) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}
