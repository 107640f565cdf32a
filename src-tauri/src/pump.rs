//! A turn's events on their way to the window, a few at a time.

use crate::view::error::IpcError;
use crate::view::turn::TurnEvents;
use recto_app::App;
use recto_app::record::TurnState;
use recto_core::id::TurnId;
use recto_engine::event::TurnEvent;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;

/// Where the window listens.
pub(crate) type TurnChannel = tauri::ipc::Channel<TurnEvents>;

/// How long events are gathered before they cross: some thirty messages a second, however fast a model writes.
const GATHERED: Duration = Duration::from_millis(30);

/// Sends everything that happened so far at once, and starts sending what happens from now on. For a turn that does not run any
/// more, what the record says of its end.
pub(crate) async fn pump(app: &App, turn: TurnId, channel: TurnChannel) -> Result<(), IpcError> {
    let send = move |turn: &TurnId, events: Vec<TurnEvent>| {
        let events = joined(events).into_iter().map(Into::into).collect();
        channel.send(TurnEvents { turn: turn.to_string(), events })
    };
    let Some(watching) = app.watch_turn(&turn) else {
        let row = app.record().turn(turn.clone()).await?;
        if let TurnState::Ended(ending) = row.state {
            let ended = TurnEvent::Ended { ending, answer: row.answer.unwrap_or_default() };
            send(&turn, vec![ended]).map_err(IpcError::failed)?;
        }
        return Ok(());
    };
    send(&turn, watching.told).map_err(IpcError::failed)?;
    tauri::async_runtime::spawn(async move {
        let mut coming = watching.coming;
        while let Some(events) = gather(&mut coming).await {
            // A window that is gone reads everything again when it comes back.
            if send(&turn, events).is_err() {
                break;
            }
        }
    });
    Ok(())
}

/// What arrives within a short time; `None` when the turn has ended and all was told.
async fn gather(coming: &mut UnboundedReceiver<TurnEvent>) -> Option<Vec<TurnEvent>> {
    let mut events = vec![coming.recv().await?];
    let end = tokio::time::sleep(GATHERED);
    tokio::pin!(end);
    loop {
        tokio::select! {
            () = &mut end => return Some(events),
            event = coming.recv() => match event {
                Some(event) => events.push(event),
                None => return Some(events),
            },
        }
    }
}

/// Neighbouring pieces of the same text as one.
fn joined(events: Vec<TurnEvent>) -> Vec<TurnEvent> {
    let mut all: Vec<TurnEvent> = Vec::new();
    for event in events {
        match (all.last_mut(), event) {
            (Some(TurnEvent::Answer(text)), TurnEvent::Answer(more))
            | (Some(TurnEvent::Draft(text)), TurnEvent::Draft(more))
            | (Some(TurnEvent::Reasoning(text)), TurnEvent::Reasoning(more)) => text.push_str(&more),
            (_, event) => all.push(event),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::turn::TurnEventView;

    #[tokio::test]
    async fn text_that_arrives_within_a_short_time_crosses_as_one_message() {
        let (sender, mut coming) = tokio::sync::mpsc::unbounded_channel();
        for event in [
            TurnEvent::Composing { n_facts: 2 },
            TurnEvent::Answer("It lis".into()),
            TurnEvent::Answer("tens on ".into()),
            TurnEvent::Reasoning("why".into()),
            TurnEvent::Answer("7070".into()),
        ] {
            sender.send(event).unwrap();
        }
        drop(sender);
        let events = joined(gather(&mut coming).await.unwrap());
        let views: Vec<TurnEventView> = events.into_iter().map(Into::into).collect();
        let told: Vec<String> = views.iter().map(|view| serde_json::to_string(view).unwrap()).collect();
        assert_eq!(
            told,
            [
                r#"{"event":"composing","nFacts":2}"#,
                r#"{"event":"answer","text":"It listens on "}"#,
                r#"{"event":"reasoning","text":"why"}"#,
                r#"{"event":"answer","text":"7070"}"#,
            ]
        );
        assert!(gather(&mut coming).await.is_none());
    }
}
