//! Has a model write the summary, ahead of the turn that would have to fold.

use crate::drive::{Place, Ports};
use crate::ports::{Entry, JournalError, Stop};
use crate::send::Line;
use recto_core::context::plan::CountTokens;
use recto_core::context::summarise::Entering;
use recto_core::context::summary::Summary;
use recto_core::conversation::Exchange;
use recto_core::turn::{Folded, Input, Outgoing};

/// What is to be summarised, after which turn.
#[derive(Clone, Debug)]
pub struct Task {
    /// The turn that has ended.
    pub place: Place,
    /// The number of the request in that turn.
    pub number: u32,
    /// The summary so far.
    pub summary: Summary,
    /// The exchanges that enter it, oldest first.
    pub exchanges: Vec<Exchange>,
    /// Tokens that it may take.
    pub limit: u32,
}

/// Sends the request and records the summary that came of it; `None` where none did: it was stopped, the model failed, or its reply is no
/// summary. The exchanges are then folded by rule, when a turn needs the room.
///
/// # Errors
/// Something could not be recorded.
pub async fn summarise(ports: &Ports, task: Task, stop: Stop) -> Result<Option<Summary>, JournalError> {
    let entering = Entering { summary: &task.summary, exchanges: &task.exchanges, limit: task.limit };
    let count = ByModel(ports);
    let Ok((plan, envelope)) = entering.request(&ports.model.profile(), &count) else { return Ok(None) };
    let outgoing = Outgoing { number: task.number, plan, envelope, n_stale_rounds: 0, has_reminder: false };
    let line = Line { ports, place: &task.place, stop: &stop };
    let sent = line.send(outgoing).await?;
    let Input::Replied(reply) = sent.input else { return Ok(None) };
    let summary = match entering.written(&reply, &count) {
        Ok(summary) => summary,
        Err(reason) => {
            tracing::info!(reason, "what the model wrote is not taken for a summary");
            return Ok(None);
        }
    };
    let exchanges = task.exchanges.iter().map(|exchange| exchange.turn.clone()).collect();
    let folded = Box::new(Folded { summary: summary.clone(), exchanges });
    let at_ms = ports.clock.now_ms();
    ports.journal.record(Entry::Folded { turn: task.place.turn, folded, request: sent.request, at_ms }).await?;
    Ok(Some(summary))
}

struct ByModel<'a>(&'a Ports);

impl CountTokens for ByModel<'_> {
    fn count(&self, text: &str) -> u32 {
        self.0.model.count(text)
    }
}
