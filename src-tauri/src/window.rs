//! The one window: where it may go (nowhere), and what happens when it closes.

use recto_app::App;
use std::time::Duration;
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Manager as _, Url, UserAttentionType, WebviewUrl, WebviewWindowBuilder};

const LABEL: &str = "main";
/// How long a turn has to end after it was stopped, before the program ends without it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Opens the window.
///
/// # Errors
/// The system's web view cannot be started.
pub(crate) fn open(handle: &AppHandle) -> tauri::Result<()> {
    WebviewWindowBuilder::new(handle, LABEL, WebviewUrl::App("index.html".into()))
        .title("Recto")
        .inner_size(1280.0, 800.0)
        .min_inner_size(900.0, 600.0)
        .on_navigation(is_own)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
        .on_document_title_changed(|window, title| {
            // A title that cannot be set is no reason to stop anything.
            let _ = window.set_title(&title);
        })
        .build()?;
    Ok(())
}

/// The page that comes with the program, and no other: `tauri://localhost`, on Windows `http://tauri.localhost`.
fn is_own(url: &Url) -> bool {
    match (url.scheme(), url.host_str()) {
        ("tauri", Some("localhost")) => true,
        ("http", Some("tauri.localhost")) => cfg!(windows),
        _ => false,
    }
}

/// A second start shows the window of the first.
pub(crate) fn show_again(handle: &AppHandle) {
    let Some(window) = handle.get_webview_window(LABEL) else { return };
    // Each of these may be refused by the system's window manager, which then has its reasons.
    let _ = window.unminimize();
    let _ = window.show();
    let _ = window.set_focus();
}

/// Whether the person looks at the window. One that does not say so is taken to be in front.
pub(crate) fn is_in_front(handle: &AppHandle) -> bool {
    handle.get_webview_window(LABEL).is_none_or(|window| window.is_focused().unwrap_or(true))
}

/// Marks the window in the task bar, where the system has one.
pub(crate) fn ask_for_attention(handle: &AppHandle) {
    let Some(window) = handle.get_webview_window(LABEL) else { return };
    // A system that has no such mark says so, and nothing is lost by it.
    let _ = window.request_user_attention(Some(UserAttentionType::Informational));
}

/// Stops every turn and waits a little until each has recorded its end.
pub(crate) async fn stop_all(app: &App) {
    let rows = app.record().conversations().await.unwrap_or_default();
    let stopping = rows.iter().filter_map(|row| app.running_turn(&row.id)).filter_map(|turn| {
        let watching = app.watch_turn(&turn);
        app.stop_turn(&turn);
        watching
    });
    let ended = async {
        for mut watching in stopping.collect::<Vec<_>>() {
            while watching.coming.recv().await.is_some() {}
        }
    };
    if tokio::time::timeout(PATIENCE, ended).await.is_err() {
        tracing::warn!("a turn did not end in time; the next start marks it as interrupted");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_goes_nowhere_but_to_its_own_page() {
        let goes = |url: &str| is_own(&Url::parse(url).unwrap());
        let tried = [
            "tauri://localhost/index.html",
            "tauri://localhost.evil.example/",
            "tauri://evil.example/",
            "https://example.org/",
            "http://localhost/",
            "file:///etc/passwd",
            "data:text/html,hi",
            "about:blank",
            "blob:tauri://localhost/1",
        ];
        assert_eq!(tried.map(goes), [true, false, false, false, false, false, false, false, false]);
    }
}
