//! What Anthropic's `/v1/messages` answers with a 400.

use serde_json::Value;

/// Breakpoints that a request may have.
const MOST_BREAKPOINTS: usize = 4;

pub(super) fn faults(body: &Value, faults: &mut Vec<String>) {
    if body["max_tokens"].as_u64().is_none_or(|n| n == 0) {
        faults.push("`max_tokens` is missing".to_owned());
    }
    for refused in ["temperature", "top_p", "seed", "response_format"] {
        if body.get(refused).is_some() {
            faults.push(format!("`{refused}` is refused by newer models"));
        }
    }
    let n_breakpoints = body.to_string().matches("\"cache_control\"").count();
    if n_breakpoints > MOST_BREAKPOINTS {
        faults.push(format!("{n_breakpoints} cache breakpoints, {MOST_BREAKPOINTS} are allowed"));
    }
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    for block in body["system"].as_array().into_iter().flatten() {
        check_block(block, "the system message", faults);
    }
    for (index, message) in messages.iter().enumerate() {
        let expected = if index % 2 == 0 { "user" } else { "assistant" };
        if message["role"] != expected {
            faults.push(format!("message {index} has the role {} and not {expected}", message["role"]));
        }
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        if blocks.is_empty() {
            faults.push(format!("message {index} is empty"));
        }
        for block in blocks {
            check_block(block, &format!("message {index}"), faults);
        }
        results(index, messages, blocks, faults);
    }
}

fn check_block(block: &Value, place: &str, faults: &mut Vec<String>) {
    match block["type"].as_str() {
        Some("text") if block["text"].as_str().is_none_or(|text| text.trim().is_empty()) => {
            faults.push(format!("a text of {place} is empty"));
        }
        Some("text" | "tool_result") => {}
        Some("tool_use") if !block["input"].is_object() || !block["id"].is_string() || !block["name"].is_string() => {
            faults.push(format!("a call of {place} lacks its id, its name or its input"));
        }
        Some("tool_use") => {}
        Some("thinking") if block["signature"].as_str().is_none_or(str::is_empty) => {
            faults.push(format!("reasoning of {place} has no signature"));
        }
        Some("thinking" | "redacted_thinking") => {}
        other => faults.push(format!("a block of {place} has the type {other:?}")),
    }
}

/// Every call of a message has its result in the next one, before any text.
fn results(index: usize, messages: &[Value], blocks: &[Value], faults: &mut Vec<String>) {
    let ids = |blocks: &[Value], kind: &str, key: &str| -> Vec<String> {
        let of_kind = blocks.iter().filter(|block| block["type"] == kind);
        of_kind.map(|block| block[key].as_str().unwrap_or_default().to_owned()).collect()
    };
    let before = index.checked_sub(1).and_then(|before| messages[before]["content"].as_array());
    let called = before.map(|before| ids(before, "tool_use", "id")).unwrap_or_default();
    if ids(blocks, "tool_result", "tool_use_id") != called {
        faults.push(format!("message {index} does not answer the calls {called:?} in their order"));
    }
    let is_result = |block: &Value| block["type"] == "tool_result";
    if blocks.iter().skip_while(|block| is_result(block)).any(is_result) {
        faults.push(format!("message {index} has a result behind a text"));
    }
    if index + 1 == messages.len() && !ids(blocks, "tool_use", "id").is_empty() {
        faults.push(format!("message {index} ends the request with calls"));
    }
}

#[cfg(test)]
mod tests {
    use crate::check::faults;
    use crate::shape::Shape;
    use serde_json::{Value, json};

    fn check(messages: Value, expected: &[&str]) {
        let body = json!({"model": "m", "max_tokens": 9, "messages": messages});
        assert_eq!(faults(Shape::Anthropic, body.to_string().as_bytes()), expected);
    }

    fn said(role: &str, blocks: Value) -> Value {
        json!({"role": role, "content": blocks})
    }

    #[test]
    fn results_come_first_and_answer_the_calls_before_them() {
        let ask = said("user", json!([{"type": "text", "text": "Hello"}]));
        let call = said("assistant", json!([{"type": "tool_use", "id": "a", "name": "f", "input": {}}]));
        let result = json!({"type": "tool_result", "tool_use_id": "a", "content": "x"});
        let text = json!({"type": "text", "text": "more"});
        check(json!([ask, call, said("user", json!([result, text]))]), &[]);
        check(json!([ask, call, said("user", json!([text, result]))]), &["message 2 has a result behind a text"]);
        check(json!([ask, call, ask]), &["message 2 does not answer the calls [\"a\"] in their order"]);
        check(json!([ask, call]), &["message 1 ends the request with calls"]);
        check(json!([ask, ask]), &["message 1 has the role \"user\" and not assistant"]);
        check(json!([said("user", json!([{"type": "text", "text": " \n"}]))]), &["a text of message 0 is empty"]);
    }

    #[test]
    fn what_newer_models_refuse_is_a_fault() {
        let body =
            json!({"model": "m", "temperature": 0, "messages": [said("user", json!([{"type": "text", "text": "a"}]))]});
        let expected = ["`max_tokens` is missing", "`temperature` is refused by newer models"];
        assert_eq!(faults(Shape::Anthropic, body.to_string().as_bytes()), expected);
    }
}
