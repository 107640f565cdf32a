//! What every test of this crate sends, and what it watches.

use recto_core::context::block::Role;
use recto_core::reply::{Reply, Usage};
use recto_core::request::{Marks, ModelRequest, Part, Purpose, RequestMessage, Sampling};
use recto_core::tool::{Effect, ToolDefinition, ToolIdentity};
use recto_engine::ports::{Delta, ModelClient, ModelError, Stop};
use recto_providers::address::ServerAddress;
use recto_providers::{Secret, ServerClient, ServerSettings, Timing};
use recto_testkit::FakeModel;
use serde_json::json;
use std::time::Duration;

pub(crate) fn text(role: Role, block: usize, text: &str) -> RequestMessage {
    RequestMessage { role, call: None, parts: vec![Part::Text { block, text: text.into() }] }
}

pub(crate) fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        identity: ToolIdentity::BuiltIn,
        name: name.into(),
        description: format!("Does \"{name}\"."),
        parameters: json!({"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}, "additionalProperties": false}),
        effect: Effect::Read,
        paths: Vec::new(),
        repeats: true,
    }
}

/// A question with two tools.
pub(crate) fn question() -> ModelRequest {
    ModelRequest {
        purpose: Purpose::Work,
        messages: vec![text(Role::System, 0, "You are Recto."), text(Role::User, 1, "What is in \"notes\"?\n你好🦀")],
        tools: vec![tool("read_file"), tool("list_dir")],
        may_call: true,
        step: None,
        sampling: Sampling { temperature: 0.3, seed: 7, max_tokens: 512 },
        marks: Marks::default(),
    }
}

pub(crate) fn quick() -> Timing {
    Timing {
        connect: Duration::from_secs(2),
        idle: Duration::from_secs(5),
        after_finish: Duration::from_millis(50),
        first_pause: Duration::from_millis(2),
    }
}

pub(crate) fn settings(url: &str) -> ServerSettings {
    let address = ServerAddress::parse(url, false).unwrap();
    ServerSettings { timing: quick(), ..ServerSettings::new(address, "small", 4096) }
}

pub(crate) fn client(server: &FakeModel) -> ServerClient {
    ServerClient::new(settings(&server.url())).unwrap()
}

pub(crate) fn client_with_key(server: &FakeModel, key: &str) -> ServerClient {
    ServerClient::new(ServerSettings { key: Some(Secret::new(key)), ..settings(&server.url()) }).unwrap()
}

/// Sends a request that nobody stops; gives what was told beside the bytes themselves, and the reply without its times.
pub(crate) async fn ask(client: &ServerClient, request: &ModelRequest) -> (Vec<Delta>, Result<Reply, ModelError>) {
    let (told, _, reply) = ask_for_bytes(client, request).await;
    (told, reply)
}

/// The same with the bytes as they came.
pub(crate) async fn ask_for_bytes(
    client: &ServerClient,
    request: &ModelRequest,
) -> (Vec<Delta>, Vec<u8>, Result<Reply, ModelError>) {
    let (_switch, stop) = Stop::new();
    let (mut told, mut raw) = (Vec::new(), Vec::new());
    let wire = client.encode(request).unwrap();
    let mut deltas = |delta| match delta {
        Delta::Raw(bytes) => raw.extend(bytes),
        delta => told.push(delta),
    };
    let reply = client.send(&"cv_1".into(), request, &wire, &mut deltas, stop).await;
    (
        told,
        raw,
        reply.map(without_times).map_err(|error| match error {
            ModelError::AfterOutput { sentence, partial } => {
                ModelError::AfterOutput { sentence, partial: Box::new(without_times(*partial)) }
            }
            error => error,
        }),
    )
}

pub(crate) fn without_times(reply: Reply) -> Reply {
    Reply { usage: Usage { first_token_ms: None, total_ms: None, ..reply.usage }, ..reply }
}

/// The sentence of a failure, and what had arrived.
pub(crate) fn sentence(reply: Result<Reply, ModelError>) -> (String, String) {
    match reply {
        Ok(reply) => panic!("a whole reply: {reply:?}"),
        Err(ModelError::BeforeOutput { sentence, kind }) => (sentence, format!("before output, {kind:?}")),
        Err(ModelError::AfterOutput { sentence, partial }) => (sentence, format!("after {:?}", partial.text)),
    }
}
