//! The journeys through the real window, on a display of their own.

use super::counts::Counts;
use super::step::counted;
use crate::page;
use crate::places::Places;
use crate::program::{command, say};
use anyhow::{Context as _, Result, bail};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// Runs them.
///
/// # Errors
/// If the display or the runner cannot be started.
pub(crate) fn run(places: &Places) -> Result<Counts> {
    let folder = places.journeys();
    if !page::has_package(&folder) {
        say("left out: tests/journeys has no package.json");
        return Ok(Counts::default());
    }
    page::packages(&folder)?;
    let display = Display::open()?;
    let mut npm = command(page::npm(), &["test"], &folder);
    npm.env("CI", "true")
        .env("DISPLAY", &display.name)
        .env_remove("WAYLAND_DISPLAY")
        .env("RECTO_WINDOW_BIN", places.built("recto-window"))
        .env("RECTO_FAKE_MODEL", places.built("fake-model"));
    counted(npm)
}

/// A virtual display, closed when it is dropped.
struct Display {
    name: String,
    server: Child,
}

impl Display {
    /// Opens one under a number that the server itself finds free.
    fn open() -> Result<Self> {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("`Xvfb` cannot be started: install the package xvfb")?;
        let mut number = String::new();
        if let Some(output) = server.stdout.take() {
            BufReader::new(output).read_line(&mut number)?;
        }
        let display = Self { name: format!(":{}", number.trim()), server };
        if number.trim().is_empty() {
            bail!("`Xvfb` opened no display");
        }
        Ok(display)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // It may have ended by itself, and nobody is left who could act on it.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
