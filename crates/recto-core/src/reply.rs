//! What came back for one request.

use crate::tool::ToolCall;
use serde::{Deserialize, Serialize};

/// A model's whole reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The text byte for byte as it was received. Under the structured protocol it is the step's JSON.
    pub text: String,
    /// Reasoning, kept apart: never shown as the answer and never sent again.
    pub reasoning: String,
    /// Blocks of reasoning that the interface demands back with the results of this reply's calls, each as JSON the way it came, signature and
    /// all. They are sent again within their turn and never after it; no other interface has any.
    pub thoughts: Vec<String>,
    /// Native tool calls in their order.
    pub calls: Vec<ToolCall>,
    /// Why it ended.
    pub finish: Finish,
    /// What was counted and measured.
    pub usage: Usage,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The model asked for tools.
    ToolCalls,
    /// The reply reached its length limit.
    Length,
    /// The provider withheld the rest.
    Filtered,
    /// The stream ended without saying why.
    #[default]
    Unmarked,
    /// The user stopped it.
    Stopped,
}

/// Counts and times of one request as the model or its server gave them; `None` means that nobody said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request that the model read in all, reused ones included.
    pub n_read: Option<u32>,
    /// Tokens of the request that were reused from an earlier one.
    pub n_reused: Option<u32>,
    /// Tokens of the request that were evaluated.
    pub n_evaluated: Option<u32>,
    /// Tokens of the reply.
    pub n_written: Option<u32>,
    /// What it cost, in billionths of a dollar.
    pub cost_nanodollars: Option<u64>,
    /// Milliseconds from sending to the first token.
    pub first_token_ms: Option<u64>,
    /// Milliseconds from sending to the end.
    pub total_ms: Option<u64>,
}
