use super::*;
use expect_test::{Expect, expect};

/// Reads a reply in chunks of `size` bytes and shows what was told and what is left.
fn read(marks: Marks, reply: &str, size: usize) -> String {
    let mut reading = Reading::new(marks);
    let mut told: Vec<String> = Vec::new();
    let mut tell = |delta: Delta| match (delta, told.last_mut()) {
        (Delta::Text(text), Some(last)) if last.starts_with("text ") => last.push_str(&text),
        (Delta::Reasoning(text), Some(last)) if last.starts_with("reasoning ") => last.push_str(&text),
        (Delta::Text(text), _) => told.push(format!("text {text}")),
        (Delta::Reasoning(text), _) => told.push(format!("reasoning {text}")),
        (Delta::Call(name), _) => told.push(format!("call {name}")),
        (other, _) => told.push(format!("{other:?}")),
    };
    for chunk in reply.as_bytes().chunks(size) {
        reading.push(chunk, &mut tell);
    }
    reading.finish(&mut tell);
    let calls = reading.calls.iter().map(|call| format!("\n= {} {}", call.name, call.arguments));
    format!("{}\n= {:?} {:?}{}\n", told.join("\n"), reading.text, reading.reasoning, calls.collect::<String>())
}

fn check(marks: Marks, reply: &str, expected: &Expect) {
    let whole = read(marks, reply, usize::MAX);
    expected.assert_eq(&whole);
    for size in 1..reply.len() {
        assert_eq!(read(marks, reply, size), whole, "in chunks of {size}");
    }
}

#[test]
fn models_m5_a_hermes_call_is_read_with_its_arguments_byte_for_byte() {
    check(
        Marks::Calls,
        "I look.\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\":\"a.md\",  \"to\": 3.0}}\n</tool_call>\n<tool_call>\n{\"name\": \"list_dir\", \"arguments\": {}}\n</tool_call>",
        &expect![[r#"
            text I look.

            call read_file
            text 

            call list_dir
            = "I look." ""
            = read_file {"path":"a.md",  "to": 3.0}
            = list_dir {}
        "#]],
    );
}

#[test]
fn models_m5_malformed_arguments_are_kept_as_they_are() {
    check(
        Marks::Calls,
        "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.md}}</tool_call>",
        &expect![[r#"
            call read_file
            = "" ""
            = read_file {"path": "a.md}
        "#]],
    );
}

#[test]
fn models_m5_a_call_without_its_closing_mark_counts_if_it_is_whole_and_is_text_otherwise() {
    check(
        Marks::Calls,
        "<tool_call>{\"name\": \"list_dir\", \"arguments\": {\"path\": \".\"}}",
        &expect![[r#"
            call list_dir
            = "" ""
            = list_dir {"path": "."}
        "#]],
    );
    check(
        Marks::Calls,
        "so: <tool_call> no name",
        &expect![[r#"
            text so: <tool_call> no name
            = "so: <tool_call> no name" ""
        "#]],
    );
}

#[test]
fn models_m8_reasoning_at_the_beginning_is_kept_apart() {
    check(
        Marks::Reasoning,
        "<think>\n两 of 3?\n</think>\nThree, not <think>.",
        &expect![[r#"
            reasoning 
            两 of 3?

            text 
            Three, not <think>.
            = "\nThree, not <think>." "\n两 of 3?\n"
        "#]],
    );
}

#[test]
fn without_marks_everything_is_text() {
    check(
        Marks::None,
        "{\"answer\": \"<think> <tool_call>\"}",
        &expect![[r#"
            text {"answer": "<think> <tool_call>"}
            = "{\"answer\": \"<think> <tool_call>\"}" ""
        "#]],
    );
}

#[test]
fn a_character_that_never_becomes_whole_is_replaced() {
    let mut reading = Reading::new(Marks::None);
    let mut told = String::new();
    let mut tell = |delta| match delta {
        Delta::Text(text) => told.push_str(&text),
        other => panic!("{other:?}"),
    };
    reading.push(b"a\xe4\xb8", &mut tell);
    reading.push(b"b\xf0\x9f", &mut tell);
    reading.finish(&mut tell);
    assert_eq!(told, "a\u{fffd}b\u{fffd}");
}

#[test]
fn models_m8_reasoning_that_the_end_of_the_prompt_began_is_no_answer() {
    let begun = |marks, glue: &str, text: Option<&str>| {
        let mut prompt = Wire::default();
        prompt.glue(glue);
        if let Some(text) = text {
            prompt.block(0, text, recto_core::request::Encoding::Plain);
        }
        let mut reading = Reading::begun_by(marks, &prompt);
        for piece in ["I add", ".</thi", "nk>\n\nFour."] {
            reading.push(piece.as_bytes(), &mut |_| {});
        }
        reading.finish(&mut |_| {});
        (reading.text, reading.reasoning)
    };
    let pair = |text: &str, reasoning: &str| (text.to_owned(), reasoning.to_owned());
    assert_eq!(begun(Marks::Reasoning, "<|Assistant|><think>\n", None), pair("\n\nFour.", "I add."));
    assert_eq!(begun(Marks::Calls, "<|Assistant|><think>", None), pair("\n\nFour.", "I add."));
    let all = pair("I add.</think>\n\nFour.", "");
    assert_eq!(begun(Marks::Reasoning, "<|Assistant|>", None), all);
    assert_eq!(begun(Marks::Reasoning, "<think>\n\n</think>\n", None), all);
    assert_eq!(begun(Marks::Reasoning, "<|Assistant|>", Some("<think>")), all, "a text of others begins nothing");
    assert_eq!(begun(Marks::None, "<|Assistant|><think>\n", None), all, "a step is text and nothing else");
}
