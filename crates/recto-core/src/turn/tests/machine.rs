//! inputs in any order, those that fit and those that do not (an answer that comes late, twice, or for nothing; a result of a call that does not
//! run), against a small model of what the person allowed. One effect for each yes, and none without.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

/// What somebody outside knows: which changes were shown and not answered yet, and which yeses were not used yet.
#[derive(Default)]
struct Known {
    /// Shown, in the order of the card; the id of the call, and the digest of what was shown.
    shown: Vec<(String, ContentHash)>,
    /// Said yes to, and not carried out yet.
    allowed: HashMap<String, ContentHash>,
    /// Decisions that allow a call, as recorded and not used yet.
    decided: Vec<String>,
    n_runs: usize,
    n_yes: usize,
    is_over: bool,
}

impl Known {
    fn before(&mut self, input: &Input) {
        let answers = match input {
            Input::Answered(answer) if self.shown.len() == 1 => vec![*answer],
            Input::AnsweredAll(answers) if self.shown.len() > 1 => answers.clone(),
            _ => return,
        };
        for ((call, digest), answer) in std::mem::take(&mut self.shown).into_iter().zip(answers) {
            if answer.is_yes() {
                self.n_yes += 1;
                self.allowed.insert(call, digest);
            }
        }
    }

    fn after(&mut self, orders: &[Order]) {
        for order in orders {
            match order {
                Order::Record(Record::Audit { call, event: AuditEvent::Decision { is_allowed: true, .. }, .. }) => {
                    self.decided.push(call.id.to_string());
                }
                Order::Ask(call, change, _) => self.shown = vec![(call.id.to_string(), change.digest.clone())],
                Order::AskAll(writes) => {
                    self.shown =
                        writes.iter().map(|(call, change)| (call.id.to_string(), change.digest.clone())).collect();
                }
                Order::Run(call, change) => {
                    assert!(!self.is_over, "{} runs after the end", call.id);
                    assert_eq!(
                        self.decided.pop(),
                        Some(call.id.to_string()),
                        "its decision is on record, and is used once"
                    );
                    if let Some(change) = change {
                        // The very change that was shown, once.
                        assert_eq!(self.allowed.remove(call.id.as_str()), Some(change.digest.clone()));
                        self.n_runs += 1;
                    }
                }
                Order::End { .. } => self.is_over = true,
                _ => {}
            }
        }
        assert!(self.n_runs <= self.n_yes);
    }
}

fn any_input() -> impl Strategy<Value = Input> {
    let answer = || {
        prop::sample::select(vec![
            Answer::Approved,
            Answer::Denied,
            Answer::TimedOut,
            Answer::Withdrawn,
            Answer::NobodyToAsk,
        ])
    };
    let path = || prop::sample::select(vec!["a.md", "b.md", "c.md"]);
    let calls = prop::collection::vec((path(), 0u8..3), 1..4).prop_map(|writes| {
        let call = |(path, kind): (&str, u8)| match kind {
            0 => format!("read_file {{\"path\":\"{path}\"}}"),
            kind => format!("write_file {{\"path\":\"{path}\",\"content\":\"{kind}\"}}"),
        };
        let calls = native_calls(&writes.into_iter().map(call).collect::<Vec<_>>().join(" + "));
        Input::Replied(Reply { calls, finish: Finish::ToolCalls, ..Reply::default() })
    });
    let status = prop::sample::select(vec![CallStatus::Done, CallStatus::Failed]);
    prop_oneof![
        4 => calls,
        1 => Just(Input::Replied(Reply { text: "READY".into(), finish: Finish::Stop, ..Reply::default() })),
        8 => (path(), any::<bool>()).prop_map(|(path, is_write)| {
            let effect = if is_write { Effect::Write } else { Effect::Read };
            Input::Prepared(Prepared::Ready(action(effect, path, is_write.then_some(path))))
        }),
        1 => Just(Input::Prepared(Prepared::Forbidden { reason: "outside".into() })),
        6 => answer().prop_map(Input::Answered),
        4 => prop::collection::vec(answer(), 0..4).prop_map(Input::AnsweredAll),
        6 => status.prop_map(|status| Input::Ran { outcome: CallOutcome::new(status, "x", "1 byte"), places: Places::default() }),
        1 => Just(Input::Begin),
        1 => Just(Input::ModelFailed { sentence: "gone".into(), partial: None }),
        1 => Just(Input::Stopped { partial: None }),
        1 => Just(Input::TimeUp),
    ]
}

/// One that fits what the turn waits for, most of the time: else nothing would ever get as far as a change.
fn fitting(turn: &Turn, drawn: Vec<Input>) -> Option<Input> {
    let fits = |input: &Input| {
        matches!(
            (&turn.phase, input),
            (Phase::Working | Phase::Answering { .. }, Input::Replied(_))
                | (Phase::Preparing(_) | Phase::Gathering(_), Input::Prepared(_))
                | (Phase::Asking(..), Input::Answered(_))
                | (Phase::AskingAll(_), Input::AnsweredAll(_))
                | (Phase::Running(..), Input::Ran { .. })
        )
    };
    let mut drawn = drawn.into_iter();
    let first = drawn.next()?;
    if fits(&first) {
        return Some(first);
    }
    drawn.find(fits).or(Some(first))
}

proptest! {
    // A hundred thousand of them: PROPTEST_CASES=100000.
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1_000)
    ))]

    #[test]
    fn permission_p2_there_is_one_effect_for_each_yes_and_none_without(
        script in prop::collection::vec((prop::collection::vec(any_input(), 1..12), any::<bool>()), 1..40),
    ) {
        let (mut turn, mut known) = (Turn::new(setup(Protocol::Native)), Known::default());
        known.after(&turn.step(Input::Begin));
        for (drawn, is_any) in script {
            let drawn = if is_any { drawn.into_iter().take(1).collect() } else { drawn };
            let Some(input) = fitting(&turn, drawn) else { continue };
            known.before(&input);
            let orders = turn.step(input);
            known.after(&orders);
        }
    }
}

/// The machine above gets as far as changes: an oracle that nothing ever reaches would agree with everything.
#[test]
fn the_inputs_lead_to_changes_that_are_made() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let strategy = prop::collection::vec(prop::collection::vec(any_input(), 12), 40);
    let (mut n_runs, mut n_together) = (0, 0);
    for _ in 0..200 {
        let script = strategy.new_tree(&mut runner).unwrap().current();
        let (mut turn, mut known) = (Turn::new(setup(Protocol::Native)), Known::default());
        known.after(&turn.step(Input::Begin));
        for drawn in script {
            let Some(input) = fitting(&turn, drawn) else { continue };
            known.before(&input);
            let orders = turn.step(input);
            n_together += usize::from(orders.iter().any(|order| matches!(order, Order::AskAll(_))));
            known.after(&orders);
        }
        n_runs += known.n_runs;
    }
    assert!(n_runs > 50 && n_together > 20, "{n_runs} changes, {n_together} cards with several");
}
