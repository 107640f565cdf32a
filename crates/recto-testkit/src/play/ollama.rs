//! A reply as Ollama streams it: a JSON value a line, calls whole, counts in the last one.

use super::pieces;
use crate::script::Message;
use serde_json::{Value, json};
use std::sync::atomic::AtomicU32;

/// The lines, and those that end the reply.
pub(super) fn events(message: &Message, model: &str, _calls: &AtomicU32) -> (Vec<String>, Vec<String>) {
    let line = |said: Value| {
        let said = json!({"model": model, "created_at": "2026-01-01T00:00:00Z", "message": said, "done": false});
        format!("{said}\n")
    };
    let mut events = Vec::new();
    for piece in pieces(&message.reasoning) {
        events.push(line(json!({"role": "assistant", "content": "", "thinking": piece})));
    }
    for piece in pieces(message.text.as_deref().unwrap_or_default()) {
        events.push(line(json!({"role": "assistant", "content": piece})));
    }
    for (name, arguments) in &message.calls {
        // What is no JSON comes as text, as from a server that could not read the model's call.
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
        let call = json!({"function": {"index": 0, "name": name, "arguments": arguments}});
        events.push(line(json!({"role": "assistant", "content": "", "tool_calls": [call]})));
    }
    let finish = message.finish.as_deref().unwrap_or("stop");
    if finish == "none" {
        return (events, Vec::new());
    }
    let mut end = json!({
        "model": model, "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": ""},
        "done": true, "done_reason": finish,
    });
    if let Some(usage) = message.usage {
        end["prompt_eval_count"] = json!(usage.read);
        end["eval_count"] = json!(usage.written);
    }
    (events, vec![format!("{end}\n")])
}
