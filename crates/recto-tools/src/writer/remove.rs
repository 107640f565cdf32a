//! Taking a file away. It is taken aside first and looked at there: only the file that was shown is removed.

use super::place::{beside, check_in_place};
use super::rename::Outcome;
use super::staged::Staged;
use super::{Making, NOT_FLUSHED, Step, WriteFault, Written, check_is, compare, flush};
use recto_core::tool::FileState;
use std::io;

impl Making<'_> {
    /// Removes the file.
    pub(super) fn remove(&self, before: &FileState, at: &mut dyn FnMut(Step)) -> Result<Written, WriteFault> {
        let parent = self.door.parent_of(self.path)?;
        let Some(shown) = compare(&parent, self.path, Some(before))? else { return Err(WriteFault::Changed) };
        at(Step::Compared);
        if !self.watch.commit() {
            return Err(WriteFault::Stopped);
        }
        let Some(mut aside) = Staged::aside(&parent.dir, &parent.name, self.renames, &shown)? else {
            return Err(WriteFault::Changed);
        };
        at(Step::Swapped);
        let is_as_shown = check_is(&parent.dir, &aside.name, before);
        if let Err(why) = is_as_shown.and_then(|()| check_in_place(self.door, self.path, &parent.dir)) {
            return Err(self.give_back(&mut aside, &parent.name, why));
        }
        at(Step::Settled);
        match aside.remove() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(self.give_back(&mut aside, &parent.name, error.into()));
            }
            // Somebody else removed it, which is as good.
            Ok(()) | Err(_) => {}
        }
        let remarks = if flush(&parent.dir).is_err() { vec![NOT_FLUSHED] } else { Vec::new() };
        Ok(Written { n_folders: 0, is_exchanged: true, remarks })
    }

    /// Gives the file its name back, and says `why`; where the name was taken meanwhile, both stay.
    fn give_back(&self, aside: &mut Staged<'_>, name: &str, why: WriteFault) -> WriteFault {
        match aside.back_to(self.renames, name) {
            Ok(Outcome::Done) => why,
            Ok(Outcome::NotAsExpected) | Err(_) => {
                WriteFault::BothKept(beside(self.path, &aside.keep_as_conflict(self.renames, name)))
            }
        }
    }
}
