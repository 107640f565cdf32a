//! The turn's two kinds of request, and where the work ends by itself.

use super::{Ending, Order, Outgoing, Phase, Record, Turn};
use crate::context::answer::{Findings, planned};
use crate::context::block::{Block, BlockKind, Importance, Role};
use crate::context::fold::fold;
use crate::context::plan::{Budget, CountTokens, DoesNotFit, Once, Plan, PlannedBlock, Verdict, plan_on};
use crate::context::work::{Reminder, head, traffic};
use crate::conversation::Exchange;
use crate::fact::{Fact, standing};
use crate::prompt;
use crate::request::{AnswerTools, Envelope, Protocol, Purpose, Sampling};
use crate::step::{Asked, Choices, schema};
use crate::telling::TellingWords;
use crate::tool::{CallStatus, Effect, ToolDefinition, ToolIdentity};
use serde_json::Value;
use std::collections::BTreeSet;

/// Tokens that a template puts around a message, at most; the request is measured exactly before it leaves.
const PER_MESSAGE: u32 = 8;

/// The share of the room that a head takes at most once not all fits: the rest is for the work, and the beginning then stands still for
/// many turns.
const FOLD_PERCENT: u32 = 70;
/// The share of the room that the summary of what was folded may take.
const SUMMARY_PERCENT: u32 = 15;
/// From this share of the question's telling words on, a file is taken to hold the answer (structured protocol).
const ENOUGH_SHARE: f64 = 0.6;
/// So many files are read before the work may end although none of them speaks of what was asked (structured protocol).
const FEW_FILES: usize = 3;
/// So many files are read at most where the question names none (structured protocol).
const ENOUGH_FILES: usize = 5;

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
        let mut budget = self.budget(self.setup.limits.step_tokens, &envelope.tools);
        budget.fold_to = budget.room() / 100 * FOLD_PERCENT;
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
                self.send(plan, envelope, n_stale_rounds, has_reminder)
            }
        }
    }

    /// The first request of the turn. The exchanges that do not fit enter the summary before it goes out, exactly those and each once. The
    /// summary takes room itself, which can drop one more, so it is written again until both agree.
    fn fold_and_plan(&mut self, traffic: &[Block], budget: Budget) -> Result<Plan, DoesNotFit> {
        let limit = budget.room() / 100 * SUMMARY_PERCENT;
        let counter = self.setup.counter.clone();
        let once = Once::new(counter.0.as_ref());
        let mut n_folded = 0;
        loop {
            let folded: Vec<&Exchange> = self.setup.history.iter().take(n_folded).collect();
            let mut texts = self.setup.system_texts(&self.tools);
            let fold = fold(&folded, limit, &once);
            texts.summary = [texts.summary.as_str(), &fold]
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join("\n\n");
            self.head = head(&texts, &self.setup.history, &self.setup.question, Some(&self.setup.todo.list));
            let gathered = self.head.iter().chain(traffic).cloned().collect();
            let plan = plan_on(Purpose::Work, Vec::new(), gathered, budget, &once)?;
            let n_dropped = n_dropped_exchanges(&plan);
            if n_dropped <= n_folded {
                return Ok(plan);
            }
            n_folded = n_dropped;
        }
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

    fn counter(&self) -> &dyn CountTokens {
        self.setup.counter.0.as_ref()
    }

    /// The most tokens that a single result may take: a quarter of the window.
    fn result_limit(&self) -> u32 {
        self.setup.profile.window / 4
    }

    fn budget(&self, reserve: u32, tools: &[ToolDefinition]) -> Budget {
        let window = self.setup.profile.window;
        let fixed = tools
            .iter()
            .map(|tool| {
                let text = format!("{}{}{}", tool.name, tool.description, tool.parameters);
                self.counter().count(&text) + 2 * PER_MESSAGE
            })
            .sum();
        // A small window must not be eaten up by the reserve.
        let reserve = reserve.min(window / 4);
        Budget { window, reserve, fixed, per_message: PER_MESSAGE, fold_to: window - reserve }
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

    /// What the next step may be, so that a small model cannot go in circles:
    /// - a tool that makes no sense right after itself is not offered again;
    /// - writing is offered where the question asks for it, until a write is refused; the list where it asks for one, once, and with the reminder, and first
    ///   where the question names it;
    /// - where the question names files, those are offered for reading, the work goes on until they are read, and then there is nothing
    ///   more to look at; where a search found something, the files that it found are offered;
    /// - where it names none, the files that hold its words are offered before the others, and nothing more once they are read;
    /// - the work goes on while nothing that was read speaks of what was asked, for a few files;
    /// - a file that the question names and that is not there may be asked for all the same, so that its absence is on record;
    /// - the work may not end right after another failure, unless two failed in a row; where nothing has been done yet the step may be
    ///   the answer itself.
    fn step_schema(&self, has_reminder: bool) -> Value {
        let has_done_something = !self.facts.is_empty();
        let asked = Asked::of(&self.setup.question, &self.places);
        let has_cut_result = self
            .steps
            .iter()
            .flat_map(|step| &step.results)
            .any(|(_, outcome)| self.counter().count(&outcome.text) > self.result_limit());
        let unread = self.unread(&asked, has_cut_result);
        let begins_with_list = asked.for_list_first && !has_done_something;
        let list_was_written = self.facts.iter().any(|fact| fact.identity == ToolIdentity::TodoWrite);
        let was_refused = self.facts.iter().any(|fact| fact.outcome.status == CallStatus::Refused);
        let has_looked_enough = !has_cut_result
            && !self.last_round_failed
            && if asked.named.is_empty() {
                (list_was_written && !asked.for_files)
                    || self.has_found_what_was_asked(&asked)
                    || (!asked.for_several && self.has_read_what_fits())
                    // What was asked for was a write, and the person said no.
                    || was_refused
            } else {
                unread.is_empty()
            };
        let has_named_unread = !asked.named.is_empty() && !unread.is_empty() && !asked.for_change && !has_cut_result;
        let tools = self.tools.iter().filter(|tool| match (tool.identity, tool.effect) {
            (ToolIdentity::TodoWrite, _) => begins_with_list || has_reminder || (asked.for_list && !list_was_written),
            (_, Effect::Read) => {
                !begins_with_list && !has_looked_enough && (tool.repeats || self.last_tool.as_ref() != Some(&tool.name))
            }
            (_, Effect::Write) => !begins_with_list && asked.for_change && !was_refused,
        });
        schema(&Choices {
            tools: tools.collect(),
            may_end: has_done_something
                && (!self.last_round_failed || self.n_failed_rounds >= 2 || self.is_missing(&asked))
                && !(has_named_unread && self.n_failed_rounds == 0)
                && (has_looked_enough || !self.reads_beside_the_question(&unread)),
            may_answer: !has_done_something && !begins_with_list && !has_named_unread,
            has_cut_result,
            places: &self.places,
            unread: &unread,
        })
    }

    /// Whether every file that holds the words of the question was read: no other one says more of what was asked.
    fn has_read_what_fits(&self) -> bool {
        let is_read = |path: &String| self.facts.iter().filter_map(Fact::as_read).any(|(read, _)| read == path);
        !self.setup.fitting.is_empty() && self.setup.fitting.iter().all(is_read)
    }

    /// Whether the last call found out that a file which the question names is not there.
    fn is_missing(&self, asked: &Asked) -> bool {
        let last = self.facts.last().filter(|fact| fact.outcome.status == CallStatus::Failed);
        last.is_some_and(|fact| asked.missing.iter().any(|name| fact.asks_for(name)))
    }

    /// Whether a file that was read holds most of what the question speaks of, or so many were read that more would only cost time.
    /// A small model reads on and on instead of saying READY.
    fn has_found_what_was_asked(&self, asked: &Asked) -> bool {
        let telling = TellingWords::of(&self.setup.question);
        let read: Vec<&str> = self.facts.iter().filter_map(Fact::as_read).map(|(_, text)| text).collect();
        let holds_it = |text: &&str| {
            let (share, n_found) = telling.share_in(text);
            share >= ENOUGH_SHARE && n_found >= 2
        };
        read.len() >= ENOUGH_FILES || (!asked.for_several && read.iter().any(holds_it))
    }

    /// Whether only files were read so far, few, and none that holds a word of what was asked, while there are others.
    fn reads_beside_the_question(&self, unread: &[String]) -> bool {
        let done = self.facts.iter().filter(|fact| fact.calls_for_answer() && fact.outcome.status == CallStatus::Done);
        let done: Vec<&Fact> = done.collect();
        let telling = TellingWords::of(&self.setup.question);
        let is_beside = |fact: &&Fact| fact.as_read().is_some_and(|(_, text)| telling.share_in(text).1 == 0);
        !unread.is_empty() && (1..FEW_FILES).contains(&done.len()) && done.iter().all(is_beside)
    }

    /// The files that searches of this turn found something in.
    fn found_by_search(&self) -> Vec<&str> {
        self.facts.iter().flat_map(Fact::found_in).collect()
    }

    /// Whether the list is offered at all in this turn, so that a reminder makes sense.
    fn may_be_reminded(&self) -> bool {
        self.setup.profile.protocol == Protocol::Native
            || !self.todo.list.items.is_empty()
            || Asked::of(&self.setup.question, &self.places).for_list
    }

    /// The files that reading makes sense for: those that the question names, or all that are there, without those whose whole text
    /// is above already, and those that it names and that have not been found missing yet. Where a file did not fit, a part of it may
    /// be asked for, so nothing is left out.
    fn unread(&self, asked: &Asked, has_cut_result: bool) -> Vec<String> {
        let since_the_last_write = self.facts.iter().rev().take_while(|fact| fact.outcome.written.is_none());
        let read: Vec<&str> = since_the_last_write
            .filter(|fact| !self.stubbed.contains(&fact.call.id))
            .filter_map(|fact| fact.as_read().map(|(path, _)| path))
            .collect();
        let is_unread = |file: &&String| has_cut_result || !read.contains(&file.as_str());
        let mut candidates = if asked.named.is_empty() { self.places.files.clone() } else { asked.named.clone() };
        let found = self.found_by_search();
        if asked.named.is_empty() && candidates.iter().any(|file| found.contains(&file.as_str())) {
            candidates.retain(|file| found.contains(&file.as_str()));
        }
        // The files that the question is about by their words come first, and only then the others.
        let fits = |file: &String| self.setup.fitting.contains(file) && is_unread(&file);
        if asked.named.is_empty() && found.is_empty() && !asked.for_several && candidates.iter().any(fits) {
            candidates.retain(fits);
        }
        let is_untried = |name: &&String| !self.facts.iter().any(|fact| fact.asks_for(name));
        let missing = asked.missing.iter().filter(is_untried);
        missing.chain(candidates.iter().filter(is_unread)).cloned().collect()
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
