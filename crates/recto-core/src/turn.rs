//! A turn as a state machine without I/O: what happened goes in, what is to be done next comes out.
//!
//! The order "record before acting", denial, the limits and the two kinds of request are decided here, where a test reaches
//! them without a runtime.

mod calls;
mod choices;
mod orders;
mod requests;
mod setup;
mod together;

pub use orders::{Ending, Folded, Input, Order, Outgoing, Preview, Record};
pub use setup::{Limits, Setup};

use crate::approval::{Answer, RuleId};
use crate::audit::AuditEvent;
use crate::context::block::Block;
use crate::context::plan::PlannedBlock;
use crate::context::work::{Step, head};
use crate::fact::Fact;
use crate::id::CallId;
use crate::prompt;
use crate::reminder::{STALE_TOOL_ROUNDS, StaleCounter};
use crate::reply::{Finish, Reply};
use crate::request::Protocol;
use crate::step::{self, StepRead};
use crate::todo::TodoState;
use crate::tool::{Action, CallStatus, Effect, Places, ToolCall, ToolDefinition};
use std::collections::{BTreeSet, VecDeque};

/// What the turn waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    New,
    Working,
    Preparing(ToolCall),
    /// A write that may be asked for together with those in `gathered` is being prepared.
    Gathering(ToolCall),
    Asking(ToolCall, Box<Action>),
    AskingAll(Vec<(ToolCall, Action)>),
    Running(ToolCall, Box<Action>),
    Answering {
        was_asked_again: bool,
    },
    Over,
}

/// One turn.
#[derive(Debug)]
pub struct Turn {
    setup: Setup,
    tools: Vec<ToolDefinition>,
    head: Vec<Block>,
    /// The head as the first request settled it; later requests of the turn begin with exactly these bytes.
    settled: Vec<PlannedBlock>,
    /// Calls whose results are one line in the newest request, so that they may be made again.
    stubbed: BTreeSet<CallId>,
    /// What the first request folded and is not recorded yet.
    folded: Option<Folded>,
    phase: Phase,
    steps: Vec<Step>,
    facts: Vec<Fact>,
    todo: TodoState,
    places: Places,
    queue: VecDeque<ToolCall>,
    /// Writes that will be asked for together.
    gathered: Vec<(ToolCall, Action)>,
    /// Writes that were asked for together and come next, with what the person said.
    answered: VecDeque<(ToolCall, Action, Answer)>,
    list_was_written: bool,
    n_requests: u32,
    n_calls: u32,
    n_rounds: u32,
    n_repeats: u32,
    n_broken: u32,
    last_tool: Option<String>,
    last_round_failed: bool,
    n_failed_rounds: u32,
    limit: Option<String>,
    /// The request under way carries the reminder, and nothing has come back for it.
    reminder_is_under_way: bool,
    /// The rule of the person that allowed the running call.
    rule_in_use: Option<RuleId>,
}

impl Turn {
    /// A turn that has not begun.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let tools = setup.catalogue();
        let head = head(&setup.system_texts(&tools), &setup.history, &setup.question, Some(&setup.todo.list));
        let (todo, places) = (setup.todo.clone(), setup.places.clone());
        Self {
            setup,
            tools,
            head,
            settled: Vec::new(),
            stubbed: BTreeSet::new(),
            folded: None,
            phase: Phase::New,
            steps: Vec::new(),
            facts: Vec::new(),
            todo,
            places,
            queue: VecDeque::new(),
            gathered: Vec::new(),
            answered: VecDeque::new(),
            list_was_written: false,
            n_requests: 0,
            n_calls: 0,
            n_rounds: 0,
            n_repeats: 0,
            n_broken: 0,
            last_tool: None,
            last_round_failed: false,
            n_failed_rounds: 0,
            limit: None,
            reminder_is_under_way: false,
            rule_in_use: None,
        }
    }

    /// What is to be done now that this has happened. An input that the turn does not wait for changes nothing.
    pub fn step(&mut self, input: Input) -> Vec<Order> {
        if matches!(input, Input::Replied(_)) {
            self.reminder_is_under_way = false;
        }
        match (self.phase.clone(), input) {
            (Phase::Over, _) => Vec::new(),
            (_, Input::Stopped { partial }) => self.stop(partial),
            (Phase::New, Input::Begin) => self.work(),
            (Phase::Working, Input::Replied(reply)) => self.read_work_reply(reply),
            (Phase::Working, Input::TimeUp) => {
                // The request that was about to leave did not.
                self.n_requests -= 1;
                self.end_work_at("the turn had used up its time".to_owned())
            }
            (Phase::Answering { was_asked_again }, Input::Replied(reply)) => self.read_answer(reply, was_asked_again),
            (Phase::Working | Phase::Answering { .. }, Input::ModelFailed { sentence, partial }) => {
                self.fail(sentence, partial)
            }
            (_, Input::Rules(rules)) => {
                self.setup.grants.rules = rules;
                Vec::new()
            }
            (Phase::Preparing(call), Input::Prepared(prepared)) => self.decide(call, prepared),
            (Phase::Gathering(call), Input::Prepared(prepared)) => self.take_gathered(call, prepared),
            (Phase::AskingAll(writes), Input::AnsweredAll(answers)) => self.take_answers(writes, answers),
            (Phase::Asking(call, action), Input::Answered(answer)) => self.take_answer(call, *action, answer),
            (Phase::Asking(call, action), Input::AnsweredWithRule(rule)) => {
                self.take_yes_with_rule(call, *action, &rule)
            }
            (Phase::Running(call, action), Input::Ran { outcome, places }) => {
                self.places = places;
                self.take_outcome(&call, &action, outcome)
            }
            _ => Vec::new(),
        }
    }

    /// The list of the work and its counter as they are now.
    #[must_use]
    pub fn todo(&self) -> &TodoState {
        &self.todo
    }

    fn read_work_reply(&mut self, reply: Reply) -> Vec<Order> {
        match self.setup.profile.protocol {
            Protocol::Native if !reply.calls.is_empty() => {
                let calls = reply.calls.into_iter().map(|call| (call.name, call.arguments, Some(call.id))).collect();
                self.begin_round(reply.text, reply.thoughts, calls)
            }
            Protocol::Native => self.read_text(&reply.text, reply.finish),
            Protocol::Structured => match step::read(&reply.text) {
                StepRead::Call { name, arguments } => {
                    self.begin_round(reply.text, Vec::new(), vec![(name, arguments, None)])
                }
                StepRead::Ready => self.compose(),
                StepRead::Answer(text) | StepRead::Text(text) => self.read_text(&text, reply.finish),
                StepRead::Broken(_) if self.has_found_something() && self.n_broken > 0 => self.compose(),
                // An answer that runs into its length limit is cut off in the middle of the step; what was seen of it stays.
                StepRead::Broken(_) if reply.finish == Finish::Length && !self.has_found_something() => {
                    match unwrapped(&reply.text) {
                        Some(text) => self.end(ending_for(Finish::Length, None), text),
                        None => self.complain(reply, "it was cut off"),
                    }
                }
                StepRead::Broken(reason) => self.complain(reply, &reason),
            },
        }
    }

    /// A reply without a call: the answer itself if no tool has run, else the end of the work.
    fn read_text(&mut self, text: &str, finish: Finish) -> Vec<Order> {
        let is_ready = text.trim().trim_end_matches('.') == step::READY;
        if self.has_found_something() || is_ready {
            return self.compose();
        }
        if text.trim().is_empty() {
            return self.fail("the model gave an empty reply. Try again, or choose another model".to_owned(), None);
        }
        self.end(ending_for(finish, None), text.to_owned())
    }

    /// Whether a tool other than `todo_write` has run, so that the answer comes from an answer request.
    fn has_found_something(&self) -> bool {
        self.facts.iter().any(Fact::calls_for_answer)
    }

    /// A step that cannot be read goes back once or twice; it counts as a failed round.
    fn complain(&mut self, reply: Reply, reason: &str) -> Vec<Order> {
        self.n_broken += 1;
        if self.n_broken > 2 {
            let sentence = "the model's steps could not be read. Try again, or choose another model or protocol";
            return self.fail(sentence.to_owned(), None);
        }
        let complaint = if reply.finish == Finish::Length {
            "invalid_arguments: that step was cut off at its length limit. Make it shorter.".to_owned()
        } else {
            format!("invalid_arguments: that was no step that could be read ({reason}). Reply with one JSON value.")
        };
        self.steps.push(Step {
            text: reply.text,
            thoughts: Vec::new(),
            results: Vec::new(),
            complaint: Some(complaint),
        });
        self.last_round_failed = true;
        let mut orders = vec![Order::Record(Record::DraftDropped)];
        orders.extend(self.work());
        orders
    }

    fn read_answer(&mut self, reply: Reply, was_asked_again: bool) -> Vec<Order> {
        let called = !reply.calls.is_empty()
            || (self.setup.profile.protocol == Protocol::Structured
                && matches!(step::read(&reply.text), StepRead::Call { ref name, .. } if self.is_offered(name)));
        let text = match step::read(&reply.text) {
            // The system message speaks of steps, so a small model may wrap its answer into one, and be stopped in it.
            StepRead::Answer(text) if self.setup.profile.protocol == Protocol::Structured => text,
            StepRead::Broken(_) if self.setup.profile.protocol == Protocol::Structured => {
                unwrapped(&reply.text).unwrap_or(reply.text)
            }
            _ => reply.text,
        };
        match (called || text.trim().is_empty(), was_asked_again) {
            (true, false) => {
                let mut orders = vec![Order::Record(Record::DraftDropped)];
                orders.extend(self.send_answer(true));
                orders
            }
            (true, true) => self.fail(
                "the model called tools again instead of answering. What it found is kept in this turn; ask again, or choose \
                 another model"
                    .to_owned(),
                None,
            ),
            (false, _) => {
                let ending = ending_for(reply.finish, self.limit.clone());
                self.end(ending, text)
            }
        }
    }

    fn is_offered(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    fn stop(&mut self, partial: Option<Reply>) -> Vec<Order> {
        let mut orders = Vec::new();
        let was_gathered = std::mem::take(&mut self.gathered).into_iter().map(|(call, _)| call);
        let mut waiting: Vec<ToolCall> = was_gathered.collect();
        let mut withdrawn = Vec::new();
        match self.phase.clone() {
            Phase::Preparing(call) | Phase::Gathering(call) => waiting.push(call),
            Phase::Asking(call, action) => withdrawn.push((call, *action)),
            Phase::AskingAll(writes) => withdrawn.extend(writes),
            Phase::Running(call, action) => {
                let event = AuditEvent::Outcome {
                    status: CallStatus::Cancelled,
                    note: "the turn was stopped while this ran".to_owned(),
                    written: None,
                };
                orders.push(audit(&call, &action, event));
                waiting.push(call);
            }
            _ => {}
        }
        withdrawn.extend(std::mem::take(&mut self.answered).into_iter().map(|(call, action, _)| (call, action)));
        let decider = format!("person {}", Answer::Withdrawn.as_str());
        for (call, action) in withdrawn {
            orders.push(self.decision(&call, &action, Err((&decider, "the turn was stopped"))));
            waiting.push(call);
        }
        for call in waiting.into_iter().chain(std::mem::take(&mut self.queue)) {
            let fact = self.stopped(call);
            orders.push(fact);
        }
        let answer = self.shown_of(partial);
        orders.extend(self.end(Ending::Stopped, answer));
        orders
    }

    fn fail(&mut self, sentence: String, partial: Option<Reply>) -> Vec<Order> {
        let mut orders = Vec::new();
        let nothing_arrived = partial.as_ref().is_none_or(|reply| reply.text.is_empty() && reply.calls.is_empty());
        if self.reminder_is_under_way && nothing_arrived {
            // It was not delivered, so it is still due.
            self.todo.stale = StaleCounter::at(STALE_TOOL_ROUNDS);
            let state = self.todo.clone();
            orders.push(Order::Record(Record::Todo { call: None, state, changes: Vec::new() }));
        }
        let answer = self.shown_of(partial);
        orders.extend(self.end(Ending::Failed { sentence }, answer));
        orders
    }

    /// What of an unfinished reply is part of an answer: text of the work phase never is.
    fn shown_of(&self, partial: Option<Reply>) -> String {
        let Some(reply) = partial else { return String::new() };
        match self.phase {
            Phase::Answering { .. } if self.setup.profile.protocol == Protocol::Structured => {
                unwrapped(&reply.text).unwrap_or(reply.text)
            }
            Phase::Answering { .. } => reply.text,
            Phase::Working if self.setup.profile.protocol == Protocol::Structured => {
                unwrapped(&reply.text).unwrap_or_default()
            }
            Phase::Working if reply.calls.is_empty() && !self.has_found_something() => reply.text,
            _ => String::new(),
        }
    }

    fn end(&mut self, ending: Ending, answer: String) -> Vec<Order> {
        self.phase = Phase::Over;
        vec![Order::End { ending, answer }]
    }
}

/// The text of an answer that was wrapped into a step and not finished; `None` if it is no such step.
fn unwrapped(text: &str) -> Option<String> {
    step::AnswerStream::default().push(text)
}

fn ending_for(finish: Finish, limit: Option<String>) -> Ending {
    match (finish, limit) {
        (_, Some(limit)) => Ending::Limited { sentence: limit },
        (Finish::Length, None) => {
            Ending::Limited { sentence: "the answer reached its length limit and ends early".to_owned() }
        }
        (Finish::Filtered, None) => {
            Ending::Limited { sentence: "the provider withheld the rest of the answer".to_owned() }
        }
        (Finish::Unmarked, None) => Ending::Limited {
            sentence: "the connection ended without a finish mark; the answer may be incomplete".to_owned(),
        },
        (Finish::Stop | Finish::ToolCalls | Finish::Stopped, None) => Ending::Answered,
    }
}

fn audit(call: &ToolCall, action: &Action, event: AuditEvent) -> Order {
    let (call, effect, target) = (call.clone(), action.effect, action.target.clone());
    Order::Record(Record::Audit { call, effect, target, event })
}

/// The description of `todo_write` as it is offered.
fn todo_write_definition() -> ToolDefinition {
    ToolDefinition {
        identity: crate::tool::ToolIdentity::TodoWrite,
        name: crate::todo::TODO_WRITE.to_owned(),
        description: prompt::todo_write().to_owned(),
        parameters: crate::todo::parameters(),
        effect: Effect::Write,
        paths: Vec::new(),
        repeats: false,
    }
}

#[cfg(test)]
mod tests;
