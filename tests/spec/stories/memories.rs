//! What is remembered about the person, and what an assistant always knows.

use crate::world::{Does, Told, World};
use expect_test::expect;
use recto_app::record::KnowledgeContent;
use recto_app::{AssistantDraft, KnowledgeDraft, ModelId};
use recto_core::approval::Answer;
use recto_core::assistant::ToolGroup;
use recto_core::context::block::BlockKind;
use recto_core::id::TurnId;
use recto_core::tool::CallStatus;
use recto_core::turn::Ending;

const REMEMBERS: &str = r#"
call remember {"text":"Prefers metric units."}

model: READY

model: I will remember it.

model: Four metres.
"#;

/// The texts of one kind in the first request of a turn, with their scores.
async fn given(world: &World, turn: &TurnId, kind: BlockKind) -> String {
    let rows = world.app.record().requests(turn.clone()).await.unwrap();
    let record = world.app.record().request(rows[0].id.clone()).await.unwrap();
    let blocks = record.plan.rows.into_iter().filter(|row| row.block.kind == kind);
    blocks.filter_map(|row| row.placed).collect::<String>().trim().to_owned()
}

/// Asks in a conversation that begins now.
async fn ask_elsewhere(world: &mut World, question: &str) -> Told {
    world.conversation = world.app.create_conversation(None, None).await.unwrap();
    world.ask(question).await
}

async fn remembered(world: &World) -> Vec<String> {
    world.app.record().memories().await.unwrap().into_iter().map(|row| row.text).collect()
}

#[tokio::test]
async fn arguments_that_do_not_fit_the_schema_reach_no_handler_and_nobody_is_asked() {
    let script =
        REMEMBERS.replacen(r#"{"text":"Prefers metric units."}"#, r#"{"text":"Likes red.","colour":"red"}"#, 1);
    let world = World::new(&script, vec![Does::Says(Answer::Approved)]).await;
    let told = world.ask("Remember that I like red").await;
    let calls = world.app.record().calls(told.turn).await.unwrap();
    let outcome = &calls[0].fact.as_ref().unwrap().outcome;
    assert_eq!(
        (outcome.status, outcome.text.as_str()),
        (CallStatus::InvalidArguments, "`colour` is not known. remember takes {\"text\": string}.")
    );
    assert!(world.person.asked.lock().unwrap().is_empty());
    assert!(remembered(&world).await.is_empty());
}

#[tokio::test]
async fn assembly_e3_what_was_remembered_with_a_yes_is_given_to_the_next_conversation_with_its_score() {
    let mut world = World::new(REMEMBERS, vec![Does::Says(Answer::Approved)]).await;
    let told = world.ask("Remember that I prefer metric units").await;
    assert_eq!((told.ending, told.answer.as_str()), (Ending::Answered, "I will remember it."));
    assert_eq!(*world.person.asked.lock().unwrap(), ["memories +1 -0"]);
    expect![[r#"
        remember memories: allowed by person approved
        remember memories: done, remembered
    "#]]
    .assert_eq(&world.audit().await);
    let told = ask_elsewhere(&mut world, "How high is the mast in metric units?").await;
    expect![[r##"
        # What you remember
        - (0.50) Prefers metric units."##]]
    .assert_eq(&given(&world, &told.turn, BlockKind::Memory).await);
    let source = world.app.record().memories().await.unwrap()[0].source.clone().unwrap();
    assert_eq!(source.title.as_deref(), Some("Remember that I prefer metric units"));
    world.fake.assert_clean();
}

#[tokio::test]
async fn permission_p8_what_was_refused_is_not_remembered() {
    let mut world = World::new(REMEMBERS, vec![Does::Says(Answer::Denied)]).await;
    world.ask("Remember that I prefer metric units").await;
    assert_eq!(remembered(&world).await, Vec::<String>::new());
    assert_eq!(world.audit().await, "remember memories: denied by person denied\n");
    let told = ask_elsewhere(&mut world, "How high is the mast in metric units?").await;
    assert_eq!(given(&world, &told.turn, BlockKind::Memory).await, "");
}

#[tokio::test]
async fn permission_p7_what_was_allowed_once_and_for_all_is_not_asked_and_every_use_is_on_record() {
    let world = World::new(REMEMBERS, Vec::new()).await;
    world.app.allow_remembering(true).await.unwrap();
    world.ask("Remember that I prefer metric units").await;
    assert!(world.person.asked.lock().unwrap().is_empty());
    assert_eq!(remembered(&world).await, ["Prefers metric units."]);
    expect![[r#"
        remember memories: allowed by rule remembering_allowed_by_person
        remember memories: done, remembered
    "#]]
    .assert_eq(&world.audit().await);
}

#[tokio::test]
async fn a_session_without_writes_remembers_nothing_whatever_was_allowed() {
    let world = World::new(REMEMBERS, vec![Does::Says(Answer::Approved)]).await;
    world.app.allow_remembering(true).await.unwrap();
    world.ask_refusing_writes("Remember that I prefer metric units").await;
    assert_eq!(remembered(&world).await, Vec::<String>::new());
    assert!(world.person.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn permission_p4_forgetting_is_bound_to_what_was_remembered_when_it_was_asked() {
    let script = r#"
call forget {"text":"likes tea"}

model: READY

model: Done as you decided.
"#;
    let world = World::new(script, vec![Does::Says(Answer::Approved)]).await;
    world.app.add_memory("Likes tea.").await.unwrap();
    world.app.allow_remembering(true).await.unwrap();
    world.ask("Forget that I like tea").await;
    // Remembering was allowed once and for all, and forgetting is asked for all the same.
    assert_eq!(*world.person.asked.lock().unwrap(), ["memories +0 -1"]);
    assert_eq!(remembered(&world).await, Vec::<String>::new());
    assert_eq!(world.audit().await, "forget memories: allowed by person approved\nforget memories: done, forgotten\n");
}

#[tokio::test]
async fn models_m5_a_small_model_is_led_to_remember_and_then_to_the_answer() {
    let script = r#"
model: {"name":"remember","arguments":{"text":"Prefers metric units."}}

model: {"name":"READY"}

model: I will remember it.
"#;
    let world = World::new(script, vec![Does::Says(Answer::Approved)]).await;
    let told = world.ask_structured("Remember that I prefer metric units").await;
    assert_eq!((told.ending, told.answer.as_str()), (Ending::Answered, "I will remember it."));
    let steps: Vec<String> =
        world.fake.chats().iter().map(|chat| String::from_utf8_lossy(&chat.body).into_owned()).collect();
    assert!(steps[0].contains(r#""const":"remember""#) && !steps[0].contains(r#""const":"read_file""#), "{}", steps[0]);
    assert!(!steps[1].contains(r#""const":"remember""#), "{}", steps[1]);
    assert_eq!(remembered(&world).await, ["Prefers metric units."]);
}

#[tokio::test]
async fn assembly_e13_an_assistants_words_are_the_same_bytes_in_every_turn_until_a_file_changes() {
    let mut world = World::new("model: One.\n\nmodel: Two.\n\nmodel: Three.\n\nmodel: Four.\n", Vec::new()).await;
    let tides = world.folder.path().join("tides.md");
    std::fs::write(&tides, "High tide at nine.\r\n").unwrap();
    let draft = AssistantDraft {
        name: "Skipper".into(),
        instructions: "Answer like a sailor.".into(),
        reply_language: Some("en".into()),
        tools: vec![ToolGroup::Reading],
        ..AssistantDraft::default()
    };
    let skipper = world.app.create_assistant(draft).await.unwrap();
    let known = |title: &str, content| KnowledgeDraft { title: title.into(), content, is_on: true };
    let text = known("The boat", KnowledgeContent::Text("She is called Petrel.".into()));
    world.app.add_knowledge(skipper.clone(), text).await.unwrap();
    let file = known("Tides", KnowledgeContent::File(tides.display().to_string()));
    world.app.add_knowledge(skipper.clone(), file).await.unwrap();
    world.app.set_profile("I live in Oslo.").await.unwrap();
    world.app.choose_assistant(world.conversation.clone(), Some(skipper)).await.unwrap();

    let first = world.ask("When is high tide?").await;
    expect![[r#"
        # Always keep in mind

        The boat:
        """
        She is called Petrel.
        """

        Tides:
        """
        High tide at nine.
        """"#]]
    .assert_eq(&given(&world, &first.turn, BlockKind::Knowledge).await);
    let instructions = given(&world, &first.turn, BlockKind::Instructions).await;
    assert!(instructions.starts_with("You are Recto"), "{instructions}");
    assert!(instructions.ends_with("The user also wants you to follow this:\nAnswer like a sailor."), "{instructions}");
    assert_eq!(given(&world, &first.turn, BlockKind::Language).await, "Reply in English.");
    assert_eq!(given(&world, &first.turn, BlockKind::Profile).await, "# About the user\n\nI live in Oslo.");
    let body = |n: usize| String::from_utf8(world.fake.chats()[n].body.clone()).unwrap();
    assert!(body(0).contains("read_file") && !body(0).contains("\"remember\""), "only what it may use is offered");

    let system = |n: usize| {
        let body: serde_json::Value = serde_json::from_slice(&world.fake.chats()[n].body).unwrap();
        body["messages"][0].to_string()
    };
    world.ask("When is high tide?").await;
    assert_eq!(system(0), system(1));
    std::fs::remove_file(&tides).unwrap();
    let third = world.ask("When is high tide?").await;
    assert_eq!(third.ending, Ending::Answered);
    let knowledge = given(&world, &third.turn, BlockKind::Knowledge).await;
    assert!(knowledge.contains("Tides is missing: There is no file `tides.md`"), "{knowledge}");

    // The next conversation begins with the assistant that was used last.
    let fourth = ask_elsewhere(&mut world, "When is high tide?").await;
    assert!(given(&world, &fourth.turn, BlockKind::Instructions).await.ends_with("Answer like a sailor."));
    world.fake.assert_clean();
}

#[tokio::test]
async fn a_conversation_begins_with_the_folder_and_the_model_of_its_assistant() {
    let world = World::new("model: Hello.\n", Vec::new()).await;
    let draft = AssistantDraft {
        name: "Desk".into(),
        folder: Some(world.folder.path().display().to_string()),
        model: Some(world.fake.url()),
        ..AssistantDraft::default()
    };
    let desk = world.app.create_assistant(draft).await.unwrap();
    let copy = world.app.copy_assistant(Some(desk), "Desk 2".into()).await.unwrap();
    world.app.prefer_assistant(Some(copy)).await.unwrap();
    let conversation = world.app.create_conversation(None, None).await.unwrap();
    let row = world.app.record().conversation(conversation).await.unwrap();
    assert_eq!(row.folder, Some(world.folder.path().display().to_string()));
    assert_eq!(row.model.map(ModelId), world.options().model);
}
