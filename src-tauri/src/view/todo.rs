//! The list of the work and its past.

use recto_app::record::TodoSnapshot;
use recto_core::todo::{TodoChange, TodoItem, TodoStatus};
use serde::Serialize;
use ts_rs::TS;

/// The list after one `todo_write`.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoSnapshotView {
    /// In which turn.
    pub turn: String,
    /// When.
    pub at_ms: i64,
    /// The whole list.
    pub todos: Vec<TodoItemView>,
    /// What it changed against the one before.
    pub changes: Vec<TodoChangeView>,
    /// The exact bytes that the model was given back.
    pub snapshot: String,
}

/// An item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoItemView {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: TodoStatusView,
}

/// How far an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum TodoStatusView {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Finished.
    Done,
}

/// A difference between two snapshots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "change", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TodoChangeView {
    /// An item came.
    Added {
        /// Its text.
        content: String,
    },
    /// An item was left out.
    Removed {
        /// Its text.
        content: String,
        /// Whether it was done; if not, something may have been forgotten.
        was_done: bool,
    },
    /// An item has another text.
    Reworded {
        /// The earlier text.
        from: String,
        /// The text now.
        to: String,
    },
    /// An item was begun.
    Started {
        /// Its text.
        content: String,
    },
    /// An item was finished.
    Finished {
        /// Its text.
        content: String,
    },
    /// A finished item is open again.
    Reopened {
        /// Its text.
        content: String,
    },
    /// A begun item is pending again.
    PutBack {
        /// Its text.
        content: String,
    },
}

mirror!(TodoStatus => TodoStatusView { Pending, InProgress, Done });

impl From<&TodoItem> for TodoItemView {
    fn from(item: &TodoItem) -> Self {
        Self { content: item.content.clone(), status: item.status.into() }
    }
}

impl From<TodoChange> for TodoChangeView {
    fn from(change: TodoChange) -> Self {
        match change {
            TodoChange::Added { content } => Self::Added { content },
            TodoChange::Removed { content, was_done } => Self::Removed { content, was_done },
            TodoChange::Reworded { from, to } => Self::Reworded { from, to },
            TodoChange::Started { content } => Self::Started { content },
            TodoChange::Finished { content } => Self::Finished { content },
            TodoChange::Reopened { content } => Self::Reopened { content },
            TodoChange::PutBack { content } => Self::PutBack { content },
        }
    }
}

impl From<TodoSnapshot> for TodoSnapshotView {
    fn from(snapshot: TodoSnapshot) -> Self {
        Self {
            turn: snapshot.turn.to_string(),
            at_ms: snapshot.written_at_ms,
            todos: snapshot.list.items.iter().map(Into::into).collect(),
            changes: snapshot.changes.into_iter().map(Into::into).collect(),
            snapshot: snapshot.snapshot,
        }
    }
}
