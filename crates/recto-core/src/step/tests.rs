use super::*;
use crate::tool::ToolIdentity;

fn read_file() -> ToolDefinition {
    ToolDefinition {
        identity: ToolIdentity::BuiltIn,
        name: "read_file".into(),
        description: "Reads a file.".into(),
        parameters: json!({
            "type": "object",
            "properties": {"path": {"type": "string"}, "start_line": {"type": "integer", "minimum": 1}},
            "required": ["path"],
            "additionalProperties": false
        }),
        effect: Effect::Read,
        paths: vec![("path".into(), PathChoice::File)],
        repeats: true,
    }
}

#[test]
fn models_m5_the_schema_offers_exactly_the_choices_of_the_moment() {
    let tool = read_file();
    let places = Places { files: vec!["README.md".into(), "notes/a.md".into()], folders: vec![".".into()] };
    let choices = Choices {
        tools: vec![&tool],
        may_end: true,
        may_answer: false,
        has_cut_result: true,
        places: &places,
        unread: &places.files,
        remembered: &[],
        passages: &[],
    };
    expect_test::expect![[r#"{"anyOf":[{"type":"object","properties":{"name":{"const":"READY"}},"required":["name"],"additionalProperties":false},{"type":"object","properties":{"name":{"const":"read_file"},"arguments":{"type":"object","properties":{"path":{"type":"string","enum":["README.md","notes/a.md"]},"start_line":{"type":"integer","minimum":1}},"required":["path"],"additionalProperties":false}},"required":["name","arguments"],"additionalProperties":false}]}"#]]
    .assert_eq(&schema(&choices).to_string());
    let choices = Choices { has_cut_result: false, ..choices };
    assert!(!schema(&choices).to_string().contains("start_line"), "a range is offered once a file did not fit");
}

#[test]
fn models_m5_a_step_has_a_choice_at_any_moment() {
    let (places, unread) = (Places::default(), Vec::new());
    let nothing = Choices {
        tools: Vec::new(),
        may_end: false,
        may_answer: false,
        has_cut_result: false,
        places: &places,
        unread: &unread,
        remembered: &[],
        passages: &[],
    };
    assert_eq!(schema(&nothing)["anyOf"][0]["properties"]["name"]["const"], READY);
}

#[test]
fn models_m5_a_step_is_read_with_its_arguments_byte_for_byte() {
    let check = |text: &str, read_as: StepRead| assert_eq!(read(text), read_as, "{text}");
    check(r#"{"name":"READY"}"#, StepRead::Ready);
    check("READY.", StepRead::Ready);
    check(r#"{"name":"answer","arguments":{"text":"4"}}"#, StepRead::Answer("4".into()));
    check(
        r#"{"name": "read_file", "arguments": {"path" :"a\u00e4.md"}}"#,
        StepRead::Call { name: "read_file".into(), arguments: r#"{"path" :"a\u00e4.md"}"#.into() },
    );
    check("It is four.", StepRead::Text("It is four.".into()));
    assert!(matches!(read(r#"{"name":"write_file","arguments":{"content":"mil"#), StepRead::Broken(_)));
}

#[test]
fn an_answer_step_is_decoded_while_it_arrives_whatever_the_splits() {
    let step = "{\"name\": \"answer\", \"arguments\": {\"text\": \"a \\\"b\\\"\\n\\u7f16\\ud83e\\udd80 é。\"}}";
    for cut in 0..=step.len() {
        if !step.is_char_boundary(cut) {
            continue;
        }
        let mut stream = AnswerStream::default();
        let first = stream.push(&step[..cut]).unwrap_or_default();
        let second = stream.push(&step[cut..]).unwrap_or_default();
        assert_eq!(first + &second, "a \"b\"\n编🦀 é。", "cut at {cut}");
    }
    let mut stream = AnswerStream::default();
    let pieces: String = step.chars().filter_map(|c| stream.push(&c.to_string())).collect();
    assert_eq!(pieces, "a \"b\"\n编🦀 é。");
}

#[test]
fn a_call_is_never_taken_for_an_answer_while_it_arrives() {
    let mut stream = AnswerStream::default();
    assert_eq!(stream.push(r#"{"name":"write_file","arguments":{"text":"x"#), None);
}
