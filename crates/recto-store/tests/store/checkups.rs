//! The card of a model: the last check-up counts, with the bytes that were sent for it.

use crate::entries::*;
use recto_core::checkup::{Card, Check, Finding, Mark};
use recto_store::CheckupRow;

fn row(said: &str, at_ms: i64) -> CheckupRow {
    let findings = vec![
        Finding { check: Check::NativeCalls, mark: Mark::Fails, said: said.into() },
        Finding { check: Check::Window, mark: Mark::Unknown, said: String::new() },
    ];
    let card = Card { findings, window: 8_192, n_tried: 2_400, read_per_s: Some(80), written_per_s: None };
    CheckupRow { card, asked: vec!["{\"model\":\"a\"}".into(), String::new()], took_ms: 61_000, checked_at_ms: at_ms }
}

#[tokio::test]
async fn the_last_check_up_of_a_model_is_kept_over_a_restart_and_those_before_it_are_not() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.keep_checkup("a".into(), row("{\"name\":…", 10)).await.unwrap();
    store.keep_checkup("a".into(), row("I cannot.", 20)).await.unwrap();
    store.keep_checkup("b".into(), row("Oslo", 30)).await.unwrap();
    drop(store);
    let store = scratch.open().store;
    assert_eq!(store.checkup("a".into()).await.unwrap(), Some(row("I cannot.", 20)));
    store.forget_checkup("a".into()).await.unwrap();
    assert_eq!(store.checkup("a".into()).await.unwrap(), None);
    assert_eq!(store.checkup("b".into()).await.unwrap(), Some(row("Oslo", 30)));
}
