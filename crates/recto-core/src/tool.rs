//! What a tool is, what a call of it is, and what comes back.

use crate::id::CallId;
use crate::text::ContentHash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who a tool is inside the program. Permission is decided on this and never on a name, which an outside tool could also use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolIdentity {
    /// Recto's own list of the work, which lives in its database and touches no file of the user.
    TodoWrite,
    /// Keeps a sentence about the user, in Recto's own database.
    Remember,
    /// Forgets one again.
    Forget,
    /// Adds to the end of a file.
    AppendFile,
    /// Takes a file away.
    DeleteFile,
    /// Gives a file another place or name.
    MoveFile,
    /// Makes a folder.
    MakeDir,
    /// Any other tool that comes with Recto.
    BuiltIn,
    /// A tool of an outside server.
    External,
}

impl ToolIdentity {
    /// Whether it changes what is remembered about the user.
    #[must_use]
    pub fn is_about_memories(self) -> bool {
        matches!(self, Self::Remember | Self::Forget)
    }

    /// Whether it changes which files and folders there are without writing one.
    #[must_use]
    pub fn changes_names(self) -> bool {
        matches!(self, Self::DeleteFile | Self::MoveFile | Self::MakeDir)
    }
}

/// What a tool may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    Read,
    /// Something that is still there afterwards.
    Write,
}

/// What an argument may name that is there, so that a grammar can offer just that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathChoice {
    /// A file that is there.
    File,
    /// A folder that is there; `.` is the workspace itself.
    Folder,
    /// A passage of the library whose name was given in this turn.
    Passage,
}

/// A tool as it is offered to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// Who it is.
    pub identity: ToolIdentity,
    /// The name that a model calls.
    pub name: String,
    /// What it does, in the words given to the model.
    pub description: String,
    /// JSON Schema of its arguments; its key order is part of the bytes that are sent.
    pub parameters: Value,
    /// What it may change.
    pub effect: Effect,
    /// Which arguments are paths, and of what: the structured protocol offers those that are there.
    pub paths: Vec<(String, PathChoice)>,
    /// Whether a call of it right after one of the same tool makes sense. The structured protocol does not offer it otherwise.
    pub repeats: bool,
}

/// Sorts tools by name, so that the same set gives the same bytes.
#[must_use]
pub fn catalogue(mut tools: Vec<ToolDefinition>) -> Vec<ToolDefinition> {
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools
}

/// A call as the model made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Which call; unique within its turn.
    pub id: CallId,
    /// The name that the model wrote.
    pub name: String,
    /// The arguments byte for byte as they were received; not necessarily JSON.
    pub arguments: String,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It did what it was asked to.
    Done,
    /// Its arguments do not fit the tool's schema; nothing ran.
    InvalidArguments,
    /// It ran, or could not be prepared, and failed.
    Failed,
    /// The user or a rule said no; nothing ran.
    Refused,
    /// The same call was made before in this turn; its result stands above and nothing ran.
    Repeated,
    /// The turn was stopped before it ran.
    Cancelled,
}

impl CallStatus {
    /// Whether the model has to be told that this did not work.
    #[must_use]
    pub fn is_failure(self) -> bool {
        matches!(self, Self::InvalidArguments | Self::Failed)
    }
}

/// The result of a call: the text is what the model is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallOutcome {
    /// How it ended.
    pub status: CallStatus,
    /// The whole result, not yet cut to any share of a window.
    pub text: String,
    /// One line for a person: `12 lines`, `3 matches`, `written, 42 bytes`.
    pub note: String,
    /// For a write that was made: the hash of the file as it is now.
    pub written: Option<ContentHash>,
}

impl CallOutcome {
    /// A result without a written file.
    #[must_use]
    pub fn new(status: CallStatus, text: impl Into<String>, note: impl Into<String>) -> Self {
        Self { status, text: text.into(), note: note.into(), written: None }
    }
}

/// A call after its arguments were checked and, for a write, its bytes were frozen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// It can be decided on.
    Ready(Action),
    /// It cannot run; the outcome says why and goes back to the model.
    Not(CallOutcome),
    /// It is refused by its place (outside the workspace, `.git`, the program's own data), whatever anyone decides.
    Forbidden {
        /// Why, in words for the model and the user.
        reason: String,
    },
}

/// What will happen if the call is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Who would act.
    pub identity: ToolIdentity,
    /// What it may change.
    pub effect: Effect,
    /// The place or thing it is about, for a person: `notes/plan.md`, `"tide" in .`.
    pub target: String,
    /// The frozen change; `None` for a read.
    pub change: Option<Change>,
    /// The folder that the file to be written lies in; `None` where that is not there yet, or no file is written.
    pub folder: Option<FolderIdentity>,
}

/// Which folder of which workspace something is, whatever either is called. Two are the same folder only if they are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FolderIdentity(pub String);

/// A change to one file, or to what is remembered, frozen before anyone is asked. What is shown is what will be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path from the workspace, with `/` between its parts.
    pub path: String,
    /// Where the file goes, for a move; `None` for anything else.
    pub to: Option<String>,
    /// What it does to the file.
    pub operation: Operation,
    /// The file as it was seen; `None` where there was none.
    pub before: Option<FileState>,
    /// The file as it will be; `None` where there will be none, and for a folder.
    pub after: Option<FileState>,
    /// The exact bytes to write; empty where none are written.
    pub bytes: Vec<u8>,
    /// The whole difference between before and after, line by line. A change whose difference is too long to be shown is not frozen.
    pub diff: Vec<DiffLine>,
    /// What a person should know before saying yes.
    pub flags: Vec<ChangeFlag>,
    /// Hash over both ends of the way, operation, before and after; a decision is bound to it.
    pub digest: ContentHash,
}

impl Change {
    /// What it is about, for a person: the path, and for a move both ends.
    #[must_use]
    pub fn target(&self) -> String {
        match &self.to {
            Some(to) => format!("{}{BOTH_ENDS}{to}", self.path),
            None => self.path.clone(),
        }
    }

    /// How large the file will be, in bytes; nothing where there will be none.
    #[must_use]
    pub fn n_bytes_after(&self) -> u64 {
        self.after.as_ref().map_or(0, |after| after.n_bytes)
    }

    /// Lines added and removed. All of them are in the difference, because it is never cut.
    #[must_use]
    pub fn line_counts(&self) -> (usize, usize) {
        let count = |kind| self.diff.iter().filter(|line| line.kind == kind).count();
        (count(DiffKind::Added), count(DiffKind::Removed))
    }
}

/// What stands between the two ends of a move.
pub const BOTH_ENDS: &str = " → ";

/// What a change does to its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// The file is not there yet.
    Create,
    /// The whole file is replaced.
    Overwrite,
    /// A passage of the file is replaced.
    Edit,
    /// Something is added to the end of the file.
    Append,
    /// The file goes.
    Delete,
    /// The file gets another place or name.
    Move,
    /// A folder is made.
    MakeDir,
    /// A sentence about the user is kept; no file is touched.
    Remember,
    /// A kept sentence goes; no file is touched.
    Forget,
}

impl Operation {
    /// The word used in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Overwrite => "overwrite",
            Self::Edit => "edit",
            Self::Append => "append",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::MakeDir => "make_dir",
            Self::Remember => "remember",
            Self::Forget => "forget",
        }
    }
}

/// Content of a file at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// Its length in bytes.
    pub n_bytes: u64,
}

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffLine {
    /// Whether it goes, comes or stays.
    pub kind: DiffKind,
    /// The line without its end; control and invisible characters are shown as `\u{…}`.
    pub text: String,
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffKind {
    /// It stays; shown around a change.
    Same,
    /// It comes.
    Added,
    /// It goes.
    Removed,
    /// Unchanged lines are left out here; the text says how many.
    Gap,
}

/// What a person should know before saying yes to a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeFlag {
    /// Another program runs or obeys this file later (a hook, a Makefile, a shell start-up file, an agent file).
    ExecutesLater,
    /// The new content has control, bidirectional or zero-width characters.
    HiddenCharacters,
    /// The file has other names (hard links); they keep the old content.
    OtherNames,
    /// More than half of the file's lines go.
    ReplacesMost,
    /// The new content is larger than 1 MiB.
    Large,
    /// What goes is no text, or too long a one, so it cannot be shown line by line.
    NotShown,
}

/// Paths that are there, short enough to be enumerated in a grammar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Files, as paths from the workspace; empty when there are too many to enumerate.
    pub files: Vec<String>,
    /// Folders, `.` first; empty when there are too many to enumerate.
    pub folders: Vec<String>,
}
