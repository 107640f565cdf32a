//! One line of a reply.

use crate::reading::Said;
use recto_core::reply::{Finish, Usage};
use serde_json::Value;

/// What a line adds; `None` for one that is none of a reply.
pub(crate) fn said(line: &Value) -> Option<Said> {
    let message = &line["message"];
    let is_end = line["done"] == true;
    if !message.is_object() && !is_end {
        return None;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let calls = message["tool_calls"].as_array().into_iter().flatten().map(call).collect();
    let finish = is_end.then(|| match line["done_reason"].as_str() {
        Some("length") => Finish::Length,
        _ => Finish::Stop,
    });
    Some(Said {
        reasoning: text(&message["thinking"]),
        text: text(&message["content"]),
        calls,
        finish,
        is_end,
        ..Said::default()
    })
}

/// A call with its index where the others have theirs.
fn call(call: &Value) -> Value {
    let mut call = call.clone();
    // Every call comes whole and several versions number all of them 0, so the number says nothing.
    if let Some(fields) = call.as_object_mut() {
        fields.remove("index");
    }
    call
}

/// Adds what the last line says of tokens. A prompt that is said to have none was not counted.
pub(crate) fn usage(line: &Value, usage: &mut Usage) {
    let count = |key: &str| line[key].as_u64().and_then(|n| u32::try_from(n).ok());
    usage.n_read = count("prompt_eval_count").filter(|n| *n > 0).or(usage.n_read);
    usage.n_written = count("eval_count").or(usage.n_written);
}
