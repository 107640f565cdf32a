//! The audit log as a file that leaves the program: a first line, one line a row, a last line. It is checked without the record.
//!
//! Each line has exactly one spelling, so that every byte of the file counts. The chain is not keyed: whoever computes it anew over
//! the whole file can forge it, unless the head was written down elsewhere.

use super::{AuditEntry, AuditEvent, CHAIN_START, link};
use crate::id::{CallId, ConversationId, TurnId};
use crate::text::ContentHash;
use crate::tool::CallStatus;
use serde::{Deserialize, Serialize};

const FORMAT: &str = "recto-audit";
const VERSION: u32 = 1;

/// What is wrong with an exported log, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportFault {
    /// It begins with something else.
    #[error("the file does not begin as an export of the audit log does")]
    NotAnExport,
    /// A line does not say what it said when it was written.
    #[error("line {line} was altered")]
    Altered {
        /// Its number in the file, from 1.
        line: u64,
    },
    /// A row is not there.
    #[error("row {seq} is missing")]
    Missing {
        /// The first number that is not there.
        seq: i64,
    },
    /// A row stands at another place than in the log, or twice.
    #[error("line {line} stands at another place than in the log")]
    Reordered {
        /// The line's number in the file, from 1.
        line: u64,
    },
    /// The last line is not there, so nobody can tell how many rows went with it.
    #[error("the file is cut: its last line is not there")]
    Cut,
    /// Something follows the last line.
    #[error("line {line} follows the end of the export")]
    AfterTheEnd {
        /// The line's number in the file, from 1.
        line: u64,
    },
}

/// A log that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeExport {
    /// Rows in it.
    pub n_rows: i64,
    /// The hash over all of them.
    pub head: ContentHash,
}

#[derive(PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FirstLine {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LastLine {
    n_rows: i64,
    head: ContentHash,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowLine {
    seq: i64,
    at_ms: i64,
    conversation: ConversationId,
    turn: TurnId,
    call: CallId,
    tool: String,
    target: String,
    said: Said,
    link: ContentHash,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Said {
    Decision {
        is_allowed: bool,
        decider: String,
        reason: Option<String>,
        digest: Option<ContentHash>,
        before: Option<ContentHash>,
        after: Option<ContentHash>,
    },
    Outcome {
        status: CallStatus,
        note: String,
        written: Option<ContentHash>,
    },
}

impl RowLine {
    fn of(seq: i64, entry: &AuditEntry, link: &ContentHash) -> Self {
        let AuditEntry { at_ms, conversation, turn, call, tool, target, event } = entry.clone();
        let said = match event {
            AuditEvent::Decision { is_allowed, decider, reason, digest, before, after } => {
                Said::Decision { is_allowed, decider, reason, digest, before, after }
            }
            AuditEvent::Outcome { status, note, written } => Said::Outcome { status, note, written },
        };
        Self { seq, at_ms, conversation, turn, call, tool, target, said, link: link.clone() }
    }

    fn into_entry(self) -> AuditEntry {
        let Self { at_ms, conversation, turn, call, tool, target, said, .. } = self;
        let event = match said {
            Said::Decision { is_allowed, decider, reason, digest, before, after } => {
                AuditEvent::Decision { is_allowed, decider, reason, digest, before, after }
            }
            Said::Outcome { status, note, written } => AuditEvent::Outcome { status, note, written },
        };
        AuditEntry { at_ms, conversation, turn, call, tool, target, event }
    }
}

/// The line that an export begins with, without its end.
///
/// # Errors
/// It cannot be written as JSON.
pub fn first_line() -> serde_json::Result<String> {
    serde_json::to_string(&FirstLine { format: FORMAT.to_owned(), version: VERSION })
}

/// The line of a row, without its end.
///
/// # Errors
/// It cannot be written as JSON.
pub fn row_line(seq: i64, entry: &AuditEntry, link: &ContentHash) -> serde_json::Result<String> {
    serde_json::to_string(&RowLine::of(seq, entry, link))
}

/// The line that an export ends with, without its end. `head` is the link of the last row, `None` where there is none.
///
/// # Errors
/// It cannot be written as JSON.
pub fn last_line(n_rows: i64, head: Option<&ContentHash>) -> serde_json::Result<String> {
    let head = head.cloned().unwrap_or_else(|| ContentHash(CHAIN_START.to_owned()));
    serde_json::to_string(&LastLine { n_rows, head })
}

/// Goes through an exported log line by line and keeps none of them.
#[derive(Debug)]
pub struct ExportVerifier {
    n_lines: u64,
    seq: i64,
    head: ContentHash,
    is_ended: bool,
    suspect: Option<Suspect>,
}

/// What is wrong at the first place where something is; later lines can only say which kind of wrong it is.
#[derive(Debug)]
enum Suspect {
    Is(ExportFault),
    /// A number was left out here; it may still follow.
    Gap {
        seq: i64,
        line: u64,
    },
    /// The row follows another one than when it was added, if that one is there.
    Unlinked {
        line: u64,
        entry: Box<AuditEntry>,
        link: ContentHash,
    },
}

impl Default for ExportVerifier {
    fn default() -> Self {
        let head = ContentHash(CHAIN_START.to_owned());
        Self { n_lines: 0, seq: 0, head, is_ended: false, suspect: None }
    }
}

impl ExportVerifier {
    /// Looks at the next line, given without its `\n`.
    pub fn line(&mut self, text: &str) {
        self.n_lines += 1;
        if matches!(self.suspect, Some(Suspect::Is(_))) {
            return;
        }
        if let Some(suspect) = self.suspect.take() {
            self.suspect = Some(told_apart(suspect, text));
            return;
        }
        self.suspect = match self.n_lines {
            1 => self.first(text),
            line if self.is_ended => Some(Suspect::Is(ExportFault::AfterTheEnd { line })),
            line => self.row_or_last(text, line),
        };
    }

    /// What the whole file says.
    ///
    /// # Errors
    /// The first place where it is not what was exported.
    pub fn finish(self) -> Result<WholeExport, ExportFault> {
        match self.suspect {
            Some(Suspect::Is(fault)) => Err(fault),
            Some(Suspect::Gap { seq, .. }) => Err(ExportFault::Missing { seq }),
            Some(Suspect::Unlinked { line, .. }) => Err(ExportFault::Altered { line }),
            None if self.n_lines == 0 => Err(ExportFault::NotAnExport),
            None if !self.is_ended => Err(ExportFault::Cut),
            None => Ok(WholeExport { n_rows: self.seq, head: self.head }),
        }
    }

    fn first(&self, text: &str) -> Option<Suspect> {
        let is_first = first_line().is_ok_and(|wanted| wanted == text);
        (!is_first).then_some(Suspect::Is(ExportFault::NotAnExport))
    }

    fn row_or_last(&mut self, text: &str, line: u64) -> Option<Suspect> {
        let altered = Some(Suspect::Is(ExportFault::Altered { line }));
        if let Some(last) = read::<LastLine>(text) {
            self.is_ended = true;
            return match last.n_rows {
                n_rows if n_rows > self.seq => Some(Suspect::Is(ExportFault::Missing { seq: self.seq + 1 })),
                n_rows if n_rows == self.seq && last.head == self.head => None,
                _ => altered,
            };
        }
        let Some(row) = read::<RowLine>(text) else { return altered };
        let wanted = self.seq + 1;
        if row.seq > wanted {
            return Some(Suspect::Gap { seq: wanted, line });
        }
        if row.seq < wanted {
            return Some(Suspect::Is(ExportFault::Reordered { line }));
        }
        let its_link = row.link.clone();
        let entry = row.into_entry();
        if link(&self.head, &entry) != its_link {
            let was_first = link(&ContentHash(CHAIN_START.to_owned()), &entry) == its_link;
            return Some(if was_first {
                Suspect::Is(ExportFault::Reordered { line })
            } else {
                Suspect::Unlinked { line, entry: Box::new(entry), link: its_link }
            });
        }
        (self.seq, self.head) = (wanted, its_link);
        None
    }
}

/// What a later line says about the first fault.
fn told_apart(suspect: Suspect, text: &str) -> Suspect {
    let Some(later) = read::<RowLine>(text) else { return suspect };
    match suspect {
        Suspect::Gap { seq, line } if later.seq == seq => Suspect::Is(ExportFault::Reordered { line }),
        Suspect::Unlinked { line, entry, link: its_link } if link(&later.link, &entry) == its_link => {
            Suspect::Is(ExportFault::Reordered { line })
        }
        other => other,
    }
}

/// A line in its one spelling; `None` for any other.
fn read<T: Serialize + for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    let value: T = serde_json::from_str(text).ok()?;
    let is_exact = serde_json::to_string(&value).is_ok_and(|spelled| spelled == text);
    is_exact.then_some(value)
}

#[cfg(test)]
mod tests;
