//! A program that is killed at any moment loses nothing that it had acknowledged.

use crate::entries::*;
use recto_store::{AuditFilter, Store, TurnState};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Numbers from a seed, so that a failure can be repeated.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Starts a program that records turns, kills it after some acknowledgement, and gives all that it acknowledged.
fn killed_after(scratch: &Scratch, prefix: &str, n_lines: u64, n_spins: u64) -> Vec<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_record-stream"))
        .args(["stream", scratch.path().to_str().unwrap(), prefix])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let mut acknowledged: Vec<String> = (0..n_lines).map(|_| lines.next().unwrap().unwrap()).collect();
    // Some moment between this acknowledgement and the next.
    for _ in 0..n_spins {
        std::hint::spin_loop();
    }
    program.kill().unwrap();
    program.wait().unwrap();
    // What it wrote into the pipe before it died is acknowledged as well; a line that was cut off is not.
    acknowledged.extend(lines.map_while(Result::ok));
    acknowledged
}

async fn check_acknowledged(store: &Store, line: &str) {
    let mut words = line.splitn(3, ' ');
    let (kind, id, text) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or_default());
    match kind {
        "conversation" => assert_eq!(store.conversation(id.into()).await.unwrap().id.as_str(), id),
        "question" => assert_eq!(store.turn(id.into()).await.unwrap().question, text),
        "request" => assert!(!store.wire(id.into()).await.unwrap().bytes().is_empty()),
        "reply" => {
            let reply = store.request(id.into()).await.unwrap().row.reply.unwrap();
            // Later parts may have followed.
            assert!(reply.reply.text.starts_with(text), "{line}: {reply:?}");
        }
        "call" => assert_eq!(store.calls(id.into()).await.unwrap().len(), 1, "{line}"),
        "fact" => {
            let call = store.calls(id.into()).await.unwrap().remove(0);
            assert_eq!(call.fact.unwrap().outcome.text, text);
        }
        "audit" => {
            let filter = AuditFilter { conversation: None, turn: Some(id.into()) };
            let rows = store.audit(filter, None, 9).await.unwrap();
            assert!(rows.iter().any(|row| row.entry.event.as_str() == text), "{line}: {rows:?}");
        }
        "end" => {
            let turn = store.turn(id.into()).await.unwrap();
            assert_eq!(
                (turn.state, turn.answer.as_deref()),
                (TurnState::Ended(recto_core::turn::Ending::Answered), Some(text))
            );
        }
        other => panic!("unknown acknowledgement: {other}"),
    }
}

#[tokio::test]
async fn store_s1_kill_9_at_random_moments_loses_nothing_that_was_acknowledged() {
    let scratch = Scratch::new();
    let mut seeded = Seeded(20_261_130);
    let mut acknowledged = Vec::new();
    // The nightly run asks for more.
    let n_rounds = std::env::var("RECTO_KILLS").map_or(30, |kills| kills.parse().unwrap());
    for round in 0..n_rounds {
        let (n_lines, n_spins) = (1 + seeded.below(45), seeded.below(200_000));
        acknowledged.extend(killed_after(&scratch, &round.to_string(), n_lines, n_spins));
        let opened = scratch.open();
        assert!(opened.n_interrupted <= 1, "round {round}");
        for conversation in opened.store.conversations().await.unwrap() {
            assert!(!conversation.is_running, "round {round}");
            opened.store.turns(conversation.id, 100).await.unwrap();
        }
        assert_eq!(opened.store.verify_audit().await.unwrap().first_bad, None, "round {round}");
        let log = opened.store.audit(AuditFilter::default(), None, 10_000).await.unwrap();
        let n_decisions = log.iter().filter(|row| row.entry.event.as_str() == "decision").count();
        assert_eq!(n_decisions * 2, log.len(), "every call of round {round} was allowed and has an outcome");
        drop(opened);
        let connection = rusqlite::Connection::open(scratch.path()).unwrap();
        let check: String = connection.query_row("PRAGMA quick_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok", "round {round}");
    }
    let store = scratch.open().store;
    for line in &acknowledged {
        check_acknowledged(&store, line).await;
    }
    assert!(acknowledged.len() > 300, "{} acknowledgements are too few to show anything", acknowledged.len());
}
