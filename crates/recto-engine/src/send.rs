//! Sends one request: encode, measure, record, send, and save what arrives while it arrives.

use crate::drive::Driver;
use crate::event::TurnEvent;
use crate::ports::{Delta, Entry, JournalError, ModelError, RequestEntry};
use crate::stream::Stream;
use recto_core::context::plan::Plan;
use recto_core::id::RequestId;
use recto_core::reply::{Finish, Reply};
use recto_core::request::{ModelRequest, Wire};
use recto_core::text::ContentHash;
use recto_core::turn::{Input, Outgoing};
use std::time::Duration;
use tokio::sync::mpsc;

/// How often an unfinished reply is saved; the promise is once a second.
const SAVE_EVERY: Duration = Duration::from_millis(700);

impl Driver<'_> {
    /// Sends a request and gives what came of it.
    pub(crate) async fn send(&mut self, outgoing: Outgoing) -> Result<Input, JournalError> {
        let model = self.ports.model.clone();
        let request = ModelRequest::from_plan(&outgoing.plan, outgoing.envelope.clone());
        let wire = match model.encode(&request) {
            Ok(wire) => wire,
            Err(error) => return Ok(Input::ModelFailed { sentence: error.to_string(), partial: None }),
        };
        let sizes = model.measure(&wire);
        let n_tokens = sizes.iter().sum::<u32>();
        let window = model.profile().window;
        if n_tokens.saturating_add(request.sampling.max_tokens) > window {
            let sentence = format!(
                "this request has {n_tokens} tokens and keeps {} free for the reply, but the model's window has {window}. \
                 Ask a shorter question, start a new conversation, or choose a model with a larger window",
                request.sampling.max_tokens
            );
            return Ok(Input::ModelFailed { sentence, partial: None });
        }
        let id = self.ports.ids.request();
        self.last_request = Some(id.clone());
        self.record_request(&id, &outgoing, &request, wire.clone(), &sizes).await?;
        self.ports.events.tell(TurnEvent::Request {
            id: id.clone(),
            number: outgoing.number,
            purpose: request.purpose,
            n_tokens,
            window,
            n_stale_rounds: outgoing.n_stale_rounds,
            has_reminder: outgoing.has_reminder,
        });
        let result = self.receive(&id, &request, &wire).await?;
        self.conclude(id, result).await
    }

    async fn record_request(
        &self,
        id: &RequestId,
        outgoing: &Outgoing,
        request: &ModelRequest,
        wire: Wire,
        sizes: &[u32],
    ) -> Result<(), JournalError> {
        let wire_hash = ContentHash::of(wire.bytes().as_bytes());
        let entry = RequestEntry {
            id: id.clone(),
            turn: self.place.turn.clone(),
            number: outgoing.number,
            n_tokens_placed: tokens_by_block(&outgoing.plan, &wire, sizes),
            n_tokens: sizes.iter().sum(),
            plan: outgoing.plan.clone(),
            profile: self.ports.model.profile(),
            step: request.step.as_ref().map(ToString::to_string),
            sampling: request.sampling,
            wire,
            wire_hash,
            n_stale_rounds: outgoing.n_stale_rounds,
            has_reminder: outgoing.has_reminder,
            at_ms: self.ports.clock.now_ms(),
        };
        self.commit(Entry::Request(Box::new(entry))).await
    }

    /// Waits for the reply; what arrives is told at once and saved at least once a second.
    async fn receive(
        &self,
        id: &RequestId,
        request: &ModelRequest,
        wire: &Wire,
    ) -> Result<Result<Reply, ModelError>, JournalError> {
        let (sender, mut arrivals) = mpsc::unbounded_channel();
        let mut deltas = move |delta: Delta| {
            // Nobody listens any more only when the turn itself is gone.
            let _ = sender.send(delta);
        };
        let mut stream = Stream::new(request.purpose, request.step.is_some());
        let sending = self.ports.model.send(&self.place.conversation, request, wire, &mut deltas, self.stop.clone());
        tokio::pin!(sending);
        let mut tick = tokio::time::interval(SAVE_EVERY);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let result = loop {
            tokio::select! {
                // Saving comes first, so that a fast stream cannot put it off.
                biased;
                _ = tick.tick() => {
                    if let Some(text) = stream.unsaved() {
                        self.commit(Entry::ReplySoFar { request: id.clone(), text }).await?;
                    }
                }
                Some(delta) = arrivals.recv() => self.tell(stream.take(delta)),
                result = &mut sending => break result,
            }
        };
        while let Ok(delta) = arrivals.try_recv() {
            self.tell(stream.take(delta));
        }
        self.tell(stream.end());
        Ok(result)
    }

    fn tell(&self, events: Vec<TurnEvent>) {
        for event in events {
            self.ports.events.tell(event);
        }
    }

    async fn conclude(&self, id: RequestId, result: Result<Reply, ModelError>) -> Result<Input, JournalError> {
        let at_ms = self.ports.clock.now_ms();
        let (reply, failure) = match result {
            Ok(reply) => (reply, None),
            Err(ModelError::BeforeOutput { sentence, .. }) => (Reply::default(), Some(sentence)),
            Err(ModelError::AfterOutput { sentence, partial }) => (*partial, Some(sentence)),
        };
        let entry = Entry::Reply { request: id.clone(), reply: reply.clone(), failure: failure.clone(), at_ms };
        self.commit(entry).await?;
        self.ports.events.tell(TurnEvent::Replied { id, finish: reply.finish, usage: reply.usage });
        Ok(match failure {
            Some(sentence) => Input::ModelFailed { sentence, partial: Some(reply) },
            None if reply.finish == Finish::Stopped || self.stop.is_set() => Input::Stopped { partial: Some(reply) },
            None => Input::Replied(reply),
        })
    }
}

/// Tokens of each block as it was placed, from the sizes of the pieces.
fn tokens_by_block(plan: &Plan, wire: &Wire, sizes: &[u32]) -> Vec<u32> {
    let mut tokens = vec![0; plan.rows.len()];
    for (piece, size) in wire.pieces.iter().zip(sizes) {
        if let Some(sum) = piece.block.and_then(|block| tokens.get_mut(block)) {
            *sum += size;
        }
    }
    tokens
}
