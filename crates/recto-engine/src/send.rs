//! Sends one request: encode, measure, record, send, and save what arrives while it arrives.

use crate::drive::{Place, Ports};
use crate::event::TurnEvent;
use crate::ports::{Delta, Entry, JournalError, ModelError, RequestEntry, Stop, Transport};
use crate::stream::Stream;
use recto_core::context::block::Importance;
use recto_core::context::plan::{Plan, PlannedBlock, Verdict};
use recto_core::id::RequestId;
use recto_core::reply::{Finish, Reply};
use recto_core::request::{ModelRequest, Wire};
use recto_core::text::ContentHash;
use recto_core::turn::{Input, Outgoing};
use std::time::Duration;
use tokio::sync::mpsc;

/// How often an unfinished reply is saved; the promise is once a second.
const SAVE_EVERY: Duration = Duration::from_millis(700);

/// Where the requests of one turn leave.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) ports: &'a Ports,
    pub(crate) place: &'a Place,
    pub(crate) stop: &'a Stop,
}

/// What came of a request.
pub(crate) struct Sent {
    /// Its name; `None` if it did not leave.
    pub(crate) request: Option<RequestId>,
    pub(crate) input: Input,
}

impl Line<'_> {
    /// Sends a request and gives what came of it.
    pub(crate) async fn send(&self, outgoing: Outgoing) -> Result<Sent, JournalError> {
        let not_sent = |sentence| Sent { request: None, input: Input::ModelFailed { sentence, partial: None } };
        let model = self.ports.model.clone();
        let request = ModelRequest::from_plan(&outgoing.plan, outgoing.envelope.clone());
        let wire = match model.encode(&request) {
            Ok(wire) => wire,
            Err(error) => return Ok(not_sent(error.to_string())),
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
            return Ok(not_sent(sentence));
        }
        let id = self.ports.ids.request();
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
        if outgoing.number == 1
            && let Some((n_tokens, of)) = cut_question(&outgoing.plan, &wire, &sizes)
        {
            self.ports.events.tell(TurnEvent::QuestionCut { n_tokens, of });
        }
        // A model remembers the tokens of its replies, so what this request becomes is asked before there is one.
        let tokens = model.tokens(&wire).unwrap_or_default();
        let (result, transport) = self.receive(&id, &request, &wire).await?;
        let transport = Transport { endpoint: model.endpoint(), tokens, ..transport };
        let input = self.conclude(id.clone(), result, transport).await?;
        Ok(Sent { request: Some(id), input })
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
        self.ports.journal.record(Entry::Request(Box::new(entry))).await
    }

    /// Waits for the reply; what arrives is told at once and saved at least once a second.
    async fn receive(
        &self,
        id: &RequestId,
        request: &ModelRequest,
        wire: &Wire,
    ) -> Result<(Result<Reply, ModelError>, Transport), JournalError> {
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
                        self.ports.journal.record(Entry::ReplySoFar { request: id.clone(), text }).await?;
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
        Ok((result, stream.into_transport()))
    }

    fn tell(&self, events: Vec<TurnEvent>) {
        for event in events {
            self.ports.events.tell(event);
        }
    }

    async fn conclude(
        &self,
        id: RequestId,
        result: Result<Reply, ModelError>,
        transport: Transport,
    ) -> Result<Input, JournalError> {
        let at_ms = self.ports.clock.now_ms();
        let (reply, failure) = match result {
            Ok(reply) => (reply, None),
            Err(ModelError::BeforeOutput { sentence, .. }) => (Reply::default(), Some(sentence)),
            Err(ModelError::AfterOutput { sentence, partial }) => (*partial, Some(sentence)),
        };
        let transport = (transport != Transport::default()).then(|| Box::new(transport));
        let entry =
            Entry::Reply { request: id.clone(), reply: reply.clone(), failure: failure.clone(), transport, at_ms };
        self.ports.journal.record(entry).await?;
        self.ports.events.tell(TurnEvent::Replied { id, finish: reply.finish, usage: reply.usage });
        Ok(match failure {
            Some(sentence) => Input::ModelFailed { sentence, partial: Some(reply) },
            None if reply.finish == Finish::Stopped || self.stop.is_set() => Input::Stopped { partial: Some(reply) },
            None => Input::Replied(reply),
        })
    }
}

/// Tokens of the question that are in the request, and all that it has; `None` where it is whole.
fn cut_question(plan: &Plan, wire: &Wire, sizes: &[u32]) -> Option<(u32, u32)> {
    let is_cut =
        |row: &PlannedBlock| row.block.importance == Importance::Question && matches!(row.verdict, Verdict::Cut { .. });
    let at = plan.rows.iter().position(is_cut)?;
    Some((tokens_by_block(plan, wire, sizes)[at], plan.rows[at].n_tokens))
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
