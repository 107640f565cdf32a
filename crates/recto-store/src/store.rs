//! The open record.

use crate::audit::{self, Sealing};
use crate::error::StoreError;
use crate::lock::InstanceLock;
use crate::readers::Readers;
use crate::writer::Writer;
use rusqlite::{Connection, Transaction};
use std::path::PathBuf;
use std::sync::Arc;

/// The open record. Clones share it; when the last one goes, what was handed over is written and the file is closed.
///
/// Its operations have to be awaited inside a tokio runtime. One that changes something has been committed when it returns.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

/// The order is the order of closing: the last connection to close has to be the one that can tidy up the write-ahead log, and
/// the lock goes when nobody writes any more.
struct Inner {
    path: PathBuf,
    readers: Arc<Readers>,
    /// `None` where the record was opened to be read.
    writer: Option<Writer>,
    sealing: Arc<Sealing>,
    _lock: Option<InstanceLock>,
}

impl Store {
    /// `found` is the last row of the audit log that was there before.
    pub(crate) fn writing(path: PathBuf, writer: Writer, lock: InstanceLock, found: i64) -> Self {
        Self::new(path, Some(writer), Some(lock), found)
    }

    pub(crate) fn reading(path: PathBuf) -> Self {
        Self::new(path, None, None, 0)
    }

    fn new(path: PathBuf, writer: Option<Writer>, lock: Option<InstanceLock>, found: i64) -> Self {
        let readers = Arc::new(Readers::new(path.clone()));
        Self { inner: Arc::new(Inner { path, readers, writer, sealing: Arc::new(Sealing::after(found)), _lock: lock }) }
    }

    /// The database file.
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        &self.inner.path
    }

    pub(crate) fn sealing(&self) -> &Arc<Sealing> {
        &self.inner.sealing
    }

    fn writer(&self) -> Result<&Writer, StoreError> {
        self.inner.writer.as_ref().ok_or(StoreError::OpenedToRead)
    }

    pub(crate) async fn write<T, F>(&self, change: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let sealing = self.inner.sealing.clone();
        let sealed = move |transaction: &Transaction<'_>| {
            let before = audit::newest(transaction)?;
            let value = change(transaction)?;
            let after = audit::newest(transaction)?;
            // What somebody else has added is not this program's to seal.
            if after > before {
                sealing.seal_after(transaction, before)?;
            }
            Ok((value, after))
        };
        let (value, newest) = self.writer()?.write(sealed).await?;
        self.inner.sealing.committed(newest);
        Ok(value)
    }

    pub(crate) async fn fold_log(&self) -> Result<(), StoreError> {
        self.writer()?.fold_log().await;
        Ok(())
    }

    pub(crate) async fn read<T, F>(&self, look: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        self.inner.readers.read(look).await
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Store").field("path", &self.inner.path).finish_non_exhaustive()
    }
}
