//! The model from its publisher, over HTTPS, resumed where it broke off.

use super::Model;
use crate::program::{reason, status};
use anyhow::{Result, bail};
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Fetches what is missing of the model at the end of `part`.
///
/// # Errors
/// If the publisher cannot be reached, or if the connection breaks for good; what arrived stays for the next time.
pub(crate) fn fetch(model: &Model, part: &Path) -> Result<()> {
    if fs::metadata(part).is_ok_and(|part| part.len() == model.n_bytes) {
        return Ok(());
    }
    let address = format!("{}/{}", model.address, model.file);
    // A broken connection is taken up again where it broke; one that was never made is not tried again.
    let mut ended = download(&address, part)?;
    for _ in 0..2 {
        if matches!(ended.code(), Some(18 | 56 | 92)) {
            ended = download(&address, part)?;
        }
    }
    match ended.code() {
        Some(0) => Ok(()),
        Some(5..=7 | 28) => bail!("the publisher of {} cannot be reached from here", model.name),
        Some(22) => bail!("the publisher of {} refused to send it", model.name),
        Some(23) => bail!("{} cannot be written: is the disk full?", part.display()),
        _ => bail!("the publisher of {} could not send it (curl: {})", model.name, reason(ended)),
    }
}

fn download(address: &str, part: &Path) -> Result<ExitStatus> {
    let mut curl = Command::new("curl");
    // A stalled transfer is given up after a minute, else the mirror would never get its turn.
    curl.args(["--location", "--fail", "--connect-timeout", "5", "--continue-at", "-"])
        .args(["--speed-limit", "1024", "--speed-time", "60"])
        .args(if io::stderr().is_terminal() { ["--progress-bar"].as_slice() } else { &["--silent", "--show-error"] })
        .arg("--output")
        .arg(part)
        .arg(address);
    status(&mut curl)
}
