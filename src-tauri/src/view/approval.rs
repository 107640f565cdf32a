//! A question about one frozen change, as the card shows it. Everything in it was computed here and not by a model.

use crate::view::count;
use crate::view::rules::RuleScopeView;
use recto_core::approval::Answer;
use recto_core::tool::{ChangeFlag, DiffKind, DiffLine, Operation};
use recto_engine::ports::Question;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What would be written.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalView {
    /// Its name; an answer names it and nothing else.
    pub id: String,
    /// Where it is asked.
    pub conversation: String,
    /// In which turn.
    pub turn: String,
    /// For which call.
    pub call: String,
    /// The tool's name.
    pub tool: String,
    /// The path from the folder.
    pub path: String,
    /// The other end of a move.
    pub to: Option<String>,
    /// What happens to the file.
    pub operation: OperationView,
    /// Its size now in bytes; `None` where there is none yet.
    pub n_bytes_before: Option<u64>,
    /// Its size then; `None` where there is none then.
    pub n_bytes_after: Option<u64>,
    /// Lines that come.
    pub n_added: u32,
    /// Lines that go.
    pub n_removed: u32,
    /// What a person should know first.
    pub flags: Vec<FlagView>,
    /// Line by line; invisible characters are spelled out.
    pub diff: Vec<DiffLineView>,
    /// Hash that the decision is bound to.
    pub digest: String,
    /// The rule that may be made of a yes; `None` where none may be made.
    pub offer: Option<RuleScopeView>,
    /// How many stand on one card, this one included.
    pub n_together: u32,
}

/// What happens to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum OperationView {
    /// It is not there yet.
    Create,
    /// The whole file is replaced.
    Overwrite,
    /// A passage is replaced.
    Edit,
    /// Something is added to its end.
    Append,
    /// It goes.
    Delete,
    /// It gets another place or name.
    Move,
    /// A folder is made.
    MakeDir,
    /// A sentence about the person is kept.
    Remember,
    /// A kept sentence goes.
    Forget,
}

/// What a person should know before saying yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum FlagView {
    /// Another program runs or obeys this file later.
    ExecutesLater,
    /// The new content has invisible characters.
    HiddenCharacters,
    /// The file has other names that keep the old content.
    OtherNames,
    /// More than half of the lines go.
    ReplacesMost,
    /// Larger than 1 MiB.
    Large,
    /// What goes cannot be shown line by line.
    NotShown,
}

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DiffLineView {
    /// Whether it goes, comes or stays.
    pub kind: DiffKindView,
    /// The line; for a gap, how many lines are left out.
    pub text: String,
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum DiffKindView {
    /// It stays.
    Same,
    /// It comes.
    Added,
    /// It goes.
    Removed,
    /// Unchanged lines are left out here.
    Gap,
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum AnswerView {
    /// Yes.
    Approved,
    /// Yes, and a rule was made of it.
    ApprovedWithRule,
    /// No.
    Denied,
    /// Nobody answered in time, which is a no.
    TimedOut,
    /// The turn was stopped or the window closed, which is a no.
    Withdrawn,
    /// There was nobody to ask, which is a no.
    NobodyToAsk,
}

/// A yes or a no, by the question's name.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswerParams {
    /// Which question.
    pub approval: String,
    /// Yes or no.
    pub is_approved: bool,
}

mirror!(Operation => OperationView { Create, Overwrite, Edit, Append, Delete, Move, MakeDir, Remember, Forget });
mirror!(ChangeFlag => FlagView { ExecutesLater, HiddenCharacters, OtherNames, ReplacesMost, Large, NotShown });
mirror!(DiffKind => DiffKindView { Same, Added, Removed, Gap });
mirror!(Answer => AnswerView { Approved, ApprovedWithRule, Denied, TimedOut, Withdrawn, NobodyToAsk });

impl From<&DiffLine> for DiffLineView {
    fn from(line: &DiffLine) -> Self {
        Self { kind: line.kind.into(), text: line.text.clone() }
    }
}

impl From<&Question> for ApprovalView {
    fn from(question: &Question) -> Self {
        let change = &question.change;
        let (n_added, n_removed) = change.line_counts();
        Self {
            id: question.id.to_string(),
            conversation: question.conversation.to_string(),
            turn: question.turn.to_string(),
            call: question.call.to_string(),
            tool: question.tool.clone(),
            path: change.path.clone(),
            to: change.to.clone(),
            operation: change.operation.into(),
            n_bytes_before: change.before.as_ref().map(|state| state.n_bytes),
            n_bytes_after: change.after.as_ref().map(|state| state.n_bytes),
            n_added: count(n_added),
            n_removed: count(n_removed),
            flags: change.flags.iter().copied().map(Into::into).collect(),
            diff: change.diff.iter().map(Into::into).collect(),
            digest: change.digest.to_string(),
            offer: question.offer.as_ref().map(Into::into),
            n_together: question.n_together,
        }
    }
}
