//! The interface that a request is written in, told by its address.

use serde_json::Value;

/// Which interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `/v1/chat/completions`.
    OpenAi,
    /// `/api/chat`.
    Ollama,
    /// `/v1/messages`.
    Anthropic,
}

impl Shape {
    /// The interface of this address; `None` for one at which no chat is asked for.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let shapes = [("/chat/completions", Self::OpenAi), ("/api/chat", Self::Ollama), ("/messages", Self::Anthropic)];
        shapes.into_iter().find(|(end, _)| path.ends_with(end)).map(|(_, shape)| shape)
    }

    /// Whether the answer is a stream; where nothing is said, Ollama's is.
    pub(crate) fn streams(self, body: &Value) -> bool {
        body["stream"].as_bool().unwrap_or(self == Self::Ollama)
    }
}

/// The texts of a message, also of those that stand in blocks and in results.
pub(crate) fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks
            .iter()
            .flat_map(|block| if block["text"].is_string() { texts(&block["text"]) } else { texts(&block["content"]) })
            .collect(),
        _ => Vec::new(),
    }
}
