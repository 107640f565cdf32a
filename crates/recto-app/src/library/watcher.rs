//! Being told when something changes. The system may refuse to watch, for want of room or because a disk cannot; the folders are then
//! looked through at the start of a turn.

use super::sync::watched;
use crate::open::App;
use notify_debouncer_full::notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};
use std::path::Path;
use std::sync::{PoisonError, Weak};
use std::time::Duration;

/// How long it has to be quiet before something is read: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_secs(2);

/// The watch on all roots; it ends when it is dropped.
pub(crate) struct Watcher {
    _watching: Debouncer<RecommendedWatcher, RecommendedCache>,
    is_whole: bool,
}

impl Watcher {
    /// Whether every root is watched.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }
}

impl App {
    /// Watches the roots as they are now.
    pub(super) async fn watch_library(&self) {
        let roots = self.inner.store.library_roots().await.unwrap_or_default();
        let runtime = tokio::runtime::Handle::current();
        // The watch belongs to the program and must not keep it from ending.
        let inner = std::sync::Arc::downgrade(&self.inner);
        let watching = tokio::task::spawn_blocking(move || {
            let told = move |events: DebounceEventResult| {
                let (Ok(events), Some(inner)) = (events, Weak::upgrade(&inner)) else { return };
                if events.iter().any(|event| !event.kind.is_access()) {
                    let _entered = runtime.enter();
                    App { inner }.sync_library();
                }
            };
            let mut watching = new_debouncer(QUIET, None, told).ok()?;
            let mut is_whole = true;
            for root in &roots {
                let root = Path::new(&root.path);
                let mode = if root.is_dir() { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
                if let Err(error) = watching.watch(watched(root), mode) {
                    tracing::info!(%error, "a folder of the library cannot be watched");
                    is_whole = false;
                }
            }
            Some(Watcher { _watching: watching, is_whole })
        });
        let watcher = watching.await.ok().flatten();
        *self.inner.library.watcher.lock().unwrap_or_else(PoisonError::into_inner) = watcher;
    }
}
