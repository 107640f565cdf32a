//! Folders that a run may change: a copy of a fixture, and what became of it.

use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder: their bytes by their path, with `/` between its parts.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// What stands in a folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    /// Its files.
    pub(crate) files: Files,
    /// The folders in it, the empty ones as well.
    pub(crate) folders: BTreeSet<String>,
}

/// A folder for one run, removed when it is dropped.
pub(crate) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Makes an empty one, outside the checkout: what the checkout ignores must not be ignored in it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("recto-bench-{}", std::process::id()));
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Self { folder })
    }

    /// A folder inside, which is made.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn inside(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind lies among temporary files and is in nobody's way.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Copies a folder with all that is in it.
///
/// # Errors
/// If something cannot be read or written.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    for (name, bytes) in files(from)? {
        let path = to.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// All files of a folder and of those in it.
///
/// # Errors
/// If something cannot be read.
pub(crate) fn files(folder: &Path) -> Result<Files> {
    Ok(read(folder)?.files)
}

/// All that stands in a folder and in those in it.
///
/// # Errors
/// If something cannot be read.
pub(crate) fn read(folder: &Path) -> Result<Disk> {
    let mut found = Disk::default();
    collect(folder, "", &mut found).with_context(|| format!("{} cannot be read", folder.display()))?;
    Ok(found)
}

fn collect(folder: &Path, before: &str, found: &mut Disk) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found)?;
            found.folders.insert(name);
        } else {
            found.files.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(())
}
