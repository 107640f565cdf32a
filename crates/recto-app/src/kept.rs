//! Keeping what a change replaces or takes away, so that it can be undone. The old content is committed before the file changes.

use crate::ports::WallClock;
use recto_core::tool::{CallOutcome, CallStatus, Change, Operation, ToolCall};
use recto_engine::drive::Place;
use recto_engine::ports::{Clock as _, Stop, Toolbox as _};
use recto_store::{ReplacedWrite, Store};
use recto_tools::Workspace;

/// Where the old content is kept, and for which turn.
pub(crate) struct Kept {
    pub(crate) store: Store,
    pub(crate) place: Place,
}

impl Kept {
    /// Runs a call of the folder's tools. A file whose old content cannot be kept is neither replaced nor deleted.
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
                tracing::warn!(error, "what a change takes away was not kept");
                let text =
                    format!("Nothing was changed, because the old content could not be kept: {error}. Tell the user.");
                return CallOutcome::new(CallStatus::Failed, text, "not done");
            }
        };
        let outcome = workspace.run(call, change, stop).await;
        let is_made = outcome.status == CallStatus::Done || outcome.written.is_some();
        if let Some(id) = kept.filter(|_| !is_made)
            && let Err(error) = self.store.drop_replaced(id).await
        {
            // It stays in the list; undoing it finds a file that was not changed and leaves it alone.
            tracing::warn!(%error, "what a change would have taken away is still kept");
        }
        outcome
    }

    /// The number of what is kept; `None` where there is nothing to be undone, or the change itself will find that it cannot be made.
    async fn keep(&self, workspace: &Workspace, call: &ToolCall, change: &Change) -> Result<Option<i64>, String> {
        let takes_away = match change.operation {
            Operation::Create | Operation::Move => false,
            Operation::Overwrite | Operation::Edit | Operation::Append | Operation::Delete => true,
            Operation::MakeDir | Operation::Remember | Operation::Forget => return Ok(None),
        };
        // A folder whose name is no text cannot be found again by what the record holds of it.
        let folder = workspace.place().and_then(|place| place.to_str());
        let old_bytes = if takes_away { workspace.content_before(change).await } else { None };
        let can_be_kept = folder.is_some() && (!takes_away || old_bytes.is_some());
        let Some(folder) = folder.filter(|_| can_be_kept) else {
            // Without its old content a written file still has a new one; a deleted one has nothing.
            let is_lost = change.operation == Operation::Delete;
            let reason = "the file changed, or its folder has a name that is no text";
            return if is_lost { Err(reason.to_owned()) } else { Ok(None) };
        };
        let write = ReplacedWrite {
            conversation: self.place.conversation.clone(),
            turn: self.place.turn.clone(),
            call: call.id.clone(),
            folder: folder.to_owned(),
            path: change.path.clone(),
            to: change.to.clone(),
            operation: change.operation,
            old: change.before.as_ref().map(|state| state.hash.clone()),
            new: change.after.as_ref().map(|state| state.hash.clone()),
            at_ms: WallClock.now_ms(),
        };
        self.store.keep_replaced(write, old_bytes).await.map(Some).map_err(|error| error.to_string())
    }
}
