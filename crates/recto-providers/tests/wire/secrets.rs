//! T-54: a key is in no error and in no log, whatever happens.

use crate::bodies::{ask, client_with_key, question};
use recto_testkit::FakeModel;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn attack_t54_a_key_is_in_no_error_and_in_no_log_at_any_level() {
    const CANARY: &str = "sk-canary-5-0123456789";
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).finish();
    let guard = tracing::subscriber::set_default(subscriber);
    for script in [
        "model: Hello.".to_owned(),
        format!("status 401\n| {{\"error\":\"bad key {CANARY}\"}}"),
        format!("status 500\n| {CANARY}\nthen repeat"),
        format!("status 302 location http://127.0.0.1:1/{CANARY}"),
        format!("raw: data: {{\"error\":\"{CANARY}\"}}\\n\\n"),
        format!("raw: {CANARY}"),
        format!("html: <p>{CANARY}"),
        "model: x\nclose after 20".to_owned(),
        "close\nthen repeat".to_owned(),
    ] {
        let server = FakeModel::start(&script);
        let (told, reply) = ask(&client_with_key(&server, CANARY), &question()).await;
        let said = format!("{told:?} {reply:?}");
        assert!(!said.contains(CANARY), "{script}: {said}");
    }
    drop(guard);
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("a model gave no whole reply"), "nothing was logged: {log}");
    assert!(!log.contains(CANARY), "{log}");
}
