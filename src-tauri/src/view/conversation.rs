//! Conversations and their turns as the window lists and reads them.

use crate::view::turn::EndingView;
use recto_app::App;
use recto_app::record::{CallRow, Shortened, TurnRow, TurnState};
use recto_core::tool::CallStatus;
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

/// A conversation with its last turns, oldest first.
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
    /// Who works in it; `None` is the assistant that comes with the program.
    pub assistant: Option<String>,
    /// The last turns of it.
    pub turns: Vec<TurnView>,
    /// The turn before the first of them; `None` if there is none.
    pub earlier: Option<String>,
}

/// A page of earlier turns, oldest first.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TurnPageView {
    /// The turns.
    pub turns: Vec<TurnView>,
    /// The turn before the first of them; `None` if there is none.
    pub earlier: Option<String>,
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
    /// What its requests lack of the conversation.
    pub shortened: ShortenedView,
}

/// What the requests of a turn lack of the conversation, because it is longer than the window.
#[derive(Clone, Copy, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ShortenedView {
    /// Exchanges that were folded before its first request.
    pub n_folded: u32,
    /// The version of the summary with them; 0 where none were.
    pub version: u32,
    /// Tokens of the question that the model is given; `None` where it is given all.
    pub n_question: Option<u32>,
    /// Tokens of the question; `None` where it is given whole.
    pub of_question: Option<u32>,
    /// Tokens that a server read of a request, where that is less than was sent; `None` where it read all, or nobody can tell.
    pub n_read: Option<u32>,
    /// Tokens that were sent with that request.
    pub of_read: Option<u32>,
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

mirror!(CallStatus => CallStatusView { Done, InvalidArguments, Failed, Refused, Repeated, Cancelled });

impl ConversationRow {
    /// A row of the record, and what runs in it now.
    #[must_use]
    pub fn new(row: recto_app::record::ConversationRow, app: &App) -> Self {
        Self {
            running_turn: app.running_turn(&row.id).map(|turn| turn.0),
            id: row.id.0,
            title: row.title.unwrap_or_default(),
            updated_at_ms: row.updated_at_ms,
            n_turns: row.n_turns,
        }
    }
}

impl TurnView {
    /// A turn with its calls.
    #[must_use]
    pub fn new(turn: &TurnRow, calls: &[CallRow]) -> Self {
        Self {
            id: turn.id.to_string(),
            question: turn.question.clone(),
            asked_at_ms: turn.started_at_ms,
            ended_at_ms: turn.ended_at_ms,
            ending: match &turn.state {
                TurnState::Running => None,
                TurnState::Interrupted => Some(EndingView::Interrupted),
                TurnState::Ended(ending) => Some(ending.into()),
            },
            answer: turn.answer.clone().unwrap_or_default(),
            steps: calls.iter().map(Into::into).collect(),
            n_requests: turn.steps.n_requests,
            shortened: turn.shortened.into(),
        }
    }
}

impl From<Shortened> for ShortenedView {
    fn from(shortened: Shortened) -> Self {
        let (n_question, of_question) = shortened.question.unzip();
        let (n_read, of_read) = shortened.read_less.unzip();
        Self { n_folded: shortened.n_folded, version: shortened.version, n_question, of_question, n_read, of_read }
    }
}

impl From<&CallRow> for StepView {
    fn from(row: &CallRow) -> Self {
        let fact = row.fact.as_ref();
        Self {
            call: row.call.id.to_string(),
            tool: row.call.name.clone(),
            target: fact.map(|fact| fact.target.clone()).unwrap_or_default(),
            status: fact.map(|fact| fact.outcome.status.into()),
            note: fact.map(|fact| fact.outcome.note.clone()).unwrap_or_default(),
        }
    }
}

impl From<CallRow> for CallView {
    fn from(row: CallRow) -> Self {
        Self {
            call: row.call.id.to_string(),
            arguments: row.call.arguments,
            result: row.fact.map(|fact| fact.outcome.text).unwrap_or_default(),
        }
    }
}
