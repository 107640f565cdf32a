//! A turn in each language that servers speak: the same work, the same record, and bytes that are shown as they were sent.

use crate::world::{Does, Told, World};
use recto_app::{ModelId, TurnOptions};
use recto_core::approval::Answer;
use recto_core::request::AnswerTools;
use recto_core::turn::Ending;
use recto_testkit::{FakeModel, Shape};

/// Plans, reads, writes and answers.
const WORKS: &str = r#"
ollama
offers qwen3:8b
shows qwen3:8b window 32768

think: A plan first.
call todo_write {"todos":[{"content":"look","status":"in_progress"}]}
usage read=1500 reused=0 written=9

think: Now both.
model: I look. call read_file {"path":"README.md"}
call write_file {"path":"list.md","content":"milk\n"}
usage read=1700 reused=1500 written=9

model: READY

model: Run make serve; list.md is written.
usage read=1600 reused=800 written=5
"#;

async fn asked_at(url_of: impl Fn(&FakeModel) -> String) -> (World, Told, Vec<Option<Shape>>) {
    let world = World::new(WORKS, vec![Does::Says(Answer::Approved)]).await;
    let options = TurnOptions { model: Some(ModelId(url_of(&world.fake))), ..world.options() };
    let told = world.ask_with("How do I run it, and what is on the list?", options).await;
    assert_eq!((&told.ending, told.answer.as_str()), (&Ending::Answered, "Run make serve; list.md is written."));
    assert!(world.disk().contains("list.md"), "{}", world.disk());
    let requests = world.app.record().requests(told.turn.clone()).await.unwrap();
    assert_eq!(requests.len(), 4);
    let bytes = world.app.record().wire(requests[3].id.clone()).await.unwrap().bytes();
    assert!(!bytes.contains("A plan first.") && bytes.contains("make serve"), "{bytes}");
    let shapes = world.fake.chats().iter().map(recto_testkit::RecordedRequest::shape).collect();
    (world, told, shapes)
}

#[tokio::test]
async fn a_turn_with_ollama_is_spoken_in_its_own_language_with_our_window() {
    let (world, _, shapes) = asked_at(FakeModel::url).await;
    assert_eq!(shapes, [Some(Shape::Ollama); 4]);
    let bodies: Vec<serde_json::Value> = world.fake.chats().iter().map(recto_testkit::RecordedRequest::json).collect();
    assert!(bodies.iter().all(|body| body["options"]["num_ctx"] == 8192 && body["truncate"] == false));
    assert!(bodies[0]["tools"].is_array() && bodies[3].get("tools").is_none());
}

#[tokio::test]
async fn a_turn_with_anthropic_sends_reasoning_back_within_the_turn_and_never_into_the_answer() {
    let (world, told, shapes) = asked_at(|fake| fake.url().replace("/v1", "/anthropic/v1")).await;
    assert_eq!(shapes, [Some(Shape::Anthropic); 4]);
    let chats = world.fake.chats();
    let thinks = |chat: usize| chats[chat].text().matches("\"type\":\"thinking\"").count();
    assert_eq!([thinks(0), thinks(1), thinks(2), thinks(3)], [0, 1, 2, 0]);
    // The system message is cached for the turn, and what stands from turn to turn for longer.
    assert!(chats[0].json()["system"][0]["cache_control"].is_object());
    let profile = &world.app.record().requests(told.turn).await.unwrap()[0].profile;
    assert_eq!((profile.answer_tools, profile.window), (AnswerTools::Keep, 191_808));
}
