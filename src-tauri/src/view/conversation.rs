//! Conversations and their turns as the window lists and reads them.

use crate::view::turn::EndingView;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A line of the conversation list.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRow {
    /// Which.
    pub id: String,
    /// What the person reads in the list.
    pub title: String,
    /// When something last happened in it, in milliseconds since 1970 UTC.
    pub updated_at_ms: i64,
    /// How many questions were asked.
    pub n_turns: u32,
    /// The turn that runs now; a reloaded window watches it.
    pub running_turn: Option<String>,
}

/// A conversation with its turns, oldest first.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationView {
    /// Which.
    pub id: String,
    /// What the person reads above it.
    pub title: String,
    /// The folder it was last asked about.
    pub folder: Option<FolderView>,
    /// The model it last spoke with.
    pub model: Option<String>,
    /// Its turns.
    pub turns: Vec<TurnView>,
}

/// A folder that the person picked. The window names it by its id and never by a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FolderView {
    /// Which.
    pub id: String,
    /// Its last part, for a button.
    pub name: String,
    /// The whole path, to be read only.
    pub path: String,
}

/// A turn without the results of its steps, which are read when the trail is unfolded.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TurnView {
    /// Which.
    pub id: String,
    /// The question, byte for byte.
    pub question: String,
    /// When it was asked.
    pub asked_at_ms: i64,
    /// When it ended; `None` while it runs or if the program died.
    pub ended_at_ms: Option<i64>,
    /// How it ended; `None` while it runs.
    pub ending: Option<EndingView>,
    /// The answer, or what there is of it.
    pub answer: String,
    /// The calls in their order.
    pub steps: Vec<StepView>,
    /// Requests that were sent.
    pub n_requests: u32,
}

/// A call in the trail.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    /// Which.
    pub call: String,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// What it is about: a path, a pattern.
    pub target: String,
    /// How it ended; `None` while it runs.
    pub status: Option<CallStatusView>,
    /// One line for a person.
    pub note: String,
}

/// A call with all that belongs to it.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallView {
    /// Which.
    pub call: String,
    /// The arguments as they were received.
    pub arguments: String,
    /// The whole result; empty while it runs.
    pub result: String,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum CallStatusView {
    /// It did what it was asked to.
    Done,
    /// Its arguments do not fit; nothing ran.
    InvalidArguments,
    /// It failed.
    Failed,
    /// Someone or a rule said no.
    Refused,
    /// The same call was made before; nothing ran.
    Repeated,
    /// The turn was stopped before it ran.
    Cancelled,
}
