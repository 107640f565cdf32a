//! Freezing a change before anyone is asked: the final bytes, what was there, the difference, what a person should know.

mod append;
mod names;

pub(crate) use append::freeze_append;
pub(crate) use names::{freeze_delete, freeze_folder, freeze_move};

use crate::content::{Coding, LineEnds, Text, decode};
use crate::diff::{TooLong, diff};
use crate::door::{Door, Parent, Target, Trouble};
use crate::edit::replace_once;
use crate::executes_later::executes_later;
use crate::explain::{Wanted, explain, io_sentence};
use crate::path_rules::RelativePath;
use crate::visible::{has_hidden, shown_path};
use cap_fs_ext::MetadataExt as _;
use recto_core::text::ContentHash;
use recto_core::tool::{CallOutcome, CallStatus, Change, ChangeFlag, DiffKind, DiffLine, FileState, Operation};
use std::io::Read as _;

/// A larger file is not changed, because nobody could look at the change.
pub(crate) const MAX_BYTES: u64 = 16 * 1_024 * 1_024;
/// From here on a person is told that the content is large.
const LARGE: u64 = 1_024 * 1_024;

/// Why there is nothing to ask about.
#[derive(Debug)]
pub(crate) enum NoChange {
    /// It cannot or need not be made; the outcome says why.
    Not(CallOutcome),
    /// Its place is refused; why.
    Forbidden(String),
}

/// The file as it is now.
struct Before {
    bytes: Vec<u8>,
    text: Text,
    n_names: u64,
}

/// A whole new content for a file that may be there or not.
pub(crate) fn freeze_write(door: &Door, path: &RelativePath, content: &str) -> Result<Change, NoChange> {
    let (parent, before) = look(door, path)?;
    let Some(before) = before else {
        parent.check_new(path).map_err(|trouble| refuse(door, path, &trouble))?;
        return freeze(door, path, Operation::Create, &parent, None, content, Coding::NEW);
    };
    // The encoding and the line ends of the file stay; a model writes neither.
    let content = LineEnds::of(&before.text.text).apply(content.strip_prefix('\u{feff}').unwrap_or(content));
    let coding = before.text.coding;
    freeze(door, path, Operation::Overwrite, &parent, Some(&before), &content, coding)
}

/// One passage of a file replaced.
pub(crate) fn freeze_edit(door: &Door, path: &RelativePath, old: &str, new: &str) -> Result<Change, NoChange> {
    let (parent, before) = look(door, path)?;
    let Some(before) = before else { return Err(refuse(door, path, &Trouble::Absent)) };
    let name = shown_path(&path.text());
    if !before.text.is_exact {
        return Err(failed(format!(
            "`{name}` has bytes that do not fit its encoding, and an edit would change them. Tell the user that the file is damaged."
        )));
    }
    let after = replace_once(&before.text.text, old, new).map_err(|fault| failed(fault.sentence(&path.text())))?;
    let coding = before.text.coding;
    freeze(door, path, Operation::Edit, &parent, Some(&before), &after, coding)
}

/// What a decision on this change in this workspace is bound to. Each field carries its length, so that no two changes give the same bytes.
pub(crate) fn digest(door: &Door, change: &Change) -> ContentHash {
    let root = door.identity().bytes();
    let state = |state: &Option<FileState>| state.as_ref().map_or("absent", |state| state.hash.as_str()).to_owned();
    let (before, after) = (state(&change.before), state(&change.after));
    let operation = change.operation.as_str().as_bytes();
    let mut fields: Vec<&[u8]> = vec![&root, change.path.as_bytes(), operation, before.as_bytes(), after.as_bytes()];
    fields.extend(change.to.as_ref().map(String::as_bytes));
    let mut bytes = Vec::new();
    for field in fields {
        bytes.extend_from_slice(&(field.len() as u64).to_le_bytes());
        bytes.extend_from_slice(field);
    }
    ContentHash::of(&bytes)
}

/// The change with what a decision on it is bound to.
pub(crate) fn bound(door: &Door, change: Change) -> Change {
    Change { digest: digest(door, &change), ..change }
}

/// What stands for a digest until the change is whole.
pub(crate) fn unbound() -> ContentHash {
    ContentHash(String::new())
}

/// The state that these bytes are.
pub(crate) fn state_of(bytes: &[u8]) -> FileState {
    FileState { hash: ContentHash::of(bytes), n_bytes: bytes.len() as u64 }
}

fn look(door: &Door, path: &RelativePath) -> Result<(Parent, Option<Before>), NoChange> {
    let trouble = |trouble: Trouble| refuse(door, path, &trouble);
    door.check_present().map_err(trouble)?;
    let parent = door.parent_of(path).map_err(trouble)?;
    let Target::File(file, metadata) = parent.target(path).map_err(trouble)? else { return Ok((parent, None)) };
    let name = shown_path(&path.text());
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(io_sentence(&name, &error)))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(failed(format!("`{name}` is too large to be changed here. Write to another file.")));
    }
    let Some(text) = decode(&bytes) else {
        return Err(failed(format!("`{name}` is not a text file, so it is not replaced. Write to another name.")));
    };
    Ok((parent, Some(Before { bytes, text, n_names: metadata.nlink() })))
}

fn freeze(
    door: &Door,
    path: &RelativePath,
    operation: Operation,
    parent: &Parent,
    before: Option<&Before>,
    content: &str,
    coding: Coding,
) -> Result<Change, NoChange> {
    let name = shown_path(&path.text());
    let bytes = coding.encode(content).map_err(|character| failed(unmappable(&name, coding, character)))?;
    freeze_bytes(door, path, operation, parent, before, content, bytes)
}

fn unmappable(name: &str, coding: Coding, character: char) -> String {
    format!(
        "The file `{name}` is written in {}, which has no `{character}`. Leave that character out.",
        coding.unusual_name().unwrap_or("UTF-8")
    )
}

/// As `freeze`, with the bytes that the content becomes.
fn freeze_bytes(
    door: &Door,
    path: &RelativePath,
    operation: Operation,
    parent: &Parent,
    before: Option<&Before>,
    content: &str,
    bytes: Vec<u8>,
) -> Result<Change, NoChange> {
    let name = shown_path(&path.text());
    if bytes.len() as u64 > MAX_BYTES {
        return Err(failed(format!("The content for `{name}` is too large. Write less than {MAX_BYTES} bytes.")));
    }
    if before.is_some_and(|before| before.bytes == bytes) {
        let text = format!("`{name}` already has exactly this content. Nothing had to be written.");
        return Err(NoChange::Not(CallOutcome::new(CallStatus::Done, text, "nothing to write")));
    }
    let (before_state, after) = (before.map(|before| state_of(&before.bytes)), state_of(&bytes));
    let before_text = before.map(|before| before.text.text.as_str());
    let diff = diff(before_text, content).map_err(|too_long| failed(too_long_sentence(&name, operation, too_long)))?;
    let flags = [
        (ChangeFlag::ExecutesLater, parent.is_in_repository || executes_later(path, &bytes)),
        (ChangeFlag::HiddenCharacters, has_hidden(&content.replace("\r\n", "\n"))),
        (ChangeFlag::OtherNames, before.is_some_and(|before| before.n_names > 1)),
        (ChangeFlag::ReplacesMost, before_text.is_some_and(|before| replaces_most(before, &diff))),
        (ChangeFlag::Large, after.n_bytes > LARGE),
    ];
    let flags = flags.into_iter().filter_map(|(flag, is_set)| is_set.then_some(flag)).collect();
    let (path, after, digest) = (path.text(), Some(after), unbound());
    Ok(bound(door, Change { path, to: None, operation, before: before_state, after, bytes, diff, flags, digest }))
}

/// Whether more than half of the lines go. The difference is whole, so every line that goes is in it.
fn replaces_most(before: &str, diff: &[DiffLine]) -> bool {
    let n_removed = diff.iter().filter(|line| line.kind == DiffKind::Removed).count();
    n_removed * 2 > before.lines().count()
}

fn too_long_sentence(name: &str, operation: Operation, TooLong { n_lines, limit }: TooLong) -> String {
    let smaller = match operation {
        Operation::Create => "Write the first part of it with write_file, then add the other parts with edit_file.",
        Operation::Overwrite => "Change the lines that matter with edit_file, a part at a time.",
        Operation::Append => "Add it in smaller parts, each with its own append_file.",
        _ => "Make it in smaller parts, each with its own edit_file.",
    };
    format!(
        "The change to `{name}` is {n_lines} lines long, and the user can look at {limit} at a time, so nothing was written. {smaller}"
    )
}

fn refuse(door: &Door, path: &RelativePath, trouble: &Trouble) -> NoChange {
    let sentence = explain(door, path, Wanted::File, trouble);
    if trouble.is_forbidden() {
        return NoChange::Forbidden(sentence);
    }
    match trouble {
        Trouble::IsFolder => {
            let name = shown_path(&path.text());
            failed(format!("`{name}` is a folder. Name a file inside it, such as `{name}/notes.md`."))
        }
        _ => failed(sentence),
    }
}

fn failed(sentence: String) -> NoChange {
    NoChange::Not(CallOutcome::new(CallStatus::Failed, sentence, "not written"))
}
