//! Renames that do one thing or nothing.

use cap_std::fs::Dir;
use std::io;

/// Whether the names were as they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// The new name was taken, or one of two names was gone. Nothing happened.
    NotAsExpected,
}

/// Renames `from` to `to`, only if `to` is free.
#[cfg(target_os = "linux")]
pub(crate) fn to_free_name(dir: &Dir, from: &str, to: &str) -> io::Result<Outcome> {
    use rustix::fs::{RenameFlags, renameat_with};
    match renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE).map_err(io::Error::from) {
        Err(error) if is_unknown(&error) => link_to_free_name(dir, from, to),
        other => judged(other, io::ErrorKind::AlreadyExists),
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn to_free_name(dir: &Dir, from: &str, to: &str) -> io::Result<Outcome> {
    link_to_free_name(dir, from, to)
}

/// A second name is only made where there is none; then the first one goes.
fn link_to_free_name(dir: &Dir, from: &str, to: &str) -> io::Result<Outcome> {
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
#[cfg(target_os = "linux")]
pub(crate) fn exchange(dir: &Dir, one: &str, other: &str) -> io::Result<Outcome> {
    use rustix::fs::{RenameFlags, renameat_with};
    match renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE).map_err(io::Error::from) {
        Err(error) if is_unknown(&error) => Err(io::ErrorKind::Unsupported.into()),
        result => judged(result, io::ErrorKind::NotFound),
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn exchange(_: &Dir, _: &str, _: &str) -> io::Result<Outcome> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn judged(result: io::Result<()>, expected: io::ErrorKind) -> io::Result<Outcome> {
    match result {
        Ok(()) => Ok(Outcome::Done),
        Err(error) if error.kind() == expected => Ok(Outcome::NotAsExpected),
        Err(error) => Err(error),
    }
}

/// Whether the system or the disk does not know this kind of rename.
#[cfg(target_os = "linux")]
fn is_unknown(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let number = error.raw_os_error();
    [Errno::NOSYS, Errno::INVAL, Errno::OPNOTSUPP].iter().any(|unknown| number == Some(unknown.raw_os_error()))
}
