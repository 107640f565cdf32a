//! The models on their way to the page about them, whole and again whenever something of them changes.

use crate::view::error::IpcError;
use crate::view::models::{CheckingView, ModelCardView, ModelServerView, ModelsPageView};
use crate::watch::Watch;
use recto_app::{App, Change, ModelKind};
use std::collections::BTreeMap;

/// Where the window listens.
pub(crate) type ModelsChannel = tauri::ipc::Channel<ModelsPageView>;

static WATCH: Watch = Watch::new(Change::Models);

/// Sends what there is, and from now on whatever becomes of it.
pub(crate) async fn watch(app: &App, channel: ModelsChannel) -> Result<(), IpcError> {
    WATCH.begin(app, channel, read).await
}

async fn read(app: App) -> Result<ModelsPageView, IpcError> {
    let (mut models, mut servers) = (Vec::new(), BTreeMap::new());
    for row in app.models().await? {
        if row.kind == ModelKind::Server {
            *servers.entry(row.location.clone()).or_insert(0) += 1;
        }
        let checkup = app.checkup(&row.id).await?;
        models.push(ModelCardView::new(row, checkup));
    }
    let mut listed = Vec::new();
    for (address, n_models) in servers {
        let key = app.key_state(&address).await?.map(Into::into);
        listed.push(ModelServerView { address, n_models, key });
    }
    let checking = app.checking().map(|checking| CheckingView::new(&checking));
    let offered = app.offered_files().into_iter().map(Into::into).collect();
    let downloads = app.downloads().into_iter().map(Into::into).collect();
    Ok(ModelsPageView {
        models,
        servers: listed,
        offered,
        downloads,
        checking,
        folder: app.models_folder().display().to_string(),
        free_memory: app.free_memory(),
    })
}
