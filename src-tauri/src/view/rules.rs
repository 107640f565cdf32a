//! Rules that the person made on approval cards, as the window shows them.

use recto_app::RuleRow;
use recto_core::approval::{MAX_FILES, RuleEnd, RuleScope, Writing};
use serde::Serialize;
use ts_rs::TS;

/// What a rule covers.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RuleScopeView {
    /// In which way files are written.
    pub writing: WritingView,
    /// The folder, as it was called when the rule was made; `.` is the workspace itself.
    pub folder: String,
    /// What the files' names end in, without the dot.
    pub ending: String,
}

/// In which way a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WritingView {
    /// The whole file.
    Whole,
    /// A passage of it.
    Passage,
}

/// A rule of this session.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RuleView {
    /// Its name; the audit log says it at each use.
    pub id: String,
    /// Where it holds.
    pub conversation: String,
    /// What it covers.
    pub scope: RuleScopeView,
    /// Writes that it covered.
    pub n_files: u32,
    /// At most.
    pub max_files: u32,
    /// Bytes that these wrote.
    pub n_bytes: u64,
    /// The paths of these writes, in order.
    pub matched: Vec<String>,
    /// Why it holds no more; `None` while it does.
    pub ended: Option<RuleEndView>,
}

/// Why a rule holds no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum RuleEndView {
    /// The person stopped it.
    Stopped,
    /// It has covered as many writes as a rule may.
    UsedUp,
    /// A write that it covered did not work.
    Failed,
    /// The conversation works on another folder.
    OtherFolder,
}

mirror!(Writing => WritingView { Whole, Passage });
mirror!(RuleEnd => RuleEndView { Stopped, UsedUp, Failed, OtherFolder });

impl From<&RuleScope> for RuleScopeView {
    fn from(scope: &RuleScope) -> Self {
        Self { writing: scope.writing.into(), folder: scope.folder_name.clone(), ending: scope.ending.clone() }
    }
}

impl From<RuleRow> for RuleView {
    fn from(row: RuleRow) -> Self {
        let RuleRow { conversation, rule, matched, ended } = row;
        Self {
            id: rule.id.to_string(),
            conversation: conversation.to_string(),
            scope: (&rule.scope).into(),
            n_files: rule.n_files,
            max_files: MAX_FILES,
            n_bytes: rule.n_bytes,
            matched,
            ended: ended.map(Into::into),
        }
    }
}
