//! Rows of the audit log.

use crate::view::conversation::CallStatusView;
use recto_app::record::{AuditFaultKind, AuditRow};
use recto_app::{AuditReport, SealState};
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

/// What checking the log said.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AuditCheckView {
    /// Rows that were checked.
    pub n_rows: u64,
    /// The first place where something is wrong; `None` if nothing is.
    pub broken_at: Option<i64>,
    /// What is wrong there.
    pub fault: Option<AuditFaultView>,
    /// What the seals could be checked with.
    pub seal: SealView,
    /// The first row with a seal.
    pub sealed_from: Option<i64>,
    /// Rows after that one without a seal.
    pub n_unsealed: u64,
    /// Rows that came after the anchor.
    pub n_behind: u64,
}

/// What is wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum AuditFaultView {
    /// It does not say what it said when it was added.
    Altered,
    /// It is not there.
    Missing,
    /// It follows another row than when it was added.
    Reordered,
    /// It and what followed is not there.
    Cut,
    /// Its seal is not there.
    Unsealed,
    /// It came after the anchor and has no seal.
    AnchorBehind,
}

/// What the seals of the log can be checked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum SealView {
    /// The key is at hand.
    Sealed,
    /// No row was sealed yet.
    NotYet,
    /// The keychain cannot be used.
    NoKeychain,
    /// The log is sealed and the keychain has no key for it any more.
    KeyGone,
}

mirror!(AuditFaultKind => AuditFaultView { Altered, Missing, Reordered, Cut, Unsealed, AnchorBehind });

impl From<SealState> for SealView {
    fn from(state: SealState) -> Self {
        match state {
            SealState::Sealed => Self::Sealed,
            SealState::NotYet => Self::NotYet,
            SealState::NoKeychain(_) => Self::NoKeychain,
            SealState::KeyGone => Self::KeyGone,
        }
    }
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

impl From<AuditReport> for AuditCheckView {
    fn from(AuditReport { verdict, seal }: AuditReport) -> Self {
        let fault = verdict.first_bad;
        Self {
            n_rows: verdict.n_rows,
            broken_at: fault.as_ref().map(|fault| fault.seq),
            fault: fault.map(|fault| fault.kind.into()),
            seal: seal.into(),
            sealed_from: verdict.sealed_from,
            n_unsealed: verdict.n_unsealed,
            n_behind: verdict.n_behind.unwrap_or_default(),
        }
    }
}
