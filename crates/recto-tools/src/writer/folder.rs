//! Making a folder where there is nothing.

use super::place::check_in_place;
use super::{Making, NOT_FLUSHED, Step, WriteFault, Written, compare, flush, in_folders};
use std::io;

impl Making<'_> {
    /// Makes the folder, and those above it that are missing.
    pub(super) fn make_folder(&self, at: &mut dyn FnMut(Step)) -> Result<Written, WriteFault> {
        let parent = self.door.parent_of(self.path)?;
        compare(&parent, self.path, None)?;
        at(Step::Compared);
        in_folders(&parent, |dir| {
            if !self.watch.commit() {
                return Err(WriteFault::Stopped);
            }
            dir.create_dir(&parent.name).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => WriteFault::Changed,
                _ => error.into(),
            })?;
            at(Step::Swapped);
            if let Err(why) = check_in_place(self.door, self.path, dir) {
                // It is empty unless somebody uses it already.
                let is_taken_back = dir.remove_dir(&parent.name).is_ok();
                return Err(if is_taken_back { why } else { WriteFault::MovedAlong });
            }
            at(Step::Settled);
            let remarks = if flush(dir).is_err() { vec![NOT_FLUSHED] } else { Vec::new() };
            Ok(Written { n_folders: 1, is_exchanged: true, remarks })
        })
    }
}
