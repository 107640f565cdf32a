//! One round: the calls of a reply, one after the other, each prepared, decided, asked for where it must be, and run.

use super::{Order, Phase, Record, Turn, audit};
use crate::approval::{Answer, RuleEnd, SessionRule, Verdict, decide};
use crate::audit::AuditEvent;
use crate::context::answer::SAID_NO;
use crate::context::work::Step;
use crate::fact::Fact;
use crate::id::CallId;
use crate::todo::TodoList;
use crate::tool::{Action, CallOutcome, CallStatus, Effect, Prepared, ToolCall, ToolIdentity};

impl Turn {
    /// A reply with calls: each is recorded before anything runs.
    pub(super) fn begin_round(
        &mut self,
        text: String,
        thoughts: Vec<String>,
        calls: Vec<(String, String, Option<CallId>)>,
    ) -> Vec<Order> {
        self.n_rounds += 1;
        self.list_was_written = false;
        self.steps.push(Step { text, thoughts, results: Vec::new(), complaint: None });
        let mut orders = vec![Order::Record(Record::DraftDropped)];
        for (name, arguments, id) in calls {
            self.n_calls += 1;
            let number = self.n_calls;
            let id = self.free_id(id, number);
            let call = ToolCall { id, name, arguments };
            orders.push(Order::Record(Record::Call { call: call.clone(), number }));
            self.queue.push_back(call);
        }
        orders.extend(self.next_call());
        orders
    }

    /// The server's id where it is there and new in this turn; the turn's own number otherwise, so that no two calls share one.
    fn free_id(&self, id: Option<CallId>, number: u32) -> CallId {
        let is_taken = |id: &CallId| {
            self.queue.iter().any(|call| call.id == *id) || self.facts.iter().any(|fact| fact.call.id == *id)
        };
        id.filter(|id| !id.as_str().is_empty() && !is_taken(id)).unwrap_or_else(|| CallId(format!("c{number}")))
    }

    pub(super) fn next_call(&mut self) -> Vec<Order> {
        if let Some((call, action, answer)) = self.answered.pop_front() {
            return self.take_answer(call, action, answer);
        }
        let Some(call) = self.queue.pop_front() else { return self.end_round() };
        let Some(tool) = self.tools.iter().find(|tool| tool.name == call.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            let text = format!("There is no tool `{}`. The tools are: {}.", call.name, names.join(", "));
            return self.finish(call, String::new(), CallOutcome::new(CallStatus::Failed, text, "no such tool"));
        };
        if tool.identity == ToolIdentity::TodoWrite {
            return self.write_list(call);
        }
        if let Some(earlier) = self.repeated(&call) {
            self.n_repeats += 1;
            let text = match earlier {
                CallStatus::Refused => {
                    "This very call was refused already and is not asked for again. Go on without it."
                }
                _ => "You have made this very call already; its result is above. Take the next step.",
            };
            return self.finish(call, String::new(), CallOutcome::new(CallStatus::Repeated, text, "made before"));
        }
        self.phase = Phase::Preparing(call.clone());
        vec![Order::Prepare(call)]
    }

    /// How the very same call ended before: it was done, and nothing has been written since that could change what it gives, or it
    /// was refused, and a person who said no is not asked again.
    pub(super) fn repeated(&self, call: &ToolCall) -> Option<CallStatus> {
        let is_same = |fact: &&Fact| fact.call.name == call.name && fact.call.arguments == call.arguments;
        // A result that was left out for want of room may be asked for again.
        let is_above = |fact: &&Fact| !self.stubbed.contains(&fact.call.id);
        let refused = self.facts.iter().filter(is_same).any(|fact| fact.outcome.status == CallStatus::Refused);
        if refused {
            return Some(CallStatus::Refused);
        }
        let since_the_last_write = self.facts.iter().rev().take_while(|fact| !fact.has_changed_files());
        since_the_last_write
            .filter(is_same)
            .filter(is_above)
            .map(|fact| fact.outcome.status)
            .find(|status| *status == CallStatus::Done)
    }

    /// `todo_write` needs nothing from outside: validate, decide, assign once.
    fn write_list(&mut self, call: ToolCall) -> Vec<Order> {
        let list = match TodoList::read(&call.arguments) {
            Ok(list) => list,
            Err(faults) => {
                let text = format!("invalid_arguments: {}. The list was not changed.", faults.join("; "));
                let note = "rejected, the list was not changed";
                return self.finish(call, String::new(), CallOutcome::new(CallStatus::InvalidArguments, text, note));
            }
        };
        let target = match list.items.len() {
            1 => "1 item".to_owned(),
            n => format!("{n} items"),
        };
        let action = Action {
            identity: ToolIdentity::TodoWrite,
            effect: Effect::Write,
            target: target.clone(),
            change: None,
            folder: None,
        };
        let Verdict::Allow(rule) = decide(&action, self.setup.policy, &self.setup.grants) else {
            return self.next_call();
        };
        let mut orders = vec![self.decision(&call, &action, Ok(&format!("rule {}", rule.as_str())))];
        let changes = self.todo.list.changes_to(&list);
        let snapshot = list.snapshot();
        self.todo.replace(list);
        self.list_was_written = true;
        let state = self.todo.clone();
        orders.push(Order::Record(Record::Todo { call: Some(call.clone()), state, changes }));
        let outcome = CallOutcome::new(CallStatus::Done, snapshot, "the list was written");
        orders.push(audit(&call, &action, outcome_event(&outcome)));
        orders.extend(self.finish(call, target, outcome));
        orders
    }

    pub(super) fn decide(&mut self, call: ToolCall, prepared: Prepared) -> Vec<Order> {
        let action = match prepared {
            Prepared::Ready(action) => action,
            Prepared::Not(outcome) => return self.finish(call, String::new(), outcome),
            Prepared::Forbidden { reason } => {
                let action = Action {
                    identity: ToolIdentity::BuiltIn,
                    effect: Effect::Write,
                    target: call.arguments.clone(),
                    change: None,
                    folder: None,
                };
                let rule = format!("rule {}", crate::approval::Rule::PlaceIsForbidden.as_str());
                let mut orders = vec![self.decision(&call, &action, Err((&rule, &reason)))];
                let text = format!("Refused: {reason}.");
                orders.extend(self.finish(call, String::new(), CallOutcome::new(CallStatus::Refused, text, reason)));
                return orders;
            }
        };
        match decide(&action, self.setup.policy, &self.setup.grants) {
            Verdict::Allow(rule) => {
                let decision = self.decision(&call, &action, Ok(&format!("rule {}", rule.as_str())));
                self.run(decision, call, action)
            }
            Verdict::AllowBy(rule) => self.run_by(rule, call, action),
            Verdict::Deny(rule, reason) => {
                let decider = format!("rule {}", rule.as_str());
                let mut orders = vec![self.decision(&call, &action, Err((&decider, &reason)))];
                let outcome = CallOutcome::new(CallStatus::Refused, format!("Refused: {reason}."), "refused by a rule");
                orders.extend(self.finish(call, action.target, outcome));
                orders
            }
            Verdict::Ask(_) => match action.change {
                Some(_) => self.gather(call, action),
                // Nothing can be shown, so nothing can be asked.
                None => {
                    let reason = "this tool says that it writes, but not what";
                    let mut orders = vec![self.decision(&call, &action, Err(("rule writes_are_asked", reason)))];
                    let outcome = CallOutcome::new(CallStatus::Refused, format!("Refused: {reason}."), reason);
                    orders.extend(self.finish(call, action.target, outcome));
                    orders
                }
            },
        }
    }

    pub(super) fn take_answer(&mut self, call: ToolCall, action: Action, answer: Answer) -> Vec<Order> {
        let decider = format!("person {}", answer.as_str());
        if answer.is_yes() {
            let decision = self.decision(&call, &action, Ok(&decider));
            return self.run(decision, call, action);
        }
        let (note, reason) = match answer {
            Answer::TimedOut => ("nobody answered in time", "nobody answered in time, which counts as no"),
            Answer::NobodyToAsk => ("there was nobody to ask", "there is nobody to ask, which counts as no"),
            _ => (SAID_NO, SAID_NO),
        };
        let mut orders = vec![self.decision(&call, &action, Err((&decider, reason)))];
        let what = match action.identity {
            ToolIdentity::Remember | ToolIdentity::Forget => format!("Nothing was changed in the {}", action.target),
            ToolIdentity::DeleteFile => format!("{} was not deleted", action.target),
            ToolIdentity::MoveFile => format!("Nothing was moved ({})", action.target),
            ToolIdentity::MakeDir => format!("The folder {} was not made", action.target),
            _ => format!("Nothing was written to {}", action.target),
        };
        let text = format!("Refused: {reason}. {what}. Do not try it again.");
        orders.extend(self.finish(call, action.target, CallOutcome::new(CallStatus::Refused, text, note)));
        orders
    }

    /// A yes that made a rule: the row says what the rule covers from now on.
    pub(super) fn take_yes_with_rule(&mut self, call: ToolCall, action: Action, rule: &SessionRule) -> Vec<Order> {
        let decider = format!("person {}", Answer::ApprovedWithRule.as_str());
        let decision = row(&call, &action, true, decider, Some(format!("{}: {}", rule.id, rule.scope)));
        self.rule_in_use = Some(rule.id.clone());
        self.run(decision, call, action)
    }

    /// A write that a rule covers. It counts from the moment at which it is decided, so that no failure makes room for another.
    fn run_by(&mut self, rule: SessionRule, call: ToolCall, action: Action) -> Vec<Order> {
        let decision = row(&call, &action, true, rule.decider(), Some(rule.scope.to_string()));
        let used = action.change.as_ref().map(|change| {
            let (path, n_bytes) = (change.path.clone(), change.n_bytes_after());
            Order::Record(Record::RuleUsed { rule: rule.id.clone(), path, n_bytes })
        });
        self.rule_in_use = Some(rule.id);
        let mut orders = self.run(decision, call, action);
        orders.splice(1..1, used);
        orders
    }

    fn run(&mut self, decision: Order, call: ToolCall, action: Action) -> Vec<Order> {
        let change = action.change.clone().map(Box::new);
        self.phase = Phase::Running(call.clone(), Box::new(action));
        vec![decision, Order::Run(call, change)]
    }

    pub(super) fn take_outcome(&mut self, call: &ToolCall, action: &Action, outcome: CallOutcome) -> Vec<Order> {
        let mut orders = vec![audit(call, action, outcome_event(&outcome))];
        if let Some(rule) = self.rule_in_use.take()
            && outcome.status != CallStatus::Done
        {
            orders.push(Order::Record(Record::RuleEnded(rule, RuleEnd::Failed)));
        }
        orders.extend(self.finish(call.clone(), action.target.clone(), outcome));
        orders
    }

    /// The call is over: its result is a fact, and the model gets it.
    fn finish(&mut self, call: ToolCall, target: String, outcome: CallOutcome) -> Vec<Order> {
        self.last_tool = Some(call.name.clone());
        if let Some(step) = self.steps.last_mut() {
            step.results.push((call.clone(), outcome.clone()));
        }
        let fact = self.fact(call, target, outcome);
        let mut orders = vec![Order::Record(Record::Fact(fact.clone()))];
        self.facts.push(fact);
        orders.extend(self.next_call());
        orders
    }

    pub(super) fn fact(&self, call: ToolCall, target: String, outcome: CallOutcome) -> Fact {
        let identity =
            self.tools.iter().find(|tool| tool.name == call.name).map_or(ToolIdentity::BuiltIn, |tool| tool.identity);
        Fact { identity, call, target, outcome }
    }

    fn end_round(&mut self) -> Vec<Order> {
        self.todo.stale.end_round(self.list_was_written);
        let statuses: Vec<CallStatus> =
            self.steps.last().into_iter().flat_map(|step| &step.results).map(|(_, outcome)| outcome.status).collect();
        self.note_round(&statuses);
        let state = self.todo.clone();
        let mut orders = vec![Order::Record(Record::Todo { call: None, state, changes: Vec::new() })];
        orders.extend(self.work());
        orders
    }

    /// The audit row of a decision: `Ok(decider)` allows, `Err((decider, reason))` does not.
    pub(super) fn decision(&self, call: &ToolCall, action: &Action, decided: Result<&str, (&str, &str)>) -> Order {
        let (is_allowed, reason) = (decided.is_ok(), decided.err().map(|(_, reason)| reason.to_owned()));
        row(call, action, is_allowed, decided.unwrap_or_else(|(decider, _)| decider).to_owned(), reason)
    }
}

/// The audit row of a decision with a reason: why not, or what the rule covers that allows it.
fn row(call: &ToolCall, action: &Action, is_allowed: bool, decider: String, reason: Option<String>) -> Order {
    let change = action.change.as_ref();
    let event = AuditEvent::Decision {
        is_allowed,
        decider,
        reason,
        digest: change.map(|change| change.digest.clone()),
        before: change.and_then(|change| change.before.as_ref()).map(|state| state.hash.clone()),
        after: change.and_then(|change| change.after.as_ref()).map(|state| state.hash.clone()),
    };
    audit(call, action, event)
}

fn outcome_event(outcome: &CallOutcome) -> AuditEvent {
    AuditEvent::Outcome { status: outcome.status, note: outcome.note.clone(), written: outcome.written.clone() }
}
