//! Which models a server has, and how large their windows really are.

use crate::address::ServerAddress;
use crate::http::{self, Timing};
use crate::openai::authorization;
use crate::secret::Secret;
use crate::trouble::{Arrived, Trouble};
use reqwest::header::{AUTHORIZATION, HeaderValue, LOCATION};
use reqwest::{Client, Url};
use serde_json::Value;
use std::time::Duration;

/// The window that is taken for a model of which nobody says how large its window is.
pub const ASSUMED_WINDOW: u32 = 8192;

/// The window that Ollama and LM Studio give to a model by default, whatever the model could take; what is over it is lost there.
const LOADED_WINDOW: u32 = 4096;

/// For the whole of one answer; a list of models is short.
const LIMIT: Duration = Duration::from_secs(10);

/// A model that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveredModel {
    /// Its name, as it goes into a request.
    pub name: String,
    /// Tokens that the request and the reply share.
    pub window: u32,
    /// How the window is known.
    pub source: WindowSource,
}

/// How a window is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSource {
    /// The server says what it runs the model with: one of llama-server's slots, a model that Ollama or LM Studio has loaded.
    Running,
    /// The list of models says it.
    Listed,
    /// Nobody says it; it is a guess ([`ASSUMED_WINDOW`], or what such a server usually gives) that a person may correct.
    Assumed,
}

/// Asks a server for its models: `/v1/models`, and for the windows that they really have llama-server's `/props`,
/// Ollama's `/api/ps` and LM Studio's `/api/v0/models`.
///
/// # Errors
/// The server gives no list; the sentence says why.
pub async fn discover(address: &ServerAddress, key: Option<&Secret>) -> Result<Vec<DiscoveredModel>, Trouble> {
    let timing = Timing { connect: Duration::from_secs(5), ..Timing::usual(address.is_loopback()) };
    let client = http::client(address, timing)?;
    let question = Question { address, client, key, authorization: authorization(address, key)? };
    let list = question.get(address.under("models")).await?;
    let listed = models(&list);
    let running = question.running(&listed).await;
    Ok(listed.into_iter().map(|(name, window)| discovered(name, &running, window)).collect())
}

/// What a server says about the models that it runs.
enum Running {
    /// Every model has this window.
    Slot(u32),
    /// Ollama or LM Studio: the loaded models and their windows.
    Loaded(Vec<(String, Option<u32>)>),
    /// Nothing.
    Unknown,
}

fn discovered(name: String, running: &Running, listed: Option<u32>) -> DiscoveredModel {
    let (window, source) = match (running, listed) {
        (Running::Slot(window), _) => (*window, WindowSource::Running),
        (Running::Loaded(loaded), _) => match loaded.iter().find(|(each, _)| *each == name) {
            Some((_, Some(window))) => (*window, WindowSource::Running),
            _ => (LOADED_WINDOW, WindowSource::Assumed),
        },
        (Running::Unknown, Some(window)) => (window, WindowSource::Listed),
        (Running::Unknown, None) => (ASSUMED_WINDOW, WindowSource::Assumed),
    };
    DiscoveredModel { name, window, source }
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
    authorization: Option<HeaderValue>,
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
            return Running::Loaded(models(&loaded));
        }
        match self.get(self.address.at_root("/api/v0/models")).await {
            Ok(list) if is_lm_studio(&list) => Running::Loaded(models(&list)),
            _ => Running::Unknown,
        }
    }

    async fn get(&self, url: Url) -> Result<Value, Trouble> {
        let server = self.address.label();
        let mut get = self.client.get(url).timeout(LIMIT);
        if let Some(authorization) = &self.authorization {
            get = get.header(AUTHORIZATION, authorization.clone());
        }
        let response = get.send().await.map_err(|error| Trouble::no_answer(&server, &error.without_url()))?;
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
        check(json!({"models": [{"name": "n"}]}), &[("n", None)]);
        check(json!([{"id": "bare", "context_length": 0}]), &[("bare", None)]);
        check(json!({"error": "x"}), &[]);
    }
}
