//! Folders that the person picked. The window names one by its id, so that no page can choose a path.

use crate::view::conversation::FolderView;
use crate::view::error::IpcError;
use crate::wishes;
use recto_app::App;
use recto_core::id::ConversationId;
use recto_core::text::ContentHash;
use std::path::{Path, PathBuf};
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt;

/// A test cannot use a dialog of the system; this names the folder in its place.
const TEST_FOLDER: &str = "RECTO_TEST_FOLDER";
/// The same for a file.
const TEST_FILE: &str = "RECTO_TEST_FILE";
/// How many folders are offered again.
const REMEMBERED: usize = 8;

/// Lets the person pick a folder; `None` if they did not.
pub(crate) async fn ask(handle: AppHandle) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(TEST_FOLDER) {
        return Some(folder.into());
    }
    let (sender, picked) = tokio::sync::oneshot::channel();
    handle.dialog().file().pick_folder(move |folder| {
        // Nobody waits any more if the window was closed meanwhile.
        let _ = sender.send(folder);
    });
    picked.await.ok().flatten().and_then(|folder| folder.into_path().ok())
}

/// Lets the person pick a file; `None` if they did not.
pub(crate) async fn ask_file(handle: AppHandle) -> Option<PathBuf> {
    if let Some(file) = std::env::var_os(TEST_FILE) {
        return Some(file.into());
    }
    let (sender, picked) = tokio::sync::oneshot::channel();
    handle.dialog().file().pick_file(move |file| {
        // Nobody waits any more if the window was closed meanwhile.
        let _ = sender.send(file);
    });
    picked.await.ok().flatten().and_then(|file| file.into_path().ok())
}

/// Lets the person pick files; none if they did not.
pub(crate) async fn ask_files(handle: AppHandle) -> Vec<PathBuf> {
    let (sender, picked) = tokio::sync::oneshot::channel();
    handle.dialog().file().pick_files(move |files| {
        // Nobody waits any more if the window was closed meanwhile.
        let _ = sender.send(files);
    });
    let files = picked.await.ok().flatten().unwrap_or_default();
    files.into_iter().filter_map(|file| file.into_path().ok()).collect()
}

/// Offers the folder again, before the others.
pub(crate) async fn remember(app: &App, path: &Path) -> Result<FolderView, IpcError> {
    let folder = view(&path.display().to_string());
    let mut settings = wishes::read(app).await?;
    settings.folders.retain(|other| other.id != folder.id);
    settings.folders.insert(0, folder.clone());
    settings.folders.truncate(REMEMBERED);
    wishes::write(app, &settings).await?;
    Ok(folder)
}

/// The path of a folder that was picked before, in this conversation or in another.
pub(crate) async fn path_of(
    app: &App,
    conversation: Option<&ConversationId>,
    id: Option<String>,
) -> Result<Option<String>, IpcError> {
    let own = match conversation {
        Some(conversation) => app.record().conversation(conversation.clone()).await?.folder,
        None => None,
    };
    known_path(app, id, own).await
}

/// The path of a folder that was picked before, or of the one that is chosen already where the question is asked.
pub(crate) async fn known_path(app: &App, id: Option<String>, own: Option<String>) -> Result<Option<String>, IpcError> {
    let Some(id) = id else { return Ok(None) };
    let of_assistants = app.record().assistants().await?.into_iter().filter_map(|row| row.folder);
    let known = wishes::read(app).await?.folders;
    known
        .into_iter()
        .map(|folder| folder.path)
        .chain(own)
        .chain(of_assistants)
        .find(|path| view(path).id == id)
        .map(Some)
        .ok_or_else(|| IpcError::failed("this folder was not picked in this program; pick it again"))
}

/// A path as the window shows it.
pub(crate) fn view(path: &str) -> FolderView {
    let hash = ContentHash::of(path.as_bytes()).0;
    let digits = hash.split_once(':').map_or(hash.as_str(), |(_, digits)| digits);
    let name = Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
    FolderView { id: format!("fd_{}", &digits[..16]), name, path: path.to_owned() }
}
