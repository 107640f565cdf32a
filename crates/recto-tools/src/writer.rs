//! Making a frozen change: compare, then swap. The old file is never lost and never half replaced.
//!
//! The new bytes go to a temporary file in the same folder. A new name is taken only if it is free; an old file is exchanged with
//! the new one and then looked at: if it is not the one that was shown, the two are exchanged back. A file that is to go is taken aside
//! and looked at before it is removed, and one that is moved is looked at in its new place.

mod carry;
mod folder;
mod place;
mod remove;
mod rename;
mod staged;

use crate::change::{MAX_BYTES, digest, state_of};
use crate::door::{Door, Parent, Target, Trouble, open_in};
use crate::path_rules::{PathFault, RelativePath};
use crate::watch::Watch;
use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, Metadata};
use place::Placing;
use recto_core::tool::{Change, FileState, Operation};
use rename::Renames;
pub(crate) use staged::is_temporary_name;
use std::io::{self, Read as _};

/// Where the writer is. The next step has not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The file was found as it was shown.
    Compared,
    /// The new bytes are on the disk under a temporary name.
    Staged,
    /// The new bytes are under the file's name; the old file is under the temporary one and was not yet looked at. Of a deletion: it stands under
    /// the temporary name; of a move: in its new place.
    Swapped,
    /// The change has happened; only what is left over is still to be cleared away.
    Settled,
}

/// Why nothing was written.
#[derive(Debug)]
pub(crate) enum WriteFault {
    /// The change is not the one that was frozen in this workspace.
    NotFrozen,
    /// The file is not as it was shown.
    Changed,
    /// It changed, and could not simply be put back. One version stands at its place, the other at this path.
    BothKept(String),
    /// The folder of the file left its place while it was written; the write was taken back.
    Moved,
    /// The same, and the write could not be taken back: the new content is where the folder is now.
    MovedAlong,
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

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Folders that were made for it.
    pub(crate) n_folders: usize,
    /// Whether old and new were exchanged in one step; where the disk cannot do that, the file was compared just before.
    pub(crate) is_exchanged: bool,
    /// What did not work afterwards. The file is written all the same.
    pub(crate) remarks: Vec<&'static str>,
}

/// Makes the change if everything is as it was when it was frozen.
pub(crate) fn write(door: &Door, change: &Change, watch: &Watch) -> Result<Written, WriteFault> {
    write_with(Renames::HERE, door, change, watch, &mut |_| {})
}

/// Writes with the renames that the disk offers. `at` is told each step.
fn write_with(
    renames: Renames,
    door: &Door,
    change: &Change,
    watch: &Watch,
    at: &mut dyn FnMut(Step),
) -> Result<Written, WriteFault> {
    let path = RelativePath::read(&change.path)?;
    if change.digest != digest(door, change) {
        return Err(WriteFault::NotFrozen);
    }
    door.check_present()?;
    let making = Making { renames, door, path: &path, watch };
    match (change.operation, &change.before, &change.after, &change.to) {
        (Operation::Delete, Some(before), None, None) if change.bytes.is_empty() => making.remove(before, at),
        (Operation::Move, Some(before), Some(after), Some(to)) if before == after && change.bytes.is_empty() => {
            making.carry(&RelativePath::read(to)?, before, at)
        }
        (Operation::MakeDir, None, None, None) if change.bytes.is_empty() => making.make_folder(at),
        (Operation::Create | Operation::Overwrite | Operation::Edit | Operation::Append, before, Some(after), None)
            if state_of(&change.bytes) == *after =>
        {
            making.write(&change.bytes, before.as_ref(), after, at)
        }
        _ => Err(WriteFault::NotFrozen),
    }
}

/// One change that is being made.
struct Making<'a> {
    renames: Renames,
    door: &'a Door,
    path: &'a RelativePath,
    watch: &'a Watch,
}

impl Making<'_> {
    /// Writes the bytes of a file.
    fn write(
        &self,
        bytes: &[u8],
        before: Option<&FileState>,
        after: &FileState,
        at: &mut dyn FnMut(Step),
    ) -> Result<Written, WriteFault> {
        let Self { renames, door, path, watch } = *self;
        let parent = door.parent_of(path)?;
        let old = compare(&parent, path, before)?;
        at(Step::Compared);
        in_folders(&parent, |dir| {
            let placing = Placing { renames, door, path, name: &parent.name, dir, bytes, before, after, watch };
            placing.place(old.as_ref(), at)
        })
    }
}

/// Makes the folders that are missing, does `work` in the last of them, and takes them back where that fails.
fn in_folders(parent: &Parent, work: impl FnOnce(&Dir) -> Result<Written, WriteFault>) -> Result<Written, WriteFault> {
    let mut made = Vec::new();
    let written = make_folders(parent, &mut made).map_err(WriteFault::from).and_then(|dir| work(&dir));
    if written.is_err() {
        for (dir, name) in made.iter().rev() {
            // A folder that somebody used meanwhile is not empty and stays.
            let _ = dir.remove_dir(name);
        }
    }
    written.map(|mut written| {
        written.n_folders += made.len();
        // A new folder is on the disk when the one above it is.
        let is_flushed = made.iter().rev().all(|(above, _)| flush(above).is_ok());
        if !is_flushed && !written.remarks.contains(&NOT_FLUSHED) {
            written.remarks.push(NOT_FLUSHED);
        }
        written
    })
}

const NOT_FLUSHED: &str = "the folder could not be flushed to the disk, so a power cut may undo it";

/// Waits until the names in a folder are on the disk.
fn flush(dir: &Dir) -> io::Result<()> {
    // Other systems have no such thing: a folder cannot be opened there as a file is.
    #[cfg(unix)]
    if let Err(error) = dir.open(".").and_then(|folder| folder.sync_all()) {
        tracing::warn!(%error, "a folder could not be flushed");
        return Err(error);
    }
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

/// The metadata of the file that is there, which is the one that was shown.
fn compare(parent: &Parent, path: &RelativePath, before: Option<&FileState>) -> Result<Option<Metadata>, WriteFault> {
    match (parent.target(path)?, before) {
        (Target::Absent, None) => {
            parent.check_new(path)?;
            Ok(None)
        }
        (Target::File(file, metadata), Some(before)) => {
            // A file of another length is another file; there is no need to read it, however long it has become.
            if metadata.len() == before.n_bytes && state_of_file(file, &metadata)? == *before {
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
        // Held before it is used, so that nothing that was made is forgotten where the system has no more handles to give.
        let above = dir.try_clone()?;
        match dir.create_dir(name) {
            Ok(()) => made.push((above, name.clone())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        dir = dir.open_dir_nofollow(name)?;
    }
    Ok(dir)
}

/// The content of an open file. One that is longer than any that is written here is not read to its end, and neither is one that
/// grows meanwhile: the state is then that of a longer file, which no frozen change has.
pub(crate) fn state_of_file(file: cap_std::fs::File, metadata: &Metadata) -> io::Result<FileState> {
    let limit = metadata.len().min(MAX_BYTES) + 1;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(state_of(&bytes))
}

/// Checks that a name stands for an ordinary file with this content.
///
/// # Errors
/// `Changed` if it does not; what the system says if the file is there and cannot be read.
fn check_is(dir: &Dir, name: &str, wanted: &FileState) -> Result<(), WriteFault> {
    let state = open_in(dir, name).and_then(|(file, metadata)| {
        if metadata.is_file() { state_of_file(file, &metadata).map(Some) } else { Ok(None) }
    });
    match state {
        Ok(Some(state)) if state == *wanted => Ok(()),
        Ok(_) => Err(WriteFault::Changed),
        // A link or nothing at all does not open either.
        Err(error) => {
            let is_file = dir.symlink_metadata(name).is_ok_and(|metadata| metadata.is_file());
            Err(if is_file { error.into() } else { WriteFault::Changed })
        }
    }
}

#[cfg(test)]
mod tests;
