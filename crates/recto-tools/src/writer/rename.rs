//! Renames that do one thing or nothing.

use cap_std::fs::Dir;
use std::io;

/// Whether the names were as they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    /// The new name was taken, or one of two names was gone. Nothing happened.
    NotAsExpected,
}

/// A name in a folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) dir: &'a Dir,
    pub(super) name: &'a str,
}

/// Which renames are tried. Where the disk does not know one, the next best is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Renames {
    /// Those of Linux, which look and rename in one step.
    #[cfg(target_os = "linux")]
    InOneStep,
    /// Those that every system has.
    #[cfg_attr(
        all(target_os = "linux", not(test)),
        expect(dead_code, reason = "used on other systems, and in tests on this one")
    )]
    Plain,
}

impl Renames {
    #[cfg(target_os = "linux")]
    pub(super) const HERE: Self = Self::InOneStep;
    #[cfg(not(target_os = "linux"))]
    pub(super) const HERE: Self = Self::Plain;

    /// Renames `from` to `to`, only if `to` is free.
    pub(super) fn to_free_name(self, dir: &Dir, from: &str, to: &str) -> io::Result<Outcome> {
        self.to_free_place(Place { dir, name: from }, Place { dir, name: to })
    }

    /// The same with a folder for each of the two names.
    pub(super) fn to_free_place(self, from: Place<'_>, to: Place<'_>) -> io::Result<Outcome> {
        #[cfg(target_os = "linux")]
        if self == Self::InOneStep
            && let Some(result) = linux::rename(from, to, linux::NOREPLACE)
        {
            return judged(result, io::ErrorKind::AlreadyExists);
        }
        // A second name is only made where there is none; then the first one goes.
        match from.dir.hard_link(from.name, to.dir, to.name) {
            Ok(()) => from.dir.remove_file(from.name).map(|()| Outcome::Done),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Outcome::NotAsExpected),
            // A disk without second names: look, and rename at once.
            Err(_) if to.dir.symlink_metadata(to.name).is_ok() => Ok(Outcome::NotAsExpected),
            Err(_) => from.dir.rename(from.name, to.dir, to.name).map(|()| Outcome::Done),
        }
    }

    /// Exchanges two names in one step.
    ///
    /// # Errors
    /// `Unsupported` where the system or the disk cannot do that; nothing happened.
    pub(super) fn exchange(self, dir: &Dir, one: &str, other: &str) -> io::Result<Outcome> {
        #[cfg(target_os = "linux")]
        if self == Self::InOneStep
            && let Some(result) = linux::rename(Place { dir, name: one }, Place { dir, name: other }, linux::EXCHANGE)
        {
            return judged(result, io::ErrorKind::NotFound);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (dir, one, other);
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(target_os = "linux")]
fn judged(result: io::Result<()>, expected: io::ErrorKind) -> io::Result<Outcome> {
    match result {
        Ok(()) => Ok(Outcome::Done),
        Err(error) if error.kind() == expected => Ok(Outcome::NotAsExpected),
        Err(error) => Err(error),
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::Place;
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;
    use std::io;

    pub(super) const NOREPLACE: RenameFlags = RenameFlags::NOREPLACE;
    pub(super) const EXCHANGE: RenameFlags = RenameFlags::EXCHANGE;

    /// `None` where the system or the disk does not know this kind of rename.
    pub(super) fn rename(from: Place<'_>, to: Place<'_>, flags: RenameFlags) -> Option<io::Result<()>> {
        match renameat_with(from.dir, from.name, to.dir, to.name, flags) {
            Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => None,
            other => Some(other.map_err(io::Error::from)),
        }
    }
}
