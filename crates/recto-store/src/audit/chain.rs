//! Whether the chain of the audit log holds, and where it breaks.

use super::{AuditRow, SELECT, audit_row};
use crate::error::StoreError;
use recto_core::audit::{CHAIN_START, link};
use recto_core::text::ContentHash;
use rusqlite::{Connection, OptionalExtension};

/// What the chain says about the log. It shows every change made without computing the chain anew, and rows missing at the end
/// as long as the file's own count of given numbers is untouched. Whoever rewrites all of that can forge it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditVerdict {
    /// Rows that are there.
    pub n_rows: u64,
    /// The first place where the chain breaks; `None` if it holds.
    pub first_bad: Option<AuditFault>,
}

/// A place where the chain breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFault {
    /// The row's number.
    pub seq: i64,
    /// What is wrong with it.
    pub kind: AuditFaultKind,
}

/// What is wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditFaultKind {
    /// It does not say what it said when it was added.
    Altered,
    /// It is not there.
    Missing,
    /// It follows another row than when it was added.
    Reordered,
}

/// Goes through the log once; after a break only the number of rows still matters.
pub(super) fn verify(connection: &Connection) -> Result<AuditVerdict, StoreError> {
    let mut verdict = AuditVerdict { n_rows: 0, first_bad: None };
    let mut previous = AuditRowEnd { seq: 0, link: ContentHash(CHAIN_START.to_owned()) };
    let mut select = connection.prepare(&format!("{SELECT} ORDER BY seq"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        verdict.n_rows += 1;
        if verdict.first_bad.is_some() {
            continue;
        }
        let seq = row.get(0)?;
        // A row whose words cannot be read any more was not written by this program.
        let Ok(row) = audit_row(row) else {
            verdict.first_bad = Some(AuditFault { seq, kind: AuditFaultKind::Altered });
            continue;
        };
        verdict.first_bad = fault(connection, &previous, &row)?;
        previous = AuditRowEnd { seq: row.seq, link: row.link };
    }
    if verdict.first_bad.is_none() && last_given(connection)? > previous.seq {
        verdict.first_bad = Some(AuditFault { seq: previous.seq + 1, kind: AuditFaultKind::Missing });
    }
    Ok(verdict)
}

/// What the next row is checked against.
struct AuditRowEnd {
    seq: i64,
    link: ContentHash,
}

fn fault(connection: &Connection, previous: &AuditRowEnd, row: &AuditRow) -> Result<Option<AuditFault>, StoreError> {
    let fault = |seq, kind| Ok(Some(AuditFault { seq, kind }));
    if row.seq > previous.seq + 1 {
        return fault(previous.seq + 1, AuditFaultKind::Missing);
    }
    if link(&previous.link, &row.entry) == row.link {
        return Ok(None);
    }
    // It may be whole and only stand elsewhere: then it was linked to some other row that is there.
    let mut links = connection.prepare("SELECT link FROM decisions")?;
    let mut links = links.query([])?;
    while let Some(other) = links.next()? {
        if link(&ContentHash(other.get(0)?), &row.entry) == row.link {
            return fault(row.seq, AuditFaultKind::Reordered);
        }
    }
    let was_first = link(&ContentHash(CHAIN_START.to_owned()), &row.entry) == row.link;
    fault(row.seq, if was_first { AuditFaultKind::Reordered } else { AuditFaultKind::Altered })
}

/// The largest number that was ever given to a row.
fn last_given(connection: &Connection) -> Result<i64, StoreError> {
    let mut select = connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'decisions'")?;
    Ok(select.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
}
