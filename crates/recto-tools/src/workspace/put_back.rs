//! Putting back what a write replaced: frozen, compared and swapped as every other write.

use super::Workspace;
use super::outcome::of_write;
use crate::change::digest;
use crate::door::{Door, Target, Trouble};
use crate::explain::{Wanted, explain, io_sentence};
use crate::path_rules::RelativePath;
use crate::visible::shown_path;
use crate::watch::Watch;
use crate::writer::{state_of_file, write};
use recto_core::text::ContentHash;
use recto_core::tool::{CallOutcome, Change, FileState, Operation};
use std::io::Read as _;

/// What can be done about a file whose old content is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PutBack {
    /// It can be put back.
    Ready(Box<Change>),
    /// The file has that content.
    Already,
}

impl Workspace {
    /// The content that a frozen change is about to replace; `None` where it replaces none, or the file is no longer the one that
    /// was shown, which the write itself will find.
    pub async fn content_before(&self, change: &Change) -> Option<Vec<u8>> {
        let (door, path, before) = (self.door.clone()?, change.path.clone(), change.before.clone()?);
        let read = tokio::task::spawn_blocking(move || {
            let path = RelativePath::read(&path).ok()?;
            let Ok(Target::File(file, _)) = door.parent_of(&path).and_then(|parent| parent.target(&path)) else {
                return None;
            };
            let mut bytes = Vec::new();
            file.take(before.n_bytes + 1).read_to_end(&mut bytes).ok()?;
            (ContentHash::of(&bytes) == before.hash).then_some(bytes)
        });
        read.await.ok().flatten()
    }

    /// Freezes the change that puts `old` back at `path`, if the file still has the content `seen`.
    ///
    /// # Errors
    /// It cannot be put back; one sentence for the user.
    pub async fn freeze_put_back(&self, path: &str, seen: &ContentHash, old: Vec<u8>) -> Result<PutBack, String> {
        const NO_FOLDER: &str = "There is no folder to put it back into.";
        let door = self.door.clone().ok_or_else(|| NO_FOLDER.to_owned())?;
        let (path, seen) = (path.to_owned(), seen.clone());
        let frozen = tokio::task::spawn_blocking(move || freeze(&door, &path, &seen, old));
        frozen.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    /// Puts back what was frozen.
    pub async fn put_back(&self, change: Change) -> Option<CallOutcome> {
        let door = self.door.clone()?;
        let written = tokio::task::spawn_blocking(move || {
            let written = write(&door, &change, &Watch::new(super::WRITE_LIMIT));
            of_write(&door, &change, written)
        });
        written.await.ok()
    }
}

fn freeze(door: &Door, path: &str, seen: &ContentHash, old: Vec<u8>) -> Result<PutBack, String> {
    let path = RelativePath::read(path).map_err(|fault| fault.to_string())?;
    let name = shown_path(&path.text());
    let say = |trouble: Trouble| explain(door, &path, Wanted::File, &trouble);
    door.check_present().map_err(say)?;
    let Target::File(file, metadata) = door.parent_of(&path).and_then(|parent| parent.target(&path)).map_err(say)?
    else {
        return Err(format!(
            "`{name}` is not there any more, so nothing was put back. Undo the move or deletion first."
        ));
    };
    let now = state_of_file(file, &metadata).map_err(|error| io_sentence(&name, &error))?;
    let after = FileState { hash: ContentHash::of(&old), n_bytes: old.len() as u64 };
    if now == after {
        return Ok(PutBack::Already);
    }
    if now.hash != *seen {
        return Err(format!(
            "`{name}` was changed after Recto wrote it, so it was left as it is. Undo the later change first, or copy what you need."
        ));
    }
    let path = path.text();
    let digest = digest(door, &path, Operation::Overwrite, Some(&now), &after);
    let (operation, before) = (Operation::Overwrite, Some(now));
    let change = Change { path, operation, before, after, bytes: old, diff: Vec::new(), flags: Vec::new(), digest };
    Ok(PutBack::Ready(Box::new(change)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts "old" back over a file that holds `now`, after "new" was written there; what was said, and what the file holds then.
    async fn check(now: &str, expected: &str, left: &str) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("list.md");
        std::fs::write(&file, now).unwrap();
        let workspace = Workspace::open(folder.path(), &[]).unwrap();
        let said = match workspace.freeze_put_back("list.md", &ContentHash::of(b"new"), b"old".to_vec()).await {
            Ok(PutBack::Ready(change)) => workspace.put_back(*change).await.unwrap().note,
            Ok(PutBack::Already) => "already".to_owned(),
            Err(sentence) => sentence,
        };
        assert!(said.starts_with(expected), "{said}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), left);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn permission_p4_old_content_goes_back_only_over_what_was_written() {
        check("new", "written, 3 bytes", "old").await;
        check("old", "already", "old").await;
        check("mine", "`list.md` was changed after Recto wrote it", "mine").await;
    }

    #[tokio::test]
    async fn permission_p6_old_content_goes_back_through_the_door() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path(), &[]).unwrap();
        for path in ["../list.md", ".git/config", "/etc/passwd", "gone.md"] {
            let refused = workspace.freeze_put_back(path, &ContentHash::of(b"new"), b"old".to_vec()).await;
            assert!(refused.is_err(), "{path}: {refused:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
