//! Keeping what a write replaces, so that it can be undone. The old content is committed before the file changes.

use crate::ports::WallClock;
use recto_core::tool::{CallOutcome, CallStatus, Change, ToolCall};
use recto_engine::drive::Place;
use recto_engine::ports::{Clock as _, Stop, Toolbox as _};
use recto_store::{ReplacedWrite, Store, StoreError};
use recto_tools::Workspace;

/// Where the old content is kept, and for which turn.
pub(crate) struct Kept {
    pub(crate) store: Store,
    pub(crate) place: Place,
}

impl Kept {
    /// Runs a call of the folder's tools. A file whose old content cannot be kept is not replaced.
    pub(crate) async fn run(
        &self,
        workspace: &Workspace,
        call: &ToolCall,
        change: Option<&Change>,
        stop: Stop,
    ) -> CallOutcome {
        let kept = match change {
            Some(change) => self.keep(workspace, call, change).await,
            None => Ok(None),
        };
        let kept = match kept {
            Ok(kept) => kept,
            Err(error) => {
                tracing::warn!(%error, "what a write replaces was not kept");
                let text =
                    format!("Nothing was written, because the old content could not be kept: {error}. Tell the user.");
                return CallOutcome::new(CallStatus::Failed, text, "not written");
            }
        };
        let outcome = workspace.run(call, change, stop).await;
        if let (Some(id), None) = (kept, &outcome.written)
            && let Err(error) = self.store.drop_replaced(id).await
        {
            // It stays in the list; undoing it finds a file that was not written and leaves it alone.
            tracing::warn!(%error, "what a write would have replaced is still kept");
        }
        outcome
    }

    async fn keep(&self, workspace: &Workspace, call: &ToolCall, change: &Change) -> Result<Option<i64>, StoreError> {
        let (Some(before), Some(folder)) = (&change.before, workspace.place()) else { return Ok(None) };
        // A folder whose name is no text cannot be found again by what the record holds of it.
        let Some(folder) = folder.to_str() else { return Ok(None) };
        let Some(old_bytes) = workspace.content_before(change).await else { return Ok(None) };
        let write = ReplacedWrite {
            conversation: self.place.conversation.clone(),
            turn: self.place.turn.clone(),
            call: call.id.clone(),
            folder: folder.to_owned(),
            path: change.path.clone(),
            old: before.hash.clone(),
            new: change.after.hash.clone(),
            at_ms: WallClock.now_ms(),
        };
        self.store.keep_replaced(write, old_bytes).await.map(Some)
    }
}
