//! Connections that only read, beside the writer. Each look sees one committed state.

use crate::connection;
use crate::error::StoreError;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// How many look at the same time; one person seldom needs more.
const N_READERS: usize = 2;

pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, idle: Mutex::default(), permits: Arc::new(Semaphore::new(N_READERS)) }
    }

    /// Runs `look` on a thread that may wait for the disk.
    ///
    /// # Errors
    /// Whatever `look` gave.
    pub(crate) async fn read<T, F>(self: &Arc<Self>, look: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let readers = Arc::clone(self);
        let looking = tokio::task::spawn_blocking(move || {
            let outcome = readers.look(look);
            drop(permit);
            outcome
        });
        looking.await.map_err(|_| StoreError::Closed)?
    }

    fn look<T>(&self, look: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => connection::reader(&self.path)?,
        };
        let transaction = connection.transaction()?;
        let value = look(&transaction)?;
        transaction.finish()?;
        // After an error the connection is not kept; the next look opens another.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        Ok(value)
    }
}
