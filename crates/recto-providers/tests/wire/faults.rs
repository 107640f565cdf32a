//! Rows of the fault list that are the same in every dialect, each tried in all of them.

use crate::bodies::{ask, question, sentence, settings};
use recto_core::reply::{Finish, Reply};
use recto_engine::ports::{Delta, ModelError};
use recto_providers::{Dialect, ServerClient, ServerSettings, Timing};
use recto_testkit::FakeModel;
use std::time::Duration;

const DIALECTS: [Dialect; 3] = [Dialect::OpenAi, Dialect::Ollama, Dialect::Anthropic];

async fn asked(dialect: Dialect, script: &str) -> (Vec<Delta>, Result<Reply, ModelError>, FakeModel) {
    let server = FakeModel::start(script);
    let client = ServerClient::new(ServerSettings { dialect, ..settings(&server.url()) }).unwrap();
    let (told, reply) = ask(&client, &question()).await;
    (told, reply, server)
}

#[tokio::test]
async fn fault_f06_a_server_that_fails_before_any_byte_is_tried_four_times_and_each_try_is_told() {
    for dialect in DIALECTS {
        for status in [500, 502, 503, 529] {
            let (told, reply, server) = asked(dialect, &format!("status {status}\nthen repeat")).await;
            let tries: Vec<(u32, u32)> = told
                .iter()
                .filter_map(|delta| match delta {
                    Delta::Retry { attempt, of, .. } => Some((*attempt, *of)),
                    _ => None,
                })
                .collect();
            assert_eq!(tries, [(2, 4), (3, 4), (4, 4)], "{dialect:?} {status}");
            assert_eq!((server.chats().len(), sentence(reply).1.starts_with("before output")), (4, true));
        }
    }
}

#[tokio::test]
async fn fault_f12_a_clean_end_without_a_mark_keeps_the_text_and_says_that_none_came() {
    for dialect in DIALECTS {
        let (_, reply, _) = asked(dialect, "model: Partly there.\nfinish none").await;
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.finish), ("Partly there.", Finish::Unmarked), "{dialect:?}");
    }
}

#[test]
fn fault_f15_a_local_server_may_read_for_ten_minutes_before_it_says_anything() {
    assert_eq!(Timing::usual(true).idle, Duration::from_secs(600));
    assert_eq!(Timing::usual(false).idle, Duration::from_secs(180));
}

#[tokio::test]
async fn fault_f16_a_line_without_an_end_is_given_up_and_the_text_before_it_stays() {
    let long = "x".repeat(9 * 1024 * 1024);
    for (dialect, begin) in [
        (Dialect::OpenAi, r#"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: "#.replace("\\\"", "\"")),
        (Dialect::Ollama, r#"{\"message\":{\"content\":\"a\"},\"done\":false}\n"#.replace("\\\"", "\"")),
    ] {
        let (_, reply, _) = asked(dialect, &format!("raw: {begin}{long}")).await;
        let (sentence, how) = sentence(reply);
        assert_eq!(how, "after \"a\"", "{dialect:?}: {sentence}");
        assert!(sentence.contains("8 MiB"), "{sentence}");
    }
}

#[tokio::test]
async fn fault_f22_what_is_not_known_is_passed_over() {
    for (dialect, body) in [
        (
            Dialect::OpenAi,
            r#"data: {"object":"ping"}\n\ndata: {"choices":null}\n\ndata: {"choices":[]}\n\ndata: {"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes","mood":"good"}}]}\n\ndata: [DONE]\n\n"#,
        ),
        (
            Dialect::Ollama,
            r#"{"status":"loading"}\n{"message":{"content":"yes","mood":"good"},"done":false,"x":[1]}\n{"done":true}\n"#,
        ),
        (
            Dialect::Anthropic,
            r#"event: mood\ndata: {"type":"mood"}\n\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"hologram"}}\n\ndata: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"yes"}}\n\ndata: {"type":"message_stop"}\n\n"#,
        ),
    ] {
        let (_, reply, _) = asked(dialect, &format!("raw: {body}")).await;
        assert_eq!(reply.map(|reply| (reply.text, reply.finish)), Ok(("yes".into(), Finish::Stop)), "{dialect:?}");
    }
}

#[tokio::test]
async fn fault_f24_a_compressed_answer_that_nobody_asked_for_is_named() {
    for dialect in DIALECTS {
        let (_, reply, server) = asked(dialect, "raw: \\x1f\\x8b\\x08\\x00\nheader content-encoding: gzip").await;
        let server_name = server.url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
        assert_eq!(
            sentence(reply).0,
            format!(
                "{server_name} sent a compressed answer (gzip), which was not asked for. Switch compression off there, or in the proxy on the way."
            )
        );
        assert_eq!(server.chats()[0].header("accept-encoding"), None);
    }
}

#[tokio::test]
async fn fault_f29_a_stream_that_stalls_ends_by_a_clock_that_nobody_can_set() {
    // Every limit is measured by a clock that only goes forward; the time of day is asked for `Retry-After` alone.
    for dialect in DIALECTS {
        let server = FakeModel::start("model: Partly there.\nstall after 30");
        let timing = Timing { idle: Duration::from_millis(80), ..crate::bodies::quick() };
        let client = ServerClient::new(ServerSettings { dialect, timing, ..settings(&server.url()) }).unwrap();
        let started = std::time::Instant::now();
        let (sentence, _) = sentence(ask(&client, &question()).await.1);
        assert!(sentence.contains("sent nothing for"), "{sentence}");
        assert!(started.elapsed() < Duration::from_secs(2), "{dialect:?}");
    }
}

#[tokio::test]
async fn fault_f32_counts_that_are_missing_or_contradict_each_other_are_unknown_and_not_nothing() {
    for dialect in DIALECTS {
        let (_, reply, _) = asked(dialect, "model: Yes.").await;
        let usage = reply.unwrap().usage;
        assert_eq!((usage.n_read, usage.n_reused), (None, None), "{dialect:?}");
    }
}
