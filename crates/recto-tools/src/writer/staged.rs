//! The temporary file beside the one that is written. It is gone when this is dropped, whatever happened.

use super::rename::{Outcome, Renames};
use super::state_of_file;
use crate::door::{Identity, open_in};
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use recto_core::tool::FileState;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Write as _};

const PREFIX: &str = ".recto-";
const SUFFIX: &str = ".tmp";

/// Whether a name is one that `create` gives.
pub(crate) fn is_temporary_name(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    number.is_some_and(|number| {
        number.len() == 16 && number.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// What the temporary name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Ours,
    /// Not to be removed before it was looked at.
    TheOldFile,
    Nothing,
}

#[derive(Debug)]
pub(super) struct Staged<'a> {
    dir: &'a Dir,
    pub(super) name: String,
    /// Of the file with the new bytes, wherever it goes.
    identity: Identity,
    holds: Holds,
}

impl<'a> Staged<'a> {
    /// Writes the bytes to a new file and waits until they are on the disk. The mode and owner of the old file are kept.
    pub(super) fn new(dir: &'a Dir, bytes: &[u8], old: Option<&Metadata>) -> io::Result<Self> {
        let (name, mut file) = create(dir, old.is_some())?;
        let identity = match file.metadata() {
            Ok(metadata) => Identity::of(&metadata),
            Err(error) => {
                // It is new and empty.
                let _ = remove(dir, &name);
                return Err(error);
            }
        };
        // From here on the name is removed on every way out.
        let staged = Self { dir, name, identity, holds: Holds::Ours };
        file.write_all(bytes)?;
        if let Some(old) = old {
            keep_mode(&file, old)?;
        }
        file.sync_all()?;
        Ok(staged)
    }

    /// Takes the file `name` aside: it stands under a temporary name then, and under its own no more. `None` if there is no such file any
    /// more. It is not removed before it was looked at.
    pub(super) fn aside(dir: &'a Dir, name: &str, renames: Renames, shown: &Metadata) -> io::Result<Option<Self>> {
        let identity = Identity::of(shown);
        let staged = Self { dir, name: fresh_name(), identity, holds: Holds::TheOldFile };
        match renames.to_free_name(dir, name, &staged.name) {
            Ok(Outcome::Done) => Ok(Some(staged)),
            // Nobody else has a name out of 64 random bits; what is not as expected is the file's own name.
            Ok(Outcome::NotAsExpected) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives the file back the name that it had, if that is free.
    pub(super) fn back_to(&mut self, renames: Renames, name: &str) -> io::Result<Outcome> {
        let outcome = renames.to_free_name(self.dir, &self.name, name)?;
        if outcome == Outcome::Done {
            self.holds = Holds::Nothing;
        }
        Ok(outcome)
    }

    /// What the disk has under the temporary name.
    pub(super) fn state(&self) -> io::Result<FileState> {
        let (file, metadata) = open_in(self.dir, &self.name)?;
        state_of_file(file, &metadata)
    }

    /// Whether the temporary name stands for the file with the new bytes, and nobody wrote into it meanwhile.
    pub(super) fn is_ours(&self, after: &FileState) -> bool {
        self.has_name(&self.name) && self.state().is_ok_and(|now| now == *after)
    }

    /// Whether a name stands for the file with the new bytes, whatever is in it now.
    pub(super) fn has_name(&self, name: &str) -> bool {
        open_in(self.dir, name).is_ok_and(|(_, metadata)| Identity::of(&metadata) == self.identity)
    }

    pub(super) fn is_moved(&mut self) {
        self.holds = Holds::Nothing;
    }

    pub(super) fn holds_the_old_file(&mut self) {
        self.holds = Holds::TheOldFile;
    }

    pub(super) fn holds_our_file(&mut self) {
        self.holds = Holds::Ours;
    }

    /// Removes what the temporary name stands for.
    pub(super) fn remove(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.holds, Holds::Nothing) {
            Holds::Nothing => Ok(()),
            Holds::Ours | Holds::TheOldFile => remove(self.dir, &self.name),
        }
    }

    /// Gives what the temporary name stands for a name that a person finds; that name. Where there is none to be had, it keeps the
    /// temporary one.
    pub(super) fn keep_as_conflict(&mut self, renames: Renames, name: &str) -> String {
        self.holds = Holds::Nothing;
        for number in 1..1_000 {
            let kept = format!("{name}.conflict-{number}");
            match renames.to_free_name(self.dir, &self.name, &kept) {
                Ok(Outcome::Done) => return kept,
                Ok(Outcome::NotAsExpected) => {}
                Err(error) => {
                    tracing::warn!(%error, name = self.name, "a version of a file keeps its temporary name");
                    break;
                }
            }
        }
        self.name.clone()
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if self.holds == Holds::Ours {
            // There is nobody left to tell; the name begins with `.recto-` and says whose it is.
            let _ = remove(self.dir, &self.name);
        }
    }
}

/// Removes a file that nobody needs. A disk that says no once is asked again, because a file that is left has to be explained.
fn remove(dir: &Dir, name: &str) -> io::Result<()> {
    dir.remove_file(name).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Err(error),
        _ => dir.remove_file(name),
    })
}

/// A new file of an unused name. Nobody else may read it while it stands for a file whose mode is not yet set.
fn create(dir: &Dir, is_private: bool) -> io::Result<(String, File)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        options.mode(if is_private { 0o600 } else { 0o666 });
    }
    loop {
        let name = fresh_name();
        match dir.open_with(&name, &options) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|file| (name, file)),
        }
    }
}

/// A name that nothing has: the number is drawn anew each time.
fn fresh_name() -> String {
    format!("{PREFIX}{:016x}{SUFFIX}", RandomState::new().build_hasher().finish())
}

#[cfg(unix)]
fn keep_mode(file: &File, old: &Metadata) -> io::Result<()> {
    use cap_std::fs::{MetadataExt as _, Permissions, PermissionsExt as _};
    // Only the superuser may give a file away; for everyone else it is their own already, or becomes so.
    let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
    // Without the bits that let a file run as somebody else.
    file.set_permissions(Permissions::from_mode(old.mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_mode(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
