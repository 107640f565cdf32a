//! The fake model over a plain socket.

#![allow(clippy::unwrap_used, reason = "what a test takes for granted fails the test")]

use recto_testkit::FakeModel;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

fn send(server: &FakeModel, method: &str, path: &str, body: &str) -> TcpStream {
    let url = server.url();
    let address = url.trim_start_matches("http://").trim_end_matches("/v1");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        .unwrap();
    stream
}

fn exchange(server: &FakeModel, method: &str, path: &str, body: &str) -> String {
    let mut stream = send(server, method, path, body);
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn chat(server: &FakeModel, more: Value) -> String {
    let mut body = json!({"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "buy milk"}]});
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    exchange(server, "POST", "/v1/chat/completions", &body.to_string())
}

/// The text of a whole answer, which is one chunk of the transfer.
fn text_of(answer: &str) -> String {
    let body = answer.split("\r\n\r\n").nth(1).unwrap();
    let chunk = body.split("\r\n").nth(1).unwrap();
    let body: Value = serde_json::from_str(chunk).unwrap();
    body["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

#[test]
fn replies_come_in_order_and_the_end_is_said() {
    let server = FakeModel::start("model: one\nmodel: two");
    let said: Vec<String> = (0..3).map(|_| text_of(&chat(&server, json!({})))).collect();
    assert_eq!(said, ["one", "two", "The script has ended."]);
    assert_eq!(server.chats().len(), 3);
    server.assert_clean();
}

#[test]
fn work_and_answer_requests_have_parts_of_their_own() {
    let server = FakeModel::start(
        "when work:\nmodel: w1\nmodel: w2\nthen again\nwhen answer:\nmodel: a\nthen repeat\nwhen any asks \"milk\":\nmodel: m\n\nwhen any asks \"buy\":\nmodel: b",
    );
    let tools = json!({"tools": [{"type": "function"}], "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]});
    let answer = json!({"tools": [{"type": "function"}], "tool_choice": "none", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]});
    let said: Vec<String> = [&tools, &answer, &tools, &tools, &answer]
        .into_iter()
        .map(|more| text_of(&chat(&server, more.clone())))
        .collect();
    assert_eq!(said, ["w1", "a", "w2", "w1", "a"]);
    assert_eq!(text_of(&chat(&server, json!({}))), "m");
}

#[test]
fn a_stream_has_role_text_calls_end_usage_and_mark() {
    let server = FakeModel::start("think: hm\nmodel: Ho ho. call a_b {\"x\":1}\nusage read=9 reused=4 written=2");
    let answer = chat(&server, json!({"stream": true}));
    let deltas: Vec<Value> = answer
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|chunk| if chunk["usage"].is_object() { chunk["usage"].clone() } else { chunk["choices"][0].clone() })
        .collect();
    let choice = |delta: Value, finish: Value| json!({"index": 0, "delta": delta, "finish_reason": finish});
    assert_eq!(
        deltas,
        [
            choice(json!({"role": "assistant", "content": null}), Value::Null),
            choice(json!({"reasoning_content": "hm"}), Value::Null),
            choice(json!({"content": "Ho "}), Value::Null),
            choice(json!({"content": "ho."}), Value::Null),
            choice(
                json!({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "a_b", "arguments": ""}}]}),
                Value::Null
            ),
            choice(json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"x\":1}"}}]}), Value::Null),
            choice(json!({}), json!("tool_calls")),
            json!({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11, "prompt_tokens_details": {"cached_tokens": 4}}),
        ]
    );
    assert!(answer.ends_with("data: [DONE]\n\n\r\n0\r\n\r\n"), "{answer}");
}

#[test]
fn a_malformed_request_is_refused_and_kept_as_a_fault() {
    let server = FakeModel::start("model: never");
    let answer = chat(&server, json!({"messages": [{"role": "user", "content": ""}]}));
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!(
        server.faults(),
        ["request 0: message 0 is not the system message", "request 0: message 0 (user) is empty"]
    );
}

#[test]
fn a_client_that_closes_during_a_stall_is_noticed() {
    let server = FakeModel::start("model: Wait for it.\nstall");
    let body = json!({"model": "m", "stream": true, "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]});
    let mut stream = send(&server, "POST", "/v1/chat/completions", &body.to_string());
    let mut seen = [0; 15];
    stream.read_exact(&mut seen).unwrap();
    assert_eq!(&seen, b"HTTP/1.1 200 OK");
    assert!(!server.wait_until_closed(0, Duration::from_millis(20)));
    drop(stream);
    assert!(server.wait_until_closed(0, Duration::from_secs(2)));
}

#[test]
fn the_program_says_its_address_plays_refuses_and_keeps_a_log() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let (script, log) = (folder.path().join("a.script"), folder.path().join("log.jsonl"));
    std::fs::write(&script, "model: one").unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_fake-model"))
        .arg("--script")
        .arg(&script)
        .arg("--log")
        .arg(&log)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let address = url.trim().trim_start_matches("http://").trim_end_matches("/v1");
    let ask = |role: &str| {
        let body =
            json!({"model": "m", "messages": [{"role": role, "content": "s"}, {"role": "user", "content": "u"}]})
                .to_string();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    assert_eq!(text_of(&ask("system")), "one");
    assert!(ask("user").starts_with("HTTP/1.1 400 "));
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "fault: message 0 is not the system message\n");
    let lines: Vec<Value> =
        std::fs::read_to_string(&log).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["faults"], json!([]));
    assert_eq!(lines[1]["faults"], json!(["message 0 is not the system message"]));
    assert_eq!(lines[0]["path"], "/v1/chat/completions");
}

#[test]
fn models_and_props_are_as_the_script_says() {
    let server = FakeModel::start("offers small window 4096\nprops 2048\nmodel: x");
    let body = |path| {
        let answer = exchange(&server, "GET", path, "");
        serde_json::from_str::<Value>(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap()
    };
    assert_eq!(body("/v1/models")["data"][0]["meta"]["n_ctx"], 4096);
    assert_eq!(body("/props")["default_generation_settings"]["n_ctx"], 2048);
    assert_eq!(server.chats(), []);
}
