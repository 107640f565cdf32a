//! What a program that died left unfinished is marked as such at the next start. Nothing is run again.

use crate::audit;
use crate::error::StoreError;
use crate::{approvals, turns};
use recto_core::audit::{AuditEntry, AuditEvent};
use recto_core::id::{CallId, ConversationId, TurnId};
use recto_core::text::ContentHash;
use recto_core::tool::CallStatus;
use rusqlite::{Connection, OptionalExtension, params};

/// A change that was allowed and of which nobody knows whether it happened, because the program died before it could say. The file
/// tells: it has one hash or the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsettledWrite {
    /// Where it was asked.
    pub conversation: ConversationId,
    /// In which turn.
    pub turn: TurnId,
    /// By which call.
    pub call: CallId,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// The folder that the turn was about; `None` if none was chosen.
    pub folder: Option<String>,
    /// What it is about: a path from the folder, or both ends of a move as `Change::target` gives them.
    pub target: String,
    /// Hash of the file before; `None` where there was none.
    pub before: Option<ContentHash>,
    /// Hash of the file if the change happened; `None` where there is no file then.
    pub after: Option<ContentHash>,
}

pub(crate) struct Recovered {
    pub(crate) n_interrupted: usize,
    pub(crate) n_withdrawn: usize,
    pub(crate) unsettled: Vec<UnsettledWrite>,
}

/// Ends every running turn as interrupted, with what had arrived of its answer, withdraws every open question, and closes in the
/// audit log what was left open there.
pub(crate) fn recover(connection: &Connection, now_ms: i64) -> Result<Recovered, StoreError> {
    let n_withdrawn = approvals::withdraw_all(connection, now_ms)?;
    let mut running = connection.prepare("SELECT id FROM turns WHERE ending IS NULL")?;
    let running: Vec<TurnId> = running.query_map([], |row| row.get(0).map(TurnId))?.collect::<rusqlite::Result<_>>()?;
    let mut unsettled = Vec::new();
    for turn in &running {
        unsettled.extend(close_decided(connection, turn, now_ms)?);
        // After the others, because what was never decided on never began.
        close_undecided(connection, turn, now_ms)?;
        turns::interrupt(connection, turn, now_ms)?;
    }
    Ok(Recovered { n_interrupted: running.len(), n_withdrawn, unsettled })
}

/// Gives every allowed decision of the turn an outcome, and the changes among them.
fn close_decided(connection: &Connection, turn: &TurnId, now_ms: i64) -> Result<Vec<UnsettledWrite>, StoreError> {
    let mut unsettled = Vec::new();
    for decision in audit::without_outcome(connection, turn)? {
        let AuditEvent::Decision { digest, before, after, .. } = decision.event.clone() else { continue };
        // Only a change is bound to a digest.
        let status = match digest {
            // It may have happened or not, and nobody may be told that it did.
            Some(_) => CallStatus::Failed,
            None if is_list_written(connection, turn, &decision.call)? => CallStatus::Done,
            None => CallStatus::Cancelled,
        };
        let note = "the program ended before the outcome was recorded";
        audit::append(connection, &outcome(&decision, status, note, now_ms))?;
        if digest.is_some() {
            let AuditEntry { conversation, turn, call, tool, target, .. } = decision;
            let folder = folder_of(connection, &turn)?;
            unsettled.push(UnsettledWrite { conversation, turn, call, tool, folder, target, before, after });
        }
    }
    Ok(unsettled)
}

/// Adds the decision of every question that was answered when the program died before it could say so. The decision is committed
/// before the act, so nothing of these ran.
fn close_undecided(connection: &Connection, turn: &TurnId, now_ms: i64) -> Result<(), StoreError> {
    for (decision, is_allowed) in approvals::undecided(connection, turn, now_ms)? {
        audit::append(connection, &decision)?;
        if is_allowed {
            let note = "the program ended before this began";
            audit::append(connection, &outcome(&decision, CallStatus::Cancelled, note, now_ms))?;
        }
    }
    Ok(())
}

fn outcome(decision: &AuditEntry, status: CallStatus, note: &str, at_ms: i64) -> AuditEntry {
    let event = AuditEvent::Outcome { status, note: note.to_owned(), written: None };
    AuditEntry { at_ms, event, ..decision.clone() }
}

/// Whether the call wrote the list of the work, which is in the record itself.
fn is_list_written(connection: &Connection, turn: &TurnId, call: &CallId) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM todo_snapshots WHERE turn_id = ?1 AND call_id = ?2)")?
        .query_row(params![turn.as_str(), call.as_str()], |row| row.get(0))
}

/// The folder that a turn was about, which a conversation may have left meanwhile.
fn folder_of(connection: &Connection, turn: &TurnId) -> rusqlite::Result<Option<String>> {
    let folder = connection
        .prepare_cached(
            "SELECT coalesce(turns.folder, conversations.folder)
             FROM turns JOIN conversations ON conversations.id = conversation_id WHERE turns.id = ?1",
        )?
        .query_row([turn.as_str()], |row| row.get(0))
        .optional()?;
    Ok(folder.flatten())
}
