//! Undoing a change of a file: what was there before goes back through the same door and into the same audit log.

use crate::open::{App, AppError};
use crate::ports::WallClock;
use recto_core::audit::{AuditEntry, AuditEvent};
use recto_core::id::CallId;
use recto_core::tool::{CallOutcome, CallStatus};
use recto_engine::ports::{Clock as _, Entry, Journal as _};
use recto_store::{AuditFilter, ReplacedRow, ReplacedWrite};
use recto_tools::{Made, PutBack, Workspace};
use std::path::Path;

/// Its name in the audit log; no model can call it.
const TOOL: &str = "undo";
/// Who decides.
const DECIDER: &str = "person undid";
/// Rows of the audit log of one turn that are looked through for an undo that was broken off.
const ROWS: usize = 10_000;

impl App {
    /// The changes that can be undone, newest first.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn replaced_files(&self) -> Result<Vec<ReplacedRow>, AppError> {
        Ok(self.inner.store.replaced_files(WallClock.now_ms()).await?)
    }

    /// Undoes a change, if everything is still as the change left it.
    ///
    /// # Errors
    /// It is not kept any more, the file was changed since, or the disk does not let it be changed; then it is as it was.
    pub async fn undo(&self, id: i64) -> Result<ReplacedRow, AppError> {
        self.begin_sealing();
        let row = self.replaced_files().await?.into_iter().find(|row| row.id == id);
        let row = row.ok_or_else(|| {
            AppError::NotUndone("there is no such write to undo; writes can be undone for seven days".to_owned())
        })?;
        let old_bytes = self.inner.store.replaced_bytes(id).await?;
        let workspace = Workspace::open(Path::new(&row.write.folder), std::slice::from_ref(&self.inner.data))
            .map_err(|error| AppError::NotUndone(error.to_string()))?;
        let ReplacedWrite { path, to, operation, new, .. } = row.write.clone();
        let frozen = workspace.freeze_put_back(Made { path, to, operation, new, old_bytes }).await;
        match frozen.map_err(AppError::NotUndone)? {
            PutBack::Already => self.close_broken_off(&row).await?,
            PutBack::Ready(change) => {
                let decision = AuditEvent::Decision {
                    is_allowed: true,
                    decider: DECIDER.to_owned(),
                    reason: None,
                    digest: Some(change.digest.clone()),
                    before: change.before.as_ref().map(|before| before.hash.clone()),
                    after: change.after.as_ref().map(|after| after.hash.clone()),
                };
                self.say(&row, decision).await?;
                let outcome = workspace.put_back(*change).await.unwrap_or_else(|| {
                    CallOutcome::new(
                        CallStatus::Failed,
                        "nothing is known about the file; look at it",
                        "internal error",
                    )
                });
                let CallOutcome { status, text, note, written } = outcome;
                self.say(&row, AuditEvent::Outcome { status, note, written }).await?;
                if status != CallStatus::Done {
                    return Err(AppError::NotUndone(text));
                }
            }
        }
        self.inner.store.note_put_back(id, WallClock.now_ms()).await?;
        Ok(row)
    }

    /// Gives an undo that the program did not live to record its outcome: everything is as it was before the change.
    async fn close_broken_off(&self, row: &ReplacedRow) -> Result<(), AppError> {
        let filter = AuditFilter { conversation: None, turn: Some(row.write.turn.clone()) };
        let rows = self.inner.store.audit(filter, None, ROWS).await?;
        let last = rows.into_iter().map(|row| row.entry).find(|entry| entry.call == call(row));
        if last.is_some_and(|entry| matches!(entry.event, AuditEvent::Decision { .. })) {
            let note = "found after the restart: it was done".to_owned();
            let written = row.write.old.clone();
            self.say(row, AuditEvent::Outcome { status: CallStatus::Done, note, written }).await?;
        }
        Ok(())
    }

    async fn say(&self, row: &ReplacedRow, event: AuditEvent) -> Result<(), AppError> {
        let entry = AuditEntry {
            at_ms: WallClock.now_ms(),
            conversation: row.write.conversation.clone(),
            turn: row.write.turn.clone(),
            call: call(row),
            tool: TOOL.to_owned(),
            target: row.write.target(),
            event,
        };
        self.inner.store.record(Entry::Audit(entry)).await.map_err(|error| AppError::NotUndone(error.sentence))
    }
}

/// The name of an undo in the audit log. Calls of models have names of another form, so the two are never mixed up.
fn call(row: &ReplacedRow) -> CallId {
    CallId(format!("undo {}", row.id))
}
