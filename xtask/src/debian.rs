//! The system packages: which are needed for what, which are missing, and how to get them.

use crate::program::{command, first_line, must, say};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};

/// What the command line with its embedded model is built with.
pub(crate) const COMMAND_LINE: &[&str] = &["build-essential", "pkg-config", "curl", "cmake", "clang", "libclang-dev"];
/// What the window needs besides.
pub(crate) const WINDOW: &[&str] = &["file", "libwebkit2gtk-4.1-dev", "librsvg2-dev"];
/// What the tests of the window and of the keychain need besides.
pub(crate) const TESTS: &[&str] =
    &["xvfb", "webkit2gtk-driver", "fonts-noto-cjk", "dbus-x11", "dbus-daemon", "gnome-keyring", "xauth"];

/// Installs those of the packages that are missing, or says how to.
///
/// On a system without Debian's packages it leaves it to the build to find out; see [`elsewhere`].
///
/// # Errors
/// If packages are missing and this user may not install them, or if the installation fails.
pub(crate) fn ensure(packages: &[&str]) -> Result<()> {
    if !is_debian() {
        return Ok(());
    }
    let missing = missing(packages);
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    if !is_root() {
        bail!(
            "these packages are missing: {names}. Install them with\n    sudo apt-get install -y {names}\nand run this again"
        );
    }
    say(&format!("installing the missing packages: {names}"));
    let apt = |arguments: &[&str]| {
        let mut apt = command("apt-get", arguments, Path::new("/"));
        apt.env("DEBIAN_FRONTEND", "noninteractive");
        apt
    };
    let install: Vec<&str> = ["install", "-y", "--no-install-recommends"].into_iter().chain(missing.clone()).collect();
    // The lists of a fresh machine are often empty or old, which the first try finds out.
    if must(&mut apt(&install)).is_err() {
        must(&mut apt(&["update"]))?;
        must(&mut apt(&install))?;
    }
    say(&format!("installed {names}"));
    Ok(())
}

/// What to say where a build failed and the packages could not be looked for.
pub(crate) fn elsewhere(packages: &[&str]) -> Option<String> {
    let is_elsewhere = cfg!(target_os = "linux") && !is_debian();
    is_elsewhere.then(|| {
        let names = packages.join(" ");
        format!("this is not Debian or Ubuntu: install what corresponds to {names} and run this again")
    })
}

fn is_debian() -> bool {
    let starts = |program: &str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    starts("dpkg-query") && starts("apt-get")
}

fn is_root() -> bool {
    first_line("id", &["-u"]).as_deref() == Some("0")
}

fn missing<'a>(packages: &[&'a str]) -> Vec<&'a str> {
    packages.iter().copied().filter(|package| !is_installed(package)).collect()
}

fn is_installed(package: &str) -> bool {
    first_line("dpkg-query", &["-W", "-f=${db:Status-Status}\\n", package]).as_deref() == Some("installed")
}
