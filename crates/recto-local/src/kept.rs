//! What the model has read of its system message, kept on disk from one start to the next. It is the same in every conversation, and a small
//! machine takes some twenty seconds to read it.
//!
//! A file is named after what it depends on (the model's file, its size and time of change, and the tokens) and after its own hash, so one
//! that is old, torn or damaged is never given to the library. Whatever fails here only costs time.

use llama_cpp_2::token::LlamaToken;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, BufRead as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A shorter beginning is read as fast as it is fetched.
const WORTH_KEEPING: usize = 128;
/// Files that stay: two protocols for two models. One has some 28 KiB a token with the starter model.
const MOST_FILES: usize = 4;
const EXTENSION: &str = "read";

/// The folder with what was read, for one model file.
#[derive(Debug)]
pub(crate) struct Kept {
    folder: PathBuf,
    model: String,
}

impl Kept {
    /// For the model file at `model`. `None` where its size or time cannot be told.
    pub(crate) fn new(folder: &Path, model: &Path) -> Option<Self> {
        let path = model.canonicalize().ok()?;
        let metadata = path.metadata().ok()?;
        let changed = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let model = format!("{}\n{}\n{}", path.display(), metadata.len(), changed.as_nanos());
        Some(Self { folder: folder.to_owned(), model })
    }

    /// The file that holds exactly these tokens, if it is there and whole.
    pub(crate) fn find(&self, tokens: &[LlamaToken]) -> Option<PathBuf> {
        let key = self.key(tokens);
        let is_it = |path: &PathBuf| name(path).is_some_and(|name| name.starts_with(&key));
        let path = self.files().into_iter().find(is_it)?;
        if hash_of(&path).ok().is_some_and(|hash| name(&path) == Some(&*file_name(&key, &hash))) {
            // The files that are used are those that stay; a time that cannot be set only lets this one go earlier.
            let _ = fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
            return Some(path);
        }
        // It is damaged, so it is of no use to anyone; if it cannot be removed, it is found damaged again.
        let _ = fs::remove_file(&path);
        None
    }

    /// Keeps what `write` writes to the path that it is given, unless it is there already or too little to be worth it.
    ///
    /// # Errors
    /// It cannot be written; nothing is left behind then.
    pub(crate) fn keep(
        &self,
        tokens: &[LlamaToken],
        write: impl FnOnce(&Path) -> Result<(), io::Error>,
    ) -> Result<(), io::Error> {
        if tokens.len() < WORTH_KEEPING || self.find(tokens).is_some() {
            return Ok(());
        }
        self.make_folder()?;
        let part = self.folder.join(format!("{}.part", std::process::id()));
        let kept = write(&part).and_then(|()| {
            let whole = self.folder.join(file_name(&self.key(tokens), &hash_of(&part)?));
            fs::rename(&part, whole)
        });
        if kept.is_err() {
            // The error of the writing is the one that counts.
            let _ = fs::remove_file(&part);
        }
        for old in self.files().into_iter().skip(MOST_FILES) {
            fs::remove_file(old)?;
        }
        kept
    }

    /// For its owner alone: the system message can be told from what is kept.
    fn make_folder(&self) -> Result<(), io::Error> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder)
    }

    /// The files of the folder, the one used last first.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .filter(|entry| entry.path().extension().is_some_and(|extension| extension == EXTENSION))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        files.into_iter().rev().map(|(_, path)| path).collect()
    }

    fn key(&self, tokens: &[LlamaToken]) -> String {
        let mut digest = Sha256::new();
        digest.update(&self.model);
        for token in tokens {
            digest.update(token.0.to_le_bytes());
        }
        hex(&digest.finalize()[..16])
    }
}

fn file_name(key: &str, hash: &str) -> String {
    format!("{key}-{hash}.{EXTENSION}")
}

fn name(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str())
}

fn hash_of(path: &Path) -> Result<String, io::Error> {
    let mut digest = Sha256::new();
    let mut file = io::BufReader::with_capacity(1 << 20, fs::File::open(path)?);
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(hex(&digest.finalize()));
        }
        digest.update(bytes);
        let n_bytes = bytes.len();
        file.consume(n_bytes);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(n: i32) -> Vec<LlamaToken> {
        (0..n).map(LlamaToken).collect()
    }

    fn kept(folder: &Path) -> Kept {
        let model = folder.join("model.gguf");
        fs::write(&model, "GGUF").unwrap();
        Kept::new(&folder.join("kept"), &model).unwrap()
    }

    fn keep(kept: &Kept, n: i32, text: &str) {
        kept.keep(&tokens(n), |path| fs::write(path, text)).unwrap();
    }

    #[test]
    fn what_was_kept_is_found_for_the_same_tokens_and_the_same_model_file_only() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(folder.path());
        keep(&kept, 200, "what was read");
        let path = kept.find(&tokens(200)).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "what was read");
        assert_eq!(kept.find(&tokens(201)), None);
        fs::write(folder.path().join("model.gguf"), "GGUF 2").unwrap();
        let other = Kept::new(&folder.path().join("kept"), &folder.path().join("model.gguf")).unwrap();
        assert_eq!(other.find(&tokens(200)), None);
    }

    #[test]
    fn a_damaged_file_is_removed_instead_of_used() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(folder.path());
        keep(&kept, 200, "what was read");
        let path = kept.find(&tokens(200)).unwrap();
        fs::write(&path, "what was rea").unwrap();
        assert_eq!(kept.find(&tokens(200)), None);
        assert!(!path.exists());
    }

    #[test]
    fn short_beginnings_are_not_kept_and_a_failure_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(folder.path());
        keep(&kept, 10, "short");
        assert_eq!(kept.find(&tokens(10)), None);
        let failed = kept.keep(&tokens(200), |path| {
            fs::write(path, "half")?;
            Err(io::Error::other("the disk is full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "the disk is full");
        assert_eq!(fs::read_dir(folder.path().join("kept")).unwrap().count(), 0);
    }

    #[test]
    fn only_the_files_that_were_used_last_stay() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(folder.path());
        let earlier = SystemTime::now() - std::time::Duration::from_secs(3_600);
        for n in 200..204 {
            keep(&kept, n, "read");
            let file = fs::File::open(kept.find(&tokens(n)).unwrap()).unwrap();
            file.set_modified(earlier + std::time::Duration::from_secs(u64::from(n.unsigned_abs()))).unwrap();
        }
        assert!(kept.find(&tokens(200)).is_some(), "it is used once more");
        keep(&kept, 204, "read");
        let stays: Vec<bool> = (200..205).map(|n| kept.find(&tokens(n)).is_some()).collect();
        assert_eq!(stays, [true, false, true, true, true]);
    }
}
