//! The window's settings in the record: one value, because they are read and written together.

use crate::view::error::IpcError;
use crate::view::settings::SettingsView;
use recto_app::App;

const KEY: &str = "window";

pub(crate) async fn read(app: &App) -> Result<SettingsView, IpcError> {
    let kept = app.record().setting(KEY.to_owned()).await?;
    // A damaged value is as good as none; the next change writes it anew.
    Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

pub(crate) async fn write(app: &App, settings: &SettingsView) -> Result<(), IpcError> {
    if app.only_looks() {
        // What is chosen while one looks into a file lasts as long as its window.
        return Ok(());
    }
    let text = serde_json::to_string(settings).map_err(IpcError::failed)?;
    Ok(app.record().set_setting(KEY.to_owned(), Some(text)).await?)
}
