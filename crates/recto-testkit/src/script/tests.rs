use super::*;

fn replies(script: &str) -> Vec<ScriptedReply> {
    let script: Script = script.parse().unwrap();
    script.parts.into_iter().flat_map(|part| part.replies).collect()
}

fn message(message: Message) -> ScriptedReply {
    ScriptedReply { body: Body::Message(message), ..ScriptedReply::default() }
}

fn text(said: &str) -> Message {
    Message { text: Some(said.into()), ..Message::default() }
}

#[test]
fn each_model_line_is_a_reply_and_may_end_in_calls() {
    assert_eq!(
        replies(
            "model: I will. call write_file {\"a\": 1} call list_dir {}\nmodel: READY\nmodel: call me {maybe\nmodel: Please call back."
        ),
        [
            message(Message {
                calls: vec![("write_file".into(), "{\"a\": 1}".into()), ("list_dir".into(), "{}".into())],
                ..text("I will.")
            }),
            message(text("READY")),
            message(Message { calls: vec![("me".into(), "{maybe".into())], ..Message::default() }),
            message(text("Please call back.")),
        ]
    );
}

#[test]
fn reasoning_usage_finish_and_further_lines_belong_to_the_open_reply() {
    assert_eq!(
        replies("think: hm\n| hm\nmodel: one\n|\n| three\nusage read=3 written=2\nfinish length\nthink: next"),
        [
            message(Message {
                reasoning: "hm\nhm".into(),
                finish: Some("length".into()),
                usage: Some(ScriptedUsage { read: 3, reused: None, written: 2 }),
                ..text("one\n\nthree")
            }),
            message(Message { reasoning: "next".into(), ..Message::default() }),
        ]
    );
}

#[test]
fn a_structured_step_is_kept_as_it_is() {
    let step = r#"{"tool":"write_file","arguments":{"content":"a\n\"b\" call x {}"}}"#;
    assert_eq!(replies(&format!("model: {step}")), [message(text(step))]);
}

#[test]
fn errors_pages_and_bytes_are_replies_too() {
    assert_eq!(
        replies("status 429 retry-after 1\n| {}\nhtml: <p>\njson: []\nraw: a\\n\\xff\nraw: \\\\\\u00e9"),
        [
            ScriptedReply {
                body: Body::Status(429, Some("{}".into())),
                headers: vec![("retry-after".into(), "1".into())],
                ..ScriptedReply::default()
            },
            ScriptedReply { body: Body::Html("<p>".into()), ..ScriptedReply::default() },
            ScriptedReply { body: Body::Json("[]".into()), ..ScriptedReply::default() },
            ScriptedReply { body: Body::Raw(b"a\n\xff\\\\u00e9".to_vec()), ..ScriptedReply::default() },
        ]
    );
}

#[test]
fn pace_and_faults_belong_to_the_open_reply() {
    assert_eq!(
        replies("delay 5\nchunk 1\nmodel: a\nstall after 7\n\nmodel: b\nclose\nheader x-y: z: 1"),
        [
            ScriptedReply {
                delay: Duration::from_millis(5),
                chunk: Some(1),
                fault: Some(Fault::StallAfter(7)),
                ..message(text("a"))
            },
            ScriptedReply {
                fault: Some(Fault::Close),
                headers: vec![("x-y".into(), "z: 1".into())],
                ..message(text("b"))
            },
        ]
    );
}

#[test]
fn parts_are_for_sorts_of_requests() {
    let script: Script =
        "offers a window 9\nloads b\nprops 4\nwhen work asks \"milk\":\nmodel: x\nthen again\nwhen answer:\nthen repeat"
            .parse()
            .unwrap();
    assert_eq!(
        script,
        Script {
            models: vec![OfferedModel { name: "a".into(), window: Some(9) }],
            loaded: Some(vec![OfferedModel { name: "b".into(), window: None }]),
            shown: Vec::new(),
            slot_window: Some(4),
            counts: false,
            parts: vec![
                Part {
                    kind: Some(RequestKind::Work),
                    asks: Some("milk".into()),
                    replies: vec![message(text("x"))],
                    after: After::Again
                },
                Part { kind: Some(RequestKind::Answer), after: After::Repeat, ..Part::default() },
            ],
        }
    );
}

#[test]
fn a_script_that_cannot_be_read_names_its_line() {
    let error = |script: &str| script.parse::<Script>().unwrap_err().to_string();
    assert_eq!(error("model: a\nmodl: b"), "line 2 of the script: `modl:` is not a word of the script");
    assert_eq!(error("chunk many"), "line 1 of the script: `many` is not a number that fits here");
    assert_eq!(error("when lunch:"), "line 1 of the script: a part is for `work`, `answer` or `any` requests");
}
