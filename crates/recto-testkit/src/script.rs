//! The script of a fake model: what it replies, in order, as plain text.
//!
//! ```text
//! # A line that begins with # is a remark. A blank line ends a reply.
//! offers qwen window 32768          what /v1/models lists; without it one model, `fake`
//! ollama                            /api/ps is there, as it is on Ollama
//! loads qwen window 4096            what it lists
//! shows qwen window 32768           what Ollama's /api/show says that a model was made for; it takes tools
//! props 4096                        what /props says is the window of a slot; without it /props is not there
//! counts                            /tokenize is there, and each character is a token
//!
//! think: They want a file.          reasoning, before the text
//! model: I will write it down. call write_file {"path":"notes.md","content":"milk"}
//! call read_file {"path":"a.md"}    a further call; the rest of the line is the argument string, whatever it is
//! usage read=120 reused=100 written=12
//! finish length                     instead of `stop` or `tool_calls`; `finish none` leaves the end mark out
//!
//! model: READY
//! | and a second line of the same text
//!
//! status 429 retry-after 1          an error; `| …` lines after it are its body
//! html: <h1>Welcome to the hotel</h1>
//! json: {"choices":[…]}             the body as it is, as application/json
//! raw: data: {"choices":[…]}\r\n\n  body bytes; \n \r \t \0 \\ \xNN are escapes; `raw:` lines that follow each other are joined
//! ```
//! For any reply: `delay 20` (milliseconds before each write), `chunk 1` (bytes in a write; without it one event a write), `header name: value`,
//! `close` (no answer at all), `close after 40` (cut inside the body), `end after 40` (a clean end there),
//! `stall` (everything but the end mark, then nothing until the client closes), `stall headers`, `stall after 40`.
//!
//! A script may have parts: `when work:`, `when answer:`, `when any asks "shopping list":`. A request is played from the part
//! that fits it; of several that fit, from the one whose words stand last in the request. A part ends with `then again`
//! (from its first reply), `then repeat` (its last reply for ever) or, without a word, by saying in a reply that it has ended.

mod parse;
#[cfg(test)]
mod tests;

use serde_json::Value;
use std::time::Duration;

/// A whole script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// What `/v1/models` lists.
    pub models: Vec<OfferedModel>,
    /// What `/api/ps` lists; `None` where there is no such address.
    pub loaded: Option<Vec<OfferedModel>>,
    /// What `/api/show` knows.
    pub shown: Vec<OfferedModel>,
    /// The window of a slot in `/props`; `None` where there is no such address.
    pub slot_window: Option<u32>,
    /// Whether `/tokenize` is there.
    pub counts: bool,
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

/// A model as `/v1/models` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedModel {
    /// Its name.
    pub name: String,
    /// Its window; `None` if the list does not say.
    pub window: Option<u32>,
}

/// Replies to one sort of request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// `None` for any.
    pub kind: Option<RequestKind>,
    /// Words that a message other than the system's has to hold; `None` for any.
    pub asks: Option<String>,
    /// The replies, in order.
    pub replies: Vec<ScriptedReply>,
    /// What comes after the last one.
    pub after: After,
}

/// What a request is for, as far as a server can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// Tools may be called, or a step is asked for under a schema.
    Work,
    /// No tool can be called and there is no tool traffic.
    Answer,
}

impl RequestKind {
    /// The kind of this request body.
    #[must_use]
    pub fn of(body: &Value) -> Self {
        let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let may_call = has_tools && body["tool_choice"] != "none" && body["tool_choice"]["type"] != "none";
        let is_call = |block: &Value| block["type"] == "tool_use";
        let is_traffic = |message: &Value| {
            let blocks = message["content"].as_array();
            message["role"] == "tool"
                || message["tool_calls"].is_array()
                || blocks.is_some_and(|blocks| blocks.iter().any(is_call))
        };
        let has_traffic = body["messages"].as_array().is_some_and(|messages| messages.iter().any(is_traffic));
        let has_schema = ["response_format", "format", "output_config"].iter().any(|key| body[*key].is_object());
        if may_call || has_traffic || has_schema { Self::Work } else { Self::Answer }
    }
}

/// What follows the last reply of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum After {
    /// A reply that says that the script has ended.
    #[default]
    Say,
    /// The last reply, for ever.
    Repeat,
    /// The first reply.
    Again,
}

/// One reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptedReply {
    /// What is sent.
    pub body: Body,
    /// Headers beside the usual ones.
    pub headers: Vec<(String, String)>,
    /// Before each write.
    pub delay: Duration,
    /// Bytes in a write; `None` for one event a write.
    pub chunk: Option<usize>,
    /// Where it breaks off.
    pub fault: Option<Fault>,
}

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A message of the model.
    Message(Message),
    /// An HTTP error and its body; `None` for the usual error object.
    Status(u16, Option<String>),
    /// A web page with status 200.
    Html(String),
    /// JSON with status 200.
    Json(String),
    /// Bytes of an event stream with status 200.
    Raw(Vec<u8>),
}

impl Default for Body {
    fn default() -> Self {
        Self::Message(Message::default())
    }
}

/// A message of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Reasoning, sent as `reasoning_content`.
    pub reasoning: String,
    /// Text; `None` if only calls are sent.
    pub text: Option<String>,
    /// Names and argument strings of native calls.
    pub calls: Vec<(String, String)>,
    /// The finish reason; `None` for `stop` or `tool_calls`, `none` for no end mark at all.
    pub finish: Option<String>,
    /// Usage numbers; `None` if the server says nothing.
    pub usage: Option<ScriptedUsage>,
}

/// Usage numbers as OpenAI's interface has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScriptedUsage {
    /// `prompt_tokens`.
    pub read: u32,
    /// `prompt_tokens_details.cached_tokens`; `None` if it is left out.
    pub reused: Option<u32>,
    /// `completion_tokens`.
    pub written: u32,
}

/// Where a reply breaks off. Bytes are counted in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The connection is closed without an answer.
    Close,
    /// It is closed after so many bytes, as a crash would.
    CloseAfter(usize),
    /// The body ends after so many bytes, as if that were all.
    EndAfter(usize),
    /// Nothing more is sent before the end mark.
    Stall,
    /// Nothing is sent at all.
    StallHeaders,
    /// Nothing more is sent after so many bytes.
    StallAfter(usize),
}

/// A script that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the script: {what}")]
pub struct ScriptError {
    /// Its line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}
