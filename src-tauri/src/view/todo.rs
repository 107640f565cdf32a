//! The list of the work and its past.

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
