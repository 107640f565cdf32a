use super::*;
use expect_test::{Expect, expect};
use minijinja::value::Kwargs;

/// The template of Qwen2.5, as its files carry it.
const QWEN: &str = include_str!("qwen25.jinja");

fn say(role: &'static str, content: &str) -> TemplateMessage {
    TemplateMessage { role, content: content.to_owned(), ..Default::default() }
}

fn refusal(source: &str) -> String {
    ChatTemplate::new(source, "<s>", "</s>").unwrap_err().to_string()
}

fn check_tojson(value: &serde_json::Value, options: &[(&'static str, Value)], expected: &Expect) {
    let options: Kwargs = options.iter().cloned().collect();
    expected.assert_eq(&json::tojson(&from_json(value), options).unwrap());
}

#[test]
fn tojson_writes_what_python_writes() {
    let value = json!({"b": [1, -2, 2.0, 1e16, 0.00001, 1.5e-7, true, null], "a<>&'": "高 \"q\" \\ \u{1}\n\u{1f600}", "e": {}, "l": []});
    check_tojson(
        &value,
        &[],
        &expect![[
            r#"{"b": [1, -2, 2.0, 1e+16, 1e-05, 1.5e-07, true, null], "a<>&'": "高 \"q\" \\ \u0001\n😀", "e": {}, "l": []}"#
        ]],
    );
    check_tojson(
        &value,
        &[("indent", Value::from(2))],
        &expect![[r#"
            {
              "b": [
                1,
                -2,
                2.0,
                1e+16,
                1e-05,
                1.5e-07,
                true,
                null
              ],
              "a<>&'": "高 \"q\" \\ \u0001\n😀",
              "e": {},
              "l": []
            }"#]],
    );
    check_tojson(
        &json!({"a": "高😀", "b": [1, 2]}),
        &[("separators", Value::from_iter([Value::from(","), Value::from(":")])), ("ensure_ascii", Value::from(true))],
        &expect![[r#"{"a":"\u9ad8\ud83d\ude00","b":[1,2]}"#]],
    );
}

#[test]
fn the_template_of_qwen_with_tools_calls_and_results() {
    let template = ChatTemplate::new(QWEN, "<|endoftext|>", "<|im_end|>").unwrap();
    assert!(template.takes_trailing_system && template.describes_tools);
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let tools = Value::from_iter([tool("read_file", "Reads a file <whole> & \"exact\".", &parameters)]);
    let mut calling = say("assistant", "I look.");
    for (id, arguments) in [("c1", "{\"path\":\"a.md\",  \"to\": 3.0}"), ("c2", "{\"path\": \"b")] {
        calling.calls.push(TemplateCall {
            id: id.to_owned(),
            name: "read_file".to_owned(),
            written: arguments.to_owned(),
            arguments: arguments.to_owned(),
        });
    }
    let mut results = [say("tool", "alpha"), say("tool", "invalid arguments")];
    results[0].answers = Some("c1".to_owned());
    results[1].answers = Some("c2".to_owned());
    let [first, second] = results;
    let messages = [say("system", "Be exact."), say("user", "What is in a.md?"), calling, first, second];
    expect![[r#"
        <|im_start|>system
        Be exact.

        # Tools

        You may call one or more functions to assist with the user query.

        You are provided with function signatures within <tools></tools> XML tags:
        <tools>
        {"type": "function", "function": {"name": "read_file", "description": "Reads a file <whole> & \"exact\".", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}
        </tools>

        For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
        <tool_call>
        {"name": <function-name>, "arguments": <args-json-object>}
        </tool_call><|im_end|>
        <|im_start|>user
        What is in a.md?<|im_end|>
        <|im_start|>assistant
        I look.
        <tool_call>
        {"name": "read_file", "arguments": {"path":"a.md",  "to": 3.0}}
        </tool_call>
        <tool_call>
        {"name": "read_file", "arguments": {"path": "b}
        </tool_call><|im_end|>
        <|im_start|>user
        <tool_response>
        alpha
        </tool_response>
        <tool_response>
        invalid arguments
        </tool_response><|im_end|>
        <|im_start|>assistant
    "#]].assert_eq(&template.render(&messages, &tools).unwrap());
}

#[test]
fn a_template_that_loses_something_or_cannot_be_rendered_is_refused_with_a_reason() {
    assert_eq!(
        refusal("{% for m in messages %}{% if m.role != 'system' %}{{ m.content }}{% endif %}{% endfor %}"),
        "its chat template leaves out the system message"
    );
    assert_eq!(refusal("{{ messages[0].content }}"), "its chat template leaves out an earlier question");
    assert_eq!(
        refusal("{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"),
        "its chat template cannot be rendered: System role not supported"
    );
    assert_eq!(refusal("{% for"), "its chat template cannot be rendered: unexpected end of input, expected identifier");
}

#[test]
fn what_templates_ask_for_is_there() {
    let source = "{{- bos_token }}{%- for message in messages %}\n    {%- if message.content.startswith('recto') or message['role'].upper() == 'USER' %}\n        {{- '[' + message.role + '] ' + message.content | trim + eos_token }}\n    {%- endif %}\n{%- endfor %}\n{{- strftime_now('%d %b %Y') }}{% generation %}{% endgeneration %}";
    let template = ChatTemplate::new(source, "<s>", "</s>").unwrap();
    assert!(!template.describes_tools);
    let text = template.render(&[say("system", "no"), say("user", " hello ")], &Value::from(())).unwrap();
    assert_eq!(text, "<s>[user] hello</s>26 Jul 2024");
}
