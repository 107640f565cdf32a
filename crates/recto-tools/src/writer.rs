//! Writing a frozen change: compare, then swap. The old file is never lost and never half replaced.
//!
//! The new bytes go to a temporary file in the same folder. A new name is taken only if it is free; an old file is exchanged with
//! the new one and then looked at: if it is not the one that was shown, the two are exchanged back.

mod rename;
mod staged;

use crate::change::digest;
use crate::door::{Door, Identity, Parent, Target, Trouble, open_in};
use crate::path_rules::{PathFault, RelativePath};
use crate::watch::Watch;
use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, Metadata};
use recto_core::text::ContentHash;
use recto_core::tool::{Change, FileState};
use rename::Outcome;
use staged::Staged;
use std::io::{self, Read as _};

/// Where the writer is. The next step has not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The file was found as it was shown.
    Compared,
    /// The new bytes are on the disk under a temporary name.
    Staged,
    /// The new bytes are under the file's name; the old file is still there under the temporary one.
    Swapped,
}

/// Why nothing was written.
#[derive(Debug)]
pub(crate) enum WriteFault {
    /// The change is not the one that was frozen in this workspace.
    NotFrozen,
    /// The file is not as it was shown.
    Changed,
    /// It changed, and changed again while the first version was put back. One version stands at its place, the other at this path.
    ChangedTwice(String),
    /// The folder of the file left its place while it was written.
    Moved,
    /// The user stopped the turn.
    Stopped,
    /// The place.
    Place(Trouble),
    /// The system.
    Io(io::Error),
}

impl From<io::Error> for WriteFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Trouble> for WriteFault {
    fn from(trouble: Trouble) -> Self {
        Self::Place(trouble)
    }
}

impl From<PathFault> for WriteFault {
    fn from(fault: PathFault) -> Self {
        Self::Place(Trouble::Fault(fault))
    }
}

/// A write that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Folders that were made for it.
    pub(crate) n_folders: usize,
    /// Whether old and new were exchanged in one step; where the disk cannot do that, the file was compared just before.
    pub(crate) is_exchanged: bool,
}

/// Writes the change if everything is as it was when it was frozen. `at` is told each step.
pub(crate) fn write(
    door: &Door,
    change: &Change,
    watch: &Watch,
    at: &mut dyn FnMut(Step),
) -> Result<Written, WriteFault> {
    let path = RelativePath::read(&change.path)?;
    let is_frozen = change.digest
        == digest(door, &change.path, change.operation, change.before.as_ref(), &change.after)
        && state_of(&change.bytes) == change.after;
    if !is_frozen {
        return Err(WriteFault::NotFrozen);
    }
    door.check_present()?;
    let parent = door.parent_of(&path)?;
    let old = compare(&parent, &path, change)?;
    at(Step::Compared);
    let mut made = Vec::new();
    let written = make_folders(&parent, &mut made)
        .map_err(WriteFault::from)
        .and_then(|dir| place(door, &path, change, &dir, &parent.name, old.as_ref(), watch, at));
    if written.is_err() {
        for (dir, name) in made.iter().rev() {
            // A folder that somebody used meanwhile is not empty and stays.
            let _ = dir.remove_dir(name);
        }
    }
    written.map(|is_exchanged| Written { n_folders: made.len(), is_exchanged })
}

/// The metadata of the file that is there, which is the one that was shown.
fn compare(parent: &Parent, path: &RelativePath, change: &Change) -> Result<Option<Metadata>, WriteFault> {
    match (parent.target(path)?, &change.before) {
        (Target::Absent, None) => {
            parent.check_new(path)?;
            Ok(None)
        }
        (Target::File(file, metadata), Some(before)) => {
            if state_of_file(file)? == *before {
                Ok(Some(metadata))
            } else {
                Err(WriteFault::Changed)
            }
        }
        _ => Err(WriteFault::Changed),
    }
}

/// Makes the folders that are missing, each through the handle of the one above.
fn make_folders(parent: &Parent, made: &mut Vec<(Dir, String)>) -> io::Result<Dir> {
    let mut dir = parent.dir.try_clone()?;
    for name in &parent.missing {
        match dir.create_dir(name) {
            Ok(()) => made.push((dir.try_clone()?, name.clone())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        dir = dir.open_dir_nofollow(name)?;
    }
    Ok(dir)
}

/// Puts the bytes in place. Whether old and new were exchanged in one step.
#[expect(clippy::too_many_arguments, reason = "the steps of one protocol, which share everything")]
fn place(
    door: &Door,
    path: &RelativePath,
    change: &Change,
    dir: &Dir,
    name: &str,
    old: Option<&Metadata>,
    watch: &Watch,
    at: &mut dyn FnMut(Step),
) -> Result<bool, WriteFault> {
    let mut staged = Staged::new(dir, &change.bytes, old)?;
    if staged.read_back()? != change.after {
        return Err(WriteFault::Io(io::Error::other("the disk gave back other bytes than were written")));
    }
    at(Step::Staged);
    if watch.is_stopped() {
        return Err(WriteFault::Stopped);
    }
    let is_exchanged = match &change.before {
        None => {
            match rename::to_free_name(dir, &staged.name, name)? {
                Outcome::Done => staged.is_moved(),
                Outcome::NotAsExpected => return Err(WriteFault::Changed),
            }
            true
        }
        Some(before) => swap(dir, name, before, &mut staged, path)?,
    };
    at(Step::Swapped);
    // Whoever moves the folder away while its handle is held would have the file written outside. Where the old file is gone
    // already, taking the new one back would leave nothing.
    let can_be_taken_back = change.before.is_none() || is_exchanged;
    if can_be_taken_back && !is_at(door, path, staged.identity) {
        take_back(dir, name, change.before.is_some(), &mut staged)?;
        return Err(WriteFault::Moved);
    }
    staged.remove()?;
    // The bytes are in place and on the disk; where a folder cannot be flushed, there is nothing else to do.
    let _ = dir.open(".").and_then(|folder| folder.sync_all());
    Ok(is_exchanged)
}

/// Exchanges the old file with the staged one and looks at it.
fn swap(
    dir: &Dir,
    name: &str,
    before: &FileState,
    staged: &mut Staged<'_>,
    path: &RelativePath,
) -> Result<bool, WriteFault> {
    match rename::exchange(dir, &staged.name, name) {
        Ok(Outcome::Done) => {}
        Ok(Outcome::NotAsExpected) => return Err(WriteFault::Changed),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            // The next best thing: look once more, and rename at once.
            if state_in(dir, name).as_ref() != Some(before) {
                return Err(WriteFault::Changed);
            }
            dir.rename(&staged.name, dir, name)?;
            staged.is_moved();
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    }
    staged.holds_the_old_file();
    if state_in(dir, &staged.name).as_ref() == Some(before) {
        return Ok(true);
    }
    // What was there is not what was shown: it goes back to its place.
    rename::exchange(dir, &staged.name, name)?;
    if staged.is_ours() {
        staged.holds_our_file();
        return Err(WriteFault::Changed);
    }
    // The place changed once more in between. The newer version stays there; the other one is kept beside it.
    rename::exchange(dir, &staged.name, name)?;
    let kept = staged.keep_as_conflict(name)?;
    let folder = path.split_last().map_or_else(RelativePath::root, |(folder, _)| folder);
    Err(WriteFault::ChangedTwice(folder.join(&kept).text()))
}

/// Undoes the swap: the old file, if there was one, is under its name again.
fn take_back(dir: &Dir, name: &str, is_exchanged: bool, staged: &mut Staged<'_>) -> Result<(), WriteFault> {
    if is_exchanged {
        rename::exchange(dir, &staged.name, name)?;
    } else if !matches!(rename::to_free_name(dir, name, &staged.name)?, Outcome::Done) {
        return Ok(());
    }
    if staged.is_ours() {
        staged.holds_our_file();
        return Ok(());
    }
    // Somebody replaced it already: theirs stays.
    if is_exchanged {
        rename::exchange(dir, &staged.name, name)?;
        staged.keep_as_conflict(name)?;
    } else {
        rename::to_free_name(dir, &staged.name, name)?;
    }
    Ok(())
}

fn is_at(door: &Door, path: &RelativePath, identity: Identity) -> bool {
    let found = door.parent_of(path).and_then(|parent| parent.target(path));
    door.check_present().is_ok()
        && matches!(found, Ok(Target::File(_, metadata)) if Identity::of(&metadata) == identity)
}

fn state_of(bytes: &[u8]) -> FileState {
    FileState { hash: ContentHash::of(bytes), n_bytes: bytes.len() as u64 }
}

fn state_of_file(mut file: cap_std::fs::File) -> io::Result<FileState> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(state_of(&bytes))
}

/// The content of an ordinary file; `None` for anything else.
fn state_in(dir: &Dir, name: &str) -> Option<FileState> {
    let (file, metadata) = open_in(dir, name).ok()?;
    metadata.is_file().then(|| state_of_file(file).ok()).flatten()
}

#[cfg(test)]
mod tests;
