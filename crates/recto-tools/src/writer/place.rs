//! Putting the new bytes in the place of the old ones, and looking afterwards at what was replaced.

use super::rename::{Outcome, Renames};
use super::staged::Staged;
use super::{NOT_FLUSHED, Step, WriteFault, Written, check_is, flush};
use crate::door::{Door, Identity, Trouble};
use crate::path_rules::RelativePath;
use crate::watch::Watch;
use cap_std::fs::{Dir, Metadata};
use recto_core::tool::FileState;
use std::io;

/// One change on its way into its folder.
pub(super) struct Placing<'a> {
    pub(super) renames: Renames,
    pub(super) door: &'a Door,
    pub(super) path: &'a RelativePath,
    pub(super) name: &'a str,
    pub(super) dir: &'a Dir,
    pub(super) bytes: &'a [u8],
    pub(super) before: Option<&'a FileState>,
    pub(super) after: &'a FileState,
    pub(super) watch: &'a Watch,
}

impl Placing<'_> {
    /// Puts the bytes in place.
    pub(super) fn place(&self, old: Option<&Metadata>, at: &mut dyn FnMut(Step)) -> Result<Written, WriteFault> {
        let mut staged = Staged::new(self.dir, self.bytes, old)?;
        if staged.state()? != *self.after {
            return Err(WriteFault::Io(io::Error::other("the disk gave back other bytes than were written")));
        }
        at(Step::Staged);
        if !self.watch.commit() {
            return Err(WriteFault::Stopped);
        }
        let is_exchanged = match self.before {
            None => self.create(&mut staged)?,
            Some(before) => self.exchange(before, &mut staged, at)?,
        };
        // Whoever moves the folder away while its handle is held would have the file written outside. Where the old file is gone
        // already, taking the new one back would leave nothing.
        let can_be_taken_back = self.before.is_none() || is_exchanged;
        if can_be_taken_back && let Err(why) = check_in_place(self.door, self.path, self.dir) {
            return Err(self.take_back(&mut staged, why));
        }
        at(Step::Settled);
        // The write has happened. What goes wrong from here on is said and is no reason to call it anything else.
        let mut remarks = Vec::new();
        if let Err(error) = staged.remove() {
            tracing::warn!(%error, name = staged.name, "the old file could not be removed");
            remarks.push("the old file may still be beside it under a temporary name");
        }
        if flush(self.dir).is_err() {
            remarks.push(NOT_FLUSHED);
        }
        Ok(Written { n_folders: 0, is_exchanged, remarks })
    }

    fn create(&self, staged: &mut Staged<'_>) -> Result<bool, WriteFault> {
        match self.renames.to_free_name(self.dir, &staged.name, self.name) {
            Ok(Outcome::Done) => staged.is_moved(),
            Ok(Outcome::NotAsExpected) => return Err(WriteFault::Changed),
            // It has its new name and could not lose the temporary one, which is tried again later.
            Err(error) if staged.has_name(self.name) => tracing::warn!(%error, "a new file has two names"),
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }

    /// Exchanges the old file with the new one and looks at it.
    fn exchange(
        &self,
        before: &FileState,
        staged: &mut Staged<'_>,
        at: &mut dyn FnMut(Step),
    ) -> Result<bool, WriteFault> {
        match self.renames.exchange(self.dir, &staged.name, self.name) {
            Ok(Outcome::Done) => {}
            Ok(Outcome::NotAsExpected) => return Err(WriteFault::Changed),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                // The next best thing: look once more, and rename at once.
                check_is(self.dir, self.name, before)?;
                self.dir.rename(&staged.name, self.dir, self.name)?;
                staged.is_moved();
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        }
        staged.holds_the_old_file();
        at(Step::Swapped);
        let Err(why) = check_is(self.dir, &staged.name, before) else { return Ok(true) };
        // What was there is not what was shown: it goes back to its place.
        if !matches!(self.renames.exchange(self.dir, &staged.name, self.name), Ok(Outcome::Done)) {
            return Err(self.keep_both(staged));
        }
        if staged.is_ours(self.after) {
            staged.holds_our_file();
            return Err(why);
        }
        // The place changed once more in between. The newer version goes back there; the other one is kept beside it. Where that
        // fails, they are kept the other way round.
        let _ = self.renames.exchange(self.dir, &staged.name, self.name);
        Err(self.keep_both(staged))
    }

    fn keep_both(&self, staged: &mut Staged<'_>) -> WriteFault {
        let kept = staged.keep_as_conflict(self.renames, self.name);
        WriteFault::BothKept(beside(self.path, &kept))
    }

    /// Undoes the swap: the old file, if there was one, is under its name again. What there is to say about it: `why`, unless more went wrong.
    fn take_back(&self, staged: &mut Staged<'_>, why: WriteFault) -> WriteFault {
        let has_old = self.before.is_some();
        let undo = |staged: &Staged<'_>| {
            if has_old {
                self.renames.exchange(self.dir, &staged.name, self.name)
            } else {
                self.renames.to_free_name(self.dir, self.name, &staged.name)
            }
        };
        match undo(staged) {
            Ok(Outcome::Done) => {}
            // Somebody took the new file away; there is nothing to take back but the old one to keep.
            Ok(Outcome::NotAsExpected) => {
                if has_old {
                    staged.keep_as_conflict(self.renames, self.name);
                }
                return why;
            }
            Err(error) => {
                tracing::error!(%error, "a write into a folder that was moved could not be taken back");
                if has_old {
                    staged.keep_as_conflict(self.renames, self.name);
                }
                return WriteFault::MovedAlong;
            }
        }
        if staged.is_ours(self.after) {
            staged.holds_our_file();
            return why;
        }
        // Somebody replaced the new file already: theirs goes back to its place.
        if has_old {
            let _ = self.renames.exchange(self.dir, &staged.name, self.name);
            staged.keep_as_conflict(self.renames, self.name);
        } else {
            let _ = self.renames.to_free_name(self.dir, &staged.name, self.name);
        }
        why
    }
}

/// The path of another name in the folder of a file.
pub(super) fn beside(path: &RelativePath, name: &str) -> String {
    let folder = path.split_last().map_or_else(RelativePath::root, |(folder, _)| folder);
    folder.join(name).text()
}

/// Checks that the path still leads to the folder that was changed.
///
/// # Errors
/// `Moved` if it does not; what the system says if that cannot be found out.
pub(super) fn check_in_place(door: &Door, path: &RelativePath, dir: &Dir) -> Result<(), WriteFault> {
    let identity = |dir: &Dir| dir.dir_metadata().map(|metadata| Identity::of(&metadata));
    let moved = |trouble: Trouble| match trouble {
        Trouble::Io(error) => WriteFault::Io(error),
        _ => WriteFault::Moved,
    };
    door.check_present().map_err(moved)?;
    let parent = door.parent_of(path).map_err(moved)?;
    let is_same = parent.missing.is_empty() && identity(&parent.dir)? == identity(dir)?;
    if is_same { Ok(()) } else { Err(WriteFault::Moved) }
}
