//! The seal beside a model file: `<file>.sha256`, as `sha256sum` writes it, says that the whole file was read and found
//! right. So a start compares a size and two times instead of reading a gigabyte.

use super::Model;
use crate::program::say;
use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Whether the file is the model. Reads the file only if nobody did since it was last changed.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn is_right(file: &Path, model: &Model) -> Result<bool> {
    let metadata = fs::metadata(file).with_context(|| format!("{} cannot be read", file.display()))?;
    if metadata.len() != model.n_bytes {
        return Ok(false);
    }
    if is_sealed(file, model, metadata.modified().ok()) {
        return Ok(true);
    }
    say(&format!("checking the hash of {}, once", file.display()));
    let is_right = sha256(file)? == model.sha256;
    if is_right {
        set(file, model);
    }
    Ok(is_right)
}

/// Records that the file was found right. A folder that cannot be written to only costs another check.
pub(crate) fn set(file: &Path, model: &Model) {
    if let Err(error) = fs::write(path(file), written(model)) {
        say(&format!("that the hash is right could not be noted and will be checked again: {error}"));
    }
}

/// The hash of a file, in lower-case hex.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn sha256(file: &Path) -> Result<String> {
    let mut source = File::open(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let n_read = source.read(&mut buffer).with_context(|| format!("{} cannot be read", file.display()))?;
        if n_read == 0 {
            return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
        }
        hash.update(&buffer[..n_read]);
    }
}

fn is_sealed(file: &Path, model: &Model, changed_at: Option<std::time::SystemTime>) -> bool {
    let seal = path(file);
    let sealed_at = fs::metadata(&seal).and_then(|seal| seal.modified()).ok();
    let is_newer = matches!((sealed_at, changed_at), (Some(sealed), Some(changed)) if sealed >= changed);
    is_newer && fs::read_to_string(&seal).is_ok_and(|text| text == written(model))
}

fn written(model: &Model) -> String {
    format!("{}  {}\n", model.sha256, model.file)
}

fn path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".sha256");
    PathBuf::from(name)
}
