//! The library on its way to the window, whole and again whenever it changes.

use crate::view::error::IpcError;
use crate::view::library::LibraryView;
use crate::watch::Watch;
use recto_app::{App, Change};

/// Where the window listens.
pub(crate) type LibraryChannel = tauri::ipc::Channel<LibraryView>;

/// How many documents that could not be read cross at most.
const PROBLEMS: usize = 200;

static WATCH: Watch = Watch::new(Change::Library);

/// Sends what there is, and from now on whatever becomes of it.
pub(crate) async fn watch(app: &App, channel: LibraryChannel) -> Result<(), IpcError> {
    WATCH.begin(app, channel, read).await
}

async fn read(app: App) -> Result<LibraryView, IpcError> {
    let mut problems = app.library_problems().await?;
    problems.truncate(PROBLEMS);
    Ok(LibraryView {
        roots: app.library().await?.into_iter().map(Into::into).collect(),
        problems: problems.into_iter().map(Into::into).collect(),
        is_on: app.library_is_on().await?,
        progress: app.library_progress().map(Into::into),
    })
}
