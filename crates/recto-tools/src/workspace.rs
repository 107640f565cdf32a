//! The folder that the user chose, with the tools on it.

mod folder;
mod outcome;
mod put_back;

use crate::arguments::{Arguments, Checker};
use crate::change::{NoChange, freeze_append, freeze_delete, freeze_edit, freeze_folder, freeze_move, freeze_write};
use crate::definitions::Tool;
use crate::door::{Door, OpenError, Trouble};
use crate::explain::{Wanted, explain};
use crate::finding::{FoundFile, files_with};
use crate::fitting::fitting;
use crate::leftovers::{Leftovers, UnfinishedWrite, tidy};
use crate::list_dir::list_dir;
use crate::path_rules::{PathFault, RelativePath};
use crate::places::places;
use crate::read_file::{Lines, read_file};
use crate::search_text::search_text;
use crate::visible::{shown_name, shown_path};
use crate::watch::Watch;
use crate::writer::write;
use async_trait::async_trait;
use folder::folder_of;
pub(crate) use outcome::of_write;
use outcome::sentence_of_fault;
pub use put_back::{Made, PutBack};
use recto_core::tool::{
    Action, CallOutcome, CallStatus, Change, Effect, Places, Prepared, ToolCall, ToolDefinition, catalogue,
};
use recto_engine::ports::{Stop, Toolbox};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Reading, listing and searching end by then; a search gives what it has.
const READ_LIMIT: Duration = Duration::from_secs(20);
/// A write that has not begun to replace the file by then is given up.
const WRITE_LIMIT: Duration = Duration::from_secs(60);
/// Longer than any program runs.
const UNLIMITED: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
/// Collecting the places for a grammar is worth this much.
const PLACES_LIMIT: Duration = Duration::from_millis(500);
/// Looking through all files for one text is worth this much; a person waits for it.
const FINDING_LIMIT: Duration = Duration::from_secs(3);

/// The user's folder, held open, or none. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    door: Option<Arc<Door>>,
    checkers: Arc<HashMap<Tool, Checker>>,
}

impl Workspace {
    /// Opens `folder`. `forbidden` are the folders of the program itself: a workspace neither lies in one nor contains one.
    ///
    /// # Errors
    /// The folder cannot be the workspace; the message is one sentence for the user.
    pub fn open(folder: &Path, forbidden: &[PathBuf]) -> Result<Self, OpenError> {
        let door = Door::open(folder, forbidden)?;
        let checker = |tool: Tool| Some((tool, Checker::new(&tool.definition().parameters)?));
        let checkers = Tool::ALL.into_iter().filter_map(checker).collect();
        Ok(Self { door: Some(Arc::new(door)), checkers: Arc::new(checkers) })
    }

    /// No folder was chosen: no tool is offered.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The real path of the folder when it was opened; `None` if none was chosen.
    #[must_use]
    pub fn place(&self) -> Option<&Path> {
        self.door.as_ref().map(|door| door.place())
    }

    /// Looks at the files of writes that a dying program left unfinished, and removes the temporary files beside them that are not
    /// the only copy of anything. To be called before a turn may write in this folder; `None` if no folder was chosen.
    pub async fn tidy_after(&self, writes: Vec<UnfinishedWrite>) -> Option<Leftovers> {
        let door = self.door.clone()?;
        let watch = Watch::new(READ_LIMIT);
        let found = off_thread(READ_LIMIT, &watch, None, {
            let watch = watch.clone();
            move || tidy(&door, &writes, &watch)
        });
        found.await.ok()
    }

    /// Those of the files that are there that a question is about by the words in them, the best first; empty where none stands out.
    pub async fn fitting(&self, question: &str, there: &Places) -> Vec<String> {
        let Some(door) = self.door.clone() else { return Vec::new() };
        let watch = Watch::new(PLACES_LIMIT);
        let found = off_thread(PLACES_LIMIT * 2, &watch, None, {
            let (watch, question, files) = (watch.clone(), question.to_owned(), there.files.clone());
            move || fitting(&door, &question, &files, &watch)
        });
        found.await.unwrap_or_default()
    }

    /// The files in whose text `find` finds something (where it begins, in bytes, and what it is), as far as they can be looked through in a
    /// few seconds; empty without a folder.
    pub async fn files_with<T: Send + 'static>(
        &self,
        find: impl Fn(&str) -> Option<(usize, T)> + Send + 'static,
    ) -> Vec<FoundFile<T>> {
        let Some(door) = self.door.clone() else { return Vec::new() };
        let watch = Watch::new(FINDING_LIMIT);
        let found = off_thread(FINDING_LIMIT * 2, &watch, None, {
            let watch = watch.clone();
            move || files_with(&door, &watch, find)
        });
        found.await.unwrap_or_default()
    }

    /// The tool that a call names, with its checked arguments.
    fn read(&self, call: &ToolCall) -> Result<(Arc<Door>, Tool, Arguments), CallOutcome> {
        let refuse = |text: String, note| CallOutcome::new(CallStatus::InvalidArguments, text, note);
        let found = self.door.as_ref().zip(Tool::named(&call.name));
        let Some((door, tool)) = found else {
            let names: Vec<String> = self.tools().into_iter().map(|tool| format!("`{}`", tool.name)).collect();
            let offered = if names.is_empty() {
                "No folder is chosen, so there are no file tools".to_owned()
            } else {
                format!("The file tools are {}", names.join(", "))
            };
            return Err(refuse(format!("There is no tool `{}`. {offered}.", shown_name(&call.name)), "unknown tool"));
        };
        let checked = self.checkers.get(&tool).map(|checker| checker.check(tool.name(), &call.arguments));
        match checked {
            Some(Ok(arguments)) => Ok((Arc::clone(door), tool, arguments)),
            Some(Err(sentence)) => Err(refuse(sentence, "invalid arguments")),
            None => Err(refuse(format!("`{}` cannot check its arguments.", tool.name()), "invalid arguments")),
        }
    }
}

#[async_trait]
impl Toolbox for Workspace {
    fn tools(&self) -> Vec<ToolDefinition> {
        if self.door.is_none() {
            return Vec::new();
        }
        catalogue(Tool::ALL.map(Tool::definition).into())
    }

    async fn places(&self) -> Places {
        let Some(door) = self.door.clone() else { return Places::default() };
        let watch = Watch::new(PLACES_LIMIT);
        let found = off_thread(PLACES_LIMIT * 2, &watch, None, {
            let watch = watch.clone();
            move || places(&door, &watch)
        });
        found.await.unwrap_or_default()
    }

    async fn prepare(&self, call: &ToolCall) -> Prepared {
        let (door, tool, arguments) = match self.read(call) {
            Ok(read) => read,
            Err(outcome) => return Prepared::Not(outcome),
        };
        let watch = Watch::new(READ_LIMIT);
        let prepared = off_thread(READ_LIMIT, &watch, None, move || prepare(&door, tool, &arguments)).await;
        prepared.unwrap_or_else(|end| Prepared::Not(end.outcome(&call.name)))
    }

    async fn run(&self, call: &ToolCall, change: Option<&Change>, stop: Stop) -> CallOutcome {
        let (door, tool, arguments) = match self.read(call) {
            Ok(read) => read,
            Err(outcome) => return outcome,
        };
        let ended = match (tool.effect(), change.cloned()) {
            (Effect::Read, _) => {
                let watch = Watch::new(READ_LIMIT);
                let work = {
                    let watch = watch.clone();
                    move || run_read(&door, tool, &arguments, &watch)
                };
                off_thread(READ_LIMIT + Duration::from_secs(2), &watch, Some(stop), work).await
            }
            (Effect::Write, Some(change)) => {
                let watch = Watch::new(WRITE_LIMIT);
                let work = {
                    let watch = watch.clone();
                    move || {
                        let written = write(&door, &change, &watch);
                        of_write(&door, &change, written)
                    }
                };
                // A write that has begun is waited for, because its outcome belongs into the record; it sees the stop itself.
                off_thread_to_its_end(WRITE_LIMIT, &watch, stop, work).await
            }
            (Effect::Write, None) => {
                let text = "Nothing was written, because no change was shown to the user. Make the call again.";
                Ok(CallOutcome::new(CallStatus::Failed, text, "not written"))
            }
        };
        ended.unwrap_or_else(|end| end.outcome(&call.name))
    }
}

/// Checks the place, and freezes what would be written.
fn prepare(door: &Door, tool: Tool, arguments: &Arguments) -> Prepared {
    let read = |name| arguments.text(name).map_or_else(|| Ok(RelativePath::root()), RelativePath::read);
    let (path, to) = match read("path").and_then(|path| Ok((path, read("to")?))) {
        Ok(both) => both,
        Err(fault) if fault.is_forbidden() => return Prepared::Forbidden { reason: fault.to_string() },
        Err(fault) => return Prepared::Not(CallOutcome::new(CallStatus::Failed, fault.to_string(), "path not usable")),
    };
    let ready = |target: String, change: Option<Change>| {
        let folder = change.as_ref().and_then(|_| folder_of(door, &path));
        Prepared::Ready(Action { identity: tool.identity(), effect: tool.effect(), target, change, folder })
    };
    let text = |name| arguments.text(name).unwrap_or_default();
    let is_new_folder = tool == Tool::WriteFile && text("path").ends_with('/') && door.look(&path).is_err();
    let frozen = match tool {
        Tool::WriteFile if is_new_folder => {
            let sentence = PathFault::Folder(shown_path(text("path"))).to_string();
            Err(NoChange::Not(CallOutcome::new(CallStatus::Failed, sentence, "not written")))
        }
        Tool::WriteFile => freeze_write(door, &path, text("content")),
        Tool::EditFile => freeze_edit(door, &path, text("old_text"), text("new_text")),
        Tool::AppendFile => freeze_append(door, &path, text("content")),
        Tool::DeleteFile => freeze_delete(door, &path),
        Tool::MoveFile => freeze_move(door, &path, &to, text("to").ends_with('/')),
        Tool::MakeDir => freeze_folder(door, &path),
        Tool::ListDir | Tool::ReadFile | Tool::SearchText => {
            if let Err(trouble @ Trouble::Outside) = door.look(&path) {
                return Prepared::Forbidden { reason: explain(door, &path, Wanted::Either, &trouble) };
            }
            let place = shown_path(&path.text());
            let is_search = tool == Tool::SearchText;
            let target = if is_search { format!("\"{}\" in {place}", shown_name(text("pattern"))) } else { place };
            return ready(target, None);
        }
    };
    match frozen {
        Ok(change) => ready(change.target(), Some(change)),
        Err(NoChange::Not(outcome)) => Prepared::Not(outcome),
        Err(NoChange::Forbidden(reason)) => Prepared::Forbidden { reason },
    }
}

/// Runs a tool that changes nothing.
fn run_read(door: &Door, tool: Tool, arguments: &Arguments, watch: &Watch) -> CallOutcome {
    let failed = |sentence: String| CallOutcome::new(CallStatus::Failed, sentence, "not done");
    if let Err(trouble) = door.check_present() {
        return failed(explain(door, &RelativePath::root(), Wanted::Folder, &trouble));
    }
    let path = match arguments.text("path").map_or_else(|| Ok(RelativePath::root()), RelativePath::read) {
        Ok(path) => path,
        Err(fault) => return failed(fault.to_string()),
    };
    match tool {
        Tool::ListDir => list_dir(door, &path),
        Tool::ReadFile => {
            let lines = Lines { start: arguments.number("start_line"), end: arguments.number("end_line") };
            read_file(door, &path, lines)
        }
        Tool::SearchText => search_text(door, arguments.text("pattern").unwrap_or_default(), &path, watch),
        Tool::WriteFile | Tool::EditFile | Tool::AppendFile | Tool::DeleteFile | Tool::MoveFile | Tool::MakeDir => {
            failed(sentence_of_fault(&path.text()))
        }
    }
}

/// How work on another thread ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Stopped,
    TookTooLong,
    Broke,
}

impl End {
    fn outcome(self, tool: &str) -> CallOutcome {
        let tool = shown_name(tool);
        match self {
            Self::Stopped => {
                CallOutcome::new(CallStatus::Cancelled, "The user stopped the turn before this was done.", "stopped")
            }
            Self::TookTooLong => CallOutcome::new(
                CallStatus::Failed,
                format!("`{tool}` took too long and was given up. Ask for less, or for another file."),
                "took too long",
            ),
            Self::Broke => CallOutcome::new(
                CallStatus::Failed,
                format!("`{tool}` failed (internal error). Try another way, or tell the user."),
                "internal error",
            ),
        }
    }
}

/// Does work that may wait for the disk on a thread of its own. A stop or the limit ends the waiting at once; the thread is asked to
/// end and left behind, because a call into the system cannot be taken back.
async fn off_thread<T: Send + 'static>(
    limit: Duration,
    watch: &Watch,
    stop: Option<Stop>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, End> {
    let working = tokio::task::spawn_blocking(work);
    let stopped = async {
        match stop {
            Some(mut stop) => stop.wait().await,
            None => std::future::pending().await,
        }
    };
    let ended = tokio::select! {
        biased;
        () = stopped => Err(End::Stopped),
        done = working => done.map_err(|error| {
            tracing::error!(%error, "a tool broke");
            End::Broke
        }),
        () = tokio::time::sleep(limit) => Err(End::TookTooLong),
    };
    watch.stop();
    ended
}

/// As `off_thread`, but a stop only asks the work to end and is not the end of waiting, and neither is the limit once the work is
/// committed: what is recorded about it is then what became of it, however long that takes.
async fn off_thread_to_its_end<T: Send + 'static>(
    limit: Duration,
    watch: &Watch,
    mut stop: Stop,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, End> {
    if stop.is_set() {
        return Err(End::Stopped);
    }
    let working = off_thread(UNLIMITED, watch, None, work);
    let limited = tokio::time::sleep(limit);
    tokio::pin!(working, limited);
    let mut is_asked = false;
    loop {
        tokio::select! {
            biased;
            ended = &mut working => return ended,
            () = stop.wait(), if !is_asked => {
                watch.stop();
                is_asked = true;
            }
            () = &mut limited => return if watch.stop() { Err(End::TookTooLong) } else { working.await },
        }
    }
}

#[cfg(test)]
mod tests;
