//! Model files: those that the catalogue offers are fetched into the models folder, those elsewhere on the disk are added where they
//! are, and both can be removed.

use crate::models::{CHOSEN, ModelId, ModelKind, ModelsError};
use crate::open::{App, Change};
use crate::servers;
use futures_util::future::join_all;
use recto_engine::ports::Stop;
use recto_providers::fetch::{FetchError, FetchProgress, Wanted, announced, fetch};
use recto_store::{Store, StoreError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The setting that holds the paths of files that were added.
const ADDED: &str = "model_files";
/// How often it is told how far a download is.
const TOLD_EVERY: Duration = Duration::from_millis(300);

/// A model that is offered for download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedFile {
    /// Its name for getting it.
    pub id: String,
    /// Its name for a person.
    pub title: String,
    /// The name of its file.
    pub file: String,
    /// Its length; `None` until the publisher was asked for it.
    pub n_bytes: Option<u64>,
    /// Its licence, as an SPDX expression.
    pub licence: String,
    /// Who publishes it.
    pub publisher: String,
    /// Where.
    pub address: String,
    /// Its hash, where it is known.
    pub sha256: Option<String>,
    /// Memory that it needs, where that was measured.
    pub memory_mib: Option<u64>,
    /// Tokens that it was trained to read.
    pub context_length: u32,
}

/// A download that runs.
#[derive(Clone, Debug)]
pub struct Downloading {
    /// Of which model.
    pub id: String,
    /// Its name for a person.
    pub title: String,
    /// How far it is; `None` while the publisher is asked.
    pub progress: Option<FetchProgress>,
    started: Instant,
    switch: watch::Sender<bool>,
}

impl Downloading {
    /// How long it has been going on.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// A model file could not be had, added or removed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The catalogue has none of that name.
    #[error("there is no model called {0} in the catalogue; `recto models offered` lists those that are")]
    NotOffered(String),
    /// It is being fetched.
    #[error("this model is being downloaded already")]
    Busy,
    /// It was not fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The file cannot be used as a model.
    #[error("{0}")]
    Unusable(String),
    /// The models.
    #[error(transparent)]
    Models(#[from] ModelsError),
    /// The record.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The downloads of the open program, and the sizes that publishers have told it.
#[derive(Default)]
pub(crate) struct Downloads {
    running: Mutex<BTreeMap<String, Downloading>>,
    sizes: Mutex<BTreeMap<String, u64>>,
}

impl Downloads {
    fn running(&self) -> MutexGuard<'_, BTreeMap<String, Downloading>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sizes(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the program's catalogue offers.
#[cfg(feature = "embedded")]
pub(crate) fn catalogue() -> Vec<OfferedFile> {
    let models = recto_local::catalogue::catalogue().unwrap_or_default();
    let offered = models.into_iter().map(|model| OfferedFile {
        id: model.id,
        title: model.title,
        file: model.file,
        n_bytes: model.n_bytes,
        licence: model.licence,
        publisher: model.publisher,
        address: model.address,
        sha256: model.sha256,
        memory_mib: model.memory_mib,
        context_length: model.context_length,
    });
    offered.collect()
}

#[cfg(not(feature = "embedded"))]
pub(crate) fn catalogue() -> Vec<OfferedFile> {
    Vec::new()
}

/// The files that were added and are still there.
pub(crate) async fn added(store: &Store) -> Result<Vec<PathBuf>, StoreError> {
    Ok(kept(store).await?.into_iter().map(PathBuf::from).filter(|path| path.is_file()).collect())
}

async fn kept(store: &Store) -> Result<Vec<String>, StoreError> {
    let kept = store.setting(ADDED.to_owned()).await?;
    // A damaged list is as good as none; a file is added again.
    Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

async fn keep(store: &Store, path: &str, is_kept: bool) -> Result<(), StoreError> {
    let mut paths = kept(store).await?;
    paths.retain(|other| other != path);
    if is_kept {
        paths.push(path.to_owned());
    }
    let text = serde_json::to_string(&paths).unwrap_or_default();
    store.set_setting(ADDED.to_owned(), Some(text)).await
}

impl App {
    /// The models that are offered for download and are not here yet.
    #[must_use]
    pub fn offered_files(&self) -> Vec<OfferedFile> {
        let sizes = self.inner.downloads.sizes().clone();
        let is_missing = |model: &OfferedFile| !self.models_folder().join(&model.file).is_file();
        let sized =
            |model: OfferedFile| OfferedFile { n_bytes: model.n_bytes.or(sizes.get(&model.id).copied()), ..model };
        catalogue().into_iter().filter(is_missing).map(sized).collect()
    }

    /// Asks the publishers for the sizes that are not known. One that does not answer leaves its size unknown.
    pub async fn ask_for_sizes(&self) {
        let unknown: Vec<OfferedFile> =
            self.offered_files().into_iter().filter(|model| model.n_bytes.is_none()).collect();
        let asked = unknown.iter().map(|model| async { (model.id.clone(), announced(&model.address).await) });
        for (id, said) in join_all(asked).await {
            if let Ok(said) = said {
                self.inner.downloads.sizes().insert(id, said.n_bytes);
            }
        }
        self.changed(Change::Models);
    }

    /// The downloads that run.
    #[must_use]
    pub fn downloads(&self) -> Vec<Downloading> {
        self.inner.downloads.running().values().cloned().collect()
    }

    /// Fetches a model of the catalogue into the models folder and gives its name for choosing it.
    ///
    /// # Errors
    /// It is not there afterwards; the sentence says why, and whether a part of it is kept.
    pub async fn get_model(&self, id: &str) -> Result<ModelId, FileError> {
        let offered = catalogue().into_iter().find(|model| model.id == id);
        self.get_offered(offered.ok_or_else(|| FileError::NotOffered(id.to_owned()))?).await
    }

    /// The same for an entry that is given, wherever it comes from.
    ///
    /// # Errors
    /// As for [`App::get_model`].
    pub async fn get_offered(&self, model: OfferedFile) -> Result<ModelId, FileError> {
        let (switch, stop) = Stop::new();
        {
            let mut running = self.inner.downloads.running();
            if running.contains_key(&model.id) {
                return Err(FileError::Busy);
            }
            let (id, title) = (model.id.clone(), model.title.clone());
            let download = Downloading { id: id.clone(), title, progress: None, started: Instant::now(), switch };
            running.insert(id, download);
        }
        // It must not look as if it still ran, however it ends.
        let _ending = Ending { app: self, id: &model.id };
        self.changed(Change::Models);
        let last_told = Mutex::new(Instant::now());
        let told = |progress: FetchProgress| {
            if let Some(download) = self.inner.downloads.running().get_mut(&model.id) {
                download.progress = Some(progress);
            }
            let mut last = last_told.lock().unwrap_or_else(PoisonError::into_inner);
            if last.elapsed() >= TOLD_EVERY || progress.is_checking {
                *last = Instant::now();
                self.changed(Change::Models);
            }
        };
        let wanted = Wanted { address: model.address.clone(), file: model.file.clone(), sha256: model.sha256.clone() };
        let path = fetch(&wanted, self.models_folder(), &told, stop).await?;
        Ok(ModelId(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()))
    }

    /// Stops a download; what has arrived is kept for the next try.
    pub fn stop_download(&self, id: &str) {
        if let Some(download) = self.inner.downloads.running().get(id) {
            // One that ends at this very moment is as good as stopped.
            let _ = download.switch.send(true);
        }
    }

    /// Adds a GGUF file where it is, if it can be used for conversations.
    ///
    /// # Errors
    /// It cannot; the sentence says why.
    pub async fn add_model_file(&self, path: &Path) -> Result<ModelId, FileError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let checked = path.clone();
        let is_usable = tokio::task::spawn_blocking(move || check(&checked)).await;
        is_usable.map_err(|error| FileError::Unusable(error.to_string()))??;
        let id = path.display().to_string();
        if path.parent() != Some(self.models_folder()) {
            keep(&self.inner.store, &id, true).await?;
        }
        self.changed(Change::Models);
        Ok(ModelId(id))
    }

    /// Removes a model of this computer: a file of the models folder is deleted, one that was added elsewhere only leaves the list.
    ///
    /// # Errors
    /// It is still there.
    pub async fn remove_model_file(&self, id: &ModelId) -> Result<(), FileError> {
        let store = &self.inner.store;
        let rows = self.inner.models.rows(store).await?;
        let row = rows.into_iter().find(|row| row.id == *id && row.kind == ModelKind::Embedded);
        let row = row.ok_or_else(|| ModelsError::Unknown { name: id.0.clone() })?;
        let path = PathBuf::from(&row.location);
        self.inner.models.unload(&path).await;
        if kept(store).await?.contains(&row.location) {
            keep(store, &row.location, false).await?;
        } else {
            std::fs::remove_file(&path).map_err(|error| {
                FileError::Unusable(format!("the file {} cannot be deleted: {error}", path.display()))
            })?;
        }
        store.forget_checkup(id.0.clone()).await?;
        if store.setting(CHOSEN.to_owned()).await?.is_some_and(|chosen| servers::canonical(&chosen) == id.0) {
            store.set_setting(CHOSEN.to_owned(), None).await?;
        }
        self.changed(Change::Models);
        Ok(())
    }
}

#[cfg(feature = "embedded")]
fn check(path: &Path) -> Result<(), FileError> {
    if path.extension().is_none_or(|extension| extension != "gguf") {
        let reason = format!("{} is not a GGUF model file; choose a file whose name ends in .gguf.", path.display());
        return Err(FileError::Unusable(reason));
    }
    recto_local::check_file(path).map_err(|error| FileError::Unusable(error.to_string()))
}

#[cfg(not(feature = "embedded"))]
fn check(_path: &Path) -> Result<(), FileError> {
    Err(FileError::Unusable("this build has no embedded model; name a server instead".to_owned()))
}

/// Says that a download does not run any more, however it ended.
struct Ending<'a> {
    app: &'a App,
    id: &'a str,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.app.inner.downloads.running().remove(self.id);
        self.app.changed(Change::Models);
    }
}
