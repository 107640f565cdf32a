//! The models that can be chosen: GGUF files in the models folder, and servers that were named. One embedded model is loaded
//! at a time, when it is first asked.

use recto_core::request::Protocol;
use recto_engine::ports::{ModelClient, Stop};
use recto_providers::address::ServerAddress;
use recto_providers::discover::ASSUMED_WINDOW;
use recto_providers::{OpenAiClient, OpenAiSettings, Secret, discover};
use recto_store::{Store, StoreError};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The setting that names the model of new conversations.
const CHOSEN: &str = "model";
/// The setting that holds the servers.
const SERVERS: &str = "servers";
/// The environment variable with the key for a server.
const KEY_VARIABLE: &str = "RECTO_API_KEY";

/// Names a model: the file name of an embedded one without `.gguf`, the path of any GGUF file, or `http://host:port#name`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelId(pub String);

/// Where a model runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// Inside the program.
    Embedded,
    /// Behind an OpenAI-compatible interface.
    Server,
}

/// A model that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRow {
    /// Its name for choosing it.
    pub id: ModelId,
    /// Its name for a person.
    pub title: String,
    /// Where it runs.
    pub kind: ModelKind,
    /// The file, or the server's address.
    pub location: String,
    /// Size of the file in bytes; `None` for a server.
    pub n_bytes: Option<u64>,
    /// Whether it is loaded now.
    pub is_loaded: bool,
    /// Whether new conversations use it.
    pub is_chosen: bool,
}

/// A server that was named, with one of its models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerEntry {
    /// Its address, `http://127.0.0.1:8080`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// Its window in tokens.
    pub window: u32,
}

/// A model cannot be used. Each is one sentence for the user.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// There is none.
    #[error(
        "there is no model yet: no GGUF file is in {}. `cargo xtask run` fetches the starter model; \
         or name a server, like http://127.0.0.1:8080", folder.display()
    )]
    None {
        /// Where model files are looked for.
        folder: PathBuf,
    },
    /// There is none of that name.
    #[error("there is no model called {name} here; `recto models` lists those that are")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The server offers none.
    #[error("the server at {base_url} offers no model; load one there first")]
    NothingOffered {
        /// Its address.
        base_url: String,
    },
    /// The model said why.
    #[error("{0}")]
    Unusable(String),
    /// The record.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How loading is told and stopped.
pub(crate) struct Loading {
    pub(crate) protocol: Option<Protocol>,
    pub(crate) progress: Arc<dyn Fn(u8) + Send + Sync>,
    pub(crate) stop: Stop,
}

/// The models of the open program.
pub(crate) struct Models {
    folder: PathBuf,
    #[cfg(feature = "embedded")]
    loaded: tokio::sync::Mutex<Option<Loaded>>,
    loaded_path: std::sync::Mutex<Option<PathBuf>>,
}

#[cfg(feature = "embedded")]
struct Loaded {
    path: PathBuf,
    protocol: Protocol,
    model: Arc<recto_local::LocalModel>,
}

impl Models {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        let folder = folder
            .or_else(|| std::env::var_os("RECTO_MODELS").map(PathBuf::from))
            .or_else(|| dirs::cache_dir().map(|cache| cache.join("recto").join("models")))
            .unwrap_or_else(|| PathBuf::from("models"));
        Self {
            folder,
            #[cfg(feature = "embedded")]
            loaded: tokio::sync::Mutex::new(None),
            loaded_path: std::sync::Mutex::default(),
        }
    }

    /// The folder that model files are looked for in.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The GGUF files of the models folder: the starter model first, then by name.
    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "gguf"))
            .collect();
        let starters = ["qwen2.5-coder-1.5b-instruct-q4_k_m", "qwen2.5-coder-0.5b-instruct-q4_k_m"];
        let rank = |path: &Path| starters.iter().position(|starter| *starter == stem(path)).unwrap_or(starters.len());
        files.sort_by_key(|path| (rank(path), stem(path)));
        files
    }

    pub(crate) async fn rows(&self, store: &Store) -> Result<Vec<ModelRow>, StoreError> {
        let loaded = self.loaded_path.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let mut rows: Vec<ModelRow> = self
            .files()
            .into_iter()
            .map(|path| ModelRow {
                id: ModelId(stem(&path)),
                title: title(&stem(&path)),
                kind: ModelKind::Embedded,
                n_bytes: path.metadata().ok().map(|metadata| metadata.len()),
                is_loaded: loaded.as_ref() == Some(&path),
                is_chosen: false,
                location: path.display().to_string(),
            })
            .collect();
        rows.extend(servers(store).await?.into_iter().map(|server| ModelRow {
            id: server_id(&server),
            title: server.model,
            kind: ModelKind::Server,
            location: server.base_url,
            n_bytes: None,
            is_loaded: false,
            is_chosen: false,
        }));
        let chosen = store.setting(CHOSEN.to_owned()).await?;
        let at = rows.iter().position(|row| Some(&row.id.0) == chosen.as_ref()).unwrap_or(0);
        if let Some(row) = rows.get_mut(at) {
            row.is_chosen = true;
        }
        Ok(rows)
    }

    /// A model that is ready to be asked. An embedded one is loaded if it is not.
    pub(crate) async fn client(
        &self,
        store: &Store,
        id: Option<ModelId>,
        loading: Loading,
    ) -> Result<Arc<dyn ModelClient>, ModelsError> {
        let id = match id {
            Some(id) => id.0,
            None => match store.setting(CHOSEN.to_owned()).await? {
                Some(chosen) => chosen,
                None => match self.rows(store).await?.first() {
                    Some(first) => first.id.0.clone(),
                    None => return Err(ModelsError::None { folder: self.folder.clone() }),
                },
            },
        };
        if id.starts_with("http://") || id.starts_with("https://") {
            return server_client(store, &id, loading.protocol).await;
        }
        let path = if id.ends_with(".gguf") { PathBuf::from(&id) } else { self.folder.join(format!("{id}.gguf")) };
        if !id.ends_with(".gguf") && !path.is_file() {
            return Err(ModelsError::Unknown { name: id });
        }
        self.embedded(path, loading).await
    }

    #[cfg(feature = "embedded")]
    async fn embedded(&self, path: PathBuf, loading: Loading) -> Result<Arc<dyn ModelClient>, ModelsError> {
        let protocol = loading.protocol.unwrap_or(Protocol::Structured);
        let mut loaded = self.loaded.lock().await;
        if let Some(there) = loaded.as_ref().filter(|there| there.path == path && there.protocol == protocol) {
            return Ok(there.model.clone());
        }
        // The old one goes first, so that two never share the memory.
        *loaded = None;
        let kept_in = Some(self.folder.join("read"));
        let options = recto_local::LoadOptions { protocol, kept_in, ..recto_local::LoadOptions::default() };
        let file = path.clone();
        let model = tokio::task::spawn_blocking(move || {
            let progress = loading.progress;
            // A model that is loaded has a share between 0 and 1.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0–100 first")]
            let percent = move |share: f32| progress((share.clamp(0.0, 1.0) * 100.0) as u8);
            recto_local::LocalModel::load(&file, &options, percent, &loading.stop)
        })
        .await
        .map_err(|error| ModelsError::Unusable(format!("the model could not be loaded: {error}")))?
        .map_err(|error| ModelsError::Unusable(error.to_string()))?;
        let model = Arc::new(model);
        *loaded = Some(Loaded { path: path.clone(), protocol, model: model.clone() });
        *self.loaded_path.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(path);
        Ok(model)
    }

    #[cfg(not(feature = "embedded"))]
    async fn embedded(&self, _path: PathBuf, _loading: Loading) -> Result<Arc<dyn ModelClient>, ModelsError> {
        Err(ModelsError::Unusable("this build has no embedded model; name a server instead".to_owned()))
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A file name as a title: `qwen2.5-coder-1.5b-instruct-q4_k_m` reads better as `Qwen2.5 Coder 1.5B`.
fn title(stem: &str) -> String {
    match stem {
        "qwen2.5-coder-1.5b-instruct-q4_k_m" => "Qwen2.5 Coder 1.5B".to_owned(),
        "qwen2.5-coder-0.5b-instruct-q4_k_m" => "Qwen2.5 Coder 0.5B".to_owned(),
        other => other.to_owned(),
    }
}

fn server_id(server: &ServerEntry) -> ModelId {
    ModelId(format!("{}#{}", server.base_url, server.model))
}

async fn servers(store: &Store) -> Result<Vec<ServerEntry>, StoreError> {
    let kept = store.setting(SERVERS.to_owned()).await?;
    // A damaged list is as good as none; naming a server again writes it anew.
    Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

fn key() -> Option<Secret> {
    std::env::var(KEY_VARIABLE).ok().filter(|key| !key.trim().is_empty()).map(|key| Secret::new(&key))
}

fn address(base_url: &str) -> Result<ServerAddress, ModelsError> {
    ServerAddress::parse(base_url, false).map_err(|error| ModelsError::Unusable(error.to_string()))
}

/// The server's entry: a kept one, else what the server says about itself.
async fn server_entry(store: &Store, id: &str) -> Result<ServerEntry, ModelsError> {
    let (base_url, name) = match id.split_once('#') {
        Some((base_url, name)) => (base_url, Some(name)),
        None => (id, None),
    };
    let kept = servers(store).await?;
    let is_it = |entry: &&ServerEntry| entry.base_url == base_url && name.is_none_or(|name| entry.model == name);
    if let Some(entry) = kept.iter().find(is_it) {
        return Ok(entry.clone());
    }
    let offered = discover(&address(base_url)?, key().as_ref())
        .await
        .map_err(|trouble| ModelsError::Unusable(trouble.to_string()))?;
    let found = match name {
        Some(name) => offered.iter().find(|model| model.name == name),
        None => offered.first(),
    };
    let (model, window) = match (found, name) {
        (Some(found), _) => (found.name.clone(), found.window),
        // Some servers answer to any name.
        (None, Some(name)) => (name.to_owned(), ASSUMED_WINDOW),
        (None, None) => return Err(ModelsError::NothingOffered { base_url: base_url.to_owned() }),
    };
    Ok(ServerEntry { base_url: base_url.to_owned(), model, window })
}

async fn server_client(
    store: &Store,
    id: &str,
    protocol: Option<Protocol>,
) -> Result<Arc<dyn ModelClient>, ModelsError> {
    let ServerEntry { base_url, model, window } = server_entry(store, id).await?;
    let usual = OpenAiSettings::new(address(&base_url)?, model, window);
    let settings = OpenAiSettings { key: key(), protocol: protocol.unwrap_or(usual.protocol), ..usual };
    let client = OpenAiClient::new(settings).map_err(|trouble| ModelsError::Unusable(trouble.to_string()))?;
    Ok(Arc::new(client))
}

impl crate::App {
    /// The models that can be chosen.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn models(&self) -> Result<Vec<ModelRow>, crate::AppError> {
        Ok(self.inner.models.rows(&self.inner.store).await?)
    }

    /// The folder that model files are looked for in.
    #[must_use]
    pub fn models_folder(&self) -> &Path {
        self.inner.models.folder()
    }

    /// Makes a model the one of new conversations.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn choose_model(&self, id: ModelId) -> Result<(), crate::AppError> {
        self.inner.store.set_setting(CHOSEN.to_owned(), Some(id.0)).await?;
        self.changed(crate::Change::Models);
        Ok(())
    }

    /// Asks a server what it offers and keeps it, so that it can be chosen.
    ///
    /// # Errors
    /// Nobody answers there, or it offers nothing; nothing is kept then.
    pub async fn add_server(&self, base_url: &str) -> Result<ModelId, ModelsError> {
        let store = &self.inner.store;
        let entry = server_entry(store, base_url.trim().trim_end_matches('/')).await?;
        let mut kept = servers(store).await?;
        if !kept.contains(&entry) {
            kept.push(entry.clone());
        }
        let text = serde_json::to_string(&kept).unwrap_or_default();
        store.set_setting(SERVERS.to_owned(), Some(text)).await?;
        self.changed(crate::Change::Models);
        Ok(server_id(&entry))
    }
}
