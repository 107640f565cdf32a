//! The OpenAI-compatible interface: `/v1/chat/completions`.

mod calls;
mod chunk;
pub mod encode;
pub mod reading;
mod send;
mod think;
mod usage;

pub(crate) use chunk::error_words;

use self::encode::ReplyLimit;
use crate::address::ServerAddress;
use crate::http::{self, Timing};
use crate::secret::Secret;
use crate::trouble::Trouble;
use async_trait::async_trait;
use recto_core::context::plan::{ByCharacters, CountTokens as _};
use recto_core::id::ConversationId;
use recto_core::reply::Reply;
use recto_core::request::{AnswerTools, Exactness, ModelProfile, ModelRequest, Protocol, Wire, WirePiece};
use recto_engine::ports::{Delta, ModelClient, ModelError, Stop};
use serde_json::Value;

/// The words of an error in an answer that is no stream; `None` if it holds none.
pub(crate) fn error_in(value: &Value) -> Option<String> {
    chunk::error("", value)
}

/// What a client is made from.
pub struct OpenAiSettings {
    /// Where the server is.
    pub address: ServerAddress,
    /// The model's name as the server knows it.
    pub model: String,
    /// The key; `None` if the server asks for none.
    pub key: Option<Secret>,
    /// Tokens that the request and the reply share.
    pub window: u32,
    /// How the model is asked for tools.
    pub protocol: Protocol,
    /// Whether a system message may come last.
    pub takes_trailing_system: bool,
    /// Tools in the answer request.
    pub answer_tools: AnswerTools,
    /// Under which name the longest reply is asked for.
    pub reply_limit: ReplyLimit,
    /// Time limits.
    pub timing: Timing,
}

impl OpenAiSettings {
    /// The usual settings for a model: native tool calls, which stay in the answer request, and no trailing system message, because
    /// templates of local models refuse it. OpenAI's own address is known to take one and to want another name for the limit.
    #[must_use]
    pub fn new(address: ServerAddress, model: impl Into<String>, window: u32) -> Self {
        let timing = Timing::usual(address.is_loopback());
        let is_openai = address.label() == "api.openai.com";
        let reply_limit = if is_openai { ReplyLimit::MaxCompletionTokens } else { ReplyLimit::MaxTokens };
        Self {
            address,
            model: model.into(),
            key: None,
            window,
            protocol: Protocol::Native,
            takes_trailing_system: is_openai,
            answer_tools: AnswerTools::Keep,
            reply_limit,
            timing,
        }
    }
}

/// A model behind an OpenAI-compatible server.
pub struct OpenAiClient {
    settings: OpenAiSettings,
    http: reqwest::Client,
    authorization: Option<reqwest::header::HeaderValue>,
}

impl OpenAiClient {
    /// A client; nothing is sent yet.
    ///
    /// # Errors
    /// The key cannot be a header, or this system has no certificates to check a server by.
    pub fn new(settings: OpenAiSettings) -> Result<Self, Trouble> {
        let http = http::client(&settings.address, settings.timing)?;
        let authorization = authorization(&settings.address, settings.key.as_ref())?;
        Ok(Self { settings, http, authorization })
    }
}

/// The header for a key; `None` without one.
pub(crate) fn authorization(
    address: &ServerAddress,
    key: Option<&Secret>,
) -> Result<Option<reqwest::header::HeaderValue>, Trouble> {
    key.map(|key| key.bearer().ok_or_else(|| Trouble::key_unusable(&address.label()))).transpose()
}

#[async_trait]
impl ModelClient for OpenAiClient {
    fn profile(&self) -> ModelProfile {
        ModelProfile {
            name: self.settings.model.clone(),
            window: self.settings.window,
            protocol: self.settings.protocol,
            takes_trailing_system: self.settings.takes_trailing_system,
            answer_tools: self.settings.answer_tools,
            exactness: Exactness::Estimate,
        }
    }

    fn endpoint(&self) -> Option<String> {
        Some(self.settings.address.under("chat/completions").to_string())
    }

    fn count(&self, text: &str) -> u32 {
        ByCharacters.count(text)
    }

    fn encode(&self, request: &ModelRequest) -> Result<Wire, ModelError> {
        encode::encode(&self.settings.model, self.settings.reply_limit, request)
    }

    fn measure(&self, wire: &Wire) -> Vec<u32> {
        let size = |piece: &WirePiece| match piece.block {
            Some(_) => ByCharacters.count(&piece.text),
            None => encode::estimate_of_glue(&piece.text),
        };
        wire.pieces.iter().map(size).collect()
    }

    /// The calls of an error's partial reply and of a stopped one may be cut off; they are there to be shown and not to be run.
    /// A call that came without an id is named `call_1`, `call_2` …, past the names in `request`.
    async fn send(
        &self,
        _conversation: &ConversationId,
        request: &ModelRequest,
        wire: &Wire,
        deltas: &mut (dyn FnMut(Delta) + Send),
        stop: Stop,
    ) -> Result<Reply, ModelError> {
        self.send_bytes(request, wire.bytes(), deltas, stop).await
    }
}
