//! The models that can be chosen: GGUF files in the models folder, and servers that were named. One embedded model is loaded
//! at a time, when it is first asked.

use crate::calibrations::Calibrations;
use crate::files;
use crate::keys::{KeychainError, Keys};
use crate::servers;
use crate::tokenizers::Tokenizers;
use recto_core::request::Protocol;
use recto_engine::ports::{ModelClient, Stop};
use recto_store::{Store, StoreError};
use serde::{Deserialize, Serialize};
#[cfg(feature = "embedded")]
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The setting that names the model of new conversations.
pub(crate) const CHOSEN: &str = "model";

/// What is said of a model that was not waited for.
const STOPPED: &str = "Connecting was stopped.";

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
    /// Bytes of memory that it takes when it is loaded; `None` where that is not known.
    pub memory: Option<u64>,
    /// Its licence, as an SPDX expression; `None` where the program does not know it.
    pub licence: Option<String>,
    /// Tokens that a request and its reply share; `None` for a file, whose window is known when it is loaded.
    pub window: Option<u32>,
    /// Whether it is loaded now.
    pub is_loaded: bool,
    /// Whether new conversations use it.
    pub is_chosen: bool,
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
    /// It is not on this computer and not encrypted, and nobody allowed that.
    #[error(
        "`http://{server}` would send your texts and the key unencrypted. Use https, or a tunnel to a port of this computer; or allow it for this \
         server, on the page of models or with `recto models add --unencrypted`"
    )]
    Unencrypted {
        /// The server.
        server: String,
    },
    /// The keychain does not give the key for it.
    #[error(
        "the key for {server} cannot be read from the keychain of this system: {why}. Unlock it, or enter the key again for this session"
    )]
    KeyUnread {
        /// The server.
        server: String,
        /// Why.
        why: KeychainError,
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
    keys: Keys,
    calibrations: Calibrations,
    tokenizers: Tokenizers,
    #[cfg(feature = "embedded")]
    loaded: tokio::sync::Mutex<Option<Loaded>>,
    loaded_path: std::sync::Mutex<Option<PathBuf>>,
    /// What files take in memory, as of a length and a time of change.
    #[cfg(feature = "embedded")]
    needs: std::sync::Mutex<HashMap<PathBuf, (Stamp, Option<u64>)>>,
}

/// Length and time of change of a file.
#[cfg(feature = "embedded")]
type Stamp = (u64, std::time::SystemTime);

#[cfg(feature = "embedded")]
struct Loaded {
    path: PathBuf,
    protocol: Protocol,
    model: Arc<recto_local::LocalModel>,
}

impl Models {
    pub(crate) fn new(folder: Option<PathBuf>, keys: Keys) -> Self {
        let folder = folder
            .or_else(|| std::env::var_os("RECTO_MODELS").map(PathBuf::from))
            .or_else(|| dirs::cache_dir().map(|cache| cache.join("recto").join("models")))
            .unwrap_or_else(|| PathBuf::from("models"));
        Self {
            folder,
            keys,
            calibrations: Calibrations::default(),
            tokenizers: Tokenizers::default(),
            #[cfg(feature = "embedded")]
            loaded: tokio::sync::Mutex::new(None),
            loaded_path: std::sync::Mutex::default(),
            #[cfg(feature = "embedded")]
            needs: std::sync::Mutex::default(),
        }
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
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

    /// What a file takes in memory. Its header is read once for as long as the file stays as it is.
    #[cfg(feature = "embedded")]
    fn memory_needed(&self, path: &Path) -> Option<u64> {
        let metadata = path.metadata().ok()?;
        let stamp = (metadata.len(), metadata.modified().ok()?);
        let mut known = self.needs.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, needed)) = known.get(path).filter(|(of, _)| *of == stamp) {
            return *needed;
        }
        let needed = recto_local::memory_needed(path, &recto_local::LoadOptions::default());
        known.insert(path.to_owned(), (stamp, needed));
        needed
    }

    #[cfg(not(feature = "embedded"))]
    fn memory_needed(&self, _path: &Path) -> Option<u64> {
        None
    }

    pub(crate) async fn rows(&self, store: &Store) -> Result<Vec<ModelRow>, StoreError> {
        let loaded = self.loaded_path.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let added = files::added(store).await?.into_iter().map(|path| (path.display().to_string(), path));
        let mut rows: Vec<ModelRow> = self
            .files()
            .into_iter()
            .map(|path| (stem(&path), path))
            .chain(added)
            .map(|(id, path)| ModelRow {
                id: ModelId(id),
                title: title(&stem(&path)),
                kind: ModelKind::Embedded,
                n_bytes: path.metadata().ok().map(|metadata| metadata.len()),
                memory: self.memory_needed(&path),
                licence: licence(&path),
                window: None,
                is_loaded: loaded.as_ref() == Some(&path),
                is_chosen: false,
                location: path.display().to_string(),
            })
            .collect();
        rows.extend(servers::kept(store).await?.into_iter().map(|server| ModelRow {
            id: server.id(),
            title: server.model,
            kind: ModelKind::Server,
            location: server.base_url,
            n_bytes: None,
            memory: None,
            licence: None,
            window: Some(server.window),
            is_loaded: false,
            is_chosen: false,
        }));
        let chosen = store.setting(CHOSEN.to_owned()).await?.map(|id| servers::canonical(&id));
        let at = rows.iter().position(|row| Some(&row.id.0) == chosen.as_ref()).unwrap_or(0);
        if let Some(row) = rows.get_mut(at) {
            row.is_chosen = true;
        }
        Ok(rows)
    }

    /// The id that is meant: the one that is named, else the one of new conversations, else the first that is there.
    pub(crate) async fn named(&self, store: &Store, id: Option<ModelId>) -> Result<String, ModelsError> {
        if let Some(id) = id {
            return Ok(id.0);
        }
        if let Some(chosen) = store.setting(CHOSEN.to_owned()).await? {
            return Ok(chosen);
        }
        let first = self.rows(store).await?.into_iter().next();
        first.map(|row| row.id.0).ok_or_else(|| ModelsError::None { folder: self.folder.clone() })
    }

    /// A model that is ready to be asked. An embedded one is loaded if it is not.
    pub(crate) async fn client(
        &self,
        store: &Store,
        id: Option<ModelId>,
        loading: Loading,
    ) -> Result<Arc<dyn ModelClient>, ModelsError> {
        let id = self.named(store, id).await?;
        let usual = if servers::parts(&id).is_some() { Protocol::Native } else { Protocol::Structured };
        let checked = store.checkup(servers::canonical(&id)).await?;
        // What a person chose goes before what a check-up found.
        let protocol = loading.protocol.or_else(|| checked.map(|checked| checked.card.protocol(usual)));
        let loading = Loading { protocol, ..loading };
        let path = if id.ends_with(".gguf") { PathBuf::from(&id) } else { self.folder.join(format!("{id}.gguf")) };
        if let Some(parts) = servers::parts(&id).filter(|_| !path.is_file()) {
            let mut stop = loading.stop.clone();
            return tokio::select! {
                biased;
                () = stop.wait() => Err(ModelsError::Unusable(STOPPED.to_owned())),
                client = servers::client(store, &self.keys, (&self.calibrations, &self.tokenizers), parts, loading.protocol) => client,
            };
        }
        if !id.ends_with(".gguf") && !path.is_file() {
            return Err(ModelsError::Unknown { name: id });
        }
        self.embedded(path, loading).await
    }

    #[cfg(feature = "embedded")]
    async fn embedded(&self, path: PathBuf, loading: Loading) -> Result<Arc<dyn ModelClient>, ModelsError> {
        let protocol = loading.protocol.unwrap_or(Protocol::Structured);
        let mut stop = loading.stop.clone();
        let mut loaded = tokio::select! {
            biased;
            // Another conversation may be loading another model for minutes.
            () = stop.wait() => return Err(ModelsError::Unusable(STOPPED.to_owned())),
            loaded = self.loaded.lock() => loaded,
        };
        let is_it = |there: &&Loaded| there.path == path && there.protocol == protocol && there.model.is_working();
        if let Some(there) = loaded.as_ref().filter(is_it) {
            return Ok(there.model.clone());
        }
        let old = loaded.take();
        self.say_loaded(None);
        let kept_in = Some(self.folder.join("read"));
        let options = recto_local::LoadOptions { protocol, kept_in, ..recto_local::LoadOptions::default() };
        let file = path.clone();
        let model = tokio::task::spawn_blocking(move || {
            // The old one goes first, so that two never share the memory; it may have to end a piece of work.
            drop(old);
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
        self.say_loaded(Some(path));
        Ok(model)
    }

    /// What the list of models says is loaded; the list does not wait for a model that is being loaded.
    #[cfg(feature = "embedded")]
    fn say_loaded(&self, path: Option<PathBuf>) {
        *self.loaded_path.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = path;
    }

    /// Lets go of a model whose file is about to go.
    #[cfg(feature = "embedded")]
    pub(crate) async fn unload(&self, path: &Path) {
        let mut loaded = self.loaded.lock().await;
        if loaded.as_ref().is_some_and(|there| there.path == path) {
            *loaded = None;
            self.say_loaded(None);
        }
    }

    #[cfg(not(feature = "embedded"))]
    pub(crate) async fn unload(&self, _path: &Path) {}

    #[cfg(not(feature = "embedded"))]
    async fn embedded(&self, _path: PathBuf, _loading: Loading) -> Result<Arc<dyn ModelClient>, ModelsError> {
        Err(ModelsError::Unusable("this build has no embedded model; name a server instead".to_owned()))
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The licence of a file that the catalogue knows by its name.
fn licence(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    files::catalogue().into_iter().find(|model| model.file == name).map(|model| model.licence)
}

/// A file name as a title: `qwen2.5-coder-1.5b-instruct-q4_k_m` reads better as `Qwen2.5 Coder 1.5B`.
fn title(stem: &str) -> String {
    match stem {
        "qwen2.5-coder-1.5b-instruct-q4_k_m" => "Qwen2.5 Coder 1.5B".to_owned(),
        "qwen2.5-coder-0.5b-instruct-q4_k_m" => "Qwen2.5 Coder 0.5B".to_owned(),
        other => other.to_owned(),
    }
}

impl crate::App {
    /// Bytes of memory that are free now; `None` where the system does not say.
    #[must_use]
    pub fn free_memory(&self) -> Option<u64> {
        #[cfg(feature = "embedded")]
        return recto_local::available_bytes();
        #[cfg(not(feature = "embedded"))]
        None
    }

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
        self.inner.store.set_setting(CHOSEN.to_owned(), Some(servers::canonical(&id.0))).await?;
        self.changed(crate::Change::Models);
        Ok(())
    }

    /// Asks a server what it offers and keeps all of it, so that it can be chosen; gives the model that was named behind `#`, or the
    /// first one. What was kept of this server before is replaced.
    ///
    /// # Errors
    /// Nobody answers there, or it offers nothing; nothing is changed then.
    pub async fn add_server(&self, address: &str) -> Result<ModelId, ModelsError> {
        let id = servers::add(&self.inner.store, &self.inner.models.keys, address).await?;
        self.changed(crate::Change::Models);
        Ok(id)
    }
}

#[cfg(all(test, feature = "embedded"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

    use super::*;

    #[tokio::test]
    async fn models_m7_stop_ends_the_wait_for_another_conversations_model() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("recto.db"), 0).unwrap().store;
        let models = Models::new(Some(folder.path().to_owned()), Keys::new(servers::Key::default(), None));
        let being_loaded = models.loaded.lock().await;
        let (switch, stop) = Stop::new();
        let loading = Loading { protocol: None, progress: Arc::new(|_| {}), stop };
        let client = models.client(&store, Some(ModelId("other.gguf".to_owned())), loading);
        let (client, ()) = tokio::join!(client, async {
            switch.send_replace(true);
        });
        assert_eq!(client.err().unwrap().to_string(), STOPPED);
        drop(being_loaded);
    }

    #[tokio::test]
    async fn a_model_that_had_to_go_is_not_said_to_be_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("recto.db"), 0).unwrap().store;
        let path = folder.path().join("old.gguf");
        std::fs::write(&path, "").unwrap();
        let models = Models::new(Some(folder.path().to_owned()), Keys::new(servers::Key::default(), None));
        models.say_loaded(Some(path));
        assert!(models.rows(&store).await.unwrap()[0].is_loaded);
        let (_switch, stop) = Stop::new();
        let loading = Loading { protocol: None, progress: Arc::new(|_| {}), stop };
        models.client(&store, Some(ModelId("gone.gguf".to_owned())), loading).await.err().unwrap();
        assert!(!models.rows(&store).await.unwrap()[0].is_loaded);
    }
}
