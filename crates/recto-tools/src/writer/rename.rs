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
        #[cfg(target_os = "linux")]
        if self == Self::InOneStep
            && let Some(result) = linux::rename(dir, from, to, linux::NOREPLACE)
        {
            return judged(result, io::ErrorKind::AlreadyExists);
        }
        // A second name is only made where there is none; then the first one goes.
        match dir.hard_link(from, dir, to) {
            Ok(()) => dir.remove_file(from).map(|()| Outcome::Done),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Outcome::NotAsExpected),
            // A disk without second names: look, and rename at once.
            Err(_) if dir.symlink_metadata(to).is_ok() => Ok(Outcome::NotAsExpected),
            Err(_) => dir.rename(from, dir, to).map(|()| Outcome::Done),
        }
    }

    /// Exchanges two names in one step.
    ///
    /// # Errors
    /// `Unsupported` where the system or the disk cannot do that; nothing happened.
    pub(super) fn exchange(self, dir: &Dir, one: &str, other: &str) -> io::Result<Outcome> {
        #[cfg(target_os = "linux")]
        if self == Self::InOneStep
            && let Some(result) = linux::rename(dir, one, other, linux::EXCHANGE)
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
    use cap_std::fs::Dir;
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;
    use std::io;

    pub(super) const NOREPLACE: RenameFlags = RenameFlags::NOREPLACE;
    pub(super) const EXCHANGE: RenameFlags = RenameFlags::EXCHANGE;

    /// `None` where the system or the disk does not know this kind of rename.
    pub(super) fn rename(dir: &Dir, from: &str, to: &str, flags: RenameFlags) -> Option<io::Result<()>> {
        match renameat_with(dir, from, dir, to, flags) {
            Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => None,
            other => Some(other.map_err(io::Error::from)),
        }
    }
}
