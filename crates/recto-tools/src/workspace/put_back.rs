//! Undoing a change: frozen, compared and swapped as every other change.

use super::Workspace;
use super::outcome::of_write;
use crate::change::{bound, state_of, unbound};
use crate::door::{Door, Target, Trouble};
use crate::explain::{Wanted, explain, io_sentence};
use crate::path_rules::RelativePath;
use crate::visible::shown_path;
use crate::watch::Watch;
use crate::writer::{state_of_file, write};
use recto_core::text::ContentHash;
use recto_core::tool::{CallOutcome, Change, FileState, Operation};
use std::io::Read as _;

/// A change that was made, as far as undoing it needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The path that it was about.
    pub path: String,
    /// The other end of a move.
    pub to: Option<String>,
    /// What was done.
    pub operation: Operation,
    /// Hash of the file as it was left; `None` where it was deleted.
    pub new: Option<ContentHash>,
    /// What was replaced or taken away; `None` where it was neither.
    pub old_bytes: Option<Vec<u8>>,
}

/// What can be done about a change that is to be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PutBack {
    /// It can be undone.
    Ready(Box<Change>),
    /// Everything is as it was before it.
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

    /// Freezes the change that undoes what was `made`, if everything is still as that left it.
    ///
    /// # Errors
    /// It cannot be undone; one sentence for the user.
    pub async fn freeze_put_back(&self, made: Made) -> Result<PutBack, String> {
        const NO_FOLDER: &str = "There is no folder to put it back into.";
        let door = self.door.clone().ok_or_else(|| NO_FOLDER.to_owned())?;
        let frozen = tokio::task::spawn_blocking(move || freeze(&door, made));
        frozen.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    /// Makes the change that was frozen.
    pub async fn put_back(&self, change: Change) -> Option<CallOutcome> {
        let door = self.door.clone()?;
        let written = tokio::task::spawn_blocking(move || {
            let written = write(&door, &change, &Watch::new(super::WRITE_LIMIT));
            of_write(&door, &change, written)
        });
        written.await.ok()
    }
}

/// What stands at a path: its state and the folder it is in.
fn state_at(door: &Door, path: &RelativePath) -> Result<Option<FileState>, String> {
    let say = |trouble: Trouble| explain(door, path, Wanted::File, &trouble);
    match door.parent_of(path).and_then(|parent| parent.target(path)) {
        Ok(Target::Absent) => Ok(None),
        Ok(Target::File(file, metadata)) => {
            let state = state_of_file(file, &metadata);
            state.map(Some).map_err(|error| io_sentence(&shown_path(&path.text()), &error))
        }
        Err(trouble) => Err(say(trouble)),
    }
}

fn freeze(door: &Door, made: Made) -> Result<PutBack, String> {
    let read = |path: &str| RelativePath::read(path).map_err(|fault| fault.to_string());
    let path = read(&made.path)?;
    door.check_present().map_err(|trouble| explain(door, &path, Wanted::File, &trouble))?;
    let now = state_at(door, &path)?;
    match (made.operation, made.to) {
        (Operation::Move, Some(to)) => {
            let to = read(&to)?;
            take_back(door, &path, now, &to, made.new.as_ref())
        }
        _ => give_back(door, &path, now, made.new.as_ref(), made.old_bytes),
    }
}

/// The old content goes back, or the file goes where there was none.
fn give_back(
    door: &Door,
    path: &RelativePath,
    now: Option<FileState>,
    left: Option<&ContentHash>,
    old: Option<Vec<u8>>,
) -> Result<PutBack, String> {
    let name = shown_path(&path.text());
    let after = old.as_deref().map(state_of);
    if now == after {
        return Ok(PutBack::Already);
    }
    let Some(now) = now else {
        if left.is_some() {
            return Err(format!(
                "`{name}` is not there any more, so nothing was put back. Undo the move or deletion first."
            ));
        }
        return Ok(ready(door, path, None, Operation::Create, None, after, old.unwrap_or_default()));
    };
    match left {
        None => Err(format!(
            "There is another file at `{name}` now, so the deleted one was not put back. Move that one first."
        )),
        Some(left) if now.hash != *left => Err(format!(
            "`{name}` was changed after Recto wrote it, so it was left as it is. Undo the later change first, or copy what you need."
        )),
        Some(_) => {
            let operation = if after.is_some() { Operation::Overwrite } else { Operation::Delete };
            Ok(ready(door, path, None, operation, Some(now), after, old.unwrap_or_default()))
        }
    }
}

/// A moved file goes back to its old place.
fn take_back(
    door: &Door,
    path: &RelativePath,
    now: Option<FileState>,
    to: &RelativePath,
    left: Option<&ContentHash>,
) -> Result<PutBack, String> {
    let (name, new_name) = (shown_path(&path.text()), shown_path(&to.text()));
    let is_left = |state: &Option<FileState>| state.as_ref().map(|state| &state.hash) == left;
    let moved = state_at(door, to)?;
    match (&now, &moved) {
        (Some(_), None) if is_left(&now) => Ok(PutBack::Already),
        (Some(_), _) => {
            Err(format!("There is another file at `{name}` now, so nothing was moved back. Move that one first."))
        }
        (None, None) => {
            Err(format!("`{new_name}` is not there any more, so nothing was moved back. Undo the later change first."))
        }
        (None, Some(_)) if !is_left(&moved) => Err(format!(
            "`{new_name}` was changed after it was moved, so it was left as it is. Undo the later change first."
        )),
        (None, Some(_)) => Ok(ready(door, to, Some(path.text()), Operation::Move, moved.clone(), moved, Vec::new())),
    }
}

fn ready(
    door: &Door,
    path: &RelativePath,
    to: Option<String>,
    operation: Operation,
    before: Option<FileState>,
    after: Option<FileState>,
    bytes: Vec<u8>,
) -> PutBack {
    let (path, diff, flags, digest) = (path.text(), Vec::new(), Vec::new(), unbound());
    let change = Change { path, to, operation, before, after, bytes, diff, flags, digest };
    PutBack::Ready(Box::new(bound(door, change)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(operation: Operation, path: &str, new: Option<&[u8]>, old: Option<&[u8]>) -> Made {
        Made {
            path: path.to_owned(),
            to: None,
            operation,
            new: new.map(ContentHash::of),
            old_bytes: old.map(<[u8]>::to_vec),
        }
    }

    /// Undoes what was made in a folder with these files; what was said, and what the folder holds then.
    async fn undo(files: &[(&str, &str)], made: Made) -> (String, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let workspace = Workspace::open(folder.path(), &[]).unwrap();
        let said = match workspace.freeze_put_back(made).await {
            Ok(PutBack::Ready(change)) => workspace.put_back(*change).await.unwrap().note,
            Ok(PutBack::Already) => "already".to_owned(),
            Err(sentence) => sentence,
        };
        let mut left = Vec::new();
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                left.push(format!("{name}: {}", std::fs::read_to_string(&path).unwrap()));
            }
        }
        left.sort();
        (said, left)
    }

    async fn check(files: &[(&str, &str)], made: Made, expected: &str, left: &[&str]) {
        let (said, now) = undo(files, made).await;
        assert!(said.starts_with(expected), "{said}");
        assert_eq!(now, left, "{expected}");
    }

    #[tokio::test]
    async fn permission_p4_old_content_goes_back_only_over_what_was_written() {
        let edit = || made(Operation::Edit, "list.md", Some(b"new"), Some(b"old"));
        check(&[("list.md", "new")], edit(), "written, 3 bytes", &["list.md: old"]).await;
        check(&[("list.md", "old")], edit(), "already", &["list.md: old"]).await;
        check(&[("list.md", "mine")], edit(), "`list.md` was changed after Recto wrote it", &["list.md: mine"]).await;
        check(&[], edit(), "`list.md` is not there any more", &[]).await;
    }

    #[tokio::test]
    async fn permission_p4_a_created_file_goes_only_while_it_is_what_was_written() {
        let create = || made(Operation::Create, "list.md", Some(b"new"), None);
        check(&[("list.md", "new")], create(), "deleted, 3 bytes", &[]).await;
        check(&[], create(), "already", &[]).await;
        check(&[("list.md", "mine")], create(), "`list.md` was changed after Recto wrote it", &["list.md: mine"]).await;
    }

    #[tokio::test]
    async fn permission_p4_a_deleted_file_comes_back_only_where_there_is_none() {
        let delete = || made(Operation::Delete, "list.md", None, Some(b"old"));
        check(&[], delete(), "written, 3 bytes", &["list.md: old"]).await;
        check(&[("list.md", "old")], delete(), "already", &["list.md: old"]).await;
        check(&[("list.md", "mine")], delete(), "There is another file at `list.md` now", &["list.md: mine"]).await;
        // An empty file was a file.
        check(&[], made(Operation::Delete, "list.md", None, Some(b"")), "written, 0 bytes", &["list.md: "]).await;
    }

    #[tokio::test]
    async fn permission_p4_a_moved_file_goes_back_only_while_both_ends_are_as_they_were_left() {
        let moved = || Made { to: Some("b.md".to_owned()), ..made(Operation::Move, "a.md", Some(b"old"), None) };
        check(&[("b.md", "old")], moved(), "moved, 3 bytes", &["a.md: old"]).await;
        check(&[("a.md", "old")], moved(), "already", &["a.md: old"]).await;
        check(&[("b.md", "mine")], moved(), "`b.md` was changed after it was moved", &["b.md: mine"]).await;
        check(&[], moved(), "`b.md` is not there any more", &[]).await;
        let both: &[(&str, &str)] = &[("a.md", "mine"), ("b.md", "old")];
        check(both, moved(), "There is another file at `a.md` now", &["a.md: mine", "b.md: old"]).await;
    }

    #[tokio::test]
    async fn permission_p6_what_is_undone_goes_through_the_door() {
        for path in ["../list.md", ".git/config", "/etc/passwd", "gone.md"] {
            for operation in [Operation::Edit, Operation::Delete, Operation::Move] {
                let new = (operation != Operation::Delete || path == "gone.md").then_some(&b"new"[..]);
                let made = Made { to: Some(path.to_owned()), ..made(operation, path, new, Some(b"old")) };
                let (said, left) = undo(&[], made).await;
                assert!(said.ends_with('.') && left.is_empty(), "{operation:?} {path}: {said}");
            }
        }
    }
}
