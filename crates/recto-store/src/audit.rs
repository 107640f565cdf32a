//! The audit log: rows are only ever added, each chained to the one before it.

use crate::error::StoreError;
use crate::store::Store;
use crate::word::{Word, integer};
use recto_core::audit::{AuditEntry, AuditEvent, CHAIN_START, link};
use recto_core::id::{CallId, ConversationId, TurnId};
use recto_core::text::ContentHash;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

mod chain;
mod seals;

pub use chain::{AuditFault, AuditFaultKind, AuditVerdict, AuditWitness};
pub(crate) use seals::{Sealing, newest};

/// A row of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// Its number, from 1 without gaps.
    pub seq: i64,
    /// What it says.
    pub entry: AuditEntry,
    /// The hash over the row before and this one.
    pub link: ContentHash,
}

/// Which rows are wanted; `None` means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Of this conversation only.
    pub conversation: Option<ConversationId>,
    /// Of this turn only.
    pub turn: Option<TurnId>,
}

impl Store {
    /// At most `limit` rows, newest first; of those before row `before`, where that is given.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn audit(
        &self,
        filter: AuditFilter,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<AuditRow>, StoreError> {
        self.read(move |connection| {
            let AuditFilter { conversation, turn } = filter;
            let mut conditions = vec!["seq < ?"];
            let mut values = vec![Value::from(before.unwrap_or(i64::MAX))];
            // Each has its index, which an "or is null" would keep from being used.
            if let Some(conversation) = conversation {
                conditions.push("conversation_id = ?");
                values.push(conversation.0.into());
            }
            if let Some(turn) = turn {
                conditions.push("turn_id = ?");
                values.push(turn.0.into());
            }
            values.push(Value::from(integer(limit as u64)));
            let conditions = conditions.join(" AND ");
            let mut select =
                connection.prepare_cached(&format!("{SELECT} WHERE {conditions} ORDER BY seq DESC LIMIT ?"))?;
            let rows = select.query_map(params_from_iter(values), audit_row)?.collect::<rusqlite::Result<_>>()?;
            Ok(rows)
        })
        .await
    }

    /// At most `limit` rows after row `after`, oldest first. Rows are only ever added, so the pages of one walk fit together.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn audit_after(&self, after: i64, limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(&format!("{SELECT} WHERE seq > ?1 ORDER BY seq LIMIT ?2"))?;
            let rows = select.query_map(params![after, integer(limit as u64)], audit_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// Recomputes the chain over the whole log.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn verify_audit(&self) -> Result<AuditVerdict, StoreError> {
        self.verify_audit_with(AuditWitness::default()).await
    }

    /// The same, and checks the seals and the anchor as far as the witness has what it takes.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn verify_audit_with(&self, witness: AuditWitness) -> Result<AuditVerdict, StoreError> {
        self.read(move |connection| chain::verify(connection, &witness)).await
    }
}

/// Adds a row after the last one. The caller's transaction keeps anyone else from adding one in between.
pub(crate) fn append(connection: &Connection, entry: &AuditEntry) -> Result<(), StoreError> {
    let head: Option<String> = connection
        .prepare_cached("SELECT link FROM decisions ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let link = link(&ContentHash(head.unwrap_or_else(|| CHAIN_START.to_owned())), entry);
    let AuditEntry { at_ms, conversation, turn, call, tool, target, event } = entry;
    let mut columns = EventColumns::default();
    match event {
        AuditEvent::Decision { is_allowed, decider, reason, digest, before, after } => {
            columns.is_allowed = Some(*is_allowed);
            columns.decider = Some(decider);
            columns.reason = reason.as_deref();
            columns.digest = digest.as_ref().map(ContentHash::as_str);
            columns.before = before.as_ref().map(ContentHash::as_str);
            columns.after = after.as_ref().map(ContentHash::as_str);
        }
        AuditEvent::Outcome { status, note, written } => {
            columns.status = Some(Word(*status));
            columns.note = Some(note);
            columns.written = written.as_ref().map(ContentHash::as_str);
        }
    }
    connection
        .prepare_cached(
            "INSERT INTO decisions (recorded_at, conversation_id, turn_id, call_id, tool, target, event, is_allowed, decider,
                 reason, digest, before_hash, after_hash, status, note, written_hash, link)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?
        .execute(params![
            at_ms,
            conversation.as_str(),
            turn.as_str(),
            call.as_str(),
            tool,
            target,
            event.as_str(),
            columns.is_allowed,
            columns.decider,
            columns.reason,
            columns.digest,
            columns.before,
            columns.after,
            columns.status,
            columns.note,
            columns.written,
            link.as_str()
        ])?;
    Ok(())
}

/// The decisions of a turn that allowed a call of which no outcome is known, oldest first.
pub(crate) fn without_outcome(connection: &Connection, turn: &TurnId) -> Result<Vec<AuditEntry>, StoreError> {
    let mut select = connection.prepare_cached(&format!(
        "{SELECT} WHERE turn_id = ?1 AND event = 'decision' AND is_allowed
            AND call_id NOT IN (SELECT call_id FROM decisions WHERE turn_id = ?1 AND event = 'outcome')
         ORDER BY seq"
    ))?;
    let rows = select.query_map([turn.as_str()], audit_row)?.map(|row| row.map(|row| row.entry));
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The columns that only one kind of row has.
#[derive(Default)]
struct EventColumns<'a> {
    is_allowed: Option<bool>,
    decider: Option<&'a str>,
    reason: Option<&'a str>,
    digest: Option<&'a str>,
    before: Option<&'a str>,
    after: Option<&'a str>,
    status: Option<Word<recto_core::tool::CallStatus>>,
    note: Option<&'a str>,
    written: Option<&'a str>,
}

const SELECT: &str = "
    SELECT seq, recorded_at, conversation_id, turn_id, call_id, tool, target, event, is_allowed, decider, reason, digest,
           before_hash, after_hash, status, note, written_hash, link
    FROM decisions";

fn audit_row(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    let hash = |column| row.get::<_, Option<String>>(column).map(|hash| hash.map(ContentHash));
    let event = match row.get_ref(7)?.as_str()? {
        "decision" => AuditEvent::Decision {
            is_allowed: row.get(8)?,
            decider: row.get(9)?,
            reason: row.get(10)?,
            digest: hash(11)?,
            before: hash(12)?,
            after: hash(13)?,
        },
        // The column's check allows no third word.
        _ => AuditEvent::Outcome { status: row.get::<_, Word<_>>(14)?.0, note: row.get(15)?, written: hash(16)? },
    };
    let entry = AuditEntry {
        at_ms: row.get(1)?,
        conversation: ConversationId(row.get(2)?),
        turn: TurnId(row.get(3)?),
        call: CallId(row.get(4)?),
        tool: row.get(5)?,
        target: row.get(6)?,
        event,
    };
    Ok(AuditRow { seq: row.get(0)?, entry, link: ContentHash(row.get(17)?) })
}
