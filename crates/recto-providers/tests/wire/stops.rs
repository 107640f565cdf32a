//! M7: Stop means stop, in every phase.

use crate::bodies::{client, question, without_times};
use recto_core::reply::{Finish, Reply};
use recto_engine::ports::{Delta, ModelClient, Stop};
use recto_providers::ServerClient;
use recto_testkit::FakeModel;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// When the user stops.
#[derive(Clone, Copy)]
enum When<'a> {
    /// Once something was told.
    Told,
    /// A moment after the request arrived, where nothing will be told.
    Arrived(&'a FakeModel),
    /// A moment after it was sent, where it will not arrive.
    Sent,
}

/// Stops; gives the reply and how long after the stop it came.
async fn stopped(client: &ServerClient, when: When<'_>) -> (Reply, Duration) {
    let (switch, stop) = Stop::new();
    let (tell, mut told) = mpsc::unbounded_channel();
    let request = question();
    let wire = client.encode(&request).unwrap();
    let conversation = "cv_1".into();
    let mut deltas = move |delta: Delta| {
        if !matches!(delta, Delta::Raw(_)) {
            drop(tell.send(delta));
        }
    };
    let sending = client.send(&conversation, &request, &wire, &mut deltas, stop);
    let stopping = async {
        match when {
            When::Told => drop(told.recv().await.unwrap()),
            When::Arrived(server) => {
                while server.requests().is_empty() {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            When::Sent => tokio::time::sleep(Duration::from_millis(20)).await,
        }
        switch.send(true).unwrap();
        Instant::now()
    };
    let (reply, pressed) = tokio::join!(sending, stopping);
    (without_times(reply.unwrap()), pressed.elapsed())
}

async fn check(script: &str, is_told: bool, text: &str, closes: bool) {
    let server = FakeModel::start(script);
    let when = if is_told { When::Told } else { When::Arrived(&server) };
    let (reply, after) = stopped(&client(&server), when).await;
    assert_eq!(reply, Reply { text: text.into(), finish: Finish::Stopped, ..Reply::default() }, "{script}");
    assert!(after < Duration::from_millis(200), "{script}: {after:?}");
    if closes {
        assert!(server.wait_until_closed(0, Duration::from_secs(1)), "{script}: the connection is still open");
    }
    assert_eq!(server.chats().len(), 1, "{script}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_m7_stop_while_the_server_is_silent() {
    check("model: x\nstall headers", false, "", true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_m7_stop_after_the_headers() {
    check("model: x\nstall after 0", false, "", true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_m7_stop_in_the_middle_of_the_text_keeps_the_text() {
    check("model: Half of\nstall", false, "Half of", true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_m7_stop_while_the_text_flows() {
    let server = FakeModel::start(&format!("delay 5\nmodel: {}", "word ".repeat(2000)));
    let (reply, after) = stopped(&client(&server), When::Told).await;
    assert_eq!(reply.finish, Finish::Stopped);
    assert!(reply.text.starts_with("word ") && reply.text.len() < 500, "{}", reply.text);
    assert!(after < Duration::from_millis(200), "{after:?}");
    assert!(server.wait_until_closed(0, Duration::from_secs(1)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_m7_stop_during_the_wait_for_another_try() {
    check("status 503 retry-after 60\nthen repeat", true, "", false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_m7_stop_inside_a_refusal() {
    check("status 503\n| never whole\nstall after 5", false, "", true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_m7_stop_before_anything_sends_nothing() {
    let server = FakeModel::start("model: x");
    let client = client(&server);
    let (switch, stop) = Stop::new();
    switch.send(true).unwrap();
    let wire = client.encode(&question()).unwrap();
    let reply = client.send(&"cv_1".into(), &question(), &wire, &mut |_| {}, stop).await.unwrap();
    assert_eq!(reply, Reply { finish: Finish::Stopped, ..Reply::default() });
    assert_eq!(server.requests(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_m7_stop_while_connecting() {
    // An address of a documentation network: nobody answers there, and nobody refuses.
    let address = recto_providers::address::ServerAddress::parse("http://192.0.2.1:9", true).unwrap();
    let client = ServerClient::new(recto_providers::ServerSettings::new(address, "small", 4096)).unwrap();
    let (reply, after) = stopped(&client, When::Sent).await;
    assert_eq!(reply, Reply { finish: Finish::Stopped, ..Reply::default() });
    assert!(after < Duration::from_millis(200), "{after:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_m7_an_answer_after_a_stop_has_nothing_of_the_stopped_one() {
    let server = FakeModel::start("model: Old text\nstall\n\nmodel: New text.");
    let client = client(&server);
    stopped(&client, When::Told).await;
    let (_, reply) = crate::bodies::ask(&client, &question()).await;
    assert_eq!(reply.unwrap().text, "New text.");
}
