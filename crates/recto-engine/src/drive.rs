//! The loop of a turn: take the orders, carry each out through its port, and feed the last one's result back.

use crate::event::TurnEvent;
use crate::ports::{
    Approver, Clock, Entry, Events, Ids, Journal, JournalError, ModelClient, Question, Rules, Stop, Toolbox,
};
use crate::send::Line;
use recto_core::approval::{Answer, RuleScope};
use recto_core::audit::{AuditEntry, AuditEvent};
use recto_core::id::{ConversationId, RequestId, TurnId};
use recto_core::request::Purpose;
use recto_core::todo::TodoState;
use recto_core::tool::{Change, ToolCall};
use recto_core::turn::{Ending, Input, Order, Record, Setup, Turn};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;
use tracing::Instrument as _;

/// How long is waited before the end of a turn is recorded once more. A full disk or a busy record often passes in this time.
const END_PAUSES: [Duration; 4] =
    [Duration::from_millis(100), Duration::from_millis(300), Duration::from_millis(700), Duration::from_millis(1_500)];

/// Everything outside that a turn needs.
#[derive(Clone)]
pub struct Ports {
    /// The model.
    pub model: Arc<dyn ModelClient>,
    /// The record.
    pub journal: Arc<dyn Journal>,
    /// The tools.
    pub toolbox: Arc<dyn Toolbox>,
    /// The person.
    pub approver: Arc<dyn Approver>,
    /// What the person allowed for this session.
    pub rules: Arc<dyn Rules>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New names.
    pub ids: Arc<dyn Ids>,
    /// Who watches.
    pub events: Arc<dyn Events>,
}

/// Where a turn belongs.
#[derive(Clone, Debug)]
pub struct Place {
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
}

/// How a turn ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How.
    pub ending: Ending,
    /// The answer; empty if there is none.
    pub answer: String,
    /// The list and its counter as they are now.
    pub todo: TodoState,
}

/// Drives one turn to its end. The question is committed before.
///
/// # Errors
/// `JournalError` if something could not be recorded: nothing further is done, because what is not on record must not happen. That
/// the turn ended is then recorded as soon as the record takes it, and told once.
pub async fn drive(ports: &Ports, place: Place, setup: Setup, stop: Stop) -> Result<Ended, JournalError> {
    let span = tracing::info_span!("turn", conversation = %place.conversation, turn = %place.turn);
    let time_limit_ms = setup.limits.time_ms;
    let started_ms = ports.clock.now_ms();
    let turn = Turn::new(setup);
    let (last_request, answer) = (None, String::new());
    let mut driver = Driver { ports, place, stop, turn, last_request, answer, started_ms, time_limit_ms };
    let result = driver.run().instrument(span).await;
    if let Err(error) = &result {
        let ending = Ending::Failed { sentence: error.sentence.clone() };
        let Driver { place, answer, .. } = driver;
        let at_ms = ports.clock.now_ms();
        let entry = Entry::End { turn: place.turn, ending: ending.clone(), answer: answer.clone(), at_ms };
        if let Err(error) = record_end(ports.journal.as_ref(), &entry).await {
            tracing::error!(%error, "the end of a turn was not saved");
        }
        ports.events.tell(TurnEvent::Ended { ending, answer });
    }
    result
}

/// Records the end of a turn, trying again for a few seconds: a turn without its end looks as if it ran for ever.
///
/// # Errors
/// The last `JournalError`.
pub async fn record_end(journal: &dyn Journal, end: &Entry) -> Result<(), JournalError> {
    for pause in END_PAUSES {
        match journal.record(end.clone()).await {
            Ok(()) => return Ok(()),
            Err(error) => tracing::warn!(%error, "the end of a turn is recorded once more"),
        }
        tokio::time::sleep(pause).await;
    }
    journal.record(end.clone()).await
}

struct Driver<'a> {
    ports: &'a Ports,
    place: Place,
    stop: Stop,
    turn: Turn,
    last_request: Option<RequestId>,
    /// The answer as it was to be recorded; it is not lost if only its end cannot be.
    answer: String,
    started_ms: i64,
    time_limit_ms: u64,
}

impl Driver<'_> {
    async fn run(&mut self) -> Result<Ended, JournalError> {
        let mut input = Input::Begin;
        loop {
            if matches!(input, Input::Prepared(_)) {
                // A rule that was stopped a moment ago covers nothing any more.
                self.turn.step(Input::Rules(self.ports.rules.of(&self.place.conversation)));
            }
            let mut next = None;
            for order in self.turn.step(input) {
                if let Order::End { ending, answer } = order {
                    return self.end(ending, answer).await;
                }
                next = self.carry_out(order).await?;
            }
            // A turn always leaves something to wait for; if it ever did not, stopping is the way out that loses nothing.
            input = next.unwrap_or(Input::Stopped { partial: None });
        }
    }

    /// Carries out one order and gives what happened, if something comes of it.
    async fn carry_out(&mut self, order: Order) -> Result<Option<Input>, JournalError> {
        if let Order::Record(record) = order {
            self.record(record).await?;
            return Ok(None);
        }
        if self.stop.is_set() {
            return Ok(Some(Input::Stopped { partial: None }));
        }
        let input = match order {
            Order::Send(outgoing) => {
                if outgoing.plan.purpose == Purpose::Work && self.is_time_up() {
                    Input::TimeUp
                } else {
                    let line = Line { ports: self.ports, place: &self.place, stop: &self.stop };
                    let sent = line.send(*outgoing).await?;
                    self.last_request = sent.request.or(self.last_request.take());
                    sent.input
                }
            }
            Order::Prepare(call) => {
                // Preparing changes nothing, so it can be left at any point.
                let mut stop = self.stop.clone();
                tokio::select! {
                    prepared = self.ports.toolbox.prepare(&call) => Input::Prepared(prepared),
                    () = stop.wait() => Input::Stopped { partial: None },
                }
            }
            Order::AskAll(writes) => self.ask_all(writes).await?,
            Order::Ask(call, change, offer) => self.ask(call, *change, offer).await?,
            Order::Run(call, change) => {
                let outcome = self.ports.toolbox.run(&call, change.as_deref(), self.stop.clone()).await;
                let places = self.ports.toolbox.places().await;
                Input::Ran { outcome, places }
            }
            Order::Record(_) | Order::End { .. } => return Ok(None),
        };
        Ok(Some(input))
    }

    fn is_time_up(&self) -> bool {
        let elapsed = self.ports.clock.now_ms().saturating_sub(self.started_ms);
        u64::try_from(elapsed).unwrap_or(0) > self.time_limit_ms
    }

    async fn ask(&self, call: ToolCall, change: Change, offer: Option<RuleScope>) -> Result<Input, JournalError> {
        let question = self.question(call, change, offer, 1).await?;
        // The approver is polled first, so that it waits for the answer before anybody can see the question.
        let (answer, ()) = tokio::join!(biased; self.ports.approver.ask(&question, self.stop.clone()), async {
            self.ports.events.tell(TurnEvent::Asked(Box::new(question.clone())));
        });
        let answer = self.take(&question, answer).await?;
        Ok(match (answer, question.offer) {
            _ if self.stop.is_set() => Input::Stopped { partial: None },
            (Answer::ApprovedWithRule, Some(scope)) => {
                Input::AnsweredWithRule(self.ports.rules.make(&self.place.conversation, scope))
            }
            (answer, _) => Input::Answered(answer),
        })
    }

    /// Several questions of one reply. Each answer is recorded when it comes; the turn goes on with the last of them.
    async fn ask_all(&self, writes: Vec<(ToolCall, Change)>) -> Result<Input, JournalError> {
        let n_together = u32::try_from(writes.len()).unwrap_or(u32::MAX);
        let mut questions = Vec::new();
        for (call, change) in writes {
            questions.push(self.question(call, change, None, n_together).await?);
        }
        let mut answers = vec![Answer::Withdrawn; questions.len()];
        let (sender, mut said) = unbounded_channel();
        let asking = async {
            self.ports.approver.ask_all(&questions, self.stop.clone(), sender).await;
            Ok(())
        };
        let recording = async {
            for question in &questions {
                self.ports.events.tell(TurnEvent::Asked(Box::new(question.clone())));
            }
            while let Some((at, answer)) = said.recv().await {
                if let (Some(question), Some(taken)) = (questions.get(at), answers.get_mut(at)) {
                    *taken = self.take(question, answer).await?;
                }
            }
            Ok(())
        };
        tokio::try_join!(biased; asking, recording)?;
        Ok(if self.stop.is_set() { Input::Stopped { partial: None } } else { Input::AnsweredAll(answers) })
    }

    /// A question that is on record and that nobody has seen yet.
    async fn question(
        &self,
        call: ToolCall,
        change: Change,
        offer: Option<RuleScope>,
        n_together: u32,
    ) -> Result<Question, JournalError> {
        let Place { conversation, turn } = self.place.clone();
        let id = self.ports.ids.approval();
        let question = Question { id, conversation, turn, call: call.id, tool: call.name, change, offer, n_together };
        self.commit(Entry::Asked { question: Box::new(question.clone()), at_ms: self.ports.clock.now_ms() }).await?;
        Ok(question)
    }

    /// Records an answer and tells it, as what it counts for.
    async fn take(&self, question: &Question, answer: Answer) -> Result<Answer, JournalError> {
        let answer = match answer {
            _ if self.stop.is_set() => Answer::Withdrawn,
            // Where none was offered, none is made.
            Answer::ApprovedWithRule if question.offer.is_none() => Answer::Approved,
            answer => answer,
        };
        let at_ms = self.ports.clock.now_ms();
        self.commit(Entry::Answered { approval: question.id.clone(), answer, at_ms }).await?;
        self.ports.events.tell(TurnEvent::Answered { question: Box::new(question.clone()), answer });
        Ok(answer)
    }

    /// Commits first, tells afterwards: an event is a hint, the record is the truth.
    async fn record(&self, record: Record) -> Result<(), JournalError> {
        let at_ms = self.ports.clock.now_ms();
        let turn = self.place.turn.clone();
        match record {
            Record::Call { call, number } => {
                // Only a reply makes calls, so there was a request.
                let Some(request) = self.last_request.clone() else { return Ok(()) };
                self.commit(Entry::Call { turn, request, call: call.clone(), number }).await?;
                self.ports.events.tell(TurnEvent::Call { call });
            }
            Record::Audit { call, effect, target, event } => {
                let told = match &event {
                    AuditEvent::Decision { is_allowed, decider, .. } => Some(TurnEvent::Permission {
                        call: call.id.clone(),
                        tool: call.name.clone(),
                        target: target.clone(),
                        effect,
                        is_allowed: *is_allowed,
                        decider: decider.clone(),
                    }),
                    AuditEvent::Outcome { .. } => None,
                };
                let conversation = self.place.conversation.clone();
                let entry = AuditEntry { at_ms, conversation, turn, call: call.id, tool: call.name, target, event };
                self.commit(Entry::Audit(entry)).await?;
                if let Some(event) = told {
                    self.ports.events.tell(event);
                }
            }
            Record::Fact(fact) => {
                let (call, target, outcome) = (fact.call.clone(), fact.target.clone(), fact.outcome.clone());
                self.commit(Entry::Fact { turn, fact, at_ms }).await?;
                self.ports.events.tell(TurnEvent::Called { call, target, outcome });
            }
            Record::Todo { call, state, changes } => {
                let conversation = self.place.conversation.clone();
                let list = call.is_some().then(|| state.list.clone());
                let call = call.map(|call| call.id);
                self.commit(Entry::Todo { conversation, turn, call, state, at_ms }).await?;
                if let Some(list) = list {
                    self.ports.events.tell(TurnEvent::Todo { list, changes });
                }
            }
            Record::Folded(folded) => {
                let (n_exchanges, version) = (folded.exchanges.len(), folded.summary.version);
                self.commit(Entry::Folded { turn, folded, request: None, at_ms }).await?;
                self.ports.events.tell(TurnEvent::Folded { n_exchanges, version });
            }
            Record::RuleUsed { rule, path, n_bytes } => self.ports.rules.used(&rule, &path, n_bytes),
            Record::RuleEnded(rule, why) => self.ports.rules.end(&rule, why),
            Record::DraftDropped => self.ports.events.tell(TurnEvent::DraftDropped),
            Record::Composing { n_facts } => self.ports.events.tell(TurnEvent::Composing { n_facts }),
        }
        Ok(())
    }

    async fn end(&mut self, ending: Ending, answer: String) -> Result<Ended, JournalError> {
        let at_ms = self.ports.clock.now_ms();
        let turn = self.place.turn.clone();
        self.answer.clone_from(&answer);
        self.commit(Entry::End { turn, ending: ending.clone(), answer: answer.clone(), at_ms }).await?;
        self.ports.events.tell(TurnEvent::Ended { ending: ending.clone(), answer: answer.clone() });
        Ok(Ended { ending, answer, todo: self.turn.todo().clone() })
    }

    async fn commit(&self, entry: Entry) -> Result<(), JournalError> {
        self.ports.journal.record(entry).await
    }
}
