//! Servers that were named: what is kept of them, what they say of themselves, and which one the key goes to.

use crate::calibrations::Calibrations;
use crate::keys::Keys;
use crate::models::{ModelId, ModelsError};
use crate::tokenizers::Tokenizers;
use recto_core::request::Protocol;
use recto_engine::ports::ModelClient;
use recto_providers::address::ServerAddress;
use recto_providers::discover::ASSUMED_WINDOW;
use recto_providers::{
    Dialect, DiscoveredModel, Discovery, Secret, ServerClient, ServerSettings, WindowSource, discover,
};
use recto_store::{Store, StoreError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// The setting that holds the servers.
const SERVERS: &str = "servers";
/// The setting that holds the origins to which the person lets everything go unencrypted.
const UNENCRYPTED: &str = "unencrypted_servers";
/// The environment variable with the key for a server.
const KEY_VARIABLE: &str = "RECTO_API_KEY";
/// The environment variable that says which server the key is for.
const KEY_FOR_VARIABLE: &str = "RECTO_API_KEY_FOR";
/// How long a server that is known already is asked for its windows before a turn begins.
const ASKED_AGAIN: Duration = Duration::from_secs(3);

/// A server that was named, with one of its models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerEntry {
    /// Its address, `http://127.0.0.1:8080`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// Its window in tokens.
    pub window: u32,
    /// What the server speaks.
    #[serde(default)]
    pub dialect: Dialect,
    /// Whether the model takes tools in the server's own form; `None` where nobody said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes_tools: Option<bool>,
    /// Whether the server counts the tokens of a text.
    #[serde(default)]
    pub counts: bool,
}

impl ServerEntry {
    pub(crate) fn id(&self) -> ModelId {
        ModelId(format!("{}#{}", self.base_url, self.model))
    }

    fn new(address: &ServerAddress, dialect: Dialect, found: &DiscoveredModel) -> Self {
        Self {
            base_url: address.base_url(),
            model: found.name.clone(),
            window: found.window,
            dialect,
            takes_tools: found.takes_tools,
            counts: found.counts,
        }
    }

    /// A model of which nothing is known but its name.
    fn unknown(base_url: String, model: &str, dialect: Dialect) -> Self {
        Self { base_url, model: model.to_owned(), window: ASSUMED_WINDOW, dialect, takes_tools: None, counts: false }
    }
}

/// A key and the one server that it is for. It goes to no other: what is named in a hurry must not get it.
#[derive(Default)]
pub(crate) struct Key {
    secret: Option<Secret>,
    is_for: Option<String>,
}

impl Key {
    /// `RECTO_API_KEY`, for the host in `RECTO_API_KEY_FOR`; where that is not set, for the server of `model`, which was named for
    /// this run.
    pub(crate) fn of_environment(model: Option<&str>) -> Self {
        let variable = |name| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
        let secret = variable(KEY_VARIABLE).map(|key| Secret::new(&key));
        Self { secret, is_for: variable(KEY_FOR_VARIABLE).or_else(|| host_of(model?)) }
    }

    pub(crate) fn of(&self, address: &ServerAddress) -> Option<Secret> {
        let host =
            |named: &str| named.split_once("://").map_or(named, |(_, host)| host).trim_end_matches('/').to_owned();
        let is_for = self.is_for.as_deref().is_some_and(|named| address.is_at(&host(named.trim())));
        self.secret.clone().filter(|_| is_for)
    }
}

fn host_of(model: &str) -> Option<String> {
    let (address, _) = parts(model)?;
    Some(self::address(address).ok()?.label())
}

/// The address and the model's name in the id of a server's model; `None` for the id of a file.
pub(crate) fn parts(id: &str) -> Option<(&str, Option<&str>)> {
    let (address, name) = match id.split_once('#') {
        Some((address, name)) => (address, Some(name).filter(|name| !name.is_empty())),
        None => (id, None),
    };
    let host = address.split('/').next().unwrap_or_default();
    let has_port = host.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    (address.contains("://") || id.contains('#') || has_port).then_some((address, name))
}

/// An id in the one form in which it is kept, however its address was typed.
pub(crate) fn canonical(id: &str) -> String {
    let of_server = || {
        let (address, name) = parts(id)?;
        let base_url = self::address(address).ok()?.base_url();
        Some(name.map_or_else(|| base_url.clone(), |name| format!("{base_url}#{name}")))
    };
    of_server().unwrap_or_else(|| id.to_owned())
}

/// Reads an address. Whether anything may go there is another question: [`reachable`].
pub(crate) fn address(typed: &str) -> Result<ServerAddress, ModelsError> {
    ServerAddress::parse(typed, true).map_err(|error| ModelsError::Unusable(error.to_string()))
}

/// Reads an address that something is to be sent to: encrypted, on this computer, or allowed by the person without either.
pub(crate) async fn reachable(store: &Store, typed: &str) -> Result<ServerAddress, ModelsError> {
    let address = address(typed)?;
    if address.is_encrypted() || address.is_loopback() || unencrypted(store).await?.contains(&address.origin()) {
        return Ok(address);
    }
    Err(ModelsError::Unencrypted { server: address.label() })
}

/// The origins to which the person lets everything go unencrypted.
async fn unencrypted(store: &Store) -> Result<Vec<String>, StoreError> {
    let kept = store.setting(UNENCRYPTED.to_owned()).await?;
    Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// Lets everything go to this origin unencrypted from now on.
pub(crate) async fn allow_unencrypted(store: &Store, typed: &str) -> Result<(), ModelsError> {
    let origin = address(typed)?.origin();
    let mut all = unencrypted(store).await?;
    if !all.contains(&origin) {
        all.push(origin);
    }
    let text = serde_json::to_string(&all).unwrap_or_default();
    Ok(store.set_setting(UNENCRYPTED.to_owned(), Some(text)).await?)
}

/// The servers that were named.
pub(crate) async fn kept(store: &Store) -> Result<Vec<ServerEntry>, StoreError> {
    let kept = store.setting(SERVERS.to_owned()).await?;
    // A damaged list is as good as none; naming a server again writes it anew.
    let mut kept: Vec<ServerEntry> = kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    for entry in &mut kept {
        entry.base_url = canonical_address(&entry.base_url);
    }
    Ok(kept)
}

fn canonical_address(kept: &str) -> String {
    address(kept).map_or_else(|_| kept.to_owned(), |address| address.base_url())
}

pub(crate) async fn offered(store: &Store, keys: &Keys, address: &ServerAddress) -> Result<Discovery, ModelsError> {
    let key = keys.of(store, address).await?;
    discover(address, key.as_ref()).await.map_err(|trouble| ModelsError::Unusable(trouble.to_string()))
}

/// Asks a server what it offers and keeps all of it in the place of what was kept of this server; gives the model that was named,
/// or the first one.
pub(crate) async fn add(store: &Store, keys: &Keys, typed: &str) -> Result<ModelId, ModelsError> {
    let typed = typed.trim();
    let (typed, name) = parts(typed).unwrap_or((typed, None));
    let address = reachable(store, typed).await?;
    let offered = offered(store, keys, &address).await?;
    let entry = |found| ServerEntry::new(&address, offered.dialect, found);
    let mut entries: Vec<ServerEntry> = offered.models.iter().map(entry).collect();
    if let Some(name) = name
        && !entries.iter().any(|entry| entry.model == name)
    {
        // Some servers answer to any name.
        entries.insert(0, ServerEntry::unknown(address.base_url(), name, offered.dialect));
    }
    let chosen = entries.iter().find(|entry| name.is_none_or(|name| entry.model == name));
    let chosen = chosen.ok_or_else(|| ModelsError::NothingOffered { base_url: address.base_url() })?.id();
    let mut kept = kept(store).await?;
    kept.retain(|entry| entry.base_url != address.base_url());
    kept.extend(entries);
    keep(store, &kept).await?;
    Ok(chosen)
}

/// Keeps these servers and no others.
pub(crate) async fn keep(store: &Store, entries: &[ServerEntry]) -> Result<(), StoreError> {
    let text = serde_json::to_string(entries).unwrap_or_default();
    store.set_setting(SERVERS.to_owned(), Some(text)).await
}

/// The entry to connect with: what the server says now, else what is kept of it.
async fn entry(
    store: &Store,
    keys: &Keys,
    address: &ServerAddress,
    name: Option<&str>,
) -> Result<ServerEntry, ModelsError> {
    let base_url = address.base_url();
    let is_it = |entry: &ServerEntry| entry.base_url == base_url && name.is_none_or(|name| entry.model == name);
    let kept = kept(store).await?.into_iter().find(is_it);
    let offered = match &kept {
        None => offered(store, keys, address).await?,
        // A known server that is slow or gives no list is asked all the same; what is wrong with it, the request will say.
        Some(_) => {
            let asked = tokio::time::timeout(ASKED_AGAIN, offered(store, keys, address)).await;
            asked
                .ok()
                .and_then(Result::ok)
                .unwrap_or_else(|| Discovery { dialect: Dialect::OpenAi, models: Vec::new() })
        }
    };
    let wanted = name.or(kept.as_ref().map(|entry| entry.model.as_str()));
    let found = offered.models.iter().find(|found| wanted.is_none_or(|wanted| found.name == wanted));
    Ok(match (found, kept, name) {
        (Some(found), kept, _) => {
            let mut entry = ServerEntry::new(address, offered.dialect, found);
            if let (WindowSource::Assumed, Some(kept)) = (found.source, kept) {
                // Of two numbers that may both be guesses the smaller one loses nothing.
                entry.window = entry.window.min(kept.window);
            }
            entry
        }
        (None, Some(kept), _) => kept,
        // Some servers answer to any name.
        (None, None, Some(name)) => ServerEntry::unknown(base_url, name, offered.dialect),
        (None, None, None) => return Err(ModelsError::NothingOffered { base_url }),
    })
}

/// A client for a server's model.
pub(crate) async fn client(
    store: &Store,
    keys: &Keys,
    (calibrations, tokenizers): (&Calibrations, &Tokenizers),
    (typed, name): (&str, Option<&str>),
    protocol: Option<Protocol>,
) -> Result<Arc<dyn ModelClient>, ModelsError> {
    let address = reachable(store, typed).await?;
    let entry = entry(store, keys, &address, name).await?;
    let (calibration, learner) = calibrations.of(store, &entry.id()).await?;
    let key = keys.of(store, &address).await?;
    let tokenizer = entry.counts.then(|| tokenizers.of(&entry.id(), &address, key.as_ref())).flatten();
    let ServerEntry { model, window, dialect, takes_tools, .. } = entry;
    let usual = ServerSettings::new(address, model, window);
    // A model whose server says that it takes no tools is asked for one step after the other.
    let usual_protocol = if takes_tools == Some(false) { Protocol::Structured } else { usual.protocol };
    let protocol = protocol.unwrap_or(usual_protocol);
    let settings = ServerSettings { key, dialect, protocol, calibration, learner: Some(learner), tokenizer, ..usual };
    let client = ServerClient::new(settings).map_err(|trouble| ModelsError::Unusable(trouble.to_string()))?;
    Ok(Arc::new(client))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_means_a_server_however_its_address_is_typed() {
        for (id, canonical_id) in [
            ("http://127.0.0.1:8080#m", "http://127.0.0.1:8080#m"),
            ("HTTP://LOCALHOST:1234/v1#qwen3:8b", "http://localhost:1234#qwen3:8b"),
            ("localhost:1234", "http://localhost:1234"),
            ("127.0.0.1:8080/v1/#m", "http://127.0.0.1:8080#m"),
            ("api.example.com#m", "https://api.example.com#m"),
        ] {
            assert!(parts(id).is_some(), "{id}");
            assert_eq!(canonical(id), canonical_id);
        }
        for file in ["qwen2.5-coder-1.5b-instruct-q4_k_m", "/models/a.gguf", r"C:\models\a.gguf", "qwen3:8b"] {
            assert_eq!(parts(file), None, "{file}");
            assert_eq!(canonical(file), file);
        }
    }

    #[test]
    fn attack_a_key_goes_to_the_one_server_that_it_is_for() {
        let gets = |is_for: Option<&str>, typed: &str| {
            let key = Key { secret: Some(Secret::new("sk-canary")), is_for: is_for.map(str::to_owned) };
            key.of(&address(typed).unwrap()).is_some()
        };
        assert!(gets(Some("api.example.com"), "https://api.example.com/v1"));
        assert!(gets(Some(" https://api.example.com/ "), "https://api.example.com"));
        assert!(gets(Some("127.0.0.1:8080"), "127.0.0.1:8080"));
        assert!(gets(host_of("https://api.example.com#m").as_deref(), "https://api.example.com"));
        assert!(!gets(None, "https://api.example.com"));
        assert!(!gets(Some("api.example.com"), "https://example.com"));
        assert!(!gets(Some("127.0.0.1:8080"), "127.0.0.1:9090"));
        assert!(!gets(host_of("a.gguf").as_deref(), "https://api.example.com"));
    }
}
