//! Who watches a running turn: whoever comes late is told everything from its start, once, and misses nothing.

use crate::open::Change;
use recto_engine::event::TurnEvent;
use recto_engine::ports::Events;
use std::sync::{Mutex, PoisonError};
use tokio::sync::{broadcast, mpsc};

/// The events of one running turn and those who watch it.
#[derive(Debug)]
pub(crate) struct Watch {
    state: Mutex<State>,
    /// Where it is said that questions about writes were put or answered.
    changes: broadcast::Sender<Change>,
}

#[derive(Debug, Default)]
struct State {
    told: Vec<TurnEvent>,
    watchers: Vec<mpsc::UnboundedSender<TurnEvent>>,
}

/// A view of a running turn.
#[derive(Debug)]
pub struct Watching {
    /// What happened so far; text that arrived in pieces is joined.
    pub told: Vec<TurnEvent>,
    /// What happens from now on; it ends with the turn.
    pub coming: mpsc::UnboundedReceiver<TurnEvent>,
}

impl Watch {
    pub(crate) fn new(changes: broadcast::Sender<Change>) -> Self {
        Self { state: Mutex::default(), changes }
    }

    pub(crate) fn watch(&self) -> Watching {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (sender, coming) = mpsc::unbounded_channel();
        state.watchers.push(sender);
        Watching { told: state.told.clone(), coming }
    }

    /// Lets the watchers go. Whoever asks later reads the record.
    pub(crate) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).watchers.clear();
    }
}

impl Events for Watch {
    fn tell(&self, event: TurnEvent) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // A turn ends once, whatever goes wrong after its end.
        if matches!(state.told.last(), Some(TurnEvent::Ended { .. })) {
            return;
        }
        if matches!(event, TurnEvent::Asked(_) | TurnEvent::Answered { .. }) {
            // Nobody may be listening.
            let _ = self.changes.send(Change::Approvals);
        }
        // A watcher that is gone is forgotten.
        state.watchers.retain(|watcher| watcher.send(event.clone()).is_ok());
        match (state.told.last_mut(), event) {
            (Some(TurnEvent::Answer(text)), TurnEvent::Answer(more))
            | (Some(TurnEvent::Draft(text)), TurnEvent::Draft(more))
            | (Some(TurnEvent::Reasoning(text)), TurnEvent::Reasoning(more)) => text.push_str(&more),
            (Some(last @ TurnEvent::Reading { .. }), event @ TurnEvent::Reading { .. })
            | (Some(last @ TurnEvent::Loading { .. }), event @ TurnEvent::Loading { .. }) => *last = event,
            (_, event) => state.told.push(event),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recto_core::turn::Ending;

    #[test]
    fn a_turn_ends_once() {
        let watch = Watch::new(broadcast::channel(1).0);
        let ended = |answer: &str| TurnEvent::Ended { ending: Ending::Answered, answer: answer.to_owned() };
        watch.tell(ended("first"));
        watch.tell(ended("second"));
        assert!(matches!(&watch.watch().told[..], [TurnEvent::Ended { answer, .. }] if answer == "first"));
    }
}
