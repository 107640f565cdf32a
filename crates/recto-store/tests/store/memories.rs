//! What is remembered: kept, changed, forgotten and brought back, and never changed behind somebody's back.

use crate::entries::*;
use recto_core::id::MemoryId;
use recto_core::memory::state;
use recto_store::{NewMemory, Store, StoreError};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn new(id: &str, text: &str, at_ms: i64) -> NewMemory {
    NewMemory { id: id.into(), text: text.into(), source: None, at_ms }
}

async fn shown(store: &Store) -> String {
    let rows = store.memories().await.unwrap().into_iter().map(|row| {
        let pin = if row.is_pinned { "*" } else { "" };
        let source = row.source.map(|source| source.title.unwrap_or_else(|| "gone".into()));
        format!("{pin}{} {:?} {source:?}\n", row.text, row.last_used_at_ms)
    });
    rows.collect()
}

#[tokio::test]
async fn what_is_remembered_survives_a_restart_and_says_where_it_comes_from() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.begin_turn(turn("tn_1", None, "Remember my boat")).await.unwrap();
    let from_turn = NewMemory { source: Some(("cv_1".into(), "tn_1".into())), ..new("me_1", "The boat is blue.", 10) };
    assert!(store.remember(from_turn, None).await.unwrap());
    assert!(store.remember(new("me_2", "Likes tea.", 20), None).await.unwrap());
    store.pin_memory("me_1".into(), true).await.unwrap();
    store.memories_used(vec![MemoryId::from("me_2")], 30).await.unwrap();
    store.reword_memory("me_2".into(), "Likes green tea.".into(), 40).await.unwrap();
    drop(store);
    let store = scratch.open().store;
    let there = "*The boat is blue. None Some(\"Remember my boat\")\nLikes green tea. Some(30) None\n";
    assert_eq!(shown(&store).await, there);
    store.delete_conversation("cv_1".into()).await.unwrap();
    assert!(shown(&store).await.starts_with("*The boat is blue. None Some(\"gone\")\n"));
}

#[tokio::test]
async fn permission_p4_a_change_that_was_asked_about_another_state_does_not_happen() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let seen = state([]);
    assert!(store.remember(new("me_1", "Likes tea.", 1), Some(seen.clone())).await.unwrap());
    assert!(!store.remember(new("me_2", "Likes milk.", 2), Some(seen.clone())).await.unwrap());
    assert!(!store.forget("me_1".into(), Some(seen), 3).await.unwrap());
    assert_eq!(shown(&store).await, "Likes tea. None None\n");
    assert!(store.forget("me_1".into(), Some(state(["Likes tea."])), 4).await.unwrap());
    assert_eq!(shown(&store).await, "");
}

#[tokio::test]
async fn what_was_forgotten_can_be_brought_back_for_a_day_and_then_its_words_are_gone() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.remember(new("me_1", "Likes tea.", 1), None).await.unwrap();
    store.remember(new("me_2", "A secret.", 2), None).await.unwrap();
    assert!(store.forget("me_1".into(), None, 10).await.unwrap());
    let error = store.forget("me_1".into(), None, 11).await.unwrap_err();
    assert!(matches!(error, StoreError::NoSuch { .. }), "{error}");
    store.bring_back_memory("me_1".into()).await.unwrap();
    store.forget("me_2".into(), None, 20).await.unwrap();
    store.remember(new("me_3", "Another.", 21 + DAY_MS), None).await.unwrap();
    assert!(matches!(store.bring_back_memory("me_2".into()).await, Err(StoreError::NoSuch { .. })));
    assert_eq!(shown(&store).await, "Another. None None\nLikes tea. None None\n");
}
