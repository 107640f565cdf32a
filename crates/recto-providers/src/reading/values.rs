//! The JSON values of a frame, and the words of an error among them.

use serde_json::Value;

/// The JSON values of a frame: one, or one a line where a server leaves the blank lines between its events out; none if it is
/// something else.
pub(crate) fn parse(data: &str) -> Vec<Value> {
    let one = |text: &str| serde_json::from_str(text).or_else(|_| serde_json::from_str(&without_lone_surrogates(text)));
    match one(data) {
        Ok(value) => vec![value],
        Err(_) if data.contains('\n') => data.lines().filter_map(|line| one(line).ok()).collect(),
        Err(_) => Vec::new(),
    }
}

/// Half of a surrogate pair is no character; a server that writes one as an escape means that it lost the other half.
fn without_lone_surrogates(text: &str) -> String {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut repaired = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let width = match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                repaired.push_str("\\ufffd");
                at += 6;
                continue;
            }
            // A backslash and what it escapes stay together, so that `\\ud800` is read as text.
            _ if character == '\\' => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            _ => character.len_utf8(),
        };
        repaired.push_str(&text[at..at + width]);
        at += width;
    }
    repaired
}

/// The words of an error, wherever a server puts them: under `error`, inside a choice, or in an event of that name.
pub(crate) fn error(event: &str, value: &Value) -> Option<String> {
    let inside_choice = value["choices"].as_array().and_then(|choices| choices.first()).map(|choice| &choice["error"]);
    let error = [Some(&value["error"]), inside_choice].into_iter().flatten().find(|error| !error.is_null());
    let (error, is_error) = match error {
        Some(error) => (error, true),
        None => (value, event == "error" || value["object"] == "error" || value["type"] == "error"),
    };
    is_error.then(|| error_words(error))
}

/// The words of an error object.
pub(crate) fn error_words(error: &Value) -> String {
    if let Some(words) = error.as_str() {
        return words.to_owned();
    }
    let words = ["message", "detail", "error", "msg", "type"].iter().find_map(|key| match &error[*key] {
        Value::String(words) if !words.is_empty() => Some(words.clone()),
        Value::Object(inner) => inner.get("message").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    });
    let cause = error["metadata"]["raw"].as_str().map(|cause| format!(" ({cause})")).unwrap_or_default();
    words.map_or_else(|| error.to_string(), |words| format!("{words}{cause}"))
}

#[cfg(test)]
mod tests {
    use super::{error, parse};
    use serde_json::{Value, json};

    #[test]
    fn fault_f17_a_lone_surrogate_escape_becomes_the_replacement_character() {
        assert_eq!(parse(r#"{"a":"x\ud83dy\ude00z"}"#), [json!({"a": "x\u{fffd}y\u{fffd}z"})]);
        assert_eq!(parse(r#"{"a":"\ud83e\udd80 \ud800"}"#), [json!({"a": "🦀 \u{fffd}"})]);
        assert_eq!(parse(r#"{"a":"\\ud800 \" 你 \ud800"}"#), [json!({"a": "\\ud800 \" 你 \u{fffd}"})]);
        assert_eq!(parse(r#"{"a":"\ud8"#), [] as [Value; 0]);
        assert_eq!(parse("\\"), [] as [Value; 0]);
    }

    #[test]
    fn lines_without_blank_lines_between_them_are_several_values() {
        assert_eq!(parse("{\"a\":1}\n{\"a\":2}"), [json!({"a": 1}), json!({"a": 2})]);
        assert_eq!(parse("{\"a\":\n1}"), [json!({"a": 1})]);
    }

    #[test]
    fn fault_f07_the_words_of_an_error_are_found_wherever_they_are() {
        let check = |event: &str, value: Value, words: Option<&str>| {
            assert_eq!(error(event, &value).as_deref(), words, "{value}");
        };
        check("", json!({"error": {"message": "overloaded", "code": 529}}), Some("overloaded"));
        check("", json!({"error": "model not loaded"}), Some("model not loaded"));
        check(
            "",
            json!({"error": {"code": 502, "message": "Provider returned error", "metadata": {"raw": "upstream"}}}),
            Some("Provider returned error (upstream)"),
        );
        check(
            "error",
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            Some("Overloaded"),
        );
        check("error", json!({"message": "bad"}), Some("bad"));
        check("", json!({"object": "error", "message": "too long", "code": 400}), Some("too long"));
        check("", json!({"choices": [{"error": {"message": "cut"}, "finish_reason": "error"}]}), Some("cut"));
        check("", json!({"error": null, "choices": []}), None);
        check("", json!({"error": {"code": 7}}), Some("{\"code\":7}"));
    }
}
