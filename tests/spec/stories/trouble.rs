//! Bad input and broken servers: one sentence each, and nothing is lost.

use crate::world::World;
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
    let options = OpenOptions { data: Some(data.path().join("data")), models: Some(models), approver: None };
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
