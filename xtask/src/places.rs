//! Where things are: the checkout, what cargo builds, the models.

use anyhow::{Context as _, Result, anyhow};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders the chores work in.
pub(crate) struct Places {
    /// The checkout.
    pub(crate) root: PathBuf,
    /// Where cargo puts what it builds; `CARGO_TARGET_DIR` decides.
    pub(crate) target: PathBuf,
    /// Where the model files are; `RECTO_MODELS` decides.
    pub(crate) models: PathBuf,
}

impl Places {
    /// Finds them.
    ///
    /// # Errors
    /// If the checkout has no folder above this crate's, or if there is neither a home nor a cache folder.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .map(Path::to_owned)
            .context("this program must lie in the checkout it was built in")?;
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => target_of(&root).unwrap_or_else(|| root.join("target")),
        };
        Ok(Self { root, target, models: models_folder()? })
    }

    /// The program of this name among what cargo built.
    pub(crate) fn built(&self, name: &str) -> PathBuf {
        self.target.join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// The folder of the window's page.
    pub(crate) fn ui(&self) -> PathBuf {
        self.root.join("ui")
    }

    /// The folder of the journeys through the real window.
    pub(crate) fn journeys(&self) -> PathBuf {
        self.root.join("tests/journeys")
    }
}

/// What cargo's own configuration says; None if it cannot be asked.
fn target_of(root: &Path) -> Option<PathBuf> {
    let output = Command::new(cargo())
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .ok()?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    Some(PathBuf::from(metadata["target_directory"].as_str()?))
}

/// The cargo that started this program.
pub(crate) fn cargo() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

fn models_folder() -> Result<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set("RECTO_MODELS") {
        return Ok(folder);
    }
    // The folders that the program itself takes; a relative XDG_CACHE_HOME is to be ignored, its specification says.
    let cache = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Caches"))
    } else {
        let absolute = set("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
        absolute.or_else(|| set("HOME").map(|home| home.join(".cache")))
    };
    cache
        .map(|cache| cache.join("recto").join("models"))
        .ok_or_else(|| anyhow!("there is no home folder to keep the model in: set RECTO_MODELS to a folder for it"))
}
