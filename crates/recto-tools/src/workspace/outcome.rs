//! What the model and the user are told about a write.

use crate::door::Door;
use crate::explain::{Wanted, explain, io_sentence};
use crate::list_dir::count;
use crate::path_rules::RelativePath;
use crate::read_file::count_bytes;
use crate::visible::shown_path;
use crate::writer::{WriteFault, Written};
use recto_core::tool::{CallOutcome, CallStatus, Change, Operation};

/// The outcome of a write.
pub(crate) fn of_write(door: &Door, change: &Change, written: Result<Written, WriteFault>) -> CallOutcome {
    match written {
        Ok(written) => done(change, &written),
        Err(WriteFault::Stopped) => CallOutcome::new(
            CallStatus::Cancelled,
            format!(
                "The user stopped the turn. `{}` was not {}.",
                shown_path(&change.path),
                done_word(change.operation)
            ),
            format!("stopped, not {}", done_word(change.operation)),
        ),
        Err(fault) => {
            tracing::warn!(path = change.path, ?fault, "a write failed");
            let after = change.after.as_ref().filter(|_| matches!(fault, WriteFault::MovedAlong));
            let written = after.map(|state| state.hash.clone());
            let (text, note) = (sentence(door, change, &fault), note(change.operation, &fault));
            CallOutcome { status: CallStatus::Failed, text, note, written }
        }
    }
}

fn done(change: &Change, written: &Written) -> CallOutcome {
    let name = shown_path(&change.path);
    let to = shown_path(change.to.as_deref().unwrap_or_default());
    let state = change.after.as_ref().or(change.before.as_ref());
    let bytes = count_bytes(state.map_or(0, |state| state.n_bytes));
    let did = match change.operation {
        Operation::Create => format!("Wrote the new file `{name}` ({bytes})."),
        Operation::Overwrite => format!("Replaced the content of `{name}` ({bytes})."),
        Operation::Edit | Operation::Remember | Operation::Forget => format!("Changed `{name}` (now {bytes})."),
        Operation::Append => format!("Added to the end of `{name}` (now {bytes})."),
        Operation::Delete => format!("Deleted `{name}` ({bytes})."),
        Operation::Move => format!("Moved `{name}` to `{to}` ({bytes})."),
        Operation::MakeDir => format!("Made the folder `{name}`."),
    };
    let mut note = match change.operation {
        Operation::MakeDir => format!("{} made", count(written.n_folders, "folder", "folders")),
        operation => format!("{}, {bytes}", done_word(operation)),
    };
    if written.n_folders > 0 && change.operation != Operation::MakeDir {
        note += &format!(", {} made", count(written.n_folders, "folder", "folders"));
    }
    if !written.is_exchanged {
        note += ", compared just before (this disk cannot exchange files)";
    }
    for remark in &written.remarks {
        note += &format!(", {remark}");
    }
    let written = change.after.as_ref().map(|state| state.hash.clone());
    CallOutcome { status: CallStatus::Done, text: did, note, written }
}

/// What was done, or was not.
fn done_word(operation: Operation) -> &'static str {
    match operation {
        Operation::Delete => "deleted",
        Operation::Move => "moved",
        Operation::MakeDir => "made",
        _ => "written",
    }
}

fn sentence(door: &Door, change: &Change, fault: &WriteFault) -> String {
    let name = shown_path(&change.path);
    let done = done_word(change.operation);
    match fault {
        WriteFault::Changed if change.operation == Operation::MakeDir => {
            format!(
                "Something is at `{name}` that was not there when the user was shown the change. List the folder with list_dir."
            )
        }
        WriteFault::Changed if change.operation == Operation::Move => format!(
            "`{name}` or its new place changed after the user was shown the change, so nothing was moved. List the folders with list_dir, then make the change anew."
        ),
        WriteFault::Changed if change.operation == Operation::Delete => format!(
            "`{name}` changed after the user was shown the change, so it was not deleted. Read it again with read_file, then make the change anew."
        ),
        WriteFault::Changed => format!(
            "`{name}` changed after the user was shown the change, so nothing was written. Read it again with read_file, then make the change anew."
        ),
        WriteFault::BothKept(kept) => format!(
            "`{name}` changed while it was {done}. One version stands at its place, the other is kept as `{}`. Tell the user to compare the two.",
            shown_path(kept)
        ),
        WriteFault::Moved => format!(
            "The folder of `{name}` was moved while it was {done}, so that was taken back. List the folder with list_dir."
        ),
        WriteFault::MovedAlong => format!(
            "The folder of `{name}` was moved while it was {done}, and that could not be taken back: the new content is where the folder is now. Tell the user."
        ),
        WriteFault::NotFrozen => sentence_of_fault(&name),
        WriteFault::Place(trouble) => {
            let why = RelativePath::read(&change.path)
                .map_or_else(|fault| fault.to_string(), |path| explain(door, &path, Wanted::File, trouble));
            format!("Nothing was {done}. {why}")
        }
        WriteFault::Io(error) => format!("Nothing was {done}. {}", io_sentence(&name, error)),
        WriteFault::Stopped => format!("`{name}` was not {done}."),
    }
}

fn note(operation: Operation, fault: &WriteFault) -> String {
    let done = done_word(operation);
    match fault {
        WriteFault::Changed => format!("not {done}, the file changed meanwhile"),
        WriteFault::BothKept(_) => "the file changed meanwhile, both versions kept".to_owned(),
        WriteFault::Moved => format!("not {done}, the folder was moved"),
        WriteFault::MovedAlong => format!("{done}, but the folder was moved meanwhile"),
        _ => format!("not {done}"),
    }
}

/// A change that this workspace did not freeze.
pub(crate) fn sentence_of_fault(name: &str) -> String {
    format!("Nothing was written to `{name}`, because the change is not the one that was shown. Make the call again.")
}
