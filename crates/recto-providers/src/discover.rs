//! Which models a server has, and how large their windows really are.

use crate::address::ServerAddress;
use crate::dialect::Dialect;
use crate::http::{self, Timing};
use crate::secret::Secret;
use crate::tokenizer;
use crate::trouble::{Arrived, Trouble};
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Client, RequestBuilder, Url};
use serde_json::Value;
use std::time::Duration;

/// The window that is taken for a model of which nobody says how large its window is.
pub const ASSUMED_WINDOW: u32 = 8192;

/// The window that LM Studio gives to a model by default, whatever the model could take; what is over it is lost there.
const LOADED_WINDOW: u32 = 4096;

/// What every model of Anthropic's has had since 2023; newer ones have more and say so.
const ANTHROPIC_WINDOW: u32 = 200_000;

/// For the whole of one answer; a list of models is short.
const LIMIT: Duration = Duration::from_secs(10);

/// What a server is and has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    /// What it speaks.
    pub dialect: Dialect,
    /// The models that it offers.
    pub models: Vec<DiscoveredModel>,
}

/// A model that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveredModel {
    /// Its name, as it goes into a request.
    pub name: String,
    /// Tokens that the request and the reply share.
    pub window: u32,
    /// How the window is known.
    pub source: WindowSource,
    /// Whether it takes tools in its server's own form; `None` where nobody says it.
    pub takes_tools: Option<bool>,
    /// Whether its server counts the tokens of a text when it is asked.
    pub counts: bool,
}

/// How a window is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSource {
    /// The server says what it runs the model with: one of llama-server's slots, a model that Ollama or LM Studio has loaded.
    Running,
    /// The list of models says it.
    Listed,
    /// The server gives it the window that a request asks for, and every request asks for this one.
    Requested,
    /// Nobody says it; it is a guess ([`ASSUMED_WINDOW`], or what such a server usually gives) that a person may correct.
    Assumed,
}

/// Asks a server what it speaks and which models it has: `/v1/models`, and for the windows that they really have llama-server's `/props`,
/// Ollama's `/api/ps` and `/api/show`, and LM Studio's `/api/v0/models`.
///
/// # Errors
/// The server gives no list; the sentence says why.
pub async fn discover(address: &ServerAddress, key: Option<&Secret>) -> Result<Discovery, Trouble> {
    let timing = Timing { connect: Duration::from_secs(5), ..Timing::usual(address.is_loopback()) };
    let client = http::client(address, timing)?;
    let dialect = Dialect::of_address(address);
    let question = Question { address, client, key, headers: dialect.headers(address, key)? };
    let mut all = address.under("models");
    if dialect == Dialect::Anthropic {
        all.set_query(Some("limit=1000"));
    }
    let list = question.get(all).await?;
    let listed = models(&list);
    if dialect == Dialect::Anthropic {
        let found = |(name, window): (String, Option<u32>)| match window {
            Some(window) => discovered(name, window, WindowSource::Listed),
            None => discovered(name, ANTHROPIC_WINDOW, WindowSource::Assumed),
        };
        return Ok(Discovery { dialect, models: listed.into_iter().map(found).collect() });
    }
    Ok(match question.running(&listed).await {
        Running::Slot(window) => {
            let counts = question.counts().await;
            let found = |(name, _)| DiscoveredModel { counts, ..discovered(name, window, WindowSource::Running) };
            Discovery { dialect, models: listed.into_iter().map(found).collect() }
        }
        Running::LmStudio(loaded) => {
            let found = |(name, _): (String, Option<u32>)| match window_of(&loaded, &name) {
                Some(window) => discovered(name, window, WindowSource::Running),
                None => discovered(name, LOADED_WINDOW, WindowSource::Assumed),
            };
            Discovery { dialect, models: listed.into_iter().map(found).collect() }
        }
        Running::Ollama(loaded) => {
            let mut models = Vec::new();
            for (name, _) in listed {
                models.push(question.ollama(name, &loaded).await);
            }
            Discovery { dialect: Dialect::Ollama, models }
        }
        Running::Unknown => {
            let found = |(name, window): (String, Option<u32>)| match window {
                Some(window) => discovered(name, window, WindowSource::Listed),
                None => discovered(name, ASSUMED_WINDOW, WindowSource::Assumed),
            };
            Discovery { dialect, models: listed.into_iter().map(found).collect() }
        }
    })
}

/// What a server says about the models that it runs.
enum Running {
    /// Every model has this window.
    Slot(u32),
    /// The loaded models and their windows.
    LmStudio(Vec<(String, Option<u32>)>),
    /// The same, of a server that gives a model the window that is asked for.
    Ollama(Vec<(String, Option<u32>)>),
    /// Nothing.
    Unknown,
}

fn discovered(name: String, window: u32, source: WindowSource) -> DiscoveredModel {
    DiscoveredModel { name, window, source, takes_tools: None, counts: false }
}

fn window_of(loaded: &[(String, Option<u32>)], name: &str) -> Option<u32> {
    loaded.iter().find(|(each, _)| each == name).and_then(|(_, window)| *window)
}

/// What Ollama says of a model: what it was made for, and whether its template has tools.
fn described(show: &Value) -> (Option<u32>, Option<bool>) {
    let fields = show["model_info"].as_object();
    let trained = fields.and_then(|fields| {
        let (_, value) = fields.iter().find(|(name, _)| name.ends_with(".context_length"))?;
        window(value)
    });
    let capabilities = show["capabilities"].as_array();
    (trained, capabilities.map(|all| all.iter().any(|each| each == "tools")))
}

/// Names and windows in a list. What a model was trained for is no window: a server may run it with less.
fn models(list: &Value) -> Vec<(String, Option<u32>)> {
    let entries = list["data"].as_array().or_else(|| list["models"].as_array()).or_else(|| list.as_array());
    entries
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let name = ["id", "name", "model"].iter().find_map(|key| entry[*key].as_str())?;
            let places = [
                &entry["meta"]["n_ctx"],
                &entry["loaded_context_length"],
                &entry["max_model_len"],
                &entry["context_length"],
                &entry["context_window"],
                &entry["max_input_tokens"],
            ];
            Some((name.to_owned(), places.into_iter().find_map(window)))
        })
        .collect()
}

/// LM Studio says of every model whether it is loaded, and for how much.
fn is_lm_studio(list: &Value) -> bool {
    list["data"]
        .as_array()
        .is_some_and(|models| !models.is_empty() && models.iter().all(|model| model["state"].is_string()))
}

fn window(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)
}

struct Question<'a> {
    address: &'a ServerAddress,
    client: Client,
    key: Option<&'a Secret>,
    headers: HeaderMap,
}

impl Question<'_> {
    /// Asks further only as far as the list leaves something open; a server that has no such address has said nothing.
    async fn running(&self, listed: &[(String, Option<u32>)]) -> Running {
        // Only a server of one model has one window for all.
        if let ([_], Ok(props)) = (listed, self.get(self.address.at_root("/props")).await)
            && let Some(window) = window(&props["default_generation_settings"]["n_ctx"])
        {
            return Running::Slot(window);
        }
        if listed.iter().all(|(_, window)| window.is_some()) {
            return Running::Unknown;
        }
        if let Ok(loaded) = self.get(self.address.at_root("/api/ps")).await
            && loaded["models"].is_array()
        {
            return Running::Ollama(models(&loaded));
        }
        match self.get(self.address.at_root("/api/v0/models")).await {
            Ok(list) if is_lm_studio(&list) => Running::LmStudio(models(&list)),
            _ => Running::Unknown,
        }
    }

    /// A model of Ollama's. One that is loaded with a window that is large enough keeps it, so that it need not be loaded again.
    async fn ollama(&self, name: String, loaded: &[(String, Option<u32>)]) -> DiscoveredModel {
        let body = serde_json::json!({"model": name}).to_string();
        let show =
            self.client.post(self.address.at_root("/api/show")).header(CONTENT_TYPE, "application/json").body(body);
        // A version that says nothing of a model leaves open what it was made for.
        let (trained, takes_tools) = self.answer(show).await.map_or((None, None), |show| described(&show));
        let wanted = ASSUMED_WINDOW.min(trained.unwrap_or(ASSUMED_WINDOW));
        let (window, source) = match window_of(loaded, &name) {
            Some(window) if window >= wanted => (window, WindowSource::Running),
            _ => (wanted, WindowSource::Requested),
        };
        DiscoveredModel { name, window, source, takes_tools, counts: false }
    }

    /// Whether a server on this computer tells the tokens of a text. One that is further away would be asked for too long.
    async fn counts(&self) -> bool {
        if !self.address.is_loopback() {
            return false;
        }
        let asked = self.client.post(self.address.at_root("/tokenize")).header(CONTENT_TYPE, "application/json");
        let answer = self.answer(asked.body(tokenizer::question("a b"))).await;
        answer.is_ok_and(|answer| tokenizer::listed(&answer).is_some_and(|n| n > 0))
    }

    async fn get(&self, url: Url) -> Result<Value, Trouble> {
        self.answer(self.client.get(url)).await
    }

    async fn answer(&self, request: RequestBuilder) -> Result<Value, Trouble> {
        let server = self.address.label();
        let request = request.headers(self.headers.clone()).timeout(LIMIT);
        let response = request.send().await.map_err(|error| Trouble::no_answer(&server, &error.without_url()))?;
        let status = response.status();
        if status.is_redirection() {
            let target = response.headers().get(LOCATION).and_then(|target| target.to_str().ok()).unwrap_or_default();
            return Err(Trouble::redirect(&server, target));
        }
        let body = response.text().await.map_err(|_| Trouble::broken_off(&server, Arrived::NoOutput))?;
        if !status.is_success() {
            return Err(Trouble::status(&server, "the model", status.as_u16(), &body, self.key));
        }
        serde_json::from_str(&body).map_err(|_| Trouble::no_list(&server, &body, self.key))
    }
}

#[cfg(test)]
mod tests {
    use super::{is_lm_studio, models};
    use serde_json::{Value, json};

    fn check(list: Value, expected: &[(&str, Option<u32>)]) {
        let found = models(&list);
        let found: Vec<(&str, Option<u32>)> = found.iter().map(|(name, window)| (name.as_str(), *window)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn models_m3_the_window_is_read_where_each_server_says_it() {
        check(
            json!({"data": [{"id": "llama", "meta": {"n_ctx": 32768, "n_ctx_train": 131_072}}]}),
            &[("llama", Some(32768))],
        );
        check(json!({"data": [{"id": "vllm", "max_model_len": 4096}]}), &[("vllm", Some(4096))]);
        check(json!({"data": [{"id": "router", "context_length": 200_000}]}), &[("router", Some(200_000))]);
        check(
            json!({"data": [{"id": "trained", "meta": {"n_ctx_train": 131_072}}, {"id": "plain"}]}),
            &[("trained", None), ("plain", None)],
        );
        let lm_studio = json!({"data": [
            {"id": "here", "state": "loaded", "max_context_length": 32768, "loaded_context_length": 8192},
            {"id": "there", "state": "not-loaded", "max_context_length": 32768},
        ]});
        assert!(is_lm_studio(&lm_studio) && !is_lm_studio(&json!({"data": [{"id": "plain"}]})));
        check(lm_studio, &[("here", Some(8192)), ("there", None)]);
        check(json!({"data": [{"id": "claude", "max_input_tokens": 1_000_000}]}), &[("claude", Some(1_000_000))]);
        check(json!({"models": [{"name": "n"}]}), &[("n", None)]);
        check(json!([{"id": "bare", "context_length": 0}]), &[("bare", None)]);
        check(json!({"error": "x"}), &[]);
    }
}
