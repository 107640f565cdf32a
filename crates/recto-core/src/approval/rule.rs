//! A rule that the person made on an approval card: the same again without a question, for as long as the program runs.
//!
//! A rule compares values and never reads a text: the same way of writing, the same folder by identity, the same ending.

use crate::tool::{Action, Change, Effect, FolderIdentity, Operation, ToolIdentity};
use serde::{Deserialize, Serialize};
use std::fmt;

/// So many writes a rule covers at most.
pub const MAX_FILES: u32 = 50;
/// So many bytes it covers at most, over all of them.
pub const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// A longer ending says nothing about a file any more.
const LONGEST_ENDING: usize = 16;

/// A rule's name, `ru_…`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub String);

impl fmt::Display for RuleId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// How a file is written, which is what one tool does and another does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writing {
    /// The whole file, whether it was there or not.
    Whole,
    /// A passage of a file that is there.
    Passage,
}

impl Writing {
    /// How an operation writes; `None` for what is asked for each time.
    #[must_use]
    pub fn of(operation: Operation) -> Option<Self> {
        match operation {
            Operation::Create | Operation::Overwrite => Some(Self::Whole),
            Operation::Edit => Some(Self::Passage),
            Operation::Append
            | Operation::Delete
            | Operation::Move
            | Operation::MakeDir
            | Operation::Remember
            | Operation::Forget => None,
        }
    }
}

/// What a rule covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleScope {
    /// In which way a file is written.
    pub writing: Writing,
    /// The folder that the files lie in, and not those below it.
    pub folder: FolderIdentity,
    /// What that folder was called when the rule was made, from the workspace; `.` is the workspace. For a person only.
    pub folder_name: String,
    /// What the files' names end in, without the dot.
    pub ending: String,
}

impl fmt::Display for RuleScope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.writing {
            Writing::Whole => "written whole",
            Writing::Passage => "edited",
        };
        write!(out, "files ending in .{} in {}, {how}", self.ending, self.folder_name)
    }
}

impl RuleScope {
    /// The rule that may be made of an action, which is the narrowest one that covers it. `None` where no rule may cover it: outside
    /// tools, anything but writing a file, a flag of any kind, a folder that is not there yet, and names without an ending.
    #[must_use]
    pub fn of(action: &Action) -> Option<Self> {
        let change = action.change.as_ref()?;
        let is_plain =
            action.identity == ToolIdentity::BuiltIn && action.effect == Effect::Write && change.flags.is_empty();
        if !is_plain {
            return None;
        }
        let (folder_name, name) = change.path.rsplit_once('/').unwrap_or((".", &change.path));
        Some(Self {
            writing: Writing::of(change.operation)?,
            folder: action.folder.clone()?,
            folder_name: folder_name.to_owned(),
            ending: ending(name)?.to_owned(),
        })
    }

    /// Whether it covers what another scope says, whatever the folder is called by now.
    #[must_use]
    fn is_same_as(&self, other: &Self) -> bool {
        self.writing == other.writing && self.folder == other.folder && self.ending == other.ending
    }
}

/// What a name ends in. A name that is nothing but an ending (`.profile`) has none.
fn ending(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    let is_usual =
        (1..=LONGEST_ENDING).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_usual && !stem.is_empty()).then_some(ending)
}

/// A rule with what it was used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRule {
    /// Its name; the audit log says it at each use.
    pub id: RuleId,
    /// What it covers.
    pub scope: RuleScope,
    /// Writes that it covered.
    pub n_files: u32,
    /// Bytes that these wrote.
    pub n_bytes: u64,
}

impl SessionRule {
    /// A rule that was not used yet.
    #[must_use]
    pub fn new(id: RuleId, scope: RuleScope) -> Self {
        Self { id, scope, n_files: 0, n_bytes: 0 }
    }

    /// Whether it allows the action: it could be made of it, and there is room left.
    #[must_use]
    pub fn covers(&self, action: &Action) -> bool {
        let n_bytes = action.change.as_ref().map_or(0, Change::n_bytes_after);
        RuleScope::of(action).is_some_and(|scope| self.scope.is_same_as(&scope))
            && self.n_files < MAX_FILES
            && self.n_bytes.saturating_add(n_bytes) <= MAX_BYTES
    }

    /// What the audit log says of a use.
    #[must_use]
    pub fn decider(&self) -> String {
        format!("rule {}", self.id)
    }
}

/// Why a rule holds no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleEnd {
    /// The person stopped it.
    Stopped,
    /// It has covered as many writes as a rule may.
    UsedUp,
    /// A write that it covered did not work.
    Failed,
    /// The conversation works on another folder.
    OtherFolder,
}

#[cfg(test)]
mod tests;
