//! What Ollama's `/api/chat` demands, and what has to be asked of it so that nothing is lost in silence.

use serde_json::Value;

pub(super) fn faults(body: &Value, faults: &mut Vec<String>) {
    if !body["options"]["num_ctx"].is_u64() {
        faults.push("the window is not asked for, so the server takes its default".to_owned());
    }
    for switch in ["truncate", "shift"] {
        if body[switch] != false {
            faults.push(format!("`{switch}` is not switched off, so a prompt may be shortened in silence"));
        }
    }
    if body.get("tool_choice").is_some() {
        faults.push("there is no `tool_choice` in this interface".to_owned());
    }
    for (index, message) in body["messages"].as_array().into_iter().flatten().enumerate() {
        if !message["content"].is_string() {
            faults.push(format!("the content of message {index} is no text"));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            if !call["function"]["name"].is_string() || !call["function"]["arguments"].is_object() {
                faults.push(format!("a call of message {index} lacks its name or has arguments that are no object"));
            }
        }
        if message["role"] == "tool" && !message["tool_name"].is_string() {
            faults.push(format!("message {index} is a result and does not name its tool"));
        }
    }
}
