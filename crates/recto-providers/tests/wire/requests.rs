//! The bytes of a request: a pure function, valid JSON, and exactly what goes out.

use crate::bodies::{ask, client, client_with_key, question, settings, text, tool};
use expect_test::expect;
use proptest::prelude::*;
use recto_core::context::block::Role;
use recto_core::context::plan::PER_MESSAGE;
use recto_core::id::CallId;
use recto_core::request::{ModelRequest, Part, RequestMessage, Wire};
use recto_engine::ports::{ModelClient, ModelError};
use recto_providers::ServerClient;
use recto_testkit::FakeModel;
use serde_json::{Value, json};

fn encode(request: &ModelRequest) -> Wire {
    ServerClient::new(settings("127.0.0.1:9")).unwrap().encode(request).unwrap()
}

pub(crate) fn round(arguments: &str, result: &str, first_block: usize) -> Vec<RequestMessage> {
    let id: CallId = format!("call_{first_block}").as_str().into();
    vec![
        RequestMessage {
            role: Role::Assistant,
            call: None,
            parts: vec![
                Part::Text { block: first_block, text: "I look.".into() },
                Part::Call {
                    block: first_block + 1,
                    id: id.clone(),
                    name: "read_file".into(),
                    arguments: arguments.into(),
                },
            ],
        },
        RequestMessage {
            role: Role::Tool,
            call: Some(id),
            parts: vec![Part::Text { block: first_block + 2, text: result.into() }],
        },
    ]
}

#[test]
fn the_body_has_its_keys_in_a_fixed_order() {
    let mut request = question();
    request.messages.extend(round("{\"path\": \"notes.md\" }", "milk\n", 2));
    expect![[r#"{"model":"small","messages":[{"role":"system","content":"You are Recto."},{"role":"user","content":"What is in \"notes\"?\n你好🦀"},{"role":"assistant","content":"I look.","tool_calls":[{"id":"call_2","type":"function","function":{"name":"read_file","arguments":"{\"path\": \"notes.md\" }"}}]},{"role":"tool","tool_call_id":"call_2","content":"milk\n"}],"tools":[{"type":"function","function":{"name":"list_dir","description":"Does \"list_dir\".","parameters":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}},"additionalProperties":false}}},{"type":"function","function":{"name":"read_file","description":"Does \"read_file\".","parameters":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}},"additionalProperties":false}}}],"tool_choice":"auto","temperature":0.3,"seed":7,"max_tokens":512,"stream":true,"stream_options":{"include_usage":true}}"#]]
    .assert_eq(&encode(&request).bytes());
}

#[test]
fn a_step_is_asked_for_as_a_strict_schema_and_an_answer_keeps_the_tools_it_must_not_call() {
    let structured = ModelRequest { tools: Vec::new(), step: Some(json!({"type": "object", "a": 1})), ..question() };
    let body: Value = serde_json::from_str(&encode(&structured).bytes()).unwrap();
    assert_eq!(
        body["response_format"],
        json!({"type": "json_schema", "json_schema": {"name": "step", "strict": true, "schema": {"type": "object", "a": 1}}})
    );
    assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
    let work: Value = serde_json::from_str(&encode(&question()).bytes()).unwrap();
    let answer: Value = serde_json::from_str(&encode(&ModelRequest { may_call: false, ..question() }).bytes()).unwrap();
    assert_eq!(answer["tool_choice"], "none");
    assert_eq!(answer["tools"], work["tools"]);
}

#[test]
fn openai_itself_is_asked_under_the_name_that_it_insists_on() {
    let client = ServerClient::new(settings("https://api.openai.com/v1")).unwrap();
    let body: Value = serde_json::from_str(&client.encode(&question()).unwrap().bytes()).unwrap();
    assert_eq!((body.get("max_tokens"), &body["max_completion_tokens"]), (None, &json!(512)));
    assert!(client.profile().takes_trailing_system);
}

#[test]
fn assembly_e13_tools_are_sorted_whatever_order_they_are_given_in() {
    let turned = ModelRequest { tools: vec![tool("list_dir"), tool("read_file")], ..question() };
    assert_eq!(encode(&turned), encode(&question()));
}

#[test]
fn assembly_e17_argument_strings_go_out_byte_for_byte_as_they_were_received() {
    for arguments in [
        "{\"path\" :\"a\",\n \"b\":1e2}",
        "{\"path\":\"\\u4f60\"}",
        "not json at all \\ \"",
        "{\"a\":1,\"a\":2}",
        "",
        "\u{0}\u{7f}你",
    ] {
        let mut request = question();
        request.messages.extend(round(arguments, "x", 2));
        let wire = encode(&request);
        let body: Value = serde_json::from_str(&wire.bytes()).unwrap();
        assert_eq!(body["messages"][2]["tool_calls"][0]["function"]["arguments"], arguments);
        let piece = wire.pieces.iter().find(|piece| piece.block == Some(3)).unwrap();
        assert_eq!(piece.text, arguments);
    }
}

#[test]
fn a_reply_of_calls_alone_has_no_text_and_an_empty_message_is_never_sent() {
    let mut request = question();
    let call = Part::Call { block: 2, id: "c".into(), name: "f".into(), arguments: "{}".into() };
    request.messages.push(RequestMessage { role: Role::Assistant, call: None, parts: vec![call] });
    let body: Value = serde_json::from_str(&encode(&request).bytes()).unwrap();
    assert_eq!(body["messages"][2]["content"], Value::Null);
    request.messages.push(text(Role::User, 3, ""));
    let client = ServerClient::new(settings("127.0.0.1:9")).unwrap();
    let Err(ModelError::BeforeOutput { sentence, .. }) = client.encode(&request) else { panic!("an empty message") };
    assert_eq!(
        sentence,
        "This request cannot be sent: a message of the user is empty. That is a fault in Recto, please report it."
    );
}

#[tokio::test]
async fn models_m1_the_bytes_that_are_shown_are_the_bytes_that_arrive() {
    let server = FakeModel::start("model: Hello.");
    let client = client_with_key(&server, "sk-canary-1");
    let (_, reply) = ask(&client, &question()).await;
    assert_eq!(reply.unwrap().text, "Hello.");
    let [arrived] = &server.chats()[..] else { panic!("one request") };
    let wire = client.encode(&question()).unwrap();
    assert_eq!(arrived.text(), wire.bytes());
    assert_eq!(arrived.header("authorization"), Some("Bearer sk-canary-1"));
    assert!(!wire.bytes().contains("canary"));
    let mut names: Vec<String> = arrived.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    names.sort();
    assert_eq!(names, ["accept", "authorization", "content-length", "content-type", "host", "user-agent"]);
}

#[test]
fn assembly_e4_a_block_is_measured_by_itself_and_the_bodys_own_signs_as_what_a_template_puts_around_a_message() {
    let client = ServerClient::new(settings("127.0.0.1:9")).unwrap();
    let request = question();
    let wire = client.encode(&request).unwrap();
    let sizes = client.measure(&wire);
    let (blocks, glue): (Vec<_>, Vec<_>) = wire.pieces.iter().zip(sizes).partition(|(piece, _)| piece.block.is_some());
    assert!(blocks.iter().all(|(piece, size)| *size == client.count(&piece.text)));
    let tools: u32 = request
        .tools
        .iter()
        .map(|tool| client.count(&format!("{}{}{}", tool.name, tool.description, tool.parameters)) + 4 * PER_MESSAGE)
        .sum();
    let glue: u32 = glue.iter().map(|(_, size)| size).sum();
    let n_messages = u32::try_from(request.messages.len()).unwrap();
    assert!(glue >= PER_MESSAGE * n_messages && glue <= PER_MESSAGE * n_messages + tools, "{glue}");
    assert_eq!(client.count("four word"), 3);
}

#[test]
fn a_request_without_a_key_carries_none() {
    let server = FakeModel::start("model: Hello.");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(ask(&client(&server), &question())).1.unwrap();
    assert_eq!(server.chats()[0].header("authorization"), None);
}

fn messages(bytes: &str) -> &str {
    let start = bytes.find("\"messages\":[").unwrap();
    let end = bytes.rfind("],\"tools\":[").unwrap();
    &bytes[start..end]
}

proptest! {
    #[test]
    fn assembly_e14_each_request_of_a_turn_is_a_prefix_of_the_next_and_reads_back_as_it_was_meant(
        system in ".{1,40}",
        user in "\\PC{1,40}",
        rounds in prop::collection::vec((any::<String>(), ".{1,30}"), 1..5),
    ) {
        let mut request = question();
        request.messages = vec![text(Role::System, 0, &system), text(Role::User, 1, &user)];
        let mut before = encode(&request).bytes();
        for (index, (arguments, result)) in rounds.iter().enumerate() {
            request.messages.extend(round(arguments, result, 2 + 3 * index));
            let bytes = encode(&request).bytes();
            prop_assert!(messages(&bytes).starts_with(messages(&before)));
            let body: Value = serde_json::from_str(&bytes).unwrap();
            let last = body["messages"].as_array().unwrap().len() - 1;
            prop_assert_eq!(&body["messages"][0]["content"], &Value::from(system.as_str()));
            prop_assert_eq!(&body["messages"][1]["content"], &Value::from(user.as_str()));
            prop_assert_eq!(&body["messages"][last]["content"], &Value::from(result.as_str()));
            prop_assert_eq!(&body["messages"][last - 1]["tool_calls"][0]["function"]["arguments"], &Value::from(arguments.as_str()));
            before = bytes;
        }
    }
}
