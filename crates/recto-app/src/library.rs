//! The library: what the person added, read anew when it changed, and the passages for a question.

mod passages;
mod sync;
mod watcher;

pub use sync::SyncProgress;

use crate::open::{App, AppError, Change};
use crate::ports::WallClock;
use recto_engine::ports::Clock as _;
use recto_store::StoreError;
use recto_store::library::{DocumentState, Found, RootRow, warm_up};
use recto_tools::{LibraryRoot, OpenError};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

pub(crate) use sync::Syncing;

/// The setting that switches the library off for questions; what was added stays and is kept up to date.
const IS_ON: &str = "library_on";

/// A folder or file could not be added.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// It cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// Something that was added covers it already.
    #[error("this is in the library already, below {0}")]
    Covered(String),
    /// The record.
    #[error(transparent)]
    App(#[from] AppError),
}

impl From<StoreError> for LibraryError {
    fn from(error: StoreError) -> Self {
        Self::App(error.into())
    }
}

/// A document that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryProblem {
    /// Its path.
    pub path: String,
    /// Why, in words.
    pub reason: String,
}

impl App {
    /// Reads what was added as far as it changed, and from now on whenever it changes.
    pub async fn start_library(&self) {
        // Whoever asks first should not wait for the dictionary.
        if let Err(error) = self.library_is_in_use().await {
            tracing::warn!(%error, "the library could not be looked at");
        }
        self.watch_library().await;
        self.sync_library();
    }

    /// Adds a folder or a file and begins to read it.
    ///
    /// # Errors
    /// It is not there, belongs to the program itself, is covered by something that was added, or cannot be saved.
    pub async fn add_to_library(&self, path: &Path) -> Result<i64, LibraryError> {
        let own = vec![self.inner.data.clone()];
        let opened = path.to_owned();
        let canonical = tokio::task::spawn_blocking(move || {
            let unusable = |error: OpenError| LibraryError::Unusable(error.to_string());
            LibraryRoot::open(&opened, &own).map_err(unusable)?;
            // Two names of one folder are one folder.
            std::fs::canonicalize(&opened).map_err(|_| unusable(OpenError::Absent(opened)))
        });
        let canonical = canonical.await.map_err(|_| AppError::from(StoreError::Closed))??;
        let roots = self.inner.store.library_roots().await?;
        for root in &roots {
            if canonical != Path::new(&root.path) && canonical.starts_with(&root.path) {
                return Err(LibraryError::Covered(root.path.clone()));
            }
        }
        // What lies below it is read as a part of it from now on, and not twice.
        for below in roots {
            if Path::new(&below.path) != canonical && Path::new(&below.path).starts_with(&canonical) {
                self.remove_from_library(below.id).await?;
            }
        }
        let path = canonical.display().to_string();
        let id = self.inner.store.add_library_root(path, WallClock.now_ms()).await?;
        self.changed(Change::Library);
        self.watch_library().await;
        self.sync_library();
        Ok(id)
    }

    /// Removes a root with every word of it. The files themselves are not touched.
    ///
    /// # Errors
    /// There is no such root, or it cannot be removed.
    pub async fn remove_from_library(&self, root: i64) -> Result<(), AppError> {
        // Reading would put back what is taken out.
        let syncing = self.inner.library.hold().await;
        let removed = self.inner.store.remove_library_root(root).await;
        drop(syncing);
        self.changed(Change::Library);
        self.watch_library().await;
        Ok(removed?)
    }

    /// What was added, with what is below it.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn library(&self) -> Result<Vec<RootRow>, AppError> {
        Ok(self.inner.store.library_roots().await?)
    }

    /// The documents that could not be read, with their reasons.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn library_problems(&self) -> Result<Vec<LibraryProblem>, AppError> {
        let roots = self.inner.store.library_roots().await?;
        let unread = self.inner.store.unread_library_documents().await?;
        let problem = |row: recto_store::library::DocumentRow| {
            let root = roots.iter().find(|root| root.id == row.root).map_or("", |root| root.path.as_str());
            let reason = match row.state {
                DocumentState::Unread(reason) => reason,
                DocumentState::Partial | DocumentState::Read | DocumentState::NoDocument => String::new(),
            };
            LibraryProblem { path: below(root, &row.path), reason }
        };
        Ok(unread.into_iter().map(problem).collect())
    }

    /// The passages that fit a text best, as a model would be given them.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn search_library(&self, query: &str, limit: usize) -> Result<Vec<Found>, AppError> {
        Ok(self.inner.store.search_library(query, limit).await?)
    }

    /// Whether questions are given passages, and models the tools to look for more.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn library_is_on(&self) -> Result<bool, AppError> {
        Ok(self.inner.store.setting(IS_ON.to_owned()).await?.as_deref() != Some("false"))
    }

    /// Switches the library on or off for questions.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn set_library_on(&self, is_on: bool) -> Result<(), AppError> {
        self.inner.store.set_setting(IS_ON.to_owned(), (!is_on).then(|| "false".to_owned())).await?;
        self.changed(Change::Library);
        Ok(())
    }

    /// Whether a turn has anything of the library. Where it does, the dictionary of Chinese words is loaded beside the turn's start.
    pub(crate) async fn library_is_in_use(&self) -> Result<bool, AppError> {
        let is_in_use = !self.inner.store.library_is_empty().await? && self.library_is_on().await?;
        if is_in_use && !self.inner.library.is_warm.swap(true, Ordering::Relaxed) {
            tokio::task::spawn_blocking(warm_up);
        }
        Ok(is_in_use)
    }
}

/// The path of a document below its root, which may be that document itself.
fn below(root: &str, path: &str) -> String {
    let is_root = Path::new(root).file_name().is_some_and(|name| name == path) && !Path::new(root).is_dir();
    if is_root { root.to_owned() } else { PathBuf::from(root).join(path).display().to_string() }
}
