//! Requests in Ollama's and Anthropic's own languages: the bytes, and a conversation with a server that refuses what the real ones refuse.

use crate::bodies::{ask, question, settings, text};
use crate::requests::round;
use expect_test::expect;
use proptest::prelude::*;
use recto_core::context::block::Role;
use recto_core::reply::Finish;
use recto_core::request::{AnswerTools, Marks, ModelRequest, Part, Purpose, RequestMessage, Wire};
use recto_engine::ports::{Delta, ModelClient, ModelError};
use recto_providers::{Dialect, Secret, ServerClient, ServerSettings};
use recto_testkit::{FakeModel, Shape, check};
use serde_json::{Value, json};

fn client(dialect: Dialect, url: &str) -> ServerClient {
    ServerClient::new(ServerSettings { dialect, ..settings(url) }).unwrap()
}

fn encode(dialect: Dialect, request: &ModelRequest) -> Wire {
    client(dialect, "127.0.0.1:9").encode(request).unwrap()
}

/// A question, a round of two calls of which one could not be read, and the reminder.
fn worked() -> ModelRequest {
    let mut request = question();
    request.messages.extend(round("{\"path\": \"notes.md\" }", "milk\n", 2));
    let call = |block, id: &str, arguments: &str| Part::Call {
        block,
        id: id.into(),
        name: "list_dir".into(),
        arguments: arguments.into(),
    };
    request.messages.push(RequestMessage {
        role: Role::Assistant,
        call: None,
        parts: vec![call(5, "c5", "{}"), call(6, "c6", "not \"json\"")],
    });
    for (id, block) in [("c5", 7), ("c6", 8)] {
        let parts = vec![Part::Text { block, text: format!("result {block}") }];
        request.messages.push(RequestMessage { role: Role::Tool, call: Some(id.into()), parts });
    }
    let last = request.messages.last_mut().unwrap();
    last.parts.push(Part::Text { block: 9, text: "\n\nKeep the list current.".into() });
    ModelRequest { marks: Marks { stands_to: vec![0], reminder: Some(9) }, ..request }
}

fn faults(shape: Shape, wire: &Wire) -> Vec<String> {
    check::faults(shape, wire.bytes().as_bytes())
}

#[test]
fn ollama_is_asked_for_our_window_and_told_to_shorten_nothing() {
    let wire = encode(Dialect::Ollama, &worked());
    expect![[r#"{"model":"small","messages":[{"role":"system","content":"You are Recto."},{"role":"user","content":"What is in \"notes\"?\n你好🦀"},{"role":"assistant","content":"I look.","tool_calls":[{"id":"call_2","function":{"name":"read_file","arguments":{"path": "notes.md" }}}]},{"role":"tool","tool_name":"read_file","tool_call_id":"call_2","content":"milk\n"},{"role":"assistant","content":"","tool_calls":[{"id":"c5","function":{"name":"list_dir","arguments":{}}},{"id":"c6","function":{"name":"list_dir","arguments":{"unreadable":"not \"json\""}}}]},{"role":"tool","tool_name":"list_dir","tool_call_id":"c5","content":"result 7"},{"role":"tool","tool_name":"list_dir","tool_call_id":"c6","content":"result 8\n\nKeep the list current."}],"tools":[{"type":"function","function":{"name":"list_dir","description":"Does \"list_dir\".","parameters":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}},"additionalProperties":false}}},{"type":"function","function":{"name":"read_file","description":"Does \"read_file\".","parameters":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}},"additionalProperties":false}}}],"options":{"num_ctx":4096,"temperature":0.3,"seed":7,"num_predict":512},"truncate":false,"shift":false,"keep_alive":"15m","stream":true}"#]]
    .assert_eq(&wire.bytes());
    assert_eq!(faults(Shape::Ollama, &wire), [] as [String; 0]);
    let step = ModelRequest { tools: Vec::new(), step: Some(json!({"type": "object"})), ..question() };
    let body: Value = serde_json::from_str(&encode(Dialect::Ollama, &step).bytes()).unwrap();
    assert_eq!((&body["format"], body.get("tools")), (&json!({"type": "object"}), None));
    // There is no way to offer tools that may not be called, so an answer request has none.
    let client = client(Dialect::Ollama, "127.0.0.1:9");
    assert_eq!((client.profile().answer_tools, client.profile().window), (AnswerTools::Omit, 4096));
}

#[test]
fn anthropic_is_given_results_first_the_reminder_last_and_marks_where_a_beginning_comes_again() {
    let wire = encode(Dialect::Anthropic, &worked());
    expect![[r#"{"model":"small","max_tokens":8704,"system":[{"type":"text","text":"You are Recto.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"What is in \"notes\"?\n你好🦀"}]},{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"call_2","name":"read_file","input":{"path": "notes.md" }}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_2","content":"milk\n"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c5","name":"list_dir","input":{}},{"type":"tool_use","id":"c6","name":"list_dir","input":{"unreadable":"not \"json\""}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c5","content":"result 7"},{"type":"tool_result","tool_use_id":"c6","content":"result 8","cache_control":{"type":"ephemeral"}},{"type":"text","text":"\n\nKeep the list current."}]}],"tools":[{"name":"list_dir","description":"Does \"list_dir\".","input_schema":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}},"additionalProperties":false}},{"name":"read_file","description":"Does \"read_file\".","input_schema":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}},"additionalProperties":false}}],"tool_choice":{"type":"auto"},"stream":true}"#]]
    .assert_eq(&wire.bytes());
    assert_eq!(faults(Shape::Anthropic, &wire), [] as [String; 0]);
    // What a model thinks counts within its reply, so the window that is planned for is smaller by as much.
    let settings = ServerSettings { dialect: Dialect::Anthropic, window: 200_000, ..settings("127.0.0.1:9") };
    assert_eq!(ServerClient::new(settings).unwrap().profile().window, 191_808);
}

#[test]
fn anthropic_has_a_mark_of_its_own_for_what_stands_from_turn_to_turn() {
    let mut request = question();
    request.messages[0].parts.push(Part::Text { block: 5, text: "\n\nYou remember: tea.".into() });
    request.marks.stands_to = vec![0, 5];
    let body: Value = serde_json::from_str(&encode(Dialect::Anthropic, &request).bytes()).unwrap();
    let mark = json!({"type": "ephemeral"});
    assert_eq!(
        body["system"],
        json!([
            {"type": "text", "text": "You are Recto.", "cache_control": mark},
            {"type": "text", "text": "\n\nYou remember: tea.", "cache_control": mark},
        ])
    );
    // An answer request has no successor that begins with it.
    let answer = ModelRequest { purpose: Purpose::Answer, may_call: false, ..request };
    let body: Value = serde_json::from_str(&encode(Dialect::Anthropic, &answer).bytes()).unwrap();
    assert_eq!(body["tool_choice"], json!({"type": "none"}));
    assert_eq!(body["messages"][0]["content"][0].get("cache_control"), None);
}

#[test]
fn anthropic_is_asked_for_a_schema_without_the_limits_that_it_refuses() {
    let schema = json!({"type": "object", "properties": {"pattern": {"type": "string", "maxLength": 9},
        "list": {"type": "array", "maxItems": 3, "items": {"type": "integer", "minimum": 1}}}});
    let request = ModelRequest { tools: Vec::new(), step: Some(schema), ..question() };
    let body: Value = serde_json::from_str(&encode(Dialect::Anthropic, &request).bytes()).unwrap();
    let allowed = json!({"type": "object", "properties": {"pattern": {"type": "string"},
        "list": {"type": "array", "items": {"type": "integer"}}}});
    assert_eq!(body["output_config"], json!({"format": {"type": "json_schema", "schema": allowed}}));
}

#[tokio::test]
async fn models_m8_reasoning_goes_back_to_anthropic_as_it_came_and_to_nobody_else() {
    let server = FakeModel::start(
        "think: They want a file.\nmodel: I look. call read_file {\"path\":\"a.md\"}\nusage read=120 reused=100 written=12\n\nmodel: Done.",
    );
    let url = server.url().replace("/v1", "/anthropic/v1");
    let key = Some(Secret::new("sk-canary-9"));
    let client = ServerClient::new(ServerSettings { key, ..settings(&url) }).unwrap();
    let mut request = question();
    let (told, reply) = ask(&client, &request).await;
    let reply = reply.unwrap();
    assert!(told.contains(&Delta::Call("read_file".into())), "{told:?}");
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("I look.", "They want a file."));
    assert_eq!(reply.thoughts, [r#"{"type":"thinking","thinking":"They want a file.","signature":"c2lnbmVk"}"#]);
    assert_eq!((reply.finish, reply.calls[0].arguments.as_str()), (Finish::ToolCalls, "{\"path\":\"a.md\"}"));
    let usage = reply.usage;
    assert_eq!(
        (usage.n_read, usage.n_reused, usage.n_evaluated, usage.n_written),
        (Some(120), Some(100), Some(20), Some(12))
    );
    let call = Part::Call { block: 4, id: reply.calls[0].id.clone(), name: "read_file".into(), arguments: "{}".into() };
    let parts = vec![
        Part::Thought { block: 2, json: reply.thoughts[0].clone() },
        Part::Text { block: 3, text: reply.text },
        call,
    ];
    request.messages.push(RequestMessage { role: Role::Assistant, call: None, parts });
    let result = vec![Part::Text { block: 5, text: "milk".into() }];
    let id = Some(reply.calls[0].id.clone());
    request.messages.push(RequestMessage { role: Role::Tool, call: id, parts: result });
    let (_, reply) = ask(&client, &request).await;
    assert_eq!(reply.unwrap().text, "Done.");
    let chats = server.chats();
    assert_eq!(chats[1].path, "/anthropic/v1/messages");
    assert_eq!((chats[1].header("x-api-key"), chats[1].header("authorization")), (Some("sk-canary-9"), None));
    assert_eq!(chats[1].json()["messages"][1]["content"][0]["signature"], "c2lnbmVk");
    assert_eq!(chats[1].text(), client.encode(&request).unwrap().bytes());
    for dialect in [Dialect::OpenAi, Dialect::Ollama] {
        assert!(!encode(dialect, &request).bytes().contains("They want a file"), "{dialect:?}");
    }
}

#[tokio::test]
async fn ollama_is_spoken_to_at_its_own_address_and_its_calls_are_given_names() {
    let server = FakeModel::start(
        "think: Look.\ncall read_file {\"path\":\"a.md\"}\ncall list_dir {}\nusage read=171 written=33\n\nmodel: 你好 🦀\nfinish length\nchunk 3",
    );
    let client = client(Dialect::Ollama, &server.url());
    let (_, reply) = ask(&client, &question()).await;
    let reply = reply.unwrap();
    let calls: Vec<(&str, &str, &str)> =
        reply.calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("call_1", "read_file", "{\"path\":\"a.md\"}"), ("call_2", "list_dir", "{}")]);
    assert_eq!((reply.finish, reply.reasoning.as_str()), (Finish::ToolCalls, "Look."));
    assert_eq!((reply.usage.n_read, reply.usage.n_written), (Some(171), Some(33)));
    let (_, cut) = ask(&client, &question()).await;
    assert_eq!(cut.map(|reply| (reply.text, reply.finish)), Ok(("你好 🦀".into(), Finish::Length)));
    assert_eq!(server.chats()[0].path, "/api/chat");
    assert_eq!(server.chats()[0].header("accept"), Some("application/x-ndjson"));
}

#[tokio::test]
async fn fault_f28_ollama_says_that_a_prompt_does_not_fit_because_it_may_not_shorten_it() {
    let server = FakeModel::start("status 400\n| {\"error\":\"the input length exceeds the context length\"}");
    let (_, reply) = ask(&client(Dialect::Ollama, &server.url()), &question()).await;
    let Err(ModelError::BeforeOutput { sentence, kind }) = reply else { panic!("it was refused") };
    assert_eq!(kind, recto_engine::ports::ModelErrorKind::TooLarge);
    assert!(sentence.starts_with("The request is larger than the window of small at 127.0.0.1:"), "{sentence}");
}

#[test]
fn every_dialect_measures_a_request_about_alike() {
    let sizes = [Dialect::OpenAi, Dialect::Ollama, Dialect::Anthropic].map(|dialect| {
        let client = client(dialect, "127.0.0.1:9");
        client.measure(&client.encode(&worked()).unwrap()).into_iter().sum::<u32>()
    });
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(f64::from(*most) < 1.25 * f64::from(*least), "{sizes:?}");
}

/// The request without what marks a place for the cache, which moves on with the conversation.
fn unmarked(wire: &Wire) -> String {
    wire.bytes().replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "")
}

proptest! {
    #[test]
    fn assembly_e14_each_request_of_a_turn_is_a_prefix_of_the_next_in_every_dialect(
        rounds in prop::collection::vec(("[a-z]{0,9}", "\\PC{1,30}"), 1..5),
    ) {
        for (dialect, shape) in [(Dialect::Ollama, Shape::Ollama), (Dialect::Anthropic, Shape::Anthropic)] {
            let mut request = question();
            request.messages = vec![text(Role::System, 0, "You are Recto."), text(Role::User, 1, "Look.")];
            let tail = |bytes: &str| {
                let start = bytes.find("\"messages\":[").unwrap();
                let end = bytes.rfind("],\"tools\":[").unwrap();
                bytes[start..end].to_owned()
            };
            let mut before = tail(&unmarked(&encode(dialect, &request)));
            for (index, (path, result)) in rounds.iter().enumerate() {
                let arguments = json!({"path": path}).to_string();
                request.messages.extend(round(&arguments, result, 2 + 3 * index));
                let wire = encode(dialect, &request);
                let messages = tail(&unmarked(&wire));
                prop_assert!(messages.starts_with(&before), "{messages}\n{before}");
                if !result.trim().is_empty() {
                    prop_assert_eq!(faults(shape, &wire), [] as [String; 0]);
                }
                before = messages;
            }
        }
    }
}
