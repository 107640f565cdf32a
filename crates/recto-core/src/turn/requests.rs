//! The turn's two kinds of request, and where the work ends by itself. What a step may be stands in `choices.rs`.

use super::{Ending, Folded, Order, Outgoing, Phase, Preview, Record, Turn};
use crate::context::answer::{Findings, planned};
use crate::context::block::{Block, BlockKind, Importance, Role};
use crate::context::fold::fold;
use crate::context::plan::{Budget, CountTokens, DoesNotFit, Once, PER_MESSAGE, Plan, PlannedBlock, Verdict, plan_on};
use crate::context::system::SystemTexts;
use crate::context::work::{Reminder, head, traffic};
use crate::conversation::Exchange;
use crate::fact::standing;
use crate::prompt;
use crate::request::{AnswerTools, Envelope, Exactness, Protocol, Purpose, Sampling};
use crate::tool::{CallStatus, ToolDefinition};
use std::collections::BTreeSet;

/// The share of the room that a head takes at most once not all fits: the rest is for the work, and the beginning then stands still for
/// many turns.
const FOLD_PERCENT: u32 = 70;
/// So much of the room is kept free for what a server's template adds, in percent.
const TEMPLATE_MARGIN: u32 = 2;
/// More of the room than this is not kept free for a count that may be off, in percent.
const MOST_MARGIN: u8 = 20;

impl Turn {
    /// The next work request, or the end of the work where a limit is reached.
    pub(super) fn work(&mut self) -> Vec<Order> {
        if let Some(limit) = self.reached_limit() {
            return self.end_work_at(limit);
        }
        let n_stale_rounds = self.todo.stale.n_rounds();
        let has_reminder = self.may_be_reminded() && self.todo.stale.take_due();
        let reminder = has_reminder
            .then(|| Reminder { text: prompt::reminder(), as_message: self.setup.profile.takes_trailing_system });
        let protocol = self.setup.profile.protocol;
        let last = self.head.last().map_or(0, |block| block.seat.message);
        let traffic = traffic(last, &self.steps, protocol, self.result_limit(), reminder);
        let envelope = self.work_envelope(has_reminder);
        let budget = self.work_budget(&envelope.tools);
        let planned = if self.settled.is_empty() {
            self.fold_and_plan(&traffic, budget)
        } else {
            plan_on(Purpose::Work, self.settled.clone(), traffic, budget, self.counter())
        };
        match planned {
            Err(error) if self.steps.is_empty() => self.fail(error.to_string(), None),
            Err(_) => {
                let window = self.setup.profile.window;
                self.end_work_at(format!("the results no longer fit into the model's window of {window} tokens"))
            }
            Ok(plan) => {
                self.settle(&plan);
                self.phase = Phase::Working;
                let folded = self.folded.take().map(|folded| Order::Record(Record::Folded(Box::new(folded))));
                let mut orders: Vec<Order> = folded.into_iter().collect();
                orders.extend(self.send(plan, envelope, n_stale_rounds, has_reminder));
                orders
            }
        }
    }

    /// The first request of the turn. The exchanges that do not fit enter the summary before it goes out, exactly those and each once. The
    /// summary takes room itself, which can drop one more, so it is written again until both agree.
    fn fold_and_plan(&mut self, traffic: &[Block], budget: Budget) -> Result<Plan, DoesNotFit> {
        let limit = budget.summary_limit();
        let counter = self.setup.counter.clone();
        let once = Once::new(counter.0.as_ref());
        let mut n_folded = 0;
        loop {
            let entering: Vec<&Exchange> = self.setup.history.iter().take(n_folded).collect();
            let summary = fold(&self.setup.summary, &entering, limit, &once);
            let texts = SystemTexts { summary: summary.text(), ..self.setup.system_texts(&self.tools) };
            self.head = head(&texts, &self.setup.history, &self.setup.question, Some(&self.setup.todo.list));
            let gathered = self.head.iter().chain(traffic).cloned().collect();
            let plan = plan_on(Purpose::Work, Vec::new(), gathered, budget, &once)?;
            let n_dropped = n_dropped_exchanges(&plan);
            if n_dropped <= n_folded {
                let exchanges = entering.iter().map(|exchange| exchange.turn.clone()).collect();
                self.folded = (n_folded > 0).then_some(Folded { summary, exchanges });
                return Ok(plan);
            }
            n_folded = n_dropped;
        }
    }

    /// What the first request would be if it left now, and what would be folded before it. The turn is not begun by it.
    ///
    /// # Errors
    /// `DoesNotFit` if nothing could be sent.
    pub fn preview(mut self) -> Result<Preview, DoesNotFit> {
        let envelope = self.work_envelope(false);
        let budget = self.work_budget(&envelope.tools);
        let plan = self.fold_and_plan(&[], budget)?;
        Ok(Preview { plan, envelope, folded: self.folded })
    }

    fn work_budget(&self, tools: &[ToolDefinition]) -> Budget {
        let budget = self.budget(self.setup.limits.step_tokens, tools);
        Budget { fold_to: budget.room() / 100 * FOLD_PERCENT, ..budget }
    }

    /// From the first request on the head stands; of the results it is kept which are one line now.
    fn settle(&mut self, plan: &Plan) {
        if self.settled.is_empty() {
            self.settled = plan.rows[..self.head.len()].to_vec();
        }
        let is_stubbed = |row: &&PlannedBlock| row.block.stub.is_some() && row.placed == row.block.stub;
        let stubbed: Vec<&str> = plan.rows.iter().filter(is_stubbed).map(|row| row.block.id.as_str()).collect();
        let calls = self.facts.iter().map(|fact| &fact.call.id);
        self.stubbed = calls.filter(|id| stubbed.contains(&format!("result/{id}").as_str())).cloned().collect();
    }

    /// The work is done: the answer is composed from what was found.
    pub(super) fn compose(&mut self) -> Vec<Order> {
        let mut orders = vec![Order::Record(Record::DraftDropped)];
        orders.push(Order::Record(Record::Composing { n_facts: standing(&self.facts).len() }));
        orders.extend(self.send_answer(false));
        orders
    }

    /// The work ends before it is done; what was found is still worth an answer.
    pub(super) fn end_work_at(&mut self, limit: String) -> Vec<Order> {
        let sentence = format!("the work was ended early, because {limit}");
        if !self.has_found_something() {
            return self.end(Ending::Limited { sentence }, String::new());
        }
        self.limit = Some(sentence);
        self.compose()
    }

    /// The answer request; asked again, it carries no tools at all.
    pub(super) fn send_answer(&mut self, was_asked_again: bool) -> Vec<Order> {
        let envelope = self.answer_envelope(was_asked_again);
        let budget = self.budget(self.setup.limits.answer_tokens, &envelope.tools);
        let of_system =
            |row: &&PlannedBlock| row.block.seat.role == Role::System && row.block.kind != BlockKind::Reminder;
        let system = self.settled.iter().filter(of_system).cloned().collect();
        let limit = self.limit.as_ref().map(|limit| format!("{limit}. Answer from what was found, and say so."));
        let findings = Findings {
            history: &self.setup.history,
            list: Some(&self.todo.list),
            facts: &self.facts,
            limit: limit.as_deref(),
            question: &self.setup.question,
            history_limit: budget.room() / 10,
            question_limit: budget.room() / 2,
        };
        match planned(system, findings, budget, self.counter()) {
            Err(error) => self.fail(error.to_string(), None),
            Ok(plan) => {
                self.phase = Phase::Answering { was_asked_again };
                self.send(plan, envelope, self.todo.stale.n_rounds(), false)
            }
        }
    }

    fn send(&mut self, plan: Plan, envelope: Envelope, n_stale_rounds: u32, has_reminder: bool) -> Vec<Order> {
        self.n_requests += 1;
        self.reminder_is_under_way = has_reminder;
        let number = self.n_requests;
        vec![Order::Send(Box::new(Outgoing { number, plan, envelope, n_stale_rounds, has_reminder }))]
    }

    fn reached_limit(&self) -> Option<String> {
        let limits = self.setup.limits;
        if self.n_rounds >= limits.n_rounds {
            return Some(format!("{} rounds of tools had been made", self.n_rounds));
        }
        (self.n_repeats > limits.n_repeats).then(|| "the model kept making the same call".to_owned())
    }

    pub(super) fn counter(&self) -> &dyn CountTokens {
        self.setup.counter.0.as_ref()
    }

    /// The most tokens that a single result may take: a quarter of the window.
    pub(super) fn result_limit(&self) -> u32 {
        self.setup.profile.window / 4
    }

    fn budget(&self, reserve: u32, tools: &[ToolDefinition]) -> Budget {
        let window = self.setup.profile.window;
        let of_tools: u32 = tools
            .iter()
            .map(|tool| {
                let text = format!("{}{}{}", tool.name, tool.description, tool.parameters);
                self.counter().count(&text) + 4 * PER_MESSAGE
            })
            .sum();
        // A small window must not be eaten up by the reserve.
        let reserve = reserve.min(window / 4);
        // An estimate is rather too high; a calibrated count is as often too low, so what it may be off is kept free.
        let margin = match self.setup.profile.exactness {
            Exactness::Exact | Exactness::Estimate => 0,
            // The texts are counted, and only what a template adds is not.
            Exactness::Counted => (window - reserve) / 100 * TEMPLATE_MARGIN,
            Exactness::Calibrated { percent } => (window - reserve) / 100 * u32::from(percent.min(MOST_MARGIN)),
        };
        Budget { window, reserve, fixed: of_tools + margin, per_message: PER_MESSAGE, fold_to: window - reserve }
    }

    fn sampling(&self, max_tokens: u32) -> Sampling {
        let max_tokens = max_tokens.min(self.setup.profile.window / 4);
        Sampling { temperature: self.setup.temperature, seed: self.setup.seed, max_tokens }
    }

    fn work_envelope(&self, has_reminder: bool) -> Envelope {
        let sampling = self.sampling(self.setup.limits.step_tokens);
        match self.setup.profile.protocol {
            Protocol::Native => Envelope { tools: self.tools.clone(), may_call: true, step: None, sampling },
            Protocol::Structured => {
                Envelope { tools: Vec::new(), may_call: false, step: Some(self.step_schema(has_reminder)), sampling }
            }
        }
    }

    fn answer_envelope(&self, was_asked_again: bool) -> Envelope {
        let keeps_tools = self.setup.profile.protocol == Protocol::Native
            && self.setup.profile.answer_tools == AnswerTools::Keep
            && !was_asked_again;
        let tools = if keeps_tools { self.tools.clone() } else { Vec::new() };
        let mut sampling = self.sampling(self.setup.limits.answer_tokens);
        if self.setup.profile.protocol == Protocol::Structured {
            // Measured on the starter model: an answer drawn greedily copies facts; a warmer one repeats the request instead.
            sampling.temperature = 0.0;
        }
        Envelope { tools, may_call: false, step: None, sampling }
    }

    /// Whether the last result of this turn was a failure that the model has to react to.
    pub(super) fn note_round(&mut self, statuses: &[CallStatus]) {
        self.last_round_failed = statuses.iter().any(|status| status.is_failure());
        self.n_failed_rounds = if self.last_round_failed { self.n_failed_rounds + 1 } else { 0 };
    }
}

/// Exchanges that a plan leaves out for want of room.
fn n_dropped_exchanges(plan: &Plan) -> usize {
    let dropped = plan.rows.iter().filter_map(|row| match (row.block.importance, row.verdict) {
        (Importance::Exchange(number), Verdict::Dropped { .. }) => Some(number),
        _ => None,
    });
    dropped.collect::<BTreeSet<u32>>().len()
}
