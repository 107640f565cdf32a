//! A reply as Anthropic streams it: named events, a numbered block for each thought, text and call.

use super::{next_id, pieces};
use crate::script::Message;
use serde_json::{Value, json};
use std::sync::atomic::AtomicU32;

fn event(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

/// The events, and those that end the reply.
pub(super) fn events(message: &Message, model: &str, calls: &AtomicU32) -> (Vec<String>, Vec<String>) {
    let usage = message.usage.unwrap_or_default();
    let reused = usage.reused.unwrap_or(0);
    let mut said = json!({"input_tokens": usage.read.saturating_sub(reused), "output_tokens": 1});
    if usage.reused.is_some() {
        said["cache_read_input_tokens"] = json!(reused);
        said["cache_creation_input_tokens"] = json!(0);
    }
    let start =
        json!({"id": "msg_fake", "type": "message", "role": "assistant", "model": model, "content": [], "usage": said});
    let mut events = vec![event(&json!({"type": "message_start", "message": start})), event(&json!({"type": "ping"}))];
    let mut index = 0;
    let mut block = |begin: Value, deltas: Vec<Value>| {
        events.push(event(&json!({"type": "content_block_start", "index": index, "content_block": begin})));
        for delta in deltas {
            events.push(event(&json!({"type": "content_block_delta", "index": index, "delta": delta})));
        }
        events.push(event(&json!({"type": "content_block_stop", "index": index})));
        index += 1;
    };
    if !message.reasoning.is_empty() {
        let thinking = pieces(&message.reasoning).into_iter();
        let mut deltas: Vec<Value> =
            thinking.map(|piece| json!({"type": "thinking_delta", "thinking": piece})).collect();
        deltas.push(json!({"type": "signature_delta", "signature": "c2lnbmVk"}));
        block(json!({"type": "thinking", "thinking": "", "signature": ""}), deltas);
    }
    if let Some(text) = &message.text {
        let deltas = pieces(text).into_iter().map(|piece| json!({"type": "text_delta", "text": piece})).collect();
        block(json!({"type": "text", "text": ""}), deltas);
    }
    for (name, arguments) in &message.calls {
        let deltas = pieces(arguments)
            .into_iter()
            .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
            .collect();
        block(json!({"type": "tool_use", "id": next_id(calls), "name": name, "input": {}}), deltas);
    }
    let usual = if message.calls.is_empty() { "end_turn" } else { "tool_use" };
    let finish = match message.finish.as_deref() {
        None => usual,
        Some("none") => return (events, Vec::new()),
        Some("length") => "max_tokens",
        Some(other) => other,
    };
    let end =
        json!({"type": "message_delta", "delta": {"stop_reason": finish}, "usage": {"output_tokens": usage.written}});
    (events, vec![event(&end), event(&json!({"type": "message_stop"}))])
}
