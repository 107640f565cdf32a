//! Turns a scripted reply into the bytes of an answer, in the writes in which they go out.

mod anthropic;
mod ollama;

use crate::script::{Body, Fault, Message, Script, ScriptError, ScriptedReply};
use crate::shape::Shape;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};

/// An answer as it goes out.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    /// The body, one element a write.
    pub(crate) writes: Vec<Vec<u8>>,
}

/// The answer to a request in this interface. Calls are numbered by `calls`, over the whole life of the server.
pub(crate) fn answer(reply: &ScriptedReply, shape: Shape, request: &Value, calls: &AtomicU32) -> Answer {
    let model = request["model"].as_str().unwrap_or_default();
    let content_type = if shape == Shape::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    let (status, content_type, events, n_end) = match &reply.body {
        Body::Message(message) if shape.streams(request) => {
            let (mut events, end) = match shape {
                Shape::OpenAi => (stream_events(message, model, calls), end_events(message, model)),
                Shape::Ollama => ollama::events(message, model, calls),
                Shape::Anthropic => anthropic::events(message, model, calls),
            };
            let n_end: usize = end.iter().map(String::len).sum();
            events.extend(end);
            (200, content_type, events.into_iter().map(String::into_bytes).collect(), n_end)
        }
        Body::Message(message) => {
            (200, "application/json", vec![whole(message, model, calls).to_string().into_bytes()], 0)
        }
        Body::Status(status, body) => {
            let usual =
                json!({"error": {"message": format!("scripted status {status}"), "type": "scripted", "code": status}});
            let body = body.clone().unwrap_or_else(|| usual.to_string());
            (*status, "application/json", vec![body.into_bytes()], 0)
        }
        Body::Html(page) => (200, "text/html; charset=utf-8", vec![page.clone().into_bytes()], 0),
        Body::Json(body) => (200, "application/json", vec![body.clone().into_bytes()], 0),
        Body::Raw(bytes) => (200, content_type, vec![bytes.clone()], 0),
    };
    let n_bytes: usize = events.iter().map(Vec::len).sum();
    let mut writes = match reply.chunk {
        None => events,
        Some(n) => events.concat().chunks(n).map(<[u8]>::to_vec).collect(),
    };
    if let Some(limit) = body_limit(reply.fault, n_bytes - n_end) {
        cut(&mut writes, limit);
    }
    Answer { status, content_type, writes }
}

/// The bodies of a script's replies as they would be streamed in an interface.
///
/// # Errors
/// The script cannot be read.
pub fn bodies(script: &str, shape: Shape) -> Result<Vec<Vec<u8>>, ScriptError> {
    let script: Script = script.parse()?;
    let calls = AtomicU32::new(0);
    let request = json!({"model": "fake", "stream": true});
    let replies = script.parts.iter().flat_map(|part| &part.replies);
    Ok(replies.map(|reply| answer(reply, shape, &request, &calls).writes.concat()).collect())
}

fn body_limit(fault: Option<Fault>, n_before_end: usize) -> Option<usize> {
    match fault? {
        Fault::Close | Fault::StallHeaders => Some(0),
        Fault::CloseAfter(n) | Fault::EndAfter(n) | Fault::StallAfter(n) => Some(n),
        Fault::Stall => Some(n_before_end),
    }
}

fn cut(writes: &mut Vec<Vec<u8>>, limit: usize) {
    let mut left = limit;
    for write in writes.iter_mut() {
        write.truncate(left);
        left -= write.len();
    }
    writes.retain(|write| !write.is_empty());
}

fn chunk(model: &str, delta: &Value, finish: &Value) -> String {
    let body = json!({
        "id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 0, "model": model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    });
    format!("data: {body}\n\n")
}

fn stream_events(message: &Message, model: &str, calls: &AtomicU32) -> Vec<String> {
    let mut events = vec![chunk(model, &json!({"role": "assistant", "content": null}), &Value::Null)];
    for piece in pieces(&message.reasoning) {
        events.push(chunk(model, &json!({"reasoning_content": piece}), &Value::Null));
    }
    for piece in pieces(message.text.as_deref().unwrap_or_default()) {
        events.push(chunk(model, &json!({"content": piece}), &Value::Null));
    }
    for (index, (name, arguments)) in message.calls.iter().enumerate() {
        let first = json!({"index": index, "id": next_id(calls), "type": "function", "function": {"name": name, "arguments": ""}});
        events.push(chunk(model, &json!({"tool_calls": [first]}), &Value::Null));
        for piece in pieces(arguments) {
            let more = json!({"index": index, "function": {"arguments": piece}});
            events.push(chunk(model, &json!({"tool_calls": [more]}), &Value::Null));
        }
    }
    events
}

fn end_events(message: &Message, model: &str) -> Vec<String> {
    let finish = finish(message);
    if finish == "none" {
        return Vec::new();
    }
    let mut events = vec![chunk(model, &json!({}), &json!(finish))];
    if let Some(usage) = usage(message) {
        let body = json!({"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": [], "usage": usage});
        events.push(format!("data: {body}\n\n"));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn whole(message: &Message, model: &str, calls: &AtomicU32) -> Value {
    let mut said = json!({"role": "assistant", "content": message.text});
    if !message.reasoning.is_empty() {
        said["reasoning_content"] = json!(message.reasoning);
    }
    let made: Vec<Value> = message
        .calls
        .iter()
        .map(|(name, arguments)| json!({"id": next_id(calls), "type": "function", "function": {"name": name, "arguments": arguments}}))
        .collect();
    if !made.is_empty() {
        said["tool_calls"] = json!(made);
    }
    let mut body = json!({
        "id": "chatcmpl-fake", "object": "chat.completion", "created": 0, "model": model,
        "choices": [{"index": 0, "message": said, "finish_reason": finish(message)}],
    });
    if let Some(usage) = usage(message) {
        body["usage"] = usage;
    }
    body
}

fn finish(message: &Message) -> &str {
    let usual = if message.calls.is_empty() { "stop" } else { "tool_calls" };
    message.finish.as_deref().unwrap_or(usual)
}

fn usage(message: &Message) -> Option<Value> {
    let usage = message.usage?;
    let mut said = json!({"prompt_tokens": usage.read, "completion_tokens": usage.written, "total_tokens": usage.read + usage.written});
    if let Some(reused) = usage.reused {
        said["prompt_tokens_details"] = json!({"cached_tokens": reused});
    }
    Some(said)
}

fn next_id(calls: &AtomicU32) -> String {
    format!("call_{}", calls.fetch_add(1, Ordering::Relaxed) + 1)
}

/// A text in stretches about as long as tokens: words, and at most eight characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut n_characters = 0;
    for (at, character) in text.char_indices() {
        n_characters += 1;
        if character == ' ' || n_characters == 8 {
            let end = at + character.len_utf8();
            pieces.push(&text[start..end]);
            (start, n_characters) = (end, 0);
        }
    }
    if start < text.len() {
        pieces.push(&text[start..]);
    }
    pieces
}
