//! What the window is told when a command fails.

use serde::Serialize;
use std::collections::BTreeMap;
use ts_rs::TS;

/// A failure. The window's dictionary turns the code into a sentence; `detail` is for reading only.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct IpcError {
    /// What the window does about it.
    pub code: ErrorCode,
    /// Values for the sentence.
    pub params: BTreeMap<String, String>,
    /// What happened, in the words of the layer that failed; empty if the code says it all.
    pub detail: String,
}

/// A code exists only if the window does something different for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ErrorCode {
    /// The conversation, turn or request is not there any more: the list is read again.
    NotFound,
    /// A turn of this conversation still runs: the question stays in the composer.
    Busy,
    /// The question was answered before, or its turn ended: the card is closed.
    ApprovalGone,
    /// The model cannot be used: the model picker is opened.
    ModelUnusable,
    /// The folder cannot be read: the folder picker is opened.
    FolderUnusable,
    /// Anything else: the sentence in `detail` is shown.
    Failed,
}
