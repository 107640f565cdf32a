//! A model behind HTTP, in whichever dialect its server speaks.

mod send;

use crate::address::ServerAddress;
use crate::anthropic;
use crate::body::glue;
use crate::dialect::Dialect;
use crate::http::{self, Timing};
use crate::secret::Secret;
use crate::tokenizer::Tokenizer;
use crate::trouble::Trouble;
use async_trait::async_trait;
use recto_core::calibration::{Calibration, Observation, Scripts, Weights};
use recto_core::context::plan::CountTokens as _;
use recto_core::id::ConversationId;
use recto_core::reply::Reply;
use recto_core::request::{AnswerTools, Exactness, ModelProfile, ModelRequest, Protocol, Wire, WirePiece};
use recto_core::witness::{Witness, witness};
use recto_engine::ports::{Delta, ModelClient, ModelError, Stop};
use reqwest::header::HeaderMap;
use std::sync::Arc;

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
    /// What earlier requests taught of the model's vocabulary.
    pub calibration: Calibration,
    /// Who is told what a request teaches of it; `None` if nobody learns.
    pub learner: Option<Learner>,
    /// Counts by the server's own vocabulary; `None` where it does not count.
    pub tokenizer: Option<Arc<Tokenizer>>,
}

/// Who is told what a request teaches.
pub type Learner = Arc<dyn Fn(Observation) + Send + Sync>;

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
            calibration: Calibration::default(),
            learner: None,
            tokenizer: None,
        }
    }
}

/// A model behind a server.
pub struct ServerClient {
    settings: ServerSettings,
    http: reqwest::Client,
    headers: HeaderMap,
    weights: Weights,
}

impl ServerClient {
    /// A client; nothing is sent yet.
    ///
    /// # Errors
    /// The key cannot be a header, or this system has no certificates to check a server by.
    pub fn new(settings: ServerSettings) -> Result<Self, Trouble> {
        let http = http::client(&settings.address, settings.timing)?;
        let headers = settings.dialect.headers(&settings.address, settings.key.as_ref())?;
        // They stand for as long as the client does, so that within a turn the same text has the same size.
        let weights = settings.calibration.weights();
        Ok(Self { settings, http, headers, weights })
    }

    /// Tells the learner what a request taught, where its server read all of it.
    fn learn(&self, wire: &Wire, reply: &Reply) {
        let Some((learner, n_read)) = self.settings.learner.as_ref().zip(reply.usage.n_read) else { return };
        let n_sent = self.measure(wire).into_iter().fold(0, u32::saturating_add);
        if witness(n_sent, self.profile().exactness, Some(&reply.usage)) != Witness::Agrees {
            return;
        }
        let (mut scripts, mut n_known) = (Scripts::default(), 0_u32);
        for piece in &wire.pieces {
            let (n_beside, text) = if piece.block.is_some() { (0, piece.text.as_str()) } else { glue(&piece.text) };
            n_known = n_known.saturating_add(n_beside);
            scripts.add(Scripts::of(text));
        }
        learner(Observation { scripts, n_known, n_read });
    }

    /// Tokens that a request and its reply may share, as requests are planned for them.
    fn window(&self) -> u32 {
        match self.settings.dialect {
            Dialect::OpenAi | Dialect::Ollama => self.settings.window,
            Dialect::Anthropic => self.settings.window.saturating_sub(anthropic::encode::THINKING),
        }
    }

    /// Tokens of a text: as the server counts it, else as its vocabulary was learnt.
    fn tokens_of(&self, text: &str) -> u32 {
        let counted = self.settings.tokenizer.as_ref().and_then(|tokenizer| tokenizer.count(text));
        counted.unwrap_or_else(|| self.weights.count(text))
    }

    fn exactness(&self) -> Exactness {
        if self.settings.tokenizer.as_ref().is_some_and(|tokenizer| !tokenizer.is_lost()) {
            return Exactness::Counted;
        }
        let percent = self.settings.calibration.error_percent();
        percent.map_or(Exactness::Estimate, |percent| Exactness::Calibrated { percent })
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
            exactness: self.exactness(),
        }
    }

    fn endpoint(&self) -> Option<String> {
        Some(self.settings.dialect.chat(&self.settings.address).to_string())
    }

    fn count(&self, text: &str) -> u32 {
        self.tokens_of(text)
    }

    fn encode(&self, request: &ModelRequest) -> Result<Wire, ModelError> {
        let settings = &self.settings;
        settings.dialect.encode(&settings.model, settings.window, settings.reply_limit, request)
    }

    fn measure(&self, wire: &Wire) -> Vec<u32> {
        let size = |piece: &WirePiece| match piece.block {
            Some(_) => self.tokens_of(&piece.text),
            None => {
                let (n_known, tools) = glue(&piece.text);
                n_known.saturating_add(self.tokens_of(tools))
            }
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
        let reply = self.send_bytes(request, wire.bytes(), deltas, stop).await?;
        self.learn(wire, &reply);
        Ok(reply)
    }
}
