//! Several writes of one reply, asked for together. Each is frozen before anyone is asked and decided on by itself; they run in the order of the
//! calls, each bound to what was shown of it.

use super::{Order, Phase, Turn};
use crate::approval::{Answer, RuleScope, Verdict, Writing, decide};
use crate::tool::{Action, CallOutcome, CallStatus, Effect, Prepared, ToolCall, ToolIdentity};
use std::iter::repeat;

/// So many are asked for together at most; more than a person looks through is no question.
const MAX_TOGETHER: usize = 30;

impl Turn {
    /// A write that is to be asked for. The writes right after it in the same reply are frozen first, so that they stand beside it.
    pub(super) fn gather(&mut self, call: ToolCall, action: Action) -> Vec<Order> {
        self.gathered.push((call, action));
        let may_go_on =
            self.gathered.len() < MAX_TOGETHER && self.gathered.iter().all(|(_, action)| is_of_a_file(action));
        match self.queue.front().filter(|next| may_go_on && self.may_write(next)).cloned() {
            Some(next) => {
                self.queue.pop_front();
                self.phase = Phase::Gathering(next.clone());
                vec![Order::Prepare(next)]
            }
            None => self.ask_gathered(),
        }
    }

    /// What a following call turned out to be. Anything but another file's write to be asked for comes later by itself: preparing it has changed
    /// nothing, and it is prepared again once what stands before it is done.
    pub(super) fn take_gathered(&mut self, call: ToolCall, prepared: Prepared) -> Vec<Order> {
        match prepared {
            Prepared::Ready(action) if self.fits(&action) => self.gather(call, action),
            _ => {
                self.queue.push_front(call);
                self.ask_gathered()
            }
        }
    }

    /// The answers, in the order of the writes. One that is missing is a no.
    pub(super) fn take_answers(&mut self, writes: Vec<(ToolCall, Action)>, answers: Vec<Answer>) -> Vec<Order> {
        let answers = answers.into_iter().chain(repeat(Answer::Withdrawn));
        self.answered =
            writes.into_iter().zip(answers).map(|((call, action), answer)| (call, action, answer)).collect();
        self.next_call()
    }

    /// What is said of a call that was waiting when the turn was stopped.
    pub(super) fn stopped(&mut self, call: ToolCall) -> Order {
        let outcome = CallOutcome::new(CallStatus::Cancelled, "the user stopped the turn", "stopped");
        Order::Record(super::Record::Fact(self.fact(call, String::new(), outcome)))
    }

    fn ask_gathered(&mut self) -> Vec<Order> {
        let mut writes = std::mem::take(&mut self.gathered);
        if writes.len() > 1 {
            self.phase = Phase::AskingAll(writes.clone());
            let shown = writes.into_iter().filter_map(|(call, action)| Some((call, action.change?)));
            return vec![Order::AskAll(shown.collect())];
        }
        let Some((call, action)) = writes.pop() else { return self.next_call() };
        let Some(change) = action.change.clone() else { return self.next_call() };
        let offer = RuleScope::of(&action);
        self.phase = Phase::Asking(call.clone(), Box::new(action));
        vec![Order::Ask(call, Box::new(change), offer)]
    }

    /// Whether a call may turn out to be a write that is asked for. A call that was made before is not looked at twice.
    fn may_write(&self, call: &ToolCall) -> bool {
        let tool = self.tools.iter().find(|tool| tool.name == call.name);
        tool.is_some_and(|tool| tool.identity == ToolIdentity::BuiltIn && tool.effect == Effect::Write)
            && self.repeated(call).is_none()
    }

    fn fits(&self, action: &Action) -> bool {
        let path = |action: &Action| action.change.as_ref().map(|change| change.path.clone());
        // Of two writes to one file the second is frozen after the first was made.
        is_of_a_file(action)
            && self.gathered.iter().all(|(_, other)| path(other) != path(action))
            && matches!(decide(action, self.setup.policy, &self.setup.grants), Verdict::Ask(_))
    }
}

fn is_of_a_file(action: &Action) -> bool {
    action.change.as_ref().is_some_and(|change| Writing::of(change.operation).is_some())
}
