//! What the user is told when a server is not there, refuses, or breaks off.

use crate::bodies::{ask, client, client_with_key, question, quick, sentence, settings};
use expect_test::{Expect, expect};
use recto_providers::{ServerClient, ServerSettings, Timing};
use recto_testkit::FakeModel;
use std::time::{Duration, Instant};

fn name(server: &FakeModel) -> String {
    server.url().trim_start_matches("http://").trim_end_matches("/v1").to_owned()
}

/// The sentence and what had arrived, with `SERVER` for the address.
async fn check(script: &str, expected: Expect) {
    let server = FakeModel::start(script);
    let client = client_with_key(&server, "sk-canary-2");
    let (sentence, how) = sentence(ask(&client, &question()).await.1);
    assert!(!sentence.contains("canary"), "{sentence}");
    expected.assert_eq(&format!("{}\n{how}\n", sentence.replace(&name(&server), "SERVER")));
}

#[tokio::test]
async fn fault_f01_nothing_answers_is_said_within_two_seconds() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/v1");
    let usual = ServerSettings { timing: Timing::usual(true), ..settings(&url) };
    let started = Instant::now();
    let (told, reply) = ask(&ServerClient::new(usual).unwrap(), &question()).await;
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!(told.len(), 3);
    assert_eq!(
        sentence(reply),
        (
            format!("Nothing answers at 127.0.0.1:{port}. Start the server or choose another model."),
            "before output, Unreachable".to_owned()
        )
    );
}

#[tokio::test]
async fn fault_f02_a_host_that_cannot_be_found() {
    let client = ServerClient::new(settings("https://no-such-host.invalid/v1")).unwrap();
    let (told, reply) = ask(&client, &question()).await;
    assert_eq!(told, []);
    assert_eq!(
        sentence(reply).0,
        "The host of no-such-host.invalid cannot be found. Are you offline? Check the connection and the address."
    );
}

#[tokio::test]
async fn fault_f03_a_server_that_speaks_no_tls() {
    let server = FakeModel::start("model: x");
    let client = ServerClient::new(settings(&server.url().replace("http:", "https:"))).unwrap();
    let (sentence, how) = sentence(ask(&client, &question()).await.1);
    assert!(sentence.starts_with(&format!("No secure connection to {}: ", name(&server))), "{sentence}");
    assert_eq!(how, "before output, Unreachable");
}

#[tokio::test]
async fn fault_f04_a_key_that_is_refused_is_never_repeated() {
    check(
        "status 401\n| {\"error\":{\"message\":\"Incorrect API key provided: sk-canary-2.\"}}",
        expect![[r#"
            The key for SERVER was refused: Incorrect API key provided: [key]. Check it on the page of models, or in the environment variable RECTO_API_KEY.
            before output, KeyRefused
        "#]],
    )
    .await;
    let server = FakeModel::start("status 401\n| ");
    let (sentence, how) = sentence(ask(&client(&server), &question()).await.1);
    assert_eq!(
        sentence.replace(&name(&server), "SERVER"),
        "SERVER asks for a key: status 401. Enter one on the page of models, or put it into the environment variable RECTO_API_KEY and \
         SERVER into RECTO_API_KEY_FOR."
    );
    assert_eq!(how, "before output, KeyRefused");
}

#[tokio::test]
async fn fault_f26_attack_t44_a_redirect_is_not_followed_and_no_key_arrives_there() {
    let other = FakeModel::start("model: x");
    for status in [301, 302, 307, 308] {
        let server = FakeModel::start(&format!("status {status} location {}/chat/completions?secret=1", other.url()));
        let client = client_with_key(&server, "sk-canary-3");
        let (sentence, how) = sentence(ask(&client, &question()).await.1);
        assert_eq!(
            sentence,
            format!(
                "{} redirects to 127.0.0.1, which is not followed. Enter the final address if you trust it.",
                name(&server)
            )
        );
        assert_eq!(how, "before output, Rejected");
    }
    assert_eq!(other.requests(), []);
}

#[tokio::test]
async fn fault_f07_an_error_inside_a_stream_keeps_what_had_arrived() {
    check(
        r#"raw: data: {"choices":[{"delta":{"content":"Half"}}]}\n\ndata: {"error":{"message":"overloaded","code":529}}\n\n"#,
        expect![[r#"
            SERVER interrupted the reply: overloaded. Try again, or choose another model.
            after "Half"
        "#]],
    )
    .await;
    check(
        r#"raw: data: {"error":{"message":"overloaded, sk-canary-2","code":529}}\n\n"#,
        expect![[r#"
        SERVER interrupted the reply: overloaded, [key]. Try again, or choose another model.
        before output, Failed
    "#]],
    )
    .await;
}

#[tokio::test]
async fn fault_f08_an_error_is_told_at_once_although_the_server_keeps_the_connection() {
    let started = Instant::now();
    check(
        "raw: data: {\"error\":\"overloaded\"}\\n\\n\nstall after 999",
        expect![[r#"
        SERVER interrupted the reply: overloaded. Try again, or choose another model.
        before output, Failed
    "#]],
    )
    .await;
    assert!(started.elapsed() < quick().idle);
}

#[tokio::test]
async fn fault_f10_a_connection_that_ends_in_the_text_keeps_the_text() {
    check(
        "model: One two three four five six.\nclose after 600",
        expect![[r#"
        The connection to SERVER ended in the middle of the reply. What had arrived is kept; try again.
        after "One two "
    "#]],
    )
    .await;
}

#[tokio::test]
async fn fault_f10_a_connection_that_ends_before_the_first_word_claims_to_keep_nothing() {
    check(
        "raw: : ping\\n\\n: ping\\n\\n: ping\\n\\n\nclose after 8",
        expect![[r#"
        The connection to SERVER ended before anything of a reply had arrived. Look at the server, then try again.
        before output, Failed
    "#]],
    )
    .await;
}

#[tokio::test]
async fn fault_f11_a_connection_that_ends_in_a_call_runs_nothing() {
    let call = r#"raw: data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"write_file","arguments":"{\"path\":"}}]}}]}\n\n"#;
    check(
        &format!("{call}\nclose after 999"),
        expect![[r#"
        The connection to SERVER ended inside a tool call; nothing of it was run. Try again.
        after ""
    "#]],
    )
    .await;
    check(
        call,
        expect![[r#"
        The model's tool call was cut off; nothing of it was run. Try again.
        after ""
    "#]],
    )
    .await;
}

// The connection is closed by the runtime, which has to go on while the test waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_f13_silence_ends_at_the_limit() {
    let server = FakeModel::start("model: Something\nstall");
    let timing = Timing { idle: Duration::from_millis(60), ..quick() };
    let client = ServerClient::new(ServerSettings { timing, ..settings(&server.url()) }).unwrap();
    let (sentence, how) = sentence(ask(&client, &question()).await.1);
    assert_eq!(
        sentence,
        format!("{} sent nothing for 1 s. Look at the server, then try again or choose another model.", name(&server))
    );
    assert_eq!(how, "after \"Something\"");
    assert!(server.wait_until_closed(0, Duration::from_secs(1)));
}

#[tokio::test]
async fn fault_f20_calls_that_cannot_be_told_apart_run_nothing() {
    check(
        r#"raw: data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\":"}}]}}]}\n\ndata: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"g","arguments":"1}"}}]},"finish_reason":"tool_calls"}]}\n\n"#,
        expect![[r#"
            SERVER sent tool calls that cannot be told apart; nothing of them was run. Try again, or choose another model.
            after ""
        "#]],
    )
    .await;
}

#[tokio::test]
async fn fault_f23_a_web_page_is_named_with_its_beginning_and_plain_json_is_a_reply() {
    check("html: <!DOCTYPE html><title>Hotel</title>", expect![[r#"
        SERVER answered with a web page and not with a reply. Check the address. It begins: <!DOCTYPE html><title>Hotel</title>
        before output, Failed
    "#]]).await;
    check(
        "json: {\"hello\":1}",
        expect![[r#"
        SERVER answered with something that is no reply. Check the address. It begins: {"hello":1}
        before output, Failed
    "#]],
    )
    .await;
    check(
        "raw: nothing of the kind",
        expect![[r#"
        SERVER ended the reply without saying anything. Try again, or choose another model.
        before output, Failed
    "#]],
    )
    .await;
    let server = FakeModel::start(
        "json: {\"choices\":[{\"message\":{\"content\":\"Not streamed.\"},\"finish_reason\":\"stop\"}]}",
    );
    assert_eq!(ask(&client(&server), &question()).await.1.unwrap().text, "Not streamed.");
}

#[tokio::test]
async fn fault_f28_a_request_that_is_too_long_is_known_as_such_in_the_words_of_each_server() {
    for body in [
        r#"{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}"#,
        r#"{"error":{"message":"This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","param":null,"code":400}"#,
        r#"{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}"#,
    ] {
        let server = FakeModel::start(&format!("status 400\n| {body}\nthen repeat"));
        let (sentence, how) = sentence(ask(&client(&server), &question()).await.1);
        assert_eq!(how, "before output, TooLarge", "{sentence}");
        assert_eq!(server.chats().len(), 1);
    }
    check(
        "status 400\n| {\"error\":{\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":5000,\"n_ctx\":4096}}",
        expect![[r#"
            The request is larger than the window of small at SERVER: it has 5000 tokens and the window 4096. Ask for less, or choose a larger window.
            before output, TooLarge
        "#]],
    )
    .await;
}

#[tokio::test]
async fn refusals_repeat_the_words_of_the_server() {
    check(
        "status 404\n| {\"error\":{\"message\":\"model \\\"small\\\" not found, try pulling it first\"}}",
        expect![[r#"
        SERVER does not know the model or the address: model "small" not found, try pulling it first. Check both.
        before output, Rejected
    "#]],
    )
    .await;
    check(
        "status 422\n| {\"detail\":\"extra fields not permitted\"}",
        expect![[r#"
        SERVER refused the request: extra fields not permitted. Choose another model, or report this.
        before output, Rejected
    "#]],
    )
    .await;
    check(
        "status 407\n| <html>",
        expect![[r#"
        The proxy on the way to SERVER asks for a login: status 407. Check the proxy settings.
        before output, Rejected
    "#]],
    )
    .await;
    check(
        "status 429\n| {\"error\":{\"message\":\"You exceeded your current quota.\",\"code\":\"insufficient_quota\"}}",
        expect![[r#"
        The account at SERVER is used up: You exceeded your current quota. Check the account, or choose another model.
        before output, Rejected
    "#]],
    )
    .await;
    check(
        "status 400\n| {\"error\":{\"message\":\"no such field\"}}",
        expect![[r#"
        SERVER refused the request: no such field. Choose another model, or report this.
        before output, Rejected
    "#]],
    )
    .await;
}

/// The variables of a proxy are read when a client is made, so the test runs another one in a process that has them.
#[test]
fn fault_f25_a_proxy_never_stands_between_recto_and_this_computer() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "requests::models_m1_the_bytes_that_are_shown_are_the_bytes_that_arrive"])
        .envs(
            ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"]
                .map(|name| (name, "http://127.0.0.1:1")),
        )
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("test result: ok. 1 passed"), "{said}");
}

#[tokio::test]
async fn an_end_without_a_word_is_a_failure() {
    check(
        "raw: : ping\\n\\n",
        expect![[r#"
        SERVER ended the reply without saying anything. Try again, or choose another model.
        before output, Failed
    "#]],
    )
    .await;
    check(
        "raw: data: [DONE]\\n\\n",
        expect![[r#"
        SERVER ended the reply without saying anything. Try again, or choose another model.
        before output, Failed
    "#]],
    )
    .await;
}
