//! Changes of which files and folders there are: nothing is written, and what is taken away or moved is bound to its content all the same.

use super::{MAX_BYTES, NoChange, bound, state_of, unbound};
use crate::content::decode;
use crate::diff::diff;
use crate::door::{Door, Kind, Parent, Target, Trouble};
use crate::executes_later::executes_later;
use crate::explain::{Wanted, explain, io_sentence};
use crate::path_rules::RelativePath;
use crate::visible::shown_path;
use cap_fs_ext::MetadataExt as _;
use recto_core::tool::{CallOutcome, CallStatus, Change, ChangeFlag, DiffLine, Operation};
use std::io::Read as _;

/// A file as it is now, whatever is in it.
struct Found {
    parent: Parent,
    bytes: Vec<u8>,
    n_names: u64,
}

/// A file that goes. Its text is shown where it is one and can be looked at.
pub(crate) fn freeze_delete(door: &Door, path: &RelativePath) -> Result<Change, NoChange> {
    let found = find(door, path, "deleted")?;
    let shown = shown_lines(&found.bytes);
    let flags = [
        (ChangeFlag::ExecutesLater, found.parent.is_in_repository || executes_later(path, &found.bytes)),
        (ChangeFlag::OtherNames, found.n_names > 1),
        (ChangeFlag::NotShown, shown.is_none()),
    ];
    let change = Change {
        path: path.text(),
        to: None,
        operation: Operation::Delete,
        before: Some(state_of(&found.bytes)),
        after: None,
        bytes: Vec::new(),
        diff: shown.unwrap_or_default(),
        flags: set(flags),
        digest: unbound(),
    };
    Ok(bound(door, change))
}

/// A file that gets the place `to`; into it, where that is a folder or ends like one.
pub(crate) fn freeze_move(
    door: &Door,
    path: &RelativePath,
    to: &RelativePath,
    is_to_folder: bool,
) -> Result<Change, NoChange> {
    let found = find(door, path, "moved")?;
    let is_folder = is_to_folder || matches!(door.look(to), Ok((Kind::Folder, _)));
    let to = if is_folder { to.join(&found.parent.name) } else { to.clone() };
    let trouble = |trouble: Trouble| refuse(door, &to, &trouble);
    if to == *path {
        let text = format!("`{}` is there already. Nothing had to be moved.", shown_path(&path.text()));
        return Err(NoChange::Not(CallOutcome::new(CallStatus::Done, text, "nothing to move")));
    }
    let to_parent = door.parent_of(&to).map_err(trouble)?;
    match to_parent.target(&to) {
        Ok(Target::Absent) => to_parent.check_new(&to).map_err(trouble)?,
        Ok(Target::File(..)) | Err(Trouble::IsFolder) => {
            return Err(failed(format!(
                "`{}` is there already, and nothing is replaced by a move. Choose another name.",
                shown_path(&to.text())
            )));
        }
        Err(other) => return Err(trouble(other)),
    }
    let executes = |parent: &Parent, path: &RelativePath| parent.is_in_repository || executes_later(path, &found.bytes);
    let flags = [
        (ChangeFlag::ExecutesLater, executes(&found.parent, path) || executes(&to_parent, &to)),
        (ChangeFlag::OtherNames, found.n_names > 1),
    ];
    let state = Some(state_of(&found.bytes));
    let change = Change {
        path: path.text(),
        to: Some(to.text()),
        operation: Operation::Move,
        before: state.clone(),
        after: state,
        bytes: Vec::new(),
        diff: Vec::new(),
        flags: set(flags),
        digest: unbound(),
    };
    Ok(bound(door, change))
}

/// A folder where there is nothing.
pub(crate) fn freeze_folder(door: &Door, path: &RelativePath) -> Result<Change, NoChange> {
    let name = shown_path(&path.text());
    let trouble = |trouble: Trouble| refuse(door, path, &trouble);
    let is_there = || {
        let text = format!("The folder `{name}` is there already. Nothing had to be made.");
        NoChange::Not(CallOutcome::new(CallStatus::Done, text, "nothing to make"))
    };
    door.check_present().map_err(trouble)?;
    if path.names().is_empty() {
        return Err(is_there());
    }
    let parent = door.parent_of(path).map_err(trouble)?;
    match parent.target(path) {
        Ok(Target::Absent) => parent.check_new(path).map_err(trouble)?,
        Err(Trouble::IsFolder) => return Err(is_there()),
        Ok(Target::File(..)) => {
            return Err(failed(format!("`{name}` is a file, so no folder is made there. Choose another name.")));
        }
        Err(other) => return Err(trouble(other)),
    }
    let change = Change {
        path: path.text(),
        to: None,
        operation: Operation::MakeDir,
        before: None,
        after: None,
        bytes: Vec::new(),
        diff: Vec::new(),
        flags: set([(ChangeFlag::ExecutesLater, parent.is_in_repository || executes_later(path, b""))]),
        digest: unbound(),
    };
    Ok(bound(door, change))
}

fn find(door: &Door, path: &RelativePath, done: &str) -> Result<Found, NoChange> {
    let trouble = |trouble: Trouble| refuse(door, path, &trouble);
    let name = shown_path(&path.text());
    if path.names().is_empty() {
        return Err(failed(format!("`{name}` is the whole folder, and only single files are {done}. Name a file.")));
    }
    door.check_present().map_err(trouble)?;
    let parent = door.parent_of(path).map_err(trouble)?;
    let (file, metadata) = match parent.target(path) {
        Ok(Target::File(file, metadata)) => (file, metadata),
        Ok(Target::Absent) => return Err(trouble(Trouble::Absent)),
        Err(Trouble::IsFolder) => {
            return Err(failed(format!("`{name}` is a folder, and only single files are {done}. Name a file in it.")));
        }
        Err(other) => return Err(trouble(other)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(io_sentence(&name, &error)))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(failed(format!(
            "`{name}` is larger than {} MiB, so it is not {done} here. Tell the user, who can do it.",
            MAX_BYTES / (1_024 * 1_024)
        )));
    }
    Ok(Found { parent, bytes, n_names: metadata.nlink() })
}

/// Every line, going; `None` where the file is no text, or too long a one to be looked at.
fn shown_lines(bytes: &[u8]) -> Option<Vec<DiffLine>> {
    diff(Some(&decode(bytes)?.text), "").ok()
}

fn set<const N: usize>(flags: [(ChangeFlag, bool); N]) -> Vec<ChangeFlag> {
    flags.into_iter().filter_map(|(flag, is_set)| is_set.then_some(flag)).collect()
}

fn refuse(door: &Door, path: &RelativePath, trouble: &Trouble) -> NoChange {
    let sentence = explain(door, path, Wanted::File, trouble);
    if trouble.is_forbidden() { NoChange::Forbidden(sentence) } else { failed(sentence) }
}

fn failed(sentence: String) -> NoChange {
    NoChange::Not(CallOutcome::new(CallStatus::Failed, sentence, "not done"))
}
