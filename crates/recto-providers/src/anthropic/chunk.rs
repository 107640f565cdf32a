//! One event of a reply, or a whole reply.

use crate::reading::{Said, ThoughtDelta};
use recto_core::reply::{Finish, Usage};
use serde_json::{Value, json};

/// What an event adds; `None` for one that is none of a reply.
pub(crate) fn said(event: &Value) -> Option<Said> {
    let index = event["index"].as_u64().unwrap_or(0);
    match event["type"].as_str()? {
        "message_start" | "ping" | "content_block_stop" => Some(Said::default()),
        "content_block_start" => Some(block(index, &event["content_block"])),
        "content_block_delta" => Some(delta(index, &event["delta"])),
        "message_delta" => Some(Said { finish: finish(&event["delta"]), ..Said::default() }),
        "message_stop" => Some(Said { is_end: true, ..Said::default() }),
        "message" => Some(whole(event)),
        _ => None,
    }
}

/// A block as it begins, or as it is where it comes whole.
fn block(index: u64, block: &Value) -> Said {
    let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
    match block["type"].as_str().unwrap_or_default() {
        "text" => Said { text: text("text"), ..Said::default() },
        "thinking" | "redacted_thinking" => Said {
            reasoning: text("thinking"),
            thoughts: vec![ThoughtDelta::Begun { index, block: block.clone() }],
            ..Said::default()
        },
        "tool_use" => {
            // The input of a block that begins is empty, and comes in pieces; some servers send it whole here.
            let input = block["input"].as_object().filter(|input| !input.is_empty());
            let arguments = input.map(|_| block["input"].to_string()).unwrap_or_default();
            let function = json!({"name": block["name"], "arguments": arguments});
            Said { calls: vec![json!({"index": index, "id": block["id"], "function": function})], ..Said::default() }
        }
        _ => Said::default(),
    }
}

fn delta(index: u64, delta: &Value) -> Said {
    let text = |key: &str| delta[key].as_str().unwrap_or_default().to_owned();
    match delta["type"].as_str().unwrap_or_default() {
        "text_delta" => Said { text: text("text"), ..Said::default() },
        "thinking_delta" => Said {
            reasoning: text("thinking"),
            thoughts: vec![ThoughtDelta::More { index, key: "thinking", text: text("thinking") }],
            ..Said::default()
        },
        "signature_delta" => Said {
            thoughts: vec![ThoughtDelta::More { index, key: "signature", text: text("signature") }],
            ..Said::default()
        },
        "input_json_delta" => {
            let function = json!({"arguments": text("partial_json")});
            Said { calls: vec![json!({"index": index, "function": function})], ..Said::default() }
        }
        _ => Said::default(),
    }
}

/// A reply that did not come as a stream.
fn whole(message: &Value) -> Said {
    let blocks = message["content"].as_array().into_iter().flatten();
    let mut said = Said { finish: finish(message), is_end: true, ..Said::default() };
    for (index, each) in (0..).zip(blocks) {
        let part = block(index, each);
        said.text.push_str(&part.text);
        said.reasoning.push_str(&part.reasoning);
        said.calls.extend(part.calls);
        said.thoughts.extend(part.thoughts);
    }
    // A call without arguments has the empty object for them.
    for call in &mut said.calls {
        if call["function"]["arguments"] == "" {
            call["function"]["arguments"] = json!("{}");
        }
    }
    said
}

fn finish(said: &Value) -> Option<Finish> {
    Some(match said["stop_reason"].as_str()? {
        "tool_use" => Finish::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::Filtered,
        _ => Finish::Stop,
    })
}

/// Adds what an event says of tokens. What was read comes in three numbers: from the cache, into the cache, and neither.
pub(crate) fn usage(event: &Value, usage: &mut Usage) {
    let said = [&event["message"]["usage"], &event["usage"]].into_iter().find(|said| said.is_object());
    let Some(said) = said else { return };
    let count = |key: &str| said[key].as_u64().and_then(|n| u32::try_from(n).ok());
    if let Some(plain) = count("input_tokens") {
        let (reused, written) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
        let evaluated = plain.saturating_add(written.unwrap_or(0));
        let read = evaluated.saturating_add(reused.unwrap_or(0));
        if read > 0 {
            usage.n_read = Some(read);
            usage.n_reused = reused.or(usage.n_reused);
            usage.n_evaluated = Some(evaluated);
        }
    }
    usage.n_written = count("output_tokens").or(usage.n_written);
}
