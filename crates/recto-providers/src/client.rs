//! A model behind HTTP, in whichever dialect its server speaks.

mod send;

use crate::address::ServerAddress;
use crate::anthropic;
use crate::body::estimate_of_glue;
use crate::dialect::Dialect;
use crate::http::{self, Timing};
use crate::secret::Secret;
use crate::trouble::Trouble;
use async_trait::async_trait;
use recto_core::context::plan::{ByCharacters, CountTokens as _};
use recto_core::id::ConversationId;
use recto_core::reply::Reply;
use recto_core::request::{AnswerTools, Exactness, ModelProfile, ModelRequest, Protocol, Wire, WirePiece};
use recto_engine::ports::{Delta, ModelClient, ModelError, Stop};
use reqwest::header::HeaderMap;

/// Under which name the longest reply is asked for, in OpenAI's dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyLimit {
    /// `max_tokens`, which every server knows.
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's own newer models insist on.
    MaxCompletionTokens,
}

/// What a client is made from.
pub struct ServerSettings {
    /// Where the server is.
    pub address: ServerAddress,
    /// What it speaks.
    pub dialect: Dialect,
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

impl ServerSettings {
    /// The usual settings for a model: native tool calls, which stay in the answer request, and no trailing system message, because
    /// templates of local models refuse it. OpenAI's own address is known to take one and to want another name for the limit.
    #[must_use]
    pub fn new(address: ServerAddress, model: impl Into<String>, window: u32) -> Self {
        let timing = Timing::usual(address.is_loopback());
        let is_openai = address.label() == "api.openai.com";
        let reply_limit = if is_openai { ReplyLimit::MaxCompletionTokens } else { ReplyLimit::MaxTokens };
        Self {
            dialect: Dialect::of_address(&address),
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

/// A model behind a server.
pub struct ServerClient {
    settings: ServerSettings,
    http: reqwest::Client,
    headers: HeaderMap,
}

impl ServerClient {
    /// A client; nothing is sent yet.
    ///
    /// # Errors
    /// The key cannot be a header, or this system has no certificates to check a server by.
    pub fn new(settings: ServerSettings) -> Result<Self, Trouble> {
        let http = http::client(&settings.address, settings.timing)?;
        let headers = settings.dialect.headers(&settings.address, settings.key.as_ref())?;
        Ok(Self { settings, http, headers })
    }

    /// Tokens that a request and its reply may share, as requests are planned for them.
    fn window(&self) -> u32 {
        match self.settings.dialect {
            Dialect::OpenAi | Dialect::Ollama => self.settings.window,
            Dialect::Anthropic => self.settings.window.saturating_sub(anthropic::encode::THINKING),
        }
    }

    /// What is done with tools in an answer request: where they cannot be offered without being called, they are left out.
    fn answer_tools(&self) -> AnswerTools {
        match self.settings.dialect {
            Dialect::OpenAi | Dialect::Anthropic => self.settings.answer_tools,
            Dialect::Ollama => AnswerTools::Omit,
        }
    }
}

#[async_trait]
impl ModelClient for ServerClient {
    fn profile(&self) -> ModelProfile {
        ModelProfile {
            name: self.settings.model.clone(),
            window: self.window(),
            protocol: self.settings.protocol,
            takes_trailing_system: self.settings.takes_trailing_system,
            answer_tools: self.answer_tools(),
            exactness: Exactness::Estimate,
        }
    }

    fn endpoint(&self) -> Option<String> {
        Some(self.settings.dialect.chat(&self.settings.address).to_string())
    }

    fn count(&self, text: &str) -> u32 {
        ByCharacters.count(text)
    }

    fn encode(&self, request: &ModelRequest) -> Result<Wire, ModelError> {
        let settings = &self.settings;
        settings.dialect.encode(&settings.model, settings.window, settings.reply_limit, request)
    }

    fn measure(&self, wire: &Wire) -> Vec<u32> {
        let size = |piece: &WirePiece| match piece.block {
            Some(_) => ByCharacters.count(&piece.text),
            None => estimate_of_glue(&piece.text),
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
