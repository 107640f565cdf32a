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
    Ok(exit_code(status(&mut program(places, "recto-window"))?))
}

/// The command line; it needs neither WebKit nor Node nor a display.
fn command_line(places: &Places, arguments: &[String]) -> Result<ExitCode> {
    build_command_line(places)?;
    model_or_say(places);
    Ok(exit_code(status(program(places, "recto").args(arguments))?))
}

/// One of the built programs. The threads of its model wait for each other asleep: spinning ones take whole seconds for a token as soon as
/// something else runs on the machine.
fn program(places: &Places, name: &str) -> Command {
    let mut program = Command::new(places.built(name));
    if env::var_os("OMP_WAIT_POLICY").is_none() {
        program.env("OMP_WAIT_POLICY", "passive");
    }
    program
}

/// Builds one program of the workspace, for which these system packages are needed. The features are those of the whole workspace, so that
/// llama.cpp is compiled once for programs and tests.
///
/// # Errors
/// If cargo fails.
fn build(places: &Places, name: &str, needed: &[&str]) -> Result<()> {
    say(&format!("building {name}"));
    let built = must(&mut command(cargo(), &["build", "--quiet", "--workspace", "--bin", name], &places.root));
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
    build(places, "recto", debian::COMMAND_LINE)
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
