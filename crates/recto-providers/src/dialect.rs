//! The languages that servers speak: where a request goes, how it is written, who asks, and how what comes back is read.

use crate::address::ServerAddress;
use crate::client::ReplyLimit;
use crate::reading::Said;
use crate::secret::Secret;
use crate::trouble::Trouble;
use crate::{anthropic, ollama, openai};
use recto_core::reply::Usage;
use recto_core::request::{ModelRequest, Wire};
use recto_engine::ports::ModelError;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of Anthropic's interface that is spoken, in the header that it demands.
pub const ANTHROPIC_VERSION: &str = "2023-06-01";

/// What a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// `/v1/chat/completions`, which nearly every server has.
    #[default]
    OpenAi,
    /// Ollama's own `/api/chat`, the only one of its addresses at which the window can be asked for.
    Ollama,
    /// Anthropic's `/v1/messages`.
    Anthropic,
}

/// How a stream is cut into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// A JSON value a line.
    Lines,
}

impl Dialect {
    /// What is spoken at this address before anybody was asked: Anthropic's own host, and addresses of others that say so in their path.
    #[must_use]
    pub fn of_address(address: &ServerAddress) -> Self {
        if address.is_anthropic() { Self::Anthropic } else { Self::OpenAi }
    }

    /// Where requests go.
    pub(crate) fn chat(self, address: &ServerAddress) -> Url {
        match self {
            Self::OpenAi => address.under("chat/completions"),
            Self::Ollama => address.at_root("/api/chat"),
            Self::Anthropic => address.under("messages"),
        }
    }

    /// The kind of answer that is asked for.
    pub(crate) fn accepts(self) -> &'static str {
        match self.framing() {
            Framing::Events => "text/event-stream",
            Framing::Lines => "application/x-ndjson",
        }
    }

    pub(crate) fn framing(self) -> Framing {
        match self {
            Self::OpenAi | Self::Anthropic => Framing::Events,
            Self::Ollama => Framing::Lines,
        }
    }

    /// The headers that carry the key, and the one that Anthropic demands with or without one.
    ///
    /// # Errors
    /// The key has a character that no header may have.
    pub(crate) fn headers(self, address: &ServerAddress, key: Option<&Secret>) -> Result<HeaderMap, Trouble> {
        let unusable = || Trouble::key_unusable(&address.label());
        let mut headers = HeaderMap::new();
        if let Some(key) = key {
            match self {
                Self::OpenAi | Self::Ollama => {
                    headers.insert(AUTHORIZATION, key.bearer().ok_or_else(unusable)?);
                }
                Self::Anthropic => {
                    headers.insert(HeaderName::from_static("x-api-key"), key.bare().ok_or_else(unusable)?);
                }
            }
        }
        if self == Self::Anthropic {
            let version = HeaderValue::from_static(ANTHROPIC_VERSION);
            headers.insert(HeaderName::from_static("anthropic-version"), version);
        }
        Ok(headers)
    }

    /// The body, its keys in a fixed order: the same request gives the same bytes.
    ///
    /// # Errors
    /// The request cannot be expressed: it has no message, a message is empty, or its temperature is no number.
    pub(crate) fn encode(
        self,
        model: &str,
        window: u32,
        limit: ReplyLimit,
        request: &ModelRequest,
    ) -> Result<Wire, ModelError> {
        match self {
            Self::OpenAi => openai::encode::encode(model, limit, request),
            Self::Ollama => ollama::encode::encode(model, window, request),
            Self::Anthropic => anthropic::encode::encode(model, request),
        }
    }

    /// What a value of the stream adds; `None` for one that says nothing of a reply.
    pub(crate) fn said(self, value: &Value) -> Option<Said> {
        match self {
            Self::OpenAi => openai::chunk::said(value),
            Self::Ollama => ollama::chunk::said(value),
            Self::Anthropic => anthropic::chunk::said(value),
        }
    }

    /// Adds what a value says of tokens and money.
    pub(crate) fn usage(self, value: &Value, usage: &mut Usage) {
        match self {
            Self::OpenAi => openai::usage::read(value, usage),
            Self::Ollama => ollama::chunk::usage(value, usage),
            Self::Anthropic => anthropic::chunk::usage(value, usage),
        }
    }
}
