//! Rows of the audit log.

use crate::view::conversation::CallStatusView;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which rows are wanted.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AuditReadParams {
    /// Only of this conversation.
    pub conversation: Option<String>,
    /// Only where the tool, the target or the decider has this in it.
    pub text: String,
    /// Only rows before this one, for the next page.
    pub before: Option<i64>,
}

/// Rows, newest first.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AuditPage {
    /// The rows.
    pub rows: Vec<AuditRowView>,
    /// Whether there are older ones.
    pub has_more: bool,
}

/// A row.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AuditRowView {
    /// Its place in the log.
    pub position: i64,
    /// When.
    pub at_ms: i64,
    /// Where.
    pub conversation: String,
    /// In which turn.
    pub turn: String,
    /// For which call.
    pub call: String,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// What it is about.
    pub target: String,
    /// What is said.
    pub event: AuditEventView,
}

/// What a row says.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "event", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AuditEventView {
    /// The final decision on a call.
    Decision {
        /// Whether it may run.
        is_allowed: bool,
        /// `rule <name>` or `person <answer>`.
        decider: String,
        /// Why not.
        reason: Option<String>,
        /// Digest of the frozen change.
        digest: Option<String>,
        /// Hash of the file as it was seen.
        before: Option<String>,
        /// Hash of the file as it is to become.
        after: Option<String>,
    },
    /// What became of an allowed call.
    Outcome {
        /// How it ended.
        status: CallStatusView,
        /// One line for a person.
        note: String,
        /// Hash of the file that was written.
        written: Option<String>,
    },
}

/// What checking the chain said.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AuditCheckView {
    /// Rows that were checked.
    pub n_rows: u32,
    /// The first row that does not fit; `None` if all do.
    pub broken_at: Option<i64>,
}
