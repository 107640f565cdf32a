//! A page that is shown whole again whenever something of it changes.

use crate::view::error::IpcError;
use recto_app::{App, Change};
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use tauri::ipc::Channel;
use tokio::sync::broadcast::error::RecvError;

/// Who watches a page. A window that was loaded anew begins another watch, and the one before ends.
pub(crate) struct Watch {
    /// The change after which the page is read again.
    of: Change,
    /// The watch that counts.
    latest: AtomicU64,
}

impl Watch {
    pub(crate) const fn new(of: Change) -> Self {
        Self { of, latest: AtomicU64::new(0) }
    }

    /// Sends what `read` gives now, and from now on after each change.
    pub(crate) async fn begin<View, Reading>(
        &'static self,
        app: &App,
        channel: Channel<View>,
        read: fn(App) -> Reading,
    ) -> Result<(), IpcError>
    where
        View: Serialize + Send + 'static,
        Reading: Future<Output = Result<View, IpcError>> + Send + 'static,
    {
        let own = self.latest.fetch_add(1, Ordering::SeqCst) + 1;
        let mut changes = app.changes();
        channel.send(read(app.clone()).await?).map_err(IpcError::failed)?;
        let app = app.clone();
        tauri::async_runtime::spawn(async move {
            loop {
                let is_ours = match changes.recv().await {
                    Ok(change) => change == self.of,
                    // What was missed may have been ours.
                    Err(RecvError::Lagged(_)) => true,
                    Err(RecvError::Closed) => return,
                };
                if self.latest.load(Ordering::SeqCst) != own {
                    return;
                }
                if is_ours && let Ok(view) = read(app.clone()).await {
                    // A window that is gone reads everything again when it comes back.
                    if channel.send(view).is_err() {
                        return;
                    }
                }
            }
        });
        Ok(())
    }
}
