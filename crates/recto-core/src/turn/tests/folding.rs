//! A conversation that is longer than the window: what leaves the history, and where it is then.

use super::{Play, setup};
use crate::conversation::Exchange;
use crate::id::TurnId;
use crate::request::Protocol;
use crate::turn::{Folded, Setup, Turn};
use std::collections::BTreeMap;

const N_TURNS: u32 = 1_000;

fn asked(number: u32) -> Exchange {
    let filler = "The gauge at the pier stood still all day, and nobody wrote down why. ".repeat(3);
    Exchange {
        turn: TurnId(format!("tn_{number}")),
        question: format!("What was measured on day {number}?"),
        answer: format!("It was {}.{} metres. {filler}", number / 10, number % 10),
    }
}

/// Knowledge, profile and language as a user would have set them.
fn furnished() -> Setup {
    Setup {
        knowledge: "The zero of the gauge is at 3.2 metres.".into(),
        profile_of_user: "A hydrologist.".into(),
        ..setup(Protocol::Structured)
    }
}

#[test]
fn assembly_e9_in_a_thousand_turns_every_exchange_that_is_dropped_is_in_exactly_one_version_and_the_head_stands() {
    let mut next = furnished();
    let mut entered: BTreeMap<TurnId, u32> = BTreeMap::new();
    let mut head: Option<String> = None;
    let mut n_versions = 0;
    for number in 1..=N_TURNS {
        let exchange = asked(number);
        let setup = Setup { question: exchange.question.clone(), ..next.clone() };
        let play = Play::of(setup, "");
        let request = play.request(1);
        assert!(play.requests[0].plan.n_tokens <= play.requests[0].plan.budget.room());
        let system = request.messages[0].text();
        let (before, _) = system.split_once("\n\n# Earlier in this conversation").unwrap_or((&system, ""));
        assert_eq!(head.get_or_insert_with(|| before.to_owned()), before, "turn {number}");
        assert!(before.contains("3.2 metres") && before.contains("A hydrologist."));
        if let Some(Folded { summary, exchanges }) = play.folded {
            n_versions += 1;
            assert_eq!(summary.version, n_versions);
            let gone: Vec<TurnId> = next.history.drain(..exchanges.len()).map(|exchange| exchange.turn).collect();
            assert_eq!(gone, exchanges, "the oldest, in their order");
            for turn in exchanges {
                assert_eq!(entered.insert(turn, summary.version), None, "once");
            }
            next.summary = summary;
        }
        assert_eq!(entered.len() + next.history.len() + 1, number as usize, "nothing is in neither");
        next.history.push(exchange);
    }
    assert!((10..200).contains(&n_versions), "the beginning stands still for many turns: {n_versions}");
    assert_eq!(next.summary.n_exchanges as usize, entered.len());
}

#[test]
fn a_preview_is_the_first_request_of_the_turn_and_begins_nothing() {
    let history: Vec<Exchange> = (1..=200).map(asked).collect();
    let setup = Setup { history, ..furnished() };
    let preview = Turn::new(setup.clone()).preview().unwrap();
    let play = Play::of(setup, "");
    assert_eq!(preview.plan, play.requests[0].plan);
    assert_eq!(preview.envelope, play.requests[0].envelope);
    assert_eq!(preview.folded, play.folded);
}
