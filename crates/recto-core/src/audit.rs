//! The audit log's vocabulary: what a row says, and how rows are chained so that a change to one of them shows.

use crate::id::{CallId, ConversationId, TurnId};
use crate::text::ContentHash;
use crate::tool::CallStatus;

pub mod export;
pub mod seal;

/// The chain before its first row.
pub const CHAIN_START: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// One row. A decision is committed before the act, an outcome after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// When, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// Where it happened.
    pub conversation: ConversationId,
    /// In which turn.
    pub turn: TurnId,
    /// For which call.
    pub call: CallId,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// What it is about: a path, a pattern.
    pub target: String,
    /// What is said.
    pub event: AuditEvent,
}

/// What a row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditEvent {
    /// The final decision on a call.
    Decision {
        /// Whether it may run.
        is_allowed: bool,
        /// `rule <name>` or `person <answer>`.
        decider: String,
        /// Why not, where it may not; where a rule of the person allows it or is made of it, what that covers.
        reason: Option<String>,
        /// Digest of the frozen change, for a write.
        digest: Option<ContentHash>,
        /// Hash of the file as it was seen; `None` where there was none or nothing is written.
        before: Option<ContentHash>,
        /// Hash of the file as it is to become.
        after: Option<ContentHash>,
    },
    /// What became of an allowed call.
    Outcome {
        /// How it ended.
        status: CallStatus,
        /// One line for a person.
        note: String,
        /// Hash of the file that was written.
        written: Option<ContentHash>,
    },
}

impl AuditEvent {
    /// `decision` or `outcome`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Decision { .. } => "decision",
            Self::Outcome { .. } => "outcome",
        }
    }
}

/// The word for a status in the record.
#[must_use]
pub fn status_word(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Done => "done",
        CallStatus::InvalidArguments => "invalid_arguments",
        CallStatus::Failed => "failed",
        CallStatus::Refused => "refused",
        CallStatus::Repeated => "repeated",
        CallStatus::Cancelled => "cancelled",
    }
}

/// The hash of a row: over the hash of the row before it and every field, each preceded by its length, so that no two rows
/// have the same encoding.
#[must_use]
pub fn link(previous: &ContentHash, entry: &AuditEntry) -> ContentHash {
    let mut bytes = Vec::new();
    let mut field = |value: Option<&str>| match value {
        // A missing field differs from an empty one.
        None => bytes.extend_from_slice(&u64::MAX.to_be_bytes()),
        Some(text) => {
            bytes.extend_from_slice(&(text.len() as u64).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
    };
    field(Some(previous.as_str()));
    field(Some(&entry.at_ms.to_string()));
    field(Some(entry.conversation.as_str()));
    field(Some(entry.turn.as_str()));
    field(Some(entry.call.as_str()));
    field(Some(&entry.tool));
    field(Some(&entry.target));
    field(Some(entry.event.as_str()));
    match &entry.event {
        AuditEvent::Decision { is_allowed, decider, reason, digest, before, after } => {
            field(Some(if *is_allowed { "allowed" } else { "denied" }));
            field(Some(decider));
            field(reason.as_deref());
            field(digest.as_ref().map(ContentHash::as_str));
            field(before.as_ref().map(ContentHash::as_str));
            field(after.as_ref().map(ContentHash::as_str));
        }
        AuditEvent::Outcome { status, note, written } => {
            field(Some(status_word(*status)));
            field(Some(note));
            field(written.as_ref().map(ContentHash::as_str));
        }
    }
    ContentHash::of(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> AuditEntry {
        AuditEntry {
            at_ms: 1,
            conversation: "cv_1".into(),
            turn: "tn_1".into(),
            call: "c1".into(),
            tool: "write_file".into(),
            target: "list.md".into(),
            event: AuditEvent::Decision {
                is_allowed: true,
                decider: "person approved".into(),
                reason: None,
                digest: None,
                before: None,
                after: None,
            },
        }
    }

    #[test]
    fn permission_p7_every_field_and_the_row_before_change_the_link() {
        let start = ContentHash(CHAIN_START.into());
        let base = link(&start, &entry());
        assert_eq!(base, link(&start, &entry()));
        let changed: Vec<AuditEntry> = vec![
            AuditEntry { at_ms: 2, ..entry() },
            AuditEntry { tool: "edit_file".into(), ..entry() },
            AuditEntry { tool: "write_filel".into(), target: "ist.md".into(), ..entry() },
            AuditEntry {
                event: AuditEvent::Decision {
                    is_allowed: true,
                    decider: "person approved".into(),
                    reason: Some(String::new()),
                    digest: None,
                    before: None,
                    after: None,
                },
                ..entry()
            },
        ];
        for other in changed {
            assert_ne!(base, link(&start, &other), "{other:?}");
        }
        assert_ne!(base, link(&base, &entry()));
    }
}
