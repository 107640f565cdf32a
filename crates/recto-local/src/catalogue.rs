//! Which models are offered, and which are there.

use crate::gguf::Header;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A model that is offered for download.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueModel {
    /// Its name in settings and on the command line.
    pub id: String,
    /// Its name for a person.
    pub title: String,
    /// Its file name.
    pub file: String,
    /// The length of its file.
    pub n_bytes: u64,
    /// The SHA-256 of its file, lower-case hex.
    pub sha256: String,
    /// Its licence, as an SPDX expression.
    pub licence: String,
    /// Who publishes it.
    pub publisher: String,
    /// Where the publisher keeps the file.
    pub address: String,
    /// Memory that it needs with a window of 8,192 tokens.
    pub memory_mib: u64,
    /// Tokens that it was trained to read.
    pub context_length: u32,
}

/// The models that come with the program's catalogue, the starter model first.
///
/// # Errors
/// The catalogue that was compiled in is not valid, which a test rules out.
pub fn catalogue() -> Result<Vec<CatalogueModel>, serde_json::Error> {
    serde_json::from_str(include_str!("../../../assets/models.json"))
}

/// A model file on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledModel {
    /// Where it is.
    pub path: PathBuf,
    /// Its file name without the ending: the name shown until a better one is known.
    pub name: String,
    /// Its length.
    pub n_bytes: u64,
    /// Its architecture (`qwen2`, `llama` …) and the tokens that it was trained to read; `None` where the header cannot be read, which
    /// loading will explain.
    pub header: Option<(String, u32)>,
}

/// The GGUF files in `folder`, by name. A folder that is not there holds none.
///
/// # Errors
/// The folder cannot be read.
pub fn find_models(folder: &Path) -> io::Result<Vec<InstalledModel>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut models = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.is_file() && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf")) {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let header = Header::read(&path).ok().and_then(|header| {
                let context_length = header.of_architecture("context_length")?;
                Some((header.text("general.architecture")?.to_owned(), u32::try_from(context_length).ok()?))
            });
            models.push(InstalledModel { n_bytes: path.metadata()?.len(), path, name, header });
        }
    }
    models.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(models)
}

/// Whether the file at `path` has this SHA-256 (lower-case hex). Reads the whole file.
///
/// # Errors
/// The file cannot be read.
pub fn verify(path: &Path, sha256: &str) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            n => digest.update(&buffer[..n]),
        }
    }
    let found: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(found == sha256)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_valid_and_begins_with_the_starter_model() {
        let ids: Vec<String> = catalogue().unwrap().into_iter().map(|model| model.id).collect();
        assert_eq!(ids, ["qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b"]);
        for model in catalogue().unwrap() {
            assert_eq!(model.sha256.len(), 64, "{}", model.id);
            assert!(model.address.ends_with(&model.file), "{}", model.id);
        }
    }

    #[test]
    fn only_gguf_files_are_found_and_a_damaged_one_is_listed_without_a_header() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("b.gguf"), "no model").unwrap();
        std::fs::write(folder.path().join("a.GGUF"), "").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "GGUF").unwrap();
        let found = find_models(folder.path()).unwrap();
        let names: Vec<_> = found.iter().map(|model| (model.name.as_str(), model.n_bytes, &model.header)).collect();
        assert_eq!(names, [("a", 0, &None), ("b", 8, &None)]);
        assert_eq!(find_models(&folder.path().join("absent")).unwrap(), []);
    }

    #[test]
    fn a_file_is_verified_by_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.gguf");
        std::fs::write(&path, "abc").unwrap();
        assert!(verify(&path, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad").unwrap());
        std::fs::write(&path, "abd").unwrap();
        assert!(!verify(&path, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad").unwrap());
    }
}
