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
            format!("The user stopped the turn. `{}` was not written.", shown_path(&change.path)),
            "stopped, not written",
        ),
        Err(fault) => {
            tracing::warn!(path = change.path, ?fault, "a write failed");
            let written = matches!(fault, WriteFault::MovedAlong).then(|| change.after.hash.clone());
            let (text, note) = (sentence(door, change, &fault), note(&fault).to_owned());
            CallOutcome { status: CallStatus::Failed, text, note, written }
        }
    }
}

fn done(change: &Change, written: &Written) -> CallOutcome {
    let name = shown_path(&change.path);
    let bytes = count_bytes(change.after.n_bytes);
    let did = match change.operation {
        Operation::Create => format!("Wrote the new file `{name}` ({bytes})."),
        Operation::Overwrite => format!("Replaced the content of `{name}` ({bytes})."),
        Operation::Edit | Operation::Remember | Operation::Forget => format!("Changed `{name}` (now {bytes})."),
    };
    let mut note = format!("written, {bytes}");
    if written.n_folders > 0 {
        note += &format!(", {} made", count(written.n_folders, "folder", "folders"));
    }
    if !written.is_exchanged {
        note += ", compared just before (this disk cannot exchange files)";
    }
    for remark in &written.remarks {
        note += &format!(", {remark}");
    }
    CallOutcome { status: CallStatus::Done, text: did, note, written: Some(change.after.hash.clone()) }
}

fn sentence(door: &Door, change: &Change, fault: &WriteFault) -> String {
    let name = shown_path(&change.path);
    match fault {
        WriteFault::Changed => format!(
            "`{name}` changed after the user was shown the change, so nothing was written. Read it again with read_file, then make the change anew."
        ),
        WriteFault::BothKept(kept) => format!(
            "`{name}` changed while it was written. One version stands at its place, the other is kept as `{}`. Tell the user to compare the two.",
            shown_path(kept)
        ),
        WriteFault::Moved => format!(
            "The folder of `{name}` was moved while it was written, so the write was taken back. List the folder with list_dir."
        ),
        WriteFault::MovedAlong => format!(
            "The folder of `{name}` was moved while it was written, and the write could not be taken back: the new content is where the folder is now. Tell the user."
        ),
        WriteFault::NotFrozen => sentence_of_fault(&name),
        WriteFault::Place(trouble) => {
            let why = RelativePath::read(&change.path)
                .map_or_else(|fault| fault.to_string(), |path| explain(door, &path, Wanted::File, trouble));
            format!("Nothing was written. {why}")
        }
        WriteFault::Io(error) => format!("Nothing was written. {}", io_sentence(&name, error)),
        WriteFault::Stopped => format!("`{name}` was not written."),
    }
}

fn note(fault: &WriteFault) -> &'static str {
    match fault {
        WriteFault::Changed => "not written, the file changed meanwhile",
        WriteFault::BothKept(_) => "the file changed meanwhile, both versions kept",
        WriteFault::Moved => "not written, the folder was moved",
        WriteFault::MovedAlong => "written, but the folder was moved meanwhile",
        _ => "not written",
    }
}

/// A change that this workspace did not freeze.
pub(crate) fn sentence_of_fault(name: &str) -> String {
    format!("Nothing was written to `{name}`, because the change is not the one that was shown. Make the call again.")
}
