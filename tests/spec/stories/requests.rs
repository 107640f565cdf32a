//! What goes out, and what the record keeps of it.

use crate::world::World;
use recto_core::turn::Ending;
use serde_json::Value;

const LOOKS: &str = r#"
call todo_write {"todos":[{"content":"编写 README","status":"in_progress"},{"content":"verify","status":"pending"}]}

call read_file {"path":"README.md"}

model: READY

model: Run it with `make serve`.
"#;

fn bodies(world: &World) -> Vec<Value> {
    world.fake.chats().iter().map(|chat| serde_json::from_slice(&chat.body).unwrap()).collect()
}

#[tokio::test]
async fn answer_a1_a_question_about_a_file_is_answered_from_a_clean_request() {
    let world = World::new(LOOKS, Vec::new()).await;
    let told = world.ask("How do I run it?").await;
    assert_eq!((told.ending, told.answer.as_str()), (Ending::Answered, "Run it with `make serve`."));
    let bodies = bodies(&world);
    assert_eq!(bodies.len(), 4);
    let answer = &bodies[3];
    assert_eq!(answer["messages"].as_array().unwrap().len(), 2);
    assert_eq!(answer["messages"][0], bodies[0]["messages"][0]);
    assert_eq!(answer["tools"], bodies[0]["tools"]);
    assert_eq!(answer["tool_choice"], "none");
    let message = answer["messages"][1]["content"].as_str().unwrap();
    assert!(
        message.contains("Run it with `make serve`.\n编写 🦀 \"quoted\"\n"),
        "the file is there to the byte: {message}"
    );
    assert!(message.contains(r#"{"todos":[{"content":"\u7f16\u5199 README","status":"in_progress"}"#), "{message}");
    assert!(message.ends_with("How do I run it?"));
    world.fake.assert_clean();
}

#[tokio::test]
async fn store_s3_models_m1_the_record_rebuilds_the_bytes_that_the_server_received() {
    let world = World::new(LOOKS, Vec::new()).await;
    let told = world.ask("How do I run it? 编写 \"x\" \\ \u{1} 🦀").await;
    let mut rebuilt = Vec::new();
    for row in world.app.record().requests(told.turn).await.unwrap() {
        rebuilt.push(world.app.record().wire(row.id).await.unwrap().bytes().into_bytes());
    }
    let received: Vec<Vec<u8>> = world.fake.chats().into_iter().map(|chat| chat.body).collect();
    assert_eq!(rebuilt.len(), 4);
    assert!(rebuilt == received, "the bytes on record are the bytes that arrived");
}

#[tokio::test]
async fn todo_t10_the_list_survives_a_restart_and_an_unfinished_one_enters_the_next_turn_once() {
    let script = format!("{LOOKS}\nmodel: Hello again.\n");
    let world = World::new(&script, Vec::new()).await;
    let told = world.ask("How do I run it?").await;
    let world = world.restart().await;
    let state = world.app.record().todo_state(Some(told.turn)).await.unwrap();
    let snapshot = r#"{"todos":[{"content":"\u7f16\u5199 README","status":"in_progress"},{"content":"verify","status":"pending"}]}"#;
    assert_eq!(state.list.snapshot(), snapshot);
    world.ask("Hello?").await;
    let bodies = bodies(&world);
    let question = bodies[4]["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned();
    assert_eq!(question, format!("Hello?\n\nYour unfinished TODO list from earlier:\n{snapshot}"));
    world.fake.assert_clean();
}

#[tokio::test]
async fn answer_a8_a_later_turn_holds_question_and_answer_and_no_tool_traffic() {
    let script = format!("{LOOKS}\nmodel: As I said.\n");
    let world = World::new(&script, Vec::new()).await;
    world.ask("How do I run it?").await;
    world.ask("Again?").await;
    let bodies = bodies(&world);
    let roles: Vec<&str> =
        bodies[4]["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    assert_eq!(bodies[4]["messages"][1]["content"], "How do I run it?");
    assert_eq!(bodies[4]["messages"][2]["content"], "Run it with `make serve`.");
}

#[tokio::test]
async fn models_m5_the_structured_protocol_works_over_http_with_a_schema_for_each_step() {
    let script = r#"
model: {"name":"read_file","arguments":{"path":"README.md"}}

model: {"name":"READY"}

model: Run it with `make serve`.
"#;
    let world = World::new(script, Vec::new()).await;
    let told = world.ask_structured("How do I run it?").await;
    assert_eq!((told.ending, told.answer.as_str()), (Ending::Answered, "Run it with `make serve`."));
    let bodies = bodies(&world);
    let schema = &bodies[0]["response_format"]["json_schema"]["schema"]["anyOf"];
    let names: Vec<&str> =
        schema.as_array().unwrap().iter().map(|step| step["properties"]["name"]["const"].as_str().unwrap()).collect();
    assert_eq!(names, ["answer", "list_dir", "read_file", "search_text"]);
    assert!(bodies.iter().all(|body| body.get("tools").is_none()));
    assert!(bodies[2].get("response_format").is_none(), "the answer is free text");
    assert_eq!(bodies[2]["messages"].as_array().unwrap().len(), 2);
    world.fake.assert_clean();
}

#[tokio::test]
async fn assembly_e13_a_day_later_the_same_state_gives_the_same_bytes() {
    let world = World::new("model: One.\n\nmodel: One.\n", Vec::new()).await;
    world.ask("Count").await;
    let other = World::new("model: One.\n", Vec::new()).await;
    other.ask("Count").await;
    assert_eq!(
        world.fake.chats()[0].body,
        other.fake.chats()[0].body,
        "neither folder nor clock nor id is in a request"
    );
}
