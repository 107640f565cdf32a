//! Bringing the index up to date: what is new or changed is read, what is gone leaves, and all else is passed over.

use crate::open::{App, AppError, Change};
use crate::ports::WallClock;
use recto_core::library::chunks;
use recto_engine::ports::Clock as _;
use recto_store::StoreError;
use recto_store::library::{DocumentRow, DocumentState, NewDocument, PreparedDocument, RootRow, prepare};
use recto_tools::{LibraryFile, LibraryRoot, LibraryStop, Listing, MAX_BYTES, Unread};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedMutexGuard, mpsc};

/// How many documents are read ahead of the one that is written.
const AHEAD: usize = 4;
/// How often progress is told at most.
const TOLD_EVERY: Duration = Duration::from_millis(200);
/// Without a watch on the folders they are looked through again at a turn's start, but no sooner than this.
const LOOKED_AGAIN: Duration = Duration::from_secs(30);

/// How far reading has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncProgress {
    /// Files that are done with.
    pub n_done: usize,
    /// Of so many that are new or changed.
    pub n_files: usize,
    /// Their bytes.
    pub n_bytes_done: u64,
    /// Of so many.
    pub n_bytes: u64,
    /// How long it has been going on, in milliseconds.
    pub elapsed_ms: u64,
}

/// The one reading that may go on, and what is known of it.
#[derive(Default)]
pub(crate) struct Syncing {
    turn: Arc<tokio::sync::Mutex<()>>,
    /// Whether something changed since the reading that goes on looked.
    is_wanted: AtomicBool,
    is_stopped: AtomicBool,
    stop: Mutex<LibraryStop>,
    progress: Mutex<Option<(SyncProgress, Instant)>>,
    told_at: Mutex<Option<Instant>>,
    ended_at: Mutex<Option<Instant>>,
    /// The folders that are watched; `None` where that is not possible.
    pub(super) watcher: Mutex<Option<super::watcher::Watcher>>,
    pub(super) is_warm: AtomicBool,
}

fn of<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Syncing {
    /// Stops what is being read and keeps others from beginning.
    pub(super) async fn hold(&self) -> OwnedMutexGuard<()> {
        self.stop();
        Arc::clone(&self.turn).lock_owned().await
    }

    fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        of(&self.stop).stop();
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }
}

/// A file that has to be looked at, and what is known of it.
struct Wanted {
    file: LibraryFile,
    known: Option<DocumentRow>,
}

/// What has to be written of a file.
enum Outcome {
    /// It was only touched.
    Same {
        document: i64,
        file: LibraryFile,
    },
    New {
        file: LibraryFile,
        prepared: Box<PreparedDocument>,
    },
}

impl App {
    /// Brings the library up to date beside everything else. Where that is going on already, it is done once more afterwards.
    pub fn sync_library(&self) {
        let app = self.clone();
        tokio::spawn(async move {
            if let Err(error) = app.sync_library_now().await {
                tracing::warn!(%error, "the library could not be brought up to date");
            }
        });
    }

    /// Does the same where nothing tells of changes, as the start of a turn does.
    pub(crate) fn sync_library_if_unwatched(&self) {
        let library = &self.inner.library;
        let is_watched = of(&library.watcher).as_ref().is_some_and(super::watcher::Watcher::is_whole);
        let is_recent = of(&library.ended_at).is_some_and(|ended| ended.elapsed() < LOOKED_AGAIN);
        if !is_watched && !is_recent {
            self.sync_library();
        }
    }

    /// Brings the library up to date and returns when that is done or was stopped.
    ///
    /// # Errors
    /// The record cannot be read or written.
    pub async fn sync_library_now(&self) -> Result<(), AppError> {
        let library = &self.inner.library;
        library.is_wanted.store(true, Ordering::SeqCst);
        let turn = Arc::clone(&library.turn).lock_owned().await;
        // Whoever waited for another one may find that it did this one's work.
        if !library.is_wanted.swap(false, Ordering::SeqCst) {
            return Ok(());
        }
        library.is_stopped.store(false, Ordering::SeqCst);
        *of(&library.stop) = LibraryStop::default();
        let outcome = self.sync_roots().await;
        *of(&library.progress) = None;
        *of(&library.ended_at) = Some(Instant::now());
        drop(turn);
        self.changed(Change::Library);
        outcome
    }

    /// Stops what is being read. What was read until then stays.
    pub fn stop_library_sync(&self) {
        self.inner.library.stop();
    }

    /// How far reading has come; `None` if nothing is being read.
    #[must_use]
    pub fn library_progress(&self) -> Option<SyncProgress> {
        let progress = of(&self.inner.library.progress);
        progress.as_ref().map(|(progress, started)| SyncProgress {
            elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            ..progress.clone()
        })
    }

    async fn sync_roots(&self) -> Result<(), AppError> {
        let store = &self.inner.store;
        let mut has_removed = false;
        let mut work: Vec<(RootRow, LibraryRoot, Vec<Wanted>, bool)> = Vec::new();
        for root in store.library_roots().await? {
            let (opened, listing) = match self.listed(&root).await {
                Ok(listed) => listed,
                Err(reason) => {
                    store.library_root_was_read(root.id, Some(reason), None).await?;
                    continue;
                }
            };
            let mut known: HashMap<String, DocumentRow> =
                store.library_documents(root.id).await?.into_iter().map(|row| (row.path.clone(), row)).collect();
            let wanted: Vec<Wanted> = listing
                .files
                .into_iter()
                .map(|file| Wanted { known: known.remove(&file.path), file })
                .filter(|wanted| !wanted.known.as_ref().is_some_and(|known| is_unchanged(known, &wanted.file)))
                .collect();
            if listing.is_whole {
                for gone in known.values() {
                    store.forget_library_document(gone.id).await?;
                    has_removed |= gone.state == DocumentState::Read;
                }
            }
            work.push((root, opened, wanted, listing.is_whole));
        }
        let all = || work.iter().flat_map(|(_, _, wanted, _)| wanted);
        let progress = SyncProgress {
            n_files: all().count(),
            n_bytes: all().map(|wanted| wanted.file.n_bytes.min(MAX_BYTES)).sum(),
            ..SyncProgress::default()
        };
        if progress.n_files > 0 {
            *of(&self.inner.library.progress) = Some((progress, Instant::now()));
            self.changed(Change::Library);
        }
        for (root, opened, wanted, is_whole) in work {
            has_removed |= wanted.iter().any(|wanted| wanted.known.is_some());
            self.sync_root(root.id, opened, wanted).await?;
            if is_whole && !self.inner.library.is_stopped() {
                store.library_root_was_read(root.id, None, Some(WallClock.now_ms())).await?;
            }
        }
        if has_removed {
            store.tidy_library().await?;
        }
        Ok(())
    }

    /// The files below a root, or why there are none to be had.
    async fn listed(&self, root: &RootRow) -> Result<(LibraryRoot, Listing), String> {
        let (path, own) = (PathBuf::from(&root.path), vec![self.inner.data.clone()]);
        let stop = of(&self.inner.library.stop).clone();
        let listing = tokio::task::spawn_blocking(move || {
            let opened = LibraryRoot::open(&path, &own).map_err(|error| error.to_string())?;
            let listing = opened.list(&stop);
            Ok((opened, listing))
        });
        listing.await.unwrap_or_else(|_| Err("the folder could not be looked through".to_owned()))
    }

    /// Reads what is wanted of one root: one thread reads ahead and cuts words while this one writes.
    async fn sync_root(&self, root: i64, opened: LibraryRoot, wanted: Vec<Wanted>) -> Result<(), AppError> {
        let (sender, mut outcomes) = mpsc::channel(AHEAD);
        let app = self.clone();
        let reading = tokio::task::spawn_blocking(move || {
            for wanted in wanted {
                let is_over = app.inner.library.is_stopped();
                if is_over || sender.blocking_send(read(root, &opened, wanted)).is_err() {
                    return;
                }
            }
        });
        while let Some(outcome) = outcomes.recv().await {
            let file = match outcome {
                Outcome::Same { document, file } => {
                    let store = &self.inner.store;
                    store.library_document_is_the_same(document, file.n_bytes, file.modified_ms).await?;
                    file
                }
                Outcome::New { file, prepared } => {
                    self.inner.store.index_document(*prepared).await?;
                    file
                }
            };
            self.is_done(&file);
            if self.inner.library.is_stopped() {
                break;
            }
        }
        // The reader sees that nobody waits for it any more.
        drop(outcomes);
        reading.await.map_err(|_| StoreError::Closed)?;
        Ok(())
    }

    fn is_done(&self, file: &LibraryFile) {
        let library = &self.inner.library;
        if let Some((progress, _)) = of(&library.progress).as_mut() {
            progress.n_done += 1;
            progress.n_bytes_done += file.n_bytes.min(MAX_BYTES);
        }
        let mut told_at = of(&library.told_at);
        if told_at.is_none_or(|told| told.elapsed() >= TOLD_EVERY) {
            *told_at = Some(Instant::now());
            self.changed(Change::Library);
        }
    }
}

/// Whether a file looks as it did when it was read. A disk without times, and one that was not finished, say nothing.
fn is_unchanged(known: &DocumentRow, file: &LibraryFile) -> bool {
    known.state != DocumentState::Partial
        && file.modified_ms != 0
        && (known.n_bytes, known.modified_ms) == (file.n_bytes, file.modified_ms)
}

/// Reads a file, unless its bytes are those that were read before.
fn read(root: i64, opened: &LibraryRoot, wanted: Wanted) -> Outcome {
    let Wanted { file, known } = wanted;
    let known = known.filter(|known| known.state != DocumentState::Partial && known.kind == file.kind);
    if let Some(known) = known.filter(|known| known.hash.is_some())
        && opened.hash(&file.path).ok() == known.hash
    {
        return Outcome::Same { document: known.id, file };
    }
    let unread = |why: Unread| match why {
        Unread::NoDocument => DocumentState::NoDocument,
        why => DocumentState::Unread(why.to_string()),
    };
    // What is too large is not opened; the names that promise nothing are not spoken of.
    let too_large = file.n_bytes > MAX_BYTES && !file.kind.is_certain(&file.path);
    let (hash, state, chunks) = match opened.read(&file.path, file.kind) {
        Ok(document) => match document.sections {
            Ok(sections) => (Some(document.hash), DocumentState::Read, chunks(&sections)),
            Err(why) => (Some(document.hash), unread(why), Vec::new()),
        },
        Err(_) if too_large => (None, DocumentState::NoDocument, Vec::new()),
        Err(why) => (None, unread(why), Vec::new()),
    };
    let document = NewDocument {
        root,
        path: file.path.clone(),
        kind: file.kind,
        n_bytes: file.n_bytes,
        modified_ms: file.modified_ms,
        hash,
        state,
        chunks,
    };
    Outcome::New { file, prepared: Box::new(prepare(document)) }
}

/// The folder that has to be watched for a root: itself, or the one that a file lies in.
pub(super) fn watched(root: &Path) -> &Path {
    if root.is_dir() { root } else { root.parent().unwrap_or(root) }
}
