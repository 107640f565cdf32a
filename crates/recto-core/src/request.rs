//! A request to a model, derived from a plan and from nothing else.

use crate::context::block::{BlockKind, Role, Slot};
use crate::context::plan::{Plan, PlannedBlock};
use crate::id::CallId;
use crate::tool::ToolDefinition;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// One step of work: tools are offered.
    Work,
    /// The answer, written from a clean request without tool traffic.
    Answer,
    /// What leaves the history, in short.
    Summary,
}

impl Purpose {
    /// The word used in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Answer => "answer",
            Self::Summary => "summary",
        }
    }
}

/// How a model is asked for tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// The interface's own tool calls.
    Native,
    /// Each step of work is one JSON value under a schema.
    Structured,
}

/// Whether an answer request carries the tool definitions of the work requests, which keeps the prefix on most servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerTools {
    /// Identical definitions and `tool_choice: none`.
    Keep,
    /// No definitions.
    Omit,
}

/// What has to be known of a model before a request is composed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelProfile {
    /// The name shown and recorded.
    pub name: String,
    /// Tokens that the request and the reply share.
    pub window: u32,
    /// How it is asked for tools.
    pub protocol: Protocol,
    /// Whether a system message may come last; the reminder goes into the last message otherwise.
    pub takes_trailing_system: bool,
    /// Tools in the answer request.
    pub answer_tools: AnswerTools,
    /// How its token counts are known.
    pub exactness: Exactness,
}

/// How a count is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Exactness {
    /// By the model's own vocabulary.
    Exact,
    /// By the kind of characters.
    Estimate,
    /// Each text by the vocabulary of the model's server; what its template puts around them is estimated.
    Counted,
    /// By the kind of characters, and by what the model's server said of earlier requests.
    Calibrated {
        /// How far it may be off, in percent.
        percent: u8,
    },
}

impl From<Exactness> for String {
    fn from(exactness: Exactness) -> Self {
        match exactness {
            Exactness::Exact => "exact".to_owned(),
            Exactness::Estimate => "estimate".to_owned(),
            Exactness::Counted => "counted".to_owned(),
            Exactness::Calibrated { percent } => format!("calibrated {percent}"),
        }
    }
}

impl TryFrom<String> for Exactness {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        let calibrated = || word.strip_prefix("calibrated ")?.parse().ok();
        match word.as_str() {
            "exact" => Ok(Self::Exact),
            "estimate" => Ok(Self::Estimate),
            "counted" => Ok(Self::Counted),
            _ => calibrated().map(|percent| Self::Calibrated { percent }).ok_or(format!("no way to count: {word}")),
        }
    }
}

/// How the reply is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// 0 is greedy.
    pub temperature: f32,
    /// The same seed, request and machine give the same reply, where the model allows it.
    pub seed: u32,
    /// The longest reply, in tokens.
    pub max_tokens: u32,
}

/// One request, complete in itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// What it is for.
    pub purpose: Purpose,
    /// The messages, each tiled by its parts.
    pub messages: Vec<RequestMessage>,
    /// Tool definitions beside the messages (native protocol), sorted by name.
    pub tools: Vec<ToolDefinition>,
    /// Whether the reply may call those tools.
    pub may_call: bool,
    /// JSON Schema that the reply has to fit (structured protocol).
    pub step: Option<Value>,
    /// How the reply is drawn.
    pub sampling: Sampling,
    /// What an interface may have to know of some blocks.
    pub marks: Marks,
}

/// Blocks that an interface may treat in a way of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Positions of the blocks with which a beginning ends that later requests share, ascending: what stands from turn to turn, and the system
    /// message, which stands within one. An interface whose cache has to be told puts its marks there.
    pub stands_to: Vec<usize>,
    /// Position of the reminder; `None` where there is none.
    pub reminder: Option<usize>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestMessage {
    /// Who speaks.
    pub role: Role,
    /// For a tool's message, which call it answers.
    pub call: Option<CallId>,
    /// Its content in order.
    pub parts: Vec<Part>,
}

/// A stretch of a message that comes from one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text {
        /// Position of the block in the plan.
        block: usize,
        /// The bytes.
        text: String,
    },
    /// A native tool call of an earlier reply.
    Call {
        /// Position of the block in the plan.
        block: usize,
        /// Which call.
        id: CallId,
        /// The name as it was received.
        name: String,
        /// The arguments as they were received.
        arguments: String,
    },
    /// Reasoning of an earlier reply that the interface wants back.
    Thought {
        /// Position of the block in the plan.
        block: usize,
        /// The JSON as it was received.
        json: String,
    },
}

impl RequestMessage {
    /// The text parts, joined; calls are not part of it.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts
            .iter()
            .filter_map(|part| match part {
                Part::Text { text, .. } => Some(text.as_str()),
                Part::Call { .. } | Part::Thought { .. } => None,
            })
            .collect()
    }
}

/// What a request carries beside its messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// Tool definitions (native protocol).
    pub tools: Vec<ToolDefinition>,
    /// Whether the reply may call them.
    pub may_call: bool,
    /// Schema of the step (structured protocol).
    pub step: Option<Value>,
    /// How the reply is drawn.
    pub sampling: Sampling,
}

impl ModelRequest {
    /// The only way to make a request: the kept and cut blocks of the plan, in their order, as messages.
    #[must_use]
    pub fn from_plan(plan: &Plan, envelope: Envelope) -> Self {
        let mut messages: Vec<RequestMessage> = Vec::new();
        let mut open_seat = None;
        for (index, row) in plan.rows.iter().enumerate() {
            let Some(text) = row.placed.clone() else { continue };
            let seat = &row.block.seat;
            if open_seat != Some(seat.message) {
                open_seat = Some(seat.message);
                messages.push(RequestMessage { role: seat.role, call: seat.answers.clone(), parts: Vec::new() });
            }
            let part = match &row.block.slot {
                Slot::Text if row.block.kind == BlockKind::Thought => Part::Thought { block: index, json: text },
                Slot::Text => Part::Text { block: index, text },
                Slot::Call { id, name } => {
                    Part::Call { block: index, id: id.clone(), name: name.clone(), arguments: text }
                }
            };
            if let Some(message) = messages.last_mut() {
                message.parts.push(part);
            }
        }
        let Envelope { tools, may_call, step, sampling } = envelope;
        Self { purpose: plan.purpose, messages, tools, may_call, step, sampling, marks: Marks::of(plan) }
    }
}

impl Marks {
    fn of(plan: &Plan) -> Self {
        let placed = || plan.rows.iter().enumerate().filter(|(_, row)| row.placed.is_some());
        let is_reminder = |row: &PlannedBlock| row.block.kind == BlockKind::Reminder;
        let of_system = || placed().filter(|(_, row)| row.block.seat.role == Role::System && !is_reminder(row));
        let changes =
            |row: &PlannedBlock| matches!(row.block.kind, BlockKind::Memory | BlockKind::Passage | BlockKind::Summary);
        let over_turns = of_system().take_while(|(_, row)| !changes(row)).last();
        let mut stands_to: Vec<usize> =
            over_turns.into_iter().chain(of_system().next_back()).map(|(index, _)| index).collect();
        stands_to.dedup();
        Self { stands_to, reminder: placed().find(|(_, row)| is_reminder(row)).map(|(index, _)| index) }
    }
}

/// A token of a request, as a model inside the program reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its number in the model's vocabulary.
    pub id: u32,
    /// Bytes of the request that it stands for.
    pub n_bytes: u32,
}

/// The bytes of a request as they go out, in pieces that say where they come from: put together in order they are the request.
/// For an HTTP model this is the body, for the embedded model the rendered prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wire {
    /// The pieces.
    pub pieces: Vec<WirePiece>,
}

/// A stretch of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WirePiece {
    /// Position of the block in the plan; `None` for what the interface or the template adds.
    pub block: Option<usize>,
    /// The text before its encoding.
    pub text: String,
    /// How the text is written.
    pub encoding: Encoding,
}

/// How a piece is written into the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// As it is.
    Plain,
    /// As the inside of a JSON string, the way `serde_json` escapes it, without the quotes.
    Json,
}

impl WirePiece {
    /// The bytes of this piece.
    #[must_use]
    pub fn bytes(&self) -> String {
        match self.encoding {
            Encoding::Plain => self.text.clone(),
            Encoding::Json => {
                let quoted = Value::String(self.text.clone()).to_string();
                quoted[1..quoted.len() - 1].to_owned()
            }
        }
    }
}

impl Wire {
    /// Adds a stretch that comes from no block.
    pub fn glue(&mut self, text: impl Into<String>) {
        let text = text.into();
        match self.pieces.last_mut() {
            Some(last) if last.block.is_none() && last.encoding == Encoding::Plain => last.text.push_str(&text),
            _ => self.pieces.push(WirePiece { block: None, text, encoding: Encoding::Plain }),
        }
    }

    /// Adds a block's text.
    pub fn block(&mut self, block: usize, text: impl Into<String>, encoding: Encoding) {
        self.pieces.push(WirePiece { block: Some(block), text: text.into(), encoding });
    }

    /// The whole request as it goes out.
    #[must_use]
    pub fn bytes(&self) -> String {
        self.pieces.iter().map(WirePiece::bytes).collect()
    }
}
