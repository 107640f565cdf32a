//! Whether the chain of the audit log holds, where it breaks, and what its seals say.

use super::{AuditRow, audit_row};
use crate::error::StoreError;
use recto_core::audit::seal::{Anchor, SealKey};
use recto_core::audit::{CHAIN_START, link};
use recto_core::text::ContentHash;
use rusqlite::{Connection, OptionalExtension, Row};

/// What is said about the log. The chain alone shows every change made without computing it anew, and rows missing at the end as long as the file's
/// own count of given numbers is untouched. The seals show also what was computed anew, and the anchor what was cut: whoever has no key to the
/// keychain cannot forge either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditVerdict {
    /// Rows that are there.
    pub n_rows: u64,
    /// The first place where something is wrong; `None` if nothing is.
    pub first_bad: Option<AuditFault>,
    /// The first row with a seal; `None` if none has one.
    pub sealed_from: Option<i64>,
    /// Rows after that one without a seal: they were added while there was no key.
    pub n_unsealed: u64,
    /// Rows that came after the anchor; `None` without an anchor.
    pub n_behind: Option<u64>,
}

/// A place where something is wrong.
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
    /// It does not say what it said when it was added; where it has no seal, it or one before it up to the last sealed one.
    Altered,
    /// It is not there.
    Missing,
    /// It follows another row than when it was added.
    Reordered,
    /// It and what followed is not there.
    Cut,
    /// Its seal is not there.
    Unsealed,
    /// It came after the anchor and has no seal, so nothing says who added it.
    AnchorBehind,
}

/// What the log is checked against beside itself.
#[derive(Clone, Debug, Default)]
pub struct AuditWitness {
    /// The key of the seals; without it they are counted and not checked.
    pub key: Option<SealKey>,
    /// How far the log went, as it was written down elsewhere.
    pub anchor: Option<Anchor>,
}

/// Goes through the log once; after a break only the number of rows still matters.
pub(super) fn verify(connection: &Connection, witness: &AuditWitness) -> Result<AuditVerdict, StoreError> {
    let mut walk = Walk::new(witness);
    let mut select = connection.prepare(SELECT_SEALED)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        walk.step(connection, row)?;
    }
    if walk.first_bad.is_none() {
        walk.first_bad = walk.fault_at_the_end(last_given(connection)?);
    }
    Ok(walk.verdict())
}

const SELECT_SEALED: &str = "
    SELECT decisions.seq, recorded_at, conversation_id, turn_id, call_id, tool, target, event, is_allowed, decider, reason, digest,
           before_hash, after_hash, status, note, written_hash, link, audit_seals.previous, audit_seals.mac
    FROM decisions LEFT JOIN audit_seals ON audit_seals.seq = decisions.seq
    ORDER BY decisions.seq";

/// What was seen so far.
struct Walk<'a> {
    witness: &'a AuditWitness,
    n_rows: u64,
    /// The last row that was there, and its link.
    seq: i64,
    link: ContentHash,
    sealed_from: Option<i64>,
    sealed_to: i64,
    n_sealed: u64,
    /// The link that the row at the anchor's place has.
    at_anchor: Option<ContentHash>,
    /// The first row after the anchor without a seal.
    loose: Option<i64>,
    first_bad: Option<AuditFault>,
}

impl<'a> Walk<'a> {
    fn new(witness: &'a AuditWitness) -> Self {
        Self {
            witness,
            n_rows: 0,
            seq: 0,
            link: ContentHash(CHAIN_START.to_owned()),
            sealed_from: None,
            sealed_to: 0,
            n_sealed: 0,
            at_anchor: None,
            loose: None,
            first_bad: None,
        }
    }

    fn step(&mut self, connection: &Connection, row: &Row<'_>) -> Result<(), StoreError> {
        self.n_rows += 1;
        let seq: i64 = row.get(0)?;
        let seal = match (row.get::<_, Option<i64>>(18)?, row.get::<_, Option<String>>(19)?) {
            (Some(previous), Some(mac)) => Some((previous, mac)),
            _ => None,
        };
        if self.first_bad.is_none() {
            // A row whose words cannot be read any more was not written by this program.
            self.first_bad = match audit_row(row) {
                Err(_) => Some(AuditFault { seq, kind: AuditFaultKind::Altered }),
                Ok(row) => self.fault(connection, &row, seal.as_ref())?,
            };
        }
        if seal.is_some() {
            self.sealed_from.get_or_insert(seq);
            self.sealed_to = seq;
            self.n_sealed += 1;
        } else if self.witness.anchor.as_ref().is_some_and(|anchor| seq > anchor.n_rows) {
            self.loose.get_or_insert(seq);
        }
        self.link = ContentHash(row.get(17)?);
        if self.witness.anchor.as_ref().is_some_and(|anchor| seq == anchor.n_rows) {
            self.at_anchor = Some(self.link.clone());
        }
        self.seq = seq;
        Ok(())
    }

    fn fault(
        &self,
        connection: &Connection,
        row: &AuditRow,
        seal: Option<&(i64, String)>,
    ) -> Result<Option<AuditFault>, StoreError> {
        let fault = |seq, kind| Some(AuditFault { seq, kind });
        if row.seq > self.seq + 1 {
            return Ok(fault(self.seq + 1, AuditFaultKind::Missing));
        }
        if link(&self.link, &row.entry) != row.link {
            return Ok(fault(row.seq, kind_of_break(connection, row)?));
        }
        let (Some(key), Some((previous, mac))) = (&self.witness.key, seal) else { return Ok(None) };
        Ok(match *previous {
            _ if key.seal(row.seq, *previous, &row.link) != *mac => fault(row.seq, AuditFaultKind::Altered),
            // The seal itself says which one came before it.
            previous if previous != self.sealed_to => fault(previous, AuditFaultKind::Unsealed),
            _ => None,
        })
    }

    /// What is missing after the last row, by the file's own count and by what was written down elsewhere.
    fn fault_at_the_end(&self, last_given: i64) -> Option<AuditFault> {
        let fault = |seq, kind| Some(AuditFault { seq, kind });
        let anchored = self.witness.anchor.as_ref();
        if last_given > self.seq || anchored.is_some_and(|anchor| anchor.n_rows > self.seq) {
            return fault(self.seq + 1, AuditFaultKind::Cut);
        }
        let anchor = anchored?;
        if anchor.n_rows > 0 && self.at_anchor.as_ref() != Some(&anchor.head) {
            return fault(anchor.n_rows, AuditFaultKind::Altered);
        }
        if self.sealed_to < anchor.sealed_to {
            return fault(anchor.sealed_to, AuditFaultKind::Unsealed);
        }
        self.loose.and_then(|seq| fault(seq, AuditFaultKind::AnchorBehind))
    }

    fn verdict(self) -> AuditVerdict {
        let n_after = |seq: i64| u64::try_from(self.seq - seq).unwrap_or_default();
        AuditVerdict {
            n_rows: self.n_rows,
            n_unsealed: self.sealed_from.map_or(0, |from| (n_after(from) + 1).saturating_sub(self.n_sealed)),
            n_behind: self.witness.anchor.as_ref().map(|anchor| n_after(anchor.n_rows)),
            sealed_from: self.sealed_from,
            first_bad: self.first_bad,
        }
    }
}

/// A row that does not follow the one before it may be whole and only stand elsewhere: then it was linked to some other row that is there.
fn kind_of_break(connection: &Connection, row: &AuditRow) -> Result<AuditFaultKind, StoreError> {
    let mut links = connection.prepare("SELECT link FROM decisions")?;
    let mut links = links.query([])?;
    while let Some(other) = links.next()? {
        if link(&ContentHash(other.get(0)?), &row.entry) == row.link {
            return Ok(AuditFaultKind::Reordered);
        }
    }
    let was_first = link(&ContentHash(CHAIN_START.to_owned()), &row.entry) == row.link;
    Ok(if was_first { AuditFaultKind::Reordered } else { AuditFaultKind::Altered })
}

/// The largest number that was ever given to a row.
fn last_given(connection: &Connection) -> Result<i64, StoreError> {
    let mut select = connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'decisions'")?;
    Ok(select.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
}
