//! M6: what is tried again, and what is not.

use crate::bodies::{ask, client, question, sentence};
use recto_engine::ports::Delta;
use recto_testkit::FakeModel;

fn reasons(told: &[Delta]) -> Vec<String> {
    told.iter()
        .filter_map(|delta| match delta {
            Delta::Retry { attempt, of, reason } => {
                // The wait is partly random; that there is one is what counts.
                let (why, _) = reason.split_once("; waiting").unwrap();
                Some(format!("{attempt} of {of}: {}", why.split_once(' ').unwrap().1))
            }
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn models_m6_what_may_pass_is_tried_again_with_the_same_bytes_and_each_try_is_told() {
    let server = FakeModel::start("status 503\nstatus 429 retry-after 0\n\nclose\n\nmodel: At last.");
    let (told, reply) = ask(&client(&server), &question()).await;
    assert_eq!(reply.unwrap().text, "At last.");
    assert_eq!(
        reasons(&told[..3]),
        [
            "2 of 4: is busy: scripted status 503",
            "3 of 4: is busy: scripted status 429",
            "4 of 4: closed the connection"
        ]
    );
    let bodies: Vec<Vec<u8>> = server.chats().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies.len(), 4);
    assert!(bodies.iter().all(|body| *body == bodies[0]));
}

#[tokio::test]
async fn models_m6_four_tries_are_all() {
    let server = FakeModel::start("status 500\n| {\"error\":{\"message\":\"out of memory.\"}}\nthen repeat");
    let (told, reply) = ask(&client(&server), &question()).await;
    let server_name = server.url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    assert_eq!(
        sentence(reply),
        (
            format!("{server_name} failed: out of memory. Try again later, or choose another model."),
            "before output, Failed".to_owned()
        )
    );
    assert_eq!((told.len(), server.chats().len()), (3, 4));
}

#[tokio::test]
async fn models_m6_a_refusal_is_not_tried_again() {
    for status in [400, 401, 403, 404, 413, 422] {
        let server = FakeModel::start(&format!("status {status}\nthen repeat"));
        let (told, reply) = ask(&client(&server), &question()).await;
        assert!(reply.is_err(), "{status}");
        assert_eq!((told.len(), server.chats().len()), (0, 1), "{status}");
    }
}

#[tokio::test]
async fn models_m6_nothing_is_tried_again_after_the_first_byte() {
    for script in [
        "model: Half of it.\nclose after 300",
        "raw: : ping\\n\\n\nclose after 8",
        "raw: data: {\"error\":{\"message\":\"overloaded\"}}\\n\\n",
    ] {
        let server = FakeModel::start(&format!("{script}\n\nmodel: Never sent."));
        let (told, reply) = ask(&client(&server), &question()).await;
        assert!(reply.is_err(), "{script}");
        assert!(told.iter().all(|delta| !matches!(delta, Delta::Retry { .. })), "{script}");
        assert_eq!(server.chats().len(), 1, "{script}");
    }
}

#[tokio::test]
async fn fault_f09_a_connection_that_ends_before_the_first_byte_is_tried_again() {
    let server = FakeModel::start("model: x\nclose after 0\n\nmodel: Here.");
    let (told, reply) = ask(&client(&server), &question()).await;
    assert_eq!(reply.unwrap().text, "Here.");
    assert_eq!(reasons(&told[..1]), ["2 of 4: closed the connection"]);
}

#[tokio::test]
async fn fault_f05_a_longer_wait_than_is_granted_ends_it_and_says_for_how_long() {
    for (asked, said) in [("121", "3 min"), ("86400", "24 h"), ("1e99", "a very long time")] {
        let server = FakeModel::start(&format!("status 429 retry-after {asked}"));
        let (told, reply) = ask(&client(&server), &question()).await;
        let (sentence, how) = sentence(reply);
        let (_, sentence) = sentence.split_once(' ').unwrap();
        assert_eq!(sentence, format!("asks to wait for {said}. Try again then, or choose another model."));
        assert_eq!((how.as_str(), told.len(), server.chats().len()), ("before output, Busy", 0, 1));
    }
}

#[tokio::test]
async fn a_model_that_is_still_being_loaded_is_given_more_time() {
    let server = FakeModel::start(
        "status 503\n| {\"error\":{\"code\":503,\"message\":\"Loading model\",\"type\":\"unavailable_error\"}}\n\nmodel: Loaded.",
    );
    let started = std::time::Instant::now();
    let (told, reply) = ask(&client(&server), &question()).await;
    assert_eq!(reply.unwrap().text, "Loaded.");
    assert_eq!(reasons(&told[..1]), ["2 of 4: is busy: Loading model"]);
    assert!(started.elapsed() >= crate::bodies::quick().first_pause * 20);
}

#[tokio::test]
async fn fault_f05_a_wait_that_is_asked_for_is_kept() {
    let server = FakeModel::start("status 429 retry-after-ms 60\n\nmodel: Now.");
    let started = std::time::Instant::now();
    let (told, reply) = ask(&client(&server), &question()).await;
    assert_eq!(reply.unwrap().text, "Now.");
    assert!(started.elapsed().as_millis() >= 60);
    assert!(matches!(&told[0], Delta::Retry { reason, .. } if reason.ends_with("waiting 0.1 s")), "{told:?}");
}
