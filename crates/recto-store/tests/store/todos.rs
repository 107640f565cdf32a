//! The list of the work outlives the program, and a branch goes on from its own.

use crate::entries::*;
use recto_core::reminder::StaleCounter;
use recto_core::todo::{TodoChange, TodoItem, TodoList, TodoState, TodoStatus};
use recto_engine::ports::{Entry, Journal};
use recto_store::{Store, TodoSnapshot};
use std::sync::Arc;

fn list(items: &[(&str, TodoStatus)]) -> TodoList {
    let items =
        items.iter().map(|(content, status)| TodoItem { content: (*content).into(), status: *status }).collect();
    TodoList { items }
}

async fn write(store: &Store, turn: &str, call: Option<&str>, version: u64, n_stale: u32, list: &TodoList) {
    let state = TodoState { list: Arc::new(list.clone()), version, stale: StaleCounter::at(n_stale) };
    let entry =
        Entry::Todo { conversation: cv("cv_1"), turn: turn.into(), call: call.map(Into::into), state, at_ms: 50 };
    store.record(entry).await.unwrap();
}

async fn check_state(store: &Store, turn: Option<&str>, version: u64, n_stale: u32, list: &TodoList) {
    let state = store.todo_state(turn.map(Into::into)).await.unwrap();
    assert_eq!((state.version, state.stale.n_rounds(), &*state.list), (version, n_stale, list), "{turn:?}");
}

#[tokio::test]
async fn todo_t10_the_list_survives_a_restart_and_a_fresh_session_shows_it() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let first = list(&[("编写 README 🦀", TodoStatus::Pending)]);
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    write(&store, "tn_1", Some("c1"), 1, 0, &first).await;
    write(&store, "tn_1", None, 1, 2, &first).await;
    store.record(end("tn_1", "a")).await.unwrap();
    store.begin_turn(turn("tn_2", Some("tn_1"), "q")).await.unwrap();
    drop(store);

    let store = scratch.open().store;
    check_state(&store, None, 0, 0, &TodoList::default()).await;
    check_state(&store, Some("tn_1"), 1, 2, &first).await;
    check_state(&store, Some("tn_2"), 1, 2, &first).await;
}

#[tokio::test]
async fn todo_t6_a_branch_has_its_own_copy_of_the_list() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let shared = list(&[("one", TodoStatus::Pending)]);
    let left = list(&[("one", TodoStatus::Done)]);
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    write(&store, "tn_1", Some("c1"), 1, 0, &shared).await;
    store.begin_turn(turn("tn_left", Some("tn_1"), "q")).await.unwrap();
    store.begin_turn(turn("tn_right", Some("tn_1"), "q")).await.unwrap();
    write(&store, "tn_left", Some("c2"), 2, 0, &left).await;
    check_state(&store, Some("tn_left"), 2, 0, &left).await;
    check_state(&store, Some("tn_right"), 1, 0, &shared).await;
    check_state(&store, Some("tn_1"), 1, 0, &shared).await;
}

#[tokio::test]
async fn todo_t9_every_list_is_kept_and_says_what_it_changed() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let first = list(&[("read the notes", TodoStatus::InProgress), ("编写 README", TodoStatus::Pending)]);
    let second = list(&[("read the notes", TodoStatus::Done), ("answer", TodoStatus::Pending)]);
    store.begin_turn(turn("tn_1", None, "q")).await.unwrap();
    write(&store, "tn_1", Some("c1"), 1, 0, &first).await;
    // Rounds that pass without a list are no list.
    write(&store, "tn_1", None, 1, 1, &first).await;
    store.begin_turn(turn("tn_2", Some("tn_1"), "q")).await.unwrap();
    write(&store, "tn_2", Some("c1"), 2, 0, &second).await;
    let snapshot = |turn: &str, version, list: &TodoList, changes| TodoSnapshot {
        turn: turn.into(),
        call: "c1".into(),
        version,
        list: list.clone(),
        snapshot: list.snapshot(),
        changes,
        written_at_ms: 50,
    };
    let expected = vec![
        snapshot("tn_1", 1, &first, TodoList::default().changes_to(&first)),
        snapshot(
            "tn_2",
            2,
            &second,
            vec![
                TodoChange::Finished { content: "read the notes".into() },
                TodoChange::Added { content: "answer".into() },
                TodoChange::Removed { content: "编写 README".into(), was_done: false },
            ],
        ),
    ];
    assert_eq!(store.todo_snapshots(cv("cv_1")).await.unwrap(), expected);
    assert!(expected[0].snapshot.contains(r"\u7f16\u5199 README"));
}
