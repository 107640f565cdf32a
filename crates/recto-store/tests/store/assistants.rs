//! Assistants and what they always know.

use crate::entries::*;
use recto_core::assistant::ToolGroup;
use recto_core::id::AssistantId;
use recto_store::{AssistantRow, KnowledgeContent, KnowledgeRow, Store, StoreError};

fn assistant(id: &str, name: &str) -> AssistantRow {
    AssistantRow {
        id: id.into(),
        name: name.into(),
        instructions: "Answer like a sailor.".into(),
        reply_language: Some("zh".into()),
        folder: Some("/home/ann/boat".into()),
        model: Some("qwen".into()),
        tools: vec![ToolGroup::Reading, ToolGroup::Memories],
        created_at_ms: 1,
        updated_at_ms: 1,
    }
}

fn knowledge(id: &str, content: KnowledgeContent) -> KnowledgeRow {
    KnowledgeRow { id: id.into(), assistant: "as_1".into(), title: format!("title of {id}"), content, is_on: true }
}

async fn order(store: &Store) -> Vec<String> {
    store.knowledge("as_1".into()).await.unwrap().into_iter().map(|row| row.id.0).collect()
}

#[tokio::test]
async fn an_assistant_stays_as_it_was_made_and_changed() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.save_assistant(assistant("as_1", "sailor")).await.unwrap();
    store.save_assistant(assistant("as_2", "Cook")).await.unwrap();
    let changed = AssistantRow {
        name: "Skipper".into(),
        tools: Vec::new(),
        created_at_ms: 9,
        updated_at_ms: 9,
        ..assistant("as_1", "")
    };
    store.save_assistant(changed.clone()).await.unwrap();
    drop(store);
    let store = scratch.open().store;
    let skipper = AssistantRow { created_at_ms: 1, ..changed };
    assert_eq!(store.assistants().await.unwrap(), [assistant("as_2", "Cook"), skipper.clone()]);
    assert_eq!(store.assistant("as_1".into()).await.unwrap(), skipper);
}

#[tokio::test]
async fn what_an_assistant_knows_has_an_order_and_goes_with_it() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.save_assistant(assistant("as_1", "sailor")).await.unwrap();
    let text = knowledge("kn_1", KnowledgeContent::Text("The boat is blue.".into()));
    let file = knowledge("kn_2", KnowledgeContent::File("/home/ann/tides.md".into()));
    store.save_knowledge(text.clone()).await.unwrap();
    store.save_knowledge(file.clone()).await.unwrap();
    assert_eq!(store.knowledge("as_1".into()).await.unwrap(), [text.clone(), file.clone()]);
    store.raise_knowledge("kn_2".into()).await.unwrap();
    store.raise_knowledge("kn_2".into()).await.unwrap();
    assert_eq!(order(&store).await, ["kn_2", "kn_1"]);
    let reworded = KnowledgeRow { content: KnowledgeContent::Text("It is red.".into()), is_on: false, ..text };
    store.save_knowledge(reworded.clone()).await.unwrap();
    // Deleting a conversation sweeps the texts that nobody names; what an assistant knows is named.
    store.delete_conversation("cv_1".into()).await.unwrap();
    assert_eq!(store.knowledge("as_1".into()).await.unwrap(), [file, reworded]);
    store.delete_knowledge("kn_2".into()).await.unwrap();
    assert_eq!(order(&store).await, ["kn_1"]);
    store.delete_assistant("as_1".into()).await.unwrap();
    assert_eq!(order(&store).await, Vec::<String>::new());
    assert!(matches!(store.raise_knowledge("kn_1".into()).await, Err(StoreError::NoSuch { .. })));
}

#[tokio::test]
async fn a_conversation_whose_assistant_is_deleted_goes_on_with_the_one_of_the_program() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    store.save_assistant(assistant("as_1", "sailor")).await.unwrap();
    store.set_assistant("cv_1".into(), Some("as_1".into())).await.unwrap();
    assert_eq!(store.conversation("cv_1".into()).await.unwrap().assistant, Some(AssistantId::from("as_1")));
    let nobody = store.set_assistant("cv_1".into(), Some("as_9".into())).await;
    assert!(matches!(nobody, Err(StoreError::Orphan { .. })));
    store.delete_assistant("as_1".into()).await.unwrap();
    assert_eq!(store.conversation("cv_1".into()).await.unwrap().assistant, None);
}
