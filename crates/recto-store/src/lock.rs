//! Two instances never write the same record: a file beside it is locked for as long as the program runs.

use crate::error::StoreError;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// Holds the lock; the system gives it back when this is dropped, and also when the program dies.
pub(crate) struct InstanceLock {
    file: File,
}

impl Drop for InstanceLock {
    fn drop(&mut self) {
        // A program that is just being started by another thread still shares the handle, so closing it alone is not enough.
        if let Err(error) = self.file.unlock() {
            tracing::warn!(%error, "the record's lock could not be given back");
        }
    }
}

impl InstanceLock {
    /// Takes the lock of the record at `path`.
    ///
    /// # Errors
    /// `OpenElsewhere` if another instance has it; `ReadOnly` or `CannotOpen` if the lock file cannot be made.
    pub(crate) fn take(path: &Path) -> Result<Self, StoreError> {
        // A record that is reached through a link has one lock all the same.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let file = private_file().open(lock_path(&real)).map_err(|error| StoreError::from_io(path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::OpenElsewhere { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(StoreError::from_io(path, error)),
        }
    }
}

fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

/// Opens for reading and writing, making a file that only its owner can read.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
