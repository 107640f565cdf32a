//! The models on their way to the page about them, whole and again whenever something of them changes.

use crate::view::error::IpcError;
use crate::view::models::{CheckingView, ModelCardView, ModelServerView, ModelsPageView};
use recto_app::{App, Change, ModelKind};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::broadcast::error::RecvError;

/// Where the window listens.
pub(crate) type ModelsChannel = tauri::ipc::Channel<ModelsPageView>;

/// The watch that counts. A page that was loaded anew begins another, and the one before ends.
static LATEST: AtomicU64 = AtomicU64::new(0);

/// Sends what there is, and from now on whatever becomes of it.
pub(crate) async fn watch(app: &App, channel: ModelsChannel) -> Result<(), IpcError> {
    let own = LATEST.fetch_add(1, Ordering::SeqCst) + 1;
    let mut changes = app.changes();
    channel.send(read(app).await?).map_err(IpcError::failed)?;
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        loop {
            let is_ours = match changes.recv().await {
                Ok(change) => change == Change::Models,
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

async fn read(app: &App) -> Result<ModelsPageView, IpcError> {
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
    })
}
