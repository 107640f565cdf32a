//! After a crash: what became of the writes that were allowed and whose outcome nobody could record any more. The files tell.

use crate::ports::WallClock;
use crate::{App, memory_tools};
use recto_core::audit::{AuditEntry, AuditEvent};
use recto_core::memory;
use recto_core::text::ContentHash;
use recto_core::tool::CallStatus;
use recto_engine::ports::{Clock as _, Entry, Journal as _};
use recto_store::UnsettledWrite;
use recto_tools::{Leftovers, Standing, UnfinishedWrite, Workspace};
use std::collections::BTreeMap;
use std::path::Path;

impl App {
    /// Looks at the files of such writes, says in the audit log how they stand, and removes temporary files that are not the only copy of anything.
    /// Nothing is asked and nothing else is written. What was looked at once is not looked at again.
    pub async fn settle(&self) {
        self.begin_sealing();
        let unsettled =
            std::mem::take(&mut *self.inner.unsettled.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        let mut by_folder: BTreeMap<String, Vec<UnsettledWrite>> = BTreeMap::new();
        for write in unsettled {
            if memory_tools::is_of(&write.tool) {
                self.settle_memories(&write).await;
            } else if let Some(folder) = write.folder.clone() {
                by_folder.entry(folder).or_default().push(write);
            }
        }
        for (folder, writes) in by_folder {
            // A folder that is gone tells nothing; the log says already that the outcome is not known.
            let own = std::slice::from_ref(&self.inner.data);
            let Ok(workspace) = Workspace::open(Path::new(&folder), own) else { continue };
            let looked_for = writes.iter().map(|write| UnfinishedWrite {
                target: write.target.clone(),
                before: write.before.clone(),
                after: write.after.clone(),
            });
            let Some(found) = workspace.tidy_after(looked_for.collect()).await else { continue };
            for (write, standing) in writes.iter().zip(&found.standings) {
                if let Some(entry) = finding(write, *standing, &found) {
                    self.say_how_it_stands(entry).await;
                }
            }
        }
    }

    /// The record itself tells whether a sentence was remembered or forgotten.
    async fn settle_memories(&self, write: &UnsettledWrite) {
        let Ok(rows) = self.inner.store.memories().await else { return };
        let now = memory::state(rows.iter().map(|row| row.text.as_str())).hash;
        let standing = match (write.after.as_ref() == Some(&now), write.before.as_ref() == Some(&now)) {
            (true, _) => Standing::New,
            (false, true) => Standing::Old,
            // They were changed since, so nobody can tell any more.
            (false, false) => Standing::Unknown,
        };
        if let Some(entry) = finding(write, standing, &Leftovers::default()) {
            self.say_how_it_stands(entry).await;
        }
    }

    async fn say_how_it_stands(&self, entry: AuditEntry) {
        if let Err(error) = self.inner.store.record(Entry::Audit(entry)).await {
            tracing::warn!(%error, "how a write stands after a crash was not recorded");
        }
    }
}

/// The row that says how a file stands; `None` where it could not be looked at.
fn finding(write: &UnsettledWrite, standing: Standing, found: &Leftovers) -> Option<AuditEntry> {
    // What is deleted, moved or made a folder leaves no content that was not there before.
    let is_written = write.after.is_some() && write.after != write.before;
    let (status, note, written): (_, _, Option<ContentHash>) = match standing {
        Standing::New if is_written => {
            (CallStatus::Done, "found after the restart: it was written", write.after.clone())
        }
        Standing::New => (CallStatus::Done, "found after the restart: it was done", write.after.clone()),
        Standing::Old if is_written => (CallStatus::Failed, "found after the restart: it was not written", None),
        Standing::Old => (CallStatus::Failed, "found after the restart: it was not done", None),
        Standing::Other => (CallStatus::Failed, "found after the restart: the file has another content", None),
        Standing::Unknown => return None,
    };
    let mut note = note.to_owned();
    if !found.left.is_empty() {
        note.push_str(&format!("; look at {}", found.left.join(", ")));
    }
    let UnsettledWrite { conversation, turn, call, target, .. } = write.clone();
    let event = AuditEvent::Outcome { status, note, written };
    Some(AuditEntry { at_ms: WallClock.now_ms(), conversation, turn, call, tool: write.tool.clone(), target, event })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_file_stands_after_a_crash_is_said_in_the_audit_log() {
        let write = UnsettledWrite {
            conversation: "cv_1".into(),
            turn: "tn_1".into(),
            call: "c1".into(),
            tool: "write_file".into(),
            folder: Some("/notes".into()),
            target: "list.md".into(),
            before: None,
            after: Some(ContentHash::of(b"milk")),
        };
        let left = Leftovers { left: vec![".recto-1a.tmp".into()], ..Leftovers::default() };
        let said = |standing, found: &Leftovers| match finding(&write, standing, found).map(|entry| entry.event) {
            Some(AuditEvent::Outcome { status, note, written }) => format!("{status:?}, {note}, {}", written.is_some()),
            _ => "nothing".to_owned(),
        };
        let none = Leftovers::default();
        assert_eq!(said(Standing::New, &none), "Done, found after the restart: it was written, true");
        assert_eq!(said(Standing::Old, &none), "Failed, found after the restart: it was not written, false");
        let other = "Failed, found after the restart: the file has another content; look at .recto-1a.tmp, false";
        assert_eq!(said(Standing::Other, &left), other);
        assert_eq!(said(Standing::Unknown, &left), "nothing");
        let deletion = UnsettledWrite { before: write.after.clone(), after: None, ..write.clone() };
        let said = |standing| finding(&deletion, standing, &none).map(|entry| entry.event);
        let outcome = |status, note: &str| Some(AuditEvent::Outcome { status, note: note.into(), written: None });
        assert_eq!(said(Standing::New), outcome(CallStatus::Done, "found after the restart: it was done"));
        assert_eq!(said(Standing::Old), outcome(CallStatus::Failed, "found after the restart: it was not done"));
    }
}
