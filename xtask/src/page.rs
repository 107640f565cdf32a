//! The window's page: its packages and its build, each only when something changed.

use crate::places::Places;
use crate::program::{command, first_line, must, say};
use anyhow::{Result, bail};
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// The oldest Node that the page's build runs on.
const OLDEST_NODE: u32 = 20;

/// Makes sure that `ui/dist` is there and not older than its sources.
///
/// # Errors
/// If there is no suitable Node, or if npm fails.
pub(crate) fn ensure(places: &Places) -> Result<()> {
    let ui = places.ui();
    if !has_package(&ui) {
        bail!("{} has no package.json: this checkout is not complete", ui.display());
    }
    packages(&ui)?;
    if !is_current(&ui) {
        say("building the window's page");
        must(&mut command(npm(), &["run", "build"], &ui))?;
    }
    Ok(())
}

/// Installs the npm packages of a folder if they are missing or older than its lock file.
///
/// # Errors
/// If there is no suitable Node, or if npm fails.
pub(crate) fn packages(folder: &Path) -> Result<()> {
    node()?;
    let lock = changed_at(&folder.join("package-lock.json"));
    let installed = changed_at(&folder.join("node_modules/.package-lock.json"));
    if installed.is_none() || installed < lock {
        say(&format!("installing the npm packages of {}", folder.display()));
        must(&mut command(npm(), &["ci", "--no-audit", "--no-fund"], folder))?;
    }
    Ok(())
}

/// Whether a folder holds an npm package.
pub(crate) fn has_package(folder: &Path) -> bool {
    folder.join("package.json").is_file()
}

/// The name npm has on this system.
pub(crate) fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

fn node() -> Result<()> {
    let version = first_line("node", &["--version"]);
    let major = version.as_deref().and_then(|version| version.strip_prefix('v')?.split('.').next()?.parse().ok());
    match (major, version) {
        (Some(OLDEST_NODE..), _) => Ok(()),
        (_, Some(old)) => bail!(
            "Node {old} is too old for the window's page: install Node {OLDEST_NODE} or newer and run this again; \
             the command line after `--` needs no Node"
        ),
        (_, None) => bail!(
            "Node is not installed: install Node {OLDEST_NODE} or newer with npm and run this again; the command line \
             after `--` needs no Node"
        ),
    }
}

/// Whether the built page is newer than everything it is built from.
fn is_current(ui: &Path) -> bool {
    let built = changed_at(&ui.join("dist/index.html"));
    let packages = changed_at(&ui.join("node_modules/.package-lock.json"));
    built.is_some() && built >= packages && built >= newest_source(ui)
}

/// The newest change of a file below `folder`, apart from what is built or installed.
fn newest_source(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let sources = entries.filter(|entry| {
        let name = entry.file_name();
        name != "node_modules" && name != "dist"
    });
    sources
        .filter_map(|entry| {
            let path = entry.path();
            if path.is_dir() { newest_source(&path) } else { changed_at(&path) }
        })
        .max()
}

fn changed_at(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}
