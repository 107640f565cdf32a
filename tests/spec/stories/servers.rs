//! Servers that a person names, however they type the address, and what is kept of them.

use crate::world::World;
use recto_app::{ModelId, TurnOptions};
use recto_core::request::Exactness;
use recto_core::turn::Ending;
use recto_testkit::FakeModel;
use std::time::{Duration, Instant};

/// The models that can be chosen, one a line.
async fn listed(world: &World) -> String {
    let rows = world.app.models().await.unwrap();
    rows.iter().map(|row| format!("{}\n", row.id.0)).collect()
}

fn port(fake: &FakeModel) -> u16 {
    fake.url().trim_end_matches("/v1").rsplit_once(':').unwrap().1.parse().unwrap()
}

/// The same address with another server behind it.
fn replaced(fake: &mut FakeModel, script: &str) {
    let port = port(fake);
    // The old one lets go of its port first.
    *fake = FakeModel::start("model: nobody\n");
    let started = Instant::now();
    *fake = loop {
        match FakeModel::serve(script.parse().unwrap(), port, None) {
            Ok(fake) => break fake,
            Err(error) => assert!(started.elapsed() < Duration::from_secs(5), "{error}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    };
}

async fn window_used(world: &World, id: &ModelId) -> u32 {
    let told = world.ask_with("Hello", TurnOptions { model: Some(id.clone()), ..TurnOptions::default() }).await;
    assert_eq!(told.ending, Ending::Answered);
    world.app.record().requests(told.turn).await.unwrap()[0].profile.window
}

#[tokio::test]
async fn an_address_without_a_scheme_is_kept_in_its_one_form_and_can_be_used() {
    let world = World::new(&format!("offers a\n{}", "model: Hello.\n\n".repeat(4)), Vec::new()).await;
    let port = port(&world.fake);
    for typed in [format!("127.0.0.1:{port}"), format!(" HTTP://127.0.0.1:{port}/v1/ "), format!("127.0.0.1:{port}#a")]
    {
        let id = world.app.add_server(&typed).await.unwrap();
        assert_eq!(id.0, format!("http://127.0.0.1:{port}#a"), "{typed}");
        assert_eq!(listed(&world).await, format!("http://127.0.0.1:{port}#a\n"));
        let told = world.ask_with("Hello", TurnOptions { model: Some(id), ..TurnOptions::default() }).await;
        assert_eq!(told.ending, Ending::Answered);
    }
    let options = TurnOptions { model: Some(ModelId(format!("localhost:{port}"))), ..TurnOptions::default() };
    assert_eq!(world.ask_with("Hello", options).await.ending, Ending::Answered);
}

#[tokio::test]
async fn models_m3_a_server_that_is_named_again_is_asked_again_and_all_that_it_offers_is_kept() {
    let mut world = World::new("offers a window 4096\noffers b window 4096\n", Vec::new()).await;
    let url = format!("http://127.0.0.1:{}", port(&world.fake));
    assert_eq!(world.app.add_server(&url).await.unwrap().0, format!("{url}#a"));
    assert_eq!(listed(&world).await, format!("{url}#a\n{url}#b\n"));
    replaced(&mut world.fake, "offers c window 2048\n");
    assert_eq!(world.app.add_server(&url).await.unwrap().0, format!("{url}#c"));
    assert_eq!(listed(&world).await, format!("{url}#c\n"));
}

#[tokio::test]
async fn models_m3_the_window_is_the_one_that_the_server_has_now_and_else_the_one_that_is_kept() {
    let mut world = World::new("offers a window 9000\n", Vec::new()).await;
    let id = world.app.add_server(&world.fake.url()).await.unwrap();
    replaced(&mut world.fake, "offers a window 7000\nmodel: Hello.\n");
    assert_eq!(window_used(&world, &id).await, 7000);
    replaced(&mut world.fake, "offers other window 5000\nmodel: Hello.\n");
    assert_eq!(window_used(&world, &id).await, 9000);
}

#[tokio::test]
async fn models_m2_a_server_that_counts_is_asked_and_one_that_stops_counting_is_estimated() {
    let mut world = World::new("offers a\nprops 9000\ncounts\nmodel: Hello.\n", Vec::new()).await;
    world.app.add_server(&world.fake.url()).await.unwrap();
    let question = "一二三四五 and so on";
    let told = world.ask(question).await;
    let row = world.app.record().requests(told.turn).await.unwrap().remove(0);
    assert_eq!(row.profile.exactness, Exactness::Counted);
    let record = world.app.record().request(row.id).await.unwrap();
    let block = record.plan.rows.iter().position(|row| row.block.text == question).unwrap();
    // The fake's vocabulary has a token for each character.
    assert_eq!(record.n_tokens_placed[block] as usize, question.chars().count());
    replaced(&mut world.fake, "offers a\nprops 9000\nmodel: Hello.\n");
    let told = world.ask(question).await;
    let row = world.app.record().requests(told.turn).await.unwrap().remove(0);
    assert_eq!(row.profile.exactness, Exactness::Estimate);
}

#[tokio::test]
async fn models_m7_stop_ends_the_wait_for_a_server_that_does_not_answer() {
    let world = World::new("model: x\n", Vec::new()).await;
    // It takes connections and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let options = TurnOptions {
        model: Some(ModelId(format!("http://{}", silent.local_addr().unwrap()))),
        ..TurnOptions::default()
    };
    let turn = world.app.start_turn(world.conversation.clone(), "Hello".into(), options).await.unwrap();
    let mut watching = world.app.watch_turn(&turn).unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let started = Instant::now();
    world.app.stop_turn(&turn);
    while watching.coming.recv().await.is_some() {}
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    let row = world.app.record().turn(turn).await.unwrap();
    assert_eq!(row.state, recto_app::record::TurnState::Ended(Ending::Stopped));
}

#[tokio::test]
async fn models_m4_an_answer_from_a_shortened_prompt_is_marked_with_both_numbers_and_nothing_is_sent_again() {
    // What Ollama says of a prompt that it cut in the middle of its window of 32: half of it and two more.
    let world = World::new("model: The secret is 42.\nusage read=18 reused=0 written=6\n", Vec::new()).await;
    let told = world.ask("What is the secret at the beginning?").await;
    assert_eq!(told.answer, "The secret is 42.");
    let row = world.app.record().turn(told.turn.clone()).await.unwrap();
    let (n_read, n_sent) = row.shortened.read_less.unwrap();
    let sent = world.app.record().requests(told.turn).await.unwrap();
    assert_eq!((n_read, n_sent), (18, sent[0].n_tokens));
    assert!(n_sent > 500, "{n_sent}");
    assert_eq!((sent.len(), world.fake.chats().len()), (1, 1), "nothing is tried again silently");
}

#[tokio::test]
async fn models_m4_a_server_that_read_all_or_says_nothing_marks_no_answer() {
    let world = World::new("model: Four.\nusage read=4000 reused=0 written=2\n\nmodel: Five.\n", Vec::new()).await;
    for question in ["What is two and two?", "And one more?"] {
        let told = world.ask(question).await;
        let row = world.app.record().turn(told.turn).await.unwrap();
        assert_eq!(row.shortened.read_less, None, "{question}");
    }
}

#[tokio::test]
async fn models_m3_what_a_server_says_it_read_makes_the_next_counts_better_and_is_kept() {
    let script = "when any:\nmodel: Yes.\nusage read=900 written=1\nthen repeat";
    let mut world = World::new(script, Vec::new()).await;
    let mut sizes = Vec::new();
    for number in 0..6 {
        // A conversation of its own each time, so that every request is the same but for a digit.
        world.conversation = world.app.create_conversation(None, None).await.unwrap();
        let told = world.ask(&format!("Is {number} a digit?")).await;
        let request = world.app.record().requests(told.turn).await.unwrap().remove(0);
        sizes.push((request.n_tokens, request.profile.exactness));
    }
    assert_eq!(sizes[0].1, Exactness::Estimate);
    let off = |n_tokens: u32| (f64::from(n_tokens) / 900.0 - 1.0).abs();
    assert!(off(sizes[5].0) < 0.05 && off(sizes[5].0) < off(sizes[0].0), "{sizes:?}");
    assert!(matches!(sizes[5].1, Exactness::Calibrated { .. }), "{sizes:?}");
    let world = world.restart().await;
    let told = world.ask("Is 7 a digit?").await;
    let request = world.app.record().requests(told.turn).await.unwrap().remove(0);
    assert!(matches!(request.profile.exactness, Exactness::Calibrated { .. }), "it is kept");
}
