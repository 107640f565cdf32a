//! The library on its way to the window, whole and again whenever it changes.

use crate::view::error::IpcError;
use crate::view::library::LibraryView;
use recto_app::{App, Change};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::broadcast::error::RecvError;

/// Where the window listens.
pub(crate) type LibraryChannel = tauri::ipc::Channel<LibraryView>;

/// How many documents that could not be read cross at most.
const PROBLEMS: usize = 200;

/// The watch that counts. A page that was loaded anew begins another, and the one before ends.
static LATEST: AtomicU64 = AtomicU64::new(0);

/// Sends what there is, and from now on whatever becomes of it.
pub(crate) async fn watch(app: &App, channel: LibraryChannel) -> Result<(), IpcError> {
    let own = LATEST.fetch_add(1, Ordering::SeqCst) + 1;
    let mut changes = app.changes();
    channel.send(read(app).await?).map_err(IpcError::failed)?;
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        loop {
            let is_ours = match changes.recv().await {
                Ok(change) => change == Change::Library,
                // What was missed may have been ours.
                Err(RecvError::Lagged(_)) => true,
                Err(RecvError::Closed) => return,
            };
            if LATEST.load(Ordering::SeqCst) != own {
                return;
            }
            if is_ours && let Ok(view) = read(&app).await {
                // A window that is gone reads everything again when it comes back.
                if channel.send(view).is_err() {
                    return;
                }
            }
        }
    });
    Ok(())
}

async fn read(app: &App) -> Result<LibraryView, IpcError> {
    let mut problems = app.library_problems().await?;
    problems.truncate(PROBLEMS);
    Ok(LibraryView {
        roots: app.library().await?.into_iter().map(Into::into).collect(),
        problems: problems.into_iter().map(Into::into).collect(),
        is_on: app.library_is_on().await?,
        progress: app.library_progress().map(Into::into),
    })
}
