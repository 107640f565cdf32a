//! Giving a file another place. The new place has to be free, and the file that arrives there has to be the one that was shown.

use super::place::check_in_place;
use super::rename::{Outcome, Place};
use super::{Making, NOT_FLUSHED, Step, WriteFault, Written, check_is, compare, flush, in_folders};
use crate::door::Identity;
use crate::path_rules::RelativePath;
use cap_std::fs::Metadata;
use recto_core::tool::FileState;
use std::io;

impl Making<'_> {
    /// Moves the file to `to`.
    pub(super) fn carry(
        &self,
        to: &RelativePath,
        before: &FileState,
        at: &mut dyn FnMut(Step),
    ) -> Result<Written, WriteFault> {
        let (from_parent, to_parent) = (self.door.parent_of(self.path)?, self.door.parent_of(to)?);
        let Some(shown) = compare(&from_parent, self.path, Some(before))? else { return Err(WriteFault::Changed) };
        compare(&to_parent, to, None)?;
        at(Step::Compared);
        in_folders(&to_parent, |dir| {
            let from = Place { dir: &from_parent.dir, name: &from_parent.name };
            let new = Place { dir, name: &to_parent.name };
            if !self.watch.commit() {
                return Err(WriteFault::Stopped);
            }
            self.bring(from, new, &shown)?;
            at(Step::Swapped);
            let is_as_shown = check_is(new.dir, new.name, before)
                .and_then(|()| check_in_place(self.door, self.path, from.dir))
                .and_then(|()| check_in_place(self.door, to, new.dir));
            if let Err(why) = is_as_shown {
                return Err(self.bring_back(from, new, to, why));
            }
            at(Step::Settled);
            let is_flushed = flush(new.dir).is_ok() & flush(from.dir).is_ok();
            let remarks = if is_flushed { Vec::new() } else { vec![NOT_FLUSHED] };
            Ok(Written { n_folders: 0, is_exchanged: true, remarks })
        })
    }

    fn bring(&self, from: Place<'_>, to: Place<'_>, shown: &Metadata) -> Result<(), WriteFault> {
        match self.renames.to_free_place(from, to) {
            Ok(Outcome::Done) => Ok(()),
            Ok(Outcome::NotAsExpected) => Err(WriteFault::Changed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(WriteFault::Changed),
            Err(error) => {
                // Where a move is a second name and then one less, the second one may have been made; the file keeps its first.
                let is_same = |place: Place<'_>| {
                    place.dir.symlink_metadata(place.name).is_ok_and(|now| Identity::of(&now) == Identity::of(shown))
                };
                if is_same(from) && is_same(to) {
                    let _ = to.dir.remove_file(to.name);
                }
                Err(error.into())
            }
        }
    }

    /// Takes the move back, and says `why`; where the old place was taken meanwhile, what was moved stays where it is now.
    fn bring_back(&self, from: Place<'_>, new: Place<'_>, to: &RelativePath, why: WriteFault) -> WriteFault {
        match (self.renames.to_free_place(new, from), why) {
            (Ok(Outcome::Done), why) => why,
            (_, WriteFault::Moved) => WriteFault::MovedAlong,
            (_, _) => WriteFault::BothKept(to.text()),
        }
    }
}
