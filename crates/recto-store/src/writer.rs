//! The one thread that writes. Changes come as closures, each becomes one transaction, in the order in which they came.

use crate::connection;
use crate::error::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Does its work and says whether the connection can still be trusted.
type Job = Box<dyn FnOnce(&mut Connection) -> bool + Send>;

pub(crate) struct Writer {
    /// `None` only while it is being closed.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread on an open connection.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(crate) fn start(path: PathBuf, connection: Connection) -> std::io::Result<Self> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let thread = std::thread::Builder::new().name("record-writer".to_owned()).spawn(move || {
            let mut connection = connection;
            for job in queue {
                if job(&mut connection) {
                    continue;
                }
                // After a failed write nobody knows what SQLite's memory and the disk agree on, so the state is read anew.
                match connection::writer(&path) {
                    Ok(fresh) => connection = fresh,
                    Err(error) => tracing::error!(%error, "the record could not be opened anew after a failed write"),
                }
            }
        })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs `change` in a transaction of its own and waits until that is committed. A change whose caller has stopped waiting is
    /// committed all the same.
    ///
    /// # Errors
    /// Whatever `change` or the commit gave; nothing of it is saved then.
    pub(crate) async fn write<T, F>(&self, change: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        self.run(move |connection| in_transaction(connection, change)).await
    }

    /// Folds the write-ahead log into the file and empties it.
    ///
    /// # Errors
    /// The disk failed; what was committed stays in the log.
    pub(crate) async fn fold_log(&self) -> Result<(), StoreError> {
        self.run(|connection| Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)).await
    }

    async fn run<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let outcome = work(connection);
            let is_sound = !outcome.as_ref().is_err_and(StoreError::leaves_the_file_in_doubt);
            // The caller may have stopped waiting; the change stands all the same.
            let _ = reply.send(outcome);
            is_sound
        });
        let jobs = self.jobs.as_ref().ok_or(StoreError::Closed)?;
        jobs.send(job).map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

/// Commits all of `change` or nothing.
pub(crate) fn in_transaction<T>(
    connection: &mut Connection,
    change: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = change(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

impl Drop for Writer {
    fn drop(&mut self) {
        // What was handed over is still written; then the file is closed, so that it can be opened again at once.
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the record's writer ended in a panic");
        }
    }
}
