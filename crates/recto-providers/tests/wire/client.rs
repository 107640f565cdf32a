//! Whole replies over a real connection.

use crate::bodies::{ask, ask_for_bytes, client, question};
use recto_core::reply::{Finish, Reply, Usage};
use recto_core::request::{AnswerTools, Exactness, ModelProfile, Part, Protocol};
use recto_core::tool::ToolCall;
use recto_engine::ports::{Delta, ModelClient};
use recto_testkit::FakeModel;

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

#[tokio::test]
async fn text_reasoning_calls_and_counts_arrive_apart_even_one_byte_at_a_time() {
    let server = FakeModel::start(
        "think: Hm, 你好🦀.\nmodel: I look. call list_dir {\"path\":\"杭州\"} call read_file {\"path\":\"a.md\"}\nusage read=40 reused=30 written=9\nchunk 1",
    );
    let (told, reply) = ask(&client(&server), &question()).await;
    assert_eq!(
        reply.unwrap(),
        Reply {
            text: "I look.".into(),
            reasoning: "Hm, 你好🦀.".into(),
            thoughts: Vec::new(),
            calls: vec![
                call("call_1", "list_dir", "{\"path\":\"杭州\"}"),
                call("call_2", "read_file", "{\"path\":\"a.md\"}")
            ],
            finish: Finish::ToolCalls,
            usage: Usage {
                n_read: Some(40),
                n_reused: Some(30),
                n_evaluated: Some(10),
                n_written: Some(9),
                ..Usage::default()
            },
        }
    );
    assert_eq!(
        told,
        [
            Delta::Reasoning("Hm, ".into()),
            Delta::Reasoning("你好🦀.".into()),
            Delta::Text("I ".into()),
            Delta::Text("look.".into()),
            Delta::Call("list_dir".into()),
            Delta::Call("read_file".into()),
        ]
    );
    server.assert_clean();
}

#[tokio::test]
async fn models_m1_the_bytes_of_a_reply_are_told_as_they_came() {
    let server = FakeModel::start("model: It is 4.\nchunk 7");
    let client = client(&server);
    let (_, raw, reply) = ask_for_bytes(&client, &question()).await;
    assert_eq!(reply.unwrap().text, "It is 4.");
    let raw = String::from_utf8(raw).unwrap();
    let first = raw.lines().next().unwrap();
    assert!(first.starts_with("data: {") && raw.trim_end().ends_with("data: [DONE]"), "{raw}");
    assert_eq!(client.endpoint().unwrap(), format!("{}/chat/completions", server.url().trim_end_matches('/')));
    server.assert_clean();
}

#[tokio::test]
async fn models_m8_reasoning_is_no_part_of_the_text() {
    let server =
        FakeModel::start("model: <think>Let me see.</think>\n|\n| It is 4.\n\nthink: Let me see.\nmodel: It is 4.");
    let client = client(&server);
    for _ in 0..2 {
        let reply = ask(&client, &question()).await.1.unwrap();
        assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("Let me see.", "It is 4."));
    }
}

#[tokio::test]
async fn fault_f27_each_ending_is_known() {
    let server = FakeModel::start(
        "model: a\nfinish length\n\nmodel: b\nfinish content_filter\n\nmodel: c\nfinish none\n\nmodel: d\nfinish stop\n\nmodel: e\nfinish eos",
    );
    let client = client(&server);
    let mut endings = Vec::new();
    for _ in 0..5 {
        let reply = ask(&client, &question()).await.1.unwrap();
        endings.push((reply.text, reply.finish));
    }
    let expected = [
        ("a", Finish::Length),
        ("b", Finish::Filtered),
        ("c", Finish::Unmarked),
        ("d", Finish::Stop),
        ("e", Finish::Stop),
    ];
    assert_eq!(endings, expected.map(|(text, finish)| (text.to_owned(), finish)));
}

// The connection is closed by the runtime, which has to go on while the test waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_f19_a_server_that_neither_marks_the_end_nor_closes_is_not_waited_for() {
    let end = r#"raw: data: {"choices":[{"delta":{"content":"Done."},"finish_reason":"stop"}]}\n\n"#;
    let server = FakeModel::start(&format!("{end}\nstall after {}", 1000));
    let reply = ask(&client(&server), &question()).await.1.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Done.", Finish::Stop));
    assert!(server.wait_until_closed(0, std::time::Duration::from_secs(1)));
}

/// Ten comments, one each 30 ms, and then a reply, for a client that waits `idle` for the next byte.
async fn pings(idle: std::time::Duration) -> Result<recto_core::reply::Reply, recto_engine::ports::ModelError> {
    let pings = ": ping\\n\\n".repeat(10);
    let server = FakeModel::start(&format!(
        "raw: {pings}data: {{\"choices\":[{{\"delta\":{{\"content\":\"Slowly.\"}},\"finish_reason\":\"stop\"}}]}}\\n\\n\ndelay 30\nchunk 8"
    ));
    let timing = recto_providers::Timing { idle, ..crate::bodies::quick() };
    let settings = recto_providers::ServerSettings { timing, ..crate::bodies::settings(&server.url()) };
    ask(&recto_providers::ServerClient::new(settings).unwrap(), &question()).await.1
}

#[tokio::test]
async fn fault_f14_comments_are_signs_of_life_for_longer_than_silence_would_be_waited_for() {
    let idle = std::time::Duration::from_millis(250);
    let started = std::time::Instant::now();
    assert_eq!(pings(idle).await.unwrap().text, "Slowly.");
    assert!(started.elapsed() > idle, "the stream was too quick to show anything");
}

#[tokio::test]
async fn fault_f14_comments_are_no_progress_and_not_waited_for_without_end() {
    let (sentence, how) = crate::bodies::sentence(pings(std::time::Duration::from_millis(70)).await);
    let (_, said) = sentence.split_once(' ').unwrap();
    assert_eq!(
        said,
        "sent nothing of a reply for 1 s, only signs of life. Look at the server, then try again or choose another model."
    );
    assert_eq!(how, "before output, Failed");
}

#[tokio::test]
async fn a_call_without_an_id_gets_one_that_the_request_does_not_hold() {
    let server = FakeModel::start(
        r#"raw: data: {"choices":[{"message":{"tool_calls":[{"function":{"name":"list_dir","arguments":"{}"}}]},"finish_reason":"stop"}]}\n\n"#,
    );
    let mut request = question();
    let earlier = Part::Call { block: 2, id: "call_1".into(), name: "list_dir".into(), arguments: "{}".into() };
    request.messages.push(recto_core::request::RequestMessage {
        role: recto_core::context::block::Role::Assistant,
        call: None,
        parts: vec![earlier],
    });
    let mut result = crate::bodies::text(recto_core::context::block::Role::Tool, 3, "a.md");
    result.call = Some("call_1".into());
    request.messages.push(result);
    let reply = ask(&client(&server), &request).await.1.unwrap();
    assert_eq!(reply.calls, [call("call_2", "list_dir", "{}")]);
    assert_eq!(reply.finish, Finish::ToolCalls);
}

#[tokio::test]
async fn times_are_measured() {
    let server = FakeModel::start("delay 5\nmodel: Four words of text.");
    let (_switch, stop) = recto_engine::ports::Stop::new();
    let client = client(&server);
    let wire = client.encode(&question()).unwrap();
    let reply = client.send(&"cv_1".into(), &question(), &wire, &mut |_| {}, stop).await.unwrap();
    let (first, total) = (reply.usage.first_token_ms.unwrap(), reply.usage.total_ms.unwrap());
    assert!(first >= 5 && total > first, "{first} {total}");
}

#[test]
fn the_profile_says_what_the_settings_say() {
    let server = FakeModel::start("");
    assert_eq!(
        client(&server).profile(),
        ModelProfile {
            name: "small".into(),
            window: 4096,
            protocol: Protocol::Native,
            takes_trailing_system: false,
            answer_tools: AnswerTools::Keep,
            exactness: Exactness::Estimate,
        }
    );
}
