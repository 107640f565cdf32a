//! What every chat request has to be, on pain of a 400 from some real server: so each test guards it.

mod anthropic;
mod ollama;

use crate::shape::Shape;
use serde_json::Value;

/// Everything that is wrong with this request body in this interface; empty if nothing is.
#[must_use]
pub fn faults(shape: Shape, body: &[u8]) -> Vec<String> {
    let body: Value = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(error) => return vec![format!("the body is not JSON: {error}")],
    };
    let Some(messages) = body["messages"].as_array().filter(|messages| !messages.is_empty()) else {
        return vec!["there are no messages".to_owned()];
    };
    let mut faults = Vec::new();
    if !body["model"].is_string() {
        faults.push("the model is not named".to_owned());
    }
    match shape {
        Shape::OpenAi => {
            system_messages(messages, &mut faults);
            for (index, message) in messages.iter().enumerate() {
                contents(index, message, &mut faults);
            }
            calls_and_results(messages, &mut faults);
        }
        Shape::Ollama => {
            system_messages(messages, &mut faults);
            ollama::faults(&body, &mut faults);
            calls_and_results(messages, &mut faults);
        }
        Shape::Anthropic => anthropic::faults(&body, &mut faults),
    }
    faults
}

fn system_messages(messages: &[Value], faults: &mut Vec<String>) {
    if messages[0]["role"] != "system" {
        faults.push("message 0 is not the system message".to_owned());
    }
    for (index, message) in messages.iter().enumerate().skip(1) {
        if message["role"] == "system" && index + 1 != messages.len() {
            faults.push(format!("message {index} is a system message in the middle"));
        }
    }
}

fn contents(index: usize, message: &Value, faults: &mut Vec<String>) {
    let role = message["role"].as_str().unwrap_or_default();
    if !["system", "user", "assistant", "tool"].contains(&role) {
        faults.push(format!("message {index} has the role {}", message["role"]));
    }
    let calls = message["tool_calls"].as_array();
    let has_calls = calls.is_some_and(|calls| !calls.is_empty());
    let is_empty = match &message["content"] {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(parts) => parts.is_empty(),
        _ => {
            faults.push(format!("the content of message {index} is no text"));
            false
        }
    };
    if is_empty && !has_calls {
        faults.push(format!("message {index} ({role}) is empty"));
    }
    if message.get("tool_calls").is_some() && role != "assistant" {
        faults.push(format!("message {index} ({role}) has tool calls"));
    }
    for call in calls.into_iter().flatten() {
        if call["type"] != "function" || !call["id"].is_string() || !call["function"]["name"].is_string() {
            faults.push(format!("a call of message {index} lacks type, id or name"));
        }
        if !call["function"]["arguments"].is_string() {
            faults.push(format!("the arguments of a call of message {index} are no string"));
        }
    }
}

/// Each call is answered directly after the message that made it, and nothing else is answered.
fn calls_and_results(messages: &[Value], faults: &mut Vec<String>) {
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            match open.iter().position(|call| *call == id) {
                Some(place) => drop(open.remove(place)),
                None => faults.push(format!("message {index} answers the call `{id}`, which is not open")),
            }
            continue;
        }
        unanswered(&mut open, index, faults);
        open = message["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|call| call["id"].as_str().unwrap_or_default())
            .collect();
    }
    unanswered(&mut open, messages.len(), faults);
}

fn unanswered(open: &mut Vec<&str>, index: usize, faults: &mut Vec<String>) {
    for call in open.drain(..) {
        faults.push(format!("the call `{call}` has no result before message {index}"));
    }
}

#[cfg(test)]
mod tests {
    use super::{Shape, faults};
    use serde_json::{Value, json};

    fn check(messages: Value, expected: &[&str]) {
        assert_eq!(faults(Shape::OpenAi, json!({"model": "m", "messages": messages}).to_string().as_bytes()), expected);
    }

    fn calls(ids: &[&str]) -> Value {
        let calls: Vec<Value> = ids
            .iter()
            .map(|id| json!({"id": id, "type": "function", "function": {"name": "list_dir", "arguments": "{}"}}))
            .collect();
        json!({"role": "assistant", "content": null, "tool_calls": calls})
    }

    fn result(id: &str) -> Value {
        json!({"role": "tool", "tool_call_id": id, "content": "a.md"})
    }

    #[test]
    fn a_well_formed_request_has_no_faults() {
        let system = json!({"role": "system", "content": "s"});
        let user = json!({"role": "user", "content": "u"});
        check(json!([system, user, calls(&["a", "b"]), result("a"), result("b"), system]), &[]);
    }

    #[test]
    fn system_messages_stand_first_and_at_most_once_more_at_the_very_end() {
        let system = json!({"role": "system", "content": "s"});
        let user = json!({"role": "user", "content": "u"});
        check(json!([user]), &["message 0 is not the system message"]);
        check(json!([system, system, user]), &["message 1 is a system message in the middle"]);
    }

    #[test]
    fn empty_messages_and_unknown_roles_are_faults() {
        check(
            json!([{"role": "system", "content": "s"}, {"role": "user", "content": " "}, {"role": "developer", "content": "x"}]),
            &["message 1 (user) is empty", "message 2 has the role \"developer\""],
        );
    }

    #[test]
    fn each_call_has_its_result_directly_after_it_and_each_result_its_call() {
        let system = json!({"role": "system", "content": "s"});
        let user = json!({"role": "user", "content": "u"});
        check(json!([system, calls(&["a"])]), &["the call `a` has no result before message 2"]);
        check(
            json!([system, calls(&["a"]), user, result("a")]),
            &["the call `a` has no result before message 2", "message 3 answers the call `a`, which is not open"],
        );
        check(
            json!([system, calls(&["a"]), result("a"), result("a")]),
            &["message 3 answers the call `a`, which is not open"],
        );
    }

    #[test]
    fn arguments_of_a_call_are_a_string() {
        let mut message = calls(&["a"]);
        message["tool_calls"][0]["function"]["arguments"] = json!({});
        check(
            json!([{"role": "system", "content": "s"}, message, result("a")]),
            &["the arguments of a call of message 1 are no string"],
        );
    }

    #[test]
    fn a_body_that_is_not_json_is_one_fault() {
        assert_eq!(
            faults(Shape::OpenAi, b"{"),
            ["the body is not JSON: EOF while parsing an object at line 1 column 1"]
        );
        assert_eq!(faults(Shape::OpenAi, b"{}"), ["there are no messages"]);
    }
}
