//! The summary ahead of time: when the next turn would have to fold, the model writes the summary after this one, while nobody waits. A new
//! question anywhere ends that at once; the fold by rule stands in then.

use crate::open::{App, AppError};
use crate::ports::WallClock;
use crate::toolbox::Toolboxes;
use crate::turns::TurnOptions;
use recto_core::conversation::Exchange;
use recto_core::id::ConversationId;
use recto_core::turn::Turn;
use recto_engine::drive::{Place, Ports};
use recto_engine::event::TurnEvent;
use recto_engine::ports::{Clock as _, Events, ModelClient, Stop};
use recto_engine::summarise::{Task, summarise};
use recto_store::SummaryRow;
use std::sync::{Arc, PoisonError};
use tokio::sync::watch;

/// What a turn leaves to whoever folds after it.
pub(crate) struct Ahead {
    pub(crate) place: Place,
    pub(crate) question: String,
    pub(crate) options: TurnOptions,
    pub(crate) model: Arc<dyn ModelClient>,
    pub(crate) toolbox: Arc<Toolboxes>,
}

/// The summaries that are being written; switching one off ends it.
pub(crate) type Foldings = std::sync::Mutex<Vec<watch::Sender<bool>>>;

/// A turn that is over has nobody who watches it.
struct Nobody;

impl Events for Nobody {
    fn tell(&self, _event: TurnEvent) {}
}

impl App {
    /// Has the model write the summary if a question like the last one would not find room for the history.
    pub(crate) async fn fold_ahead(&self, ahead: Ahead) {
        let (switch, stop) = Stop::new();
        self.inner.foldings.lock().unwrap_or_else(PoisonError::into_inner).push(switch);
        if let Err(error) = self.fold_after(ahead, stop).await {
            tracing::warn!(%error, "no summary was written ahead");
        }
        // One whose task is gone has nobody left to stop.
        self.inner.foldings.lock().unwrap_or_else(PoisonError::into_inner).retain(|switch| !switch.is_closed());
    }

    /// Ends every summary that is being written, so that a question need not wait for it.
    pub(crate) fn stop_folding(&self) {
        for switch in self.inner.foldings.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // One that has just ended has nothing to stop.
            let _ = switch.send(true);
        }
    }

    async fn fold_after(&self, ahead: Ahead, stop: Stop) -> Result<(), AppError> {
        let Ahead { place, question, options, model, toolbox } = ahead;
        let turn = place.turn.clone();
        let setup = self.setup_at(&place, Some(turn.clone()), question, &options, &model, &toolbox).await?;
        let (history, summary) = (setup.history.clone(), setup.summary.clone());
        let Ok(preview) = Turn::new(setup).preview() else { return Ok(()) };
        let Some(folded) = preview.folded else { return Ok(()) };
        let exchanges: Vec<Exchange> = history.into_iter().take(folded.exchanges.len()).collect();
        let number = self.inner.store.turn(turn.clone()).await?.steps.n_requests + 1;
        let limit = preview.plan.budget.summary_limit();
        let conversation = place.conversation.clone();
        let ports: Ports = self.ports(model, toolbox, Arc::new(Nobody));
        let written = summarise(&ports, Task { place, number, summary, exchanges, limit }, stop).await;
        match written {
            Ok(Some(summary)) => {
                tracing::info!(version = summary.version, %conversation, "a summary was written ahead")
            }
            Ok(None) => tracing::info!(%conversation, "no summary was written ahead"),
            Err(error) => tracing::warn!(%error, "a summary was not recorded"),
        }
        Ok(())
    }

    /// All versions of the summary that the branch which is shown goes on from, the newest first.
    ///
    /// # Errors
    /// There is no such conversation, or the record cannot be read.
    pub async fn summary_versions(&self, conversation: ConversationId) -> Result<Vec<SummaryRow>, AppError> {
        let row = self.inner.store.conversation(conversation).await?;
        match row.current_turn {
            Some(turn) => Ok(self.inner.store.summary_versions(turn).await?),
            None => Ok(Vec::new()),
        }
    }

    /// Keeps what the person wrote in the place of the summary's prose; what stands beside it word for word stays.
    ///
    /// # Errors
    /// There is no summary to change, or it is not saved.
    pub async fn edit_summary(&self, conversation: ConversationId, prose: &str) -> Result<(), AppError> {
        self.stop_folding();
        let row = self.inner.store.conversation(conversation).await?;
        let turn = row.current_turn.ok_or(AppError::NoSummary)?;
        let summary = self.inner.store.summary(Some(turn.clone())).await?;
        if summary.version == 0 {
            return Err(AppError::NoSummary);
        }
        self.inner.store.edit_summary(turn, summary.edited(prose), WallClock.now_ms()).await?;
        Ok(())
    }
}
