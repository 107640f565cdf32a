//! One JSON value of a reply: where servers put text, reasoning, calls, the end and errors.

use crate::reading::Said;
use recto_core::reply::Finish;
use serde_json::Value;

/// The choice that counts: the first, by its index where it has one.
fn choice(value: &Value) -> Option<&Value> {
    value["choices"].as_array()?.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0)
}

/// What a chunk of a stream (`delta`) or a whole reply (`message`) adds; `None` for one without a choice.
pub(crate) fn said(value: &Value) -> Option<Said> {
    let choice = choice(value)?;
    let said = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
    // A server that gives its reasoning under two names gives the same twice.
    let reasoning = ["reasoning_content", "reasoning"].map(|key| said[key].as_str().unwrap_or_default());
    let mut reasoning = reasoning.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned();
    let mut text = said["content"].as_str().unwrap_or_default().to_owned();
    for part in said["content"].as_array().into_iter().flatten() {
        text.push_str(part["text"].as_str().unwrap_or_default());
        for thought in part["thinking"].as_array().into_iter().flatten() {
            reasoning.push_str(thought["text"].as_str().unwrap_or_default());
        }
    }
    // A refusal is what the model has to say; without it the user would see an empty answer.
    text.push_str(said["refusal"].as_str().unwrap_or_default());
    let mut calls = said["tool_calls"].as_array().cloned().unwrap_or_default();
    if said["function_call"].is_object() {
        calls.push(said["function_call"].clone());
    }
    Some(Said { reasoning, text, calls, finish: finish(choice), ..Said::default() })
}

fn finish(choice: &Value) -> Option<Finish> {
    Some(match choice["finish_reason"].as_str()? {
        "" => return None,
        "tool_calls" | "function_call" => Finish::ToolCalls,
        "length" | "max_tokens" => Finish::Length,
        "content_filter" | "safety" => Finish::Filtered,
        _ => Finish::Stop,
    })
}
