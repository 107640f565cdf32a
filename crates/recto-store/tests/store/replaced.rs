//! What writes replaced is kept for seven days, and goes with its conversation.

use crate::entries::*;
use recto_core::text::ContentHash;
use recto_core::tool::Operation;
use recto_store::{ReplacedWrite, Store, StoreError};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn replaced(path: &str, at_ms: i64) -> ReplacedWrite {
    ReplacedWrite {
        conversation: cv("cv_1"),
        turn: tn("tn_1"),
        call: "c1".into(),
        folder: "/notes".into(),
        path: path.into(),
        to: None,
        operation: Operation::Edit,
        old: Some(ContentHash::of(b"old")),
        new: Some(ContentHash::of(b"new")),
        at_ms,
    }
}

async fn paths(store: &Store, now_ms: i64) -> Vec<String> {
    store.replaced_files(now_ms).await.unwrap().into_iter().map(|row| row.write.path).collect()
}

#[tokio::test]
async fn what_was_replaced_is_kept_to_the_byte_until_it_is_put_back() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let first = store.keep_replaced(replaced("a.md", 1), Some(b"a\xff\0".to_vec())).await.unwrap();
    let second = store.keep_replaced(replaced("b.md", 2), Some(b"b".to_vec())).await.unwrap();
    let third = store.keep_replaced(replaced("c.md", 3), Some(b"c".to_vec())).await.unwrap();
    store.drop_replaced(third).await.unwrap();
    drop(store);
    let store = scratch.open().store;
    let rows = store.replaced_files(4).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [second, first]);
    assert_eq!(rows[1].write, replaced("a.md", 1));
    assert_eq!(store.replaced_bytes(first).await.unwrap(), Some(b"a\xff\0".to_vec()));
    store.note_put_back(first, 5).await.unwrap();
    assert_eq!(paths(&store, 6).await, ["b.md"]);
    let again = store.note_put_back(first, 7).await.unwrap_err();
    assert!(matches!(again, StoreError::NoSuch { .. }), "{again}");
}

#[tokio::test]
async fn a_move_is_kept_with_both_ends_and_a_created_file_without_an_old_content() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let new = Some(ContentHash::of(b"new"));
    let moved = ReplacedWrite {
        to: Some("archive/a.md".into()),
        operation: Operation::Move,
        old: new.clone(),
        ..replaced("a.md", 1)
    };
    let created = ReplacedWrite { operation: Operation::Create, old: None, ..replaced("b.md", 2) };
    let deleted = ReplacedWrite { operation: Operation::Delete, new: None, ..replaced("c.md", 3) };
    let mut ids = Vec::new();
    for (write, bytes) in [(&moved, None), (&created, None), (&deleted, Some(b"old".to_vec()))] {
        ids.push(store.keep_replaced(write.clone(), bytes).await.unwrap());
    }
    let rows = store.replaced_files(4).await.unwrap();
    assert_eq!(rows.into_iter().map(|row| row.write).collect::<Vec<_>>(), [deleted, created, moved]);
    assert_eq!(store.replaced_bytes(ids[1]).await.unwrap(), None);
    assert_eq!(store.replaced_bytes(ids[2]).await.unwrap(), Some(b"old".to_vec()));
}

#[tokio::test]
async fn after_seven_days_the_bytes_are_gone() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let old = store.keep_replaced(replaced("a.md", 0), Some(b"a".to_vec())).await.unwrap();
    assert_eq!(paths(&store, 7 * DAY_MS).await, ["a.md"]);
    assert_eq!(paths(&store, 7 * DAY_MS + 1).await, [""; 0]);
    store.keep_replaced(replaced("b.md", 7 * DAY_MS + 1), Some(b"b".to_vec())).await.unwrap();
    assert!(store.replaced_bytes(old).await.is_err());
}

#[tokio::test]
async fn what_was_replaced_goes_with_its_conversation() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let kept = store.keep_replaced(replaced("a.md", 1), Some(b"a".to_vec())).await.unwrap();
    store.delete_conversation(cv("cv_1")).await.unwrap();
    assert_eq!(paths(&store, 2).await, [""; 0]);
    assert!(store.replaced_bytes(kept).await.is_err());
}
