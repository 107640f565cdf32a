//! Bad input and broken servers: one sentence each, and nothing is lost.

use crate::world::{Does, World};
use recto_app::record::{NewTurn, TurnState};
use recto_app::{App, ModelId, OpenOptions, TurnOptions};
use recto_core::turn::Ending;

async fn sentence(script: &str, model: Option<&str>) -> String {
    let world = World::new(script, Vec::new()).await;
    let options = match model {
        Some(model) => TurnOptions { model: Some(ModelId(model.into())), ..TurnOptions::default() },
        None => world.options(),
    };
    let told = world.ask_with("Is the question kept?", options).await;
    let kept = world.app.record().turn(told.turn).await.unwrap();
    assert_eq!(kept.question, "Is the question kept?");
    match told.ending {
        Ending::Failed { sentence } => sentence,
        other => panic!("expected a failure, not {other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let said = sentence("model: x\n", Some("http://127.0.0.1:9#m")).await;
    assert!(said.contains("127.0.0.1:9"), "{said}");
}

#[tokio::test]
async fn a_server_that_answers_with_a_web_page_is_quoted() {
    let said = sentence("html: <h1>Welcome to the hotel</h1>\n", None).await;
    assert!(said.contains("web page"), "{said}");
}

#[tokio::test]
async fn models_m6_a_400_is_not_tried_again() {
    let world = World::new("status 400\n| {\"error\":{\"message\":\"no such thing\"}}\n\nmodel: x\n", Vec::new()).await;
    let told = world.ask("Hello").await;
    assert!(matches!(told.ending, Ending::Failed { .. }));
    assert_eq!(world.fake.chats().len(), 1);
}

#[tokio::test]
async fn models_m6_a_reply_that_breaks_off_keeps_its_text_and_is_not_started_again() {
    let world =
        World::new("model: The first half and the second\nchunk 1\nclose after 300\n\nmodel: other\n", Vec::new())
            .await;
    let told = world.ask("Hello").await;
    assert!(matches!(told.ending, Ending::Failed { .. }), "{:?}", told.ending);
    assert_eq!(world.fake.chats().len(), 1);
    assert!("The first half and the second".starts_with(&told.answer), "{}", told.answer);
}

#[tokio::test]
async fn without_any_model_the_sentence_says_how_to_get_one() {
    let data = tempfile::tempdir().unwrap();
    let models = data.path().join("models");
    let options = OpenOptions { data: Some(data.path().join("data")), models: Some(models), ..OpenOptions::default() };
    let app = App::open(options).unwrap();
    let conversation = app.create_conversation(None, None).await.unwrap();
    let turn = app.start_turn(conversation, "Hello".into(), TurnOptions::default()).await.unwrap();
    if let Some(mut watching) = app.watch_turn(&turn) {
        while watching.coming.recv().await.is_some() {}
    }
    let row = app.record().turn(turn).await.unwrap();
    let shown = format!("{:?}", row.state);
    assert!(shown.contains("there is no model yet") && shown.contains("cargo xtask run"), "{shown}");
}

#[tokio::test]
async fn a_folder_that_is_not_there_starts_nothing() {
    let world = World::new("model: x\n", Vec::new()).await;
    let options = TurnOptions { folder: Some(world.folder.path().join("gone")), ..world.options() };
    let error = world.app.start_turn(world.conversation.clone(), "Hello".into(), options).await.unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
    assert!(world.fake.chats().is_empty());
}

#[tokio::test]
async fn the_programs_own_data_is_no_workspace() {
    let world = World::new("model: x\n", Vec::new()).await;
    let options = TurnOptions { folder: Some(world.data.path().to_owned()), ..world.options() };
    assert!(world.app.start_turn(world.conversation.clone(), "Hello".into(), options).await.is_err());
}

#[tokio::test]
async fn a_second_instance_on_the_same_record_is_refused() {
    let world = World::new("model: x\n", Vec::new()).await;
    let options = OpenOptions { data: Some(world.data.path().to_owned()), ..OpenOptions::default() };
    let error = App::open(options).err().unwrap();
    assert!(error.to_string().contains("another Recto has this record open"), "{error}");
}

#[tokio::test]
async fn one_conversation_answers_one_question_at_a_time_and_another_one_is_not_kept_waiting() {
    let world = World::new("model: slow\ndelay 100\n\nmodel: quick\n", Vec::new()).await;
    let first = world.app.start_turn(world.conversation.clone(), "One".into(), world.options()).await.unwrap();
    let busy = world.app.start_turn(world.conversation.clone(), "Two".into(), world.options()).await.unwrap_err();
    assert!(busy.to_string().contains("still answering"), "{busy}");
    let other = world.app.create_conversation(None, None).await.unwrap();
    let second = world.app.start_turn(other, "Two".into(), world.options()).await.unwrap();
    for turn in [first, second] {
        if let Some(mut watching) = world.app.watch_turn(&turn) {
            while watching.coming.recv().await.is_some() {}
        }
        let answered = world.app.record().turn(turn).await.unwrap();
        assert!(answered.answer.is_some_and(|answer| answer == "slow" || answer == "quick"));
    }
}

#[tokio::test]
async fn a_fault_in_a_turn_ends_it_and_the_conversation_goes_on() {
    let script = "call write_file {\"path\":\"a.md\",\"content\":\"x\"}\n\nmodel: Still here.\n";
    let world = World::new(script, vec![Does::Panics]).await;
    let told = world.ask("Write it").await;
    let Ending::Failed { sentence } = &told.ending else { panic!("a failure, not {:?}", told.ending) };
    assert!(sentence.starts_with("the turn broke off because of a fault in the program"), "{sentence}");
    let row = world.app.record().turn(told.turn).await.unwrap();
    assert_eq!(row.state, TurnState::Ended(told.ending));
    while world.app.running_turn(&world.conversation).is_some() {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.ask("Are you there?").await.answer, "Still here.");
}

#[tokio::test]
async fn a_turn_that_nobody_runs_and_that_has_no_end_on_record_is_shown_as_interrupted() {
    let world = World::new("model: slow\ndelay 200\n", Vec::new()).await;
    let new = NewTurn {
        id: "tn_left".into(),
        conversation: world.conversation.clone(),
        parent: None,
        question: "Left?".into(),
        model: None,
        folder: None,
        at_ms: 1,
    };
    world.app.record().begin_turn(new).await.unwrap();
    let left = world.app.record().turn("tn_left".into()).await.unwrap();
    assert_eq!(left.state, TurnState::Running);
    assert_eq!(world.app.as_it_is(left).await.unwrap().state, TurnState::Interrupted);

    let turn = world.app.start_turn(world.conversation.clone(), "Hello".into(), world.options()).await.unwrap();
    let early = world.app.record().turn(turn.clone()).await.unwrap();
    assert_eq!(world.app.as_it_is(early.clone()).await.unwrap().state, TurnState::Running);
    if let Some(mut watching) = world.app.watch_turn(&turn) {
        while watching.coming.recv().await.is_some() {}
    }
    // What was read before the end is read again and not taken for a turn that was left.
    assert_eq!(world.app.as_it_is(early).await.unwrap().state, TurnState::Ended(Ending::Answered));
}

#[tokio::test]
async fn fault_f27_an_answer_that_was_cut_is_part_of_the_next_request_so_that_it_can_be_gone_on_with() {
    let world = World::new("model: One, two,\nfinish length\n\nmodel:  three.", Vec::new()).await;
    let told = world.ask("Count to three.").await;
    assert!(matches!(told.ending, Ending::Limited { .. }), "{:?}", told.ending);
    let told = world.ask("Continue the answer exactly where it was cut off.").await;
    assert_eq!(told.ending, Ending::Answered);
    let messages = world.fake.chats()[1].json()["messages"].clone();
    assert_eq!(messages[2], serde_json::json!({"role": "assistant", "content": "One, two,"}));
}
