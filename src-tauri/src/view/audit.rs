//! Rows of the audit log.

use crate::view::conversation::CallStatusView;
use recto_app::record::{AuditRow, AuditVerdict};
use recto_core::audit::AuditEvent;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which rows are wanted.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AuditReadParams {
    /// Only of this conversation.
    pub conversation: Option<String>,
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
    pub n_rows: u64,
    /// The first row that does not fit; `None` if all do.
    pub broken_at: Option<i64>,
}

impl From<&AuditRow> for AuditRowView {
    fn from(row: &AuditRow) -> Self {
        let entry = &row.entry;
        Self {
            position: row.seq,
            at_ms: entry.at_ms,
            conversation: entry.conversation.to_string(),
            turn: entry.turn.to_string(),
            call: entry.call.to_string(),
            tool: entry.tool.clone(),
            target: entry.target.clone(),
            event: (&entry.event).into(),
        }
    }
}

impl From<&AuditEvent> for AuditEventView {
    fn from(event: &AuditEvent) -> Self {
        match event {
            AuditEvent::Decision { is_allowed, decider, reason, digest, before, after } => Self::Decision {
                is_allowed: *is_allowed,
                decider: decider.clone(),
                reason: reason.clone(),
                digest: digest.as_ref().map(ToString::to_string),
                before: before.as_ref().map(ToString::to_string),
                after: after.as_ref().map(ToString::to_string),
            },
            AuditEvent::Outcome { status, note, written } => Self::Outcome {
                status: (*status).into(),
                note: note.clone(),
                written: written.as_ref().map(ToString::to_string),
            },
        }
    }
}

impl From<AuditVerdict> for AuditCheckView {
    fn from(verdict: AuditVerdict) -> Self {
        Self { n_rows: verdict.n_rows, broken_at: verdict.first_bad.map(|fault| fault.seq) }
    }
}
