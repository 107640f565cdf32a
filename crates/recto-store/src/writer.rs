//! The one thread that writes. Changes come as closures, each becomes one transaction, in the order in which they came.

use crate::connection;
use crate::error::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// A log that could not be folded because somebody was reading it is tried again when nothing was written for so long.
const FOLD_AGAIN: Duration = Duration::from_millis(500);

type Job = Box<dyn FnOnce(&mut Worker) + Send>;

pub(crate) struct Writer {
    /// `None` only while it is being closed.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// What lives on the thread.
struct Worker {
    path: PathBuf,
    connection: Connection,
    /// After a failed write nobody knows what SQLite's memory and the disk agree on; such a connection is not used again.
    is_doubted: bool,
    /// Deleted words still stand in the log.
    must_fold: bool,
}

impl Worker {
    fn work(mut self, queue: &mpsc::Receiver<Job>) {
        loop {
            let next = if self.must_fold {
                queue.recv_timeout(FOLD_AGAIN)
            } else {
                queue.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match next {
                Ok(job) => job(&mut self),
                Err(RecvTimeoutError::Timeout) => self.fold(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        if self.must_fold {
            self.fold();
        }
    }

    /// The connection, opened anew if it cannot be trusted. While it cannot be opened, nothing is written.
    fn connection(&mut self) -> Result<&mut Connection, StoreError> {
        if self.is_doubted {
            self.connection =
                connection::writer(&self.path).map_err(|error| StoreError::from(error).at(&self.path)).inspect_err(
                    |error| tracing::error!(%error, "the record could not be opened anew after a failed write"),
                )?;
            self.is_doubted = false;
        }
        Ok(&mut self.connection)
    }

    fn run<T>(&mut self, work: impl FnOnce(&mut Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let outcome = work(self.connection()?);
        self.is_doubted = outcome.as_ref().is_err_and(StoreError::leaves_the_file_in_doubt);
        outcome
    }

    /// Folds the write-ahead log into the file and empties it, or sees to it that this is tried again.
    fn fold(&mut self) {
        let was_tried = std::mem::replace(&mut self.must_fold, true);
        match self.run(|connection| Ok(connection::fold(connection)?)) {
            Ok(is_folded) => self.must_fold = !is_folded,
            // What was committed stays in the log. It is said once and not at every attempt.
            Err(error) if !was_tried => tracing::warn!(%error, "the record's log could not be folded"),
            Err(_) => {}
        }
    }
}

impl Writer {
    /// Starts the thread on an open connection.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(crate) fn start(path: PathBuf, connection: Connection) -> std::io::Result<Self> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let worker = Worker { path, connection, is_doubted: false, must_fold: false };
        let thread = std::thread::Builder::new().name("record-writer".to_owned()).spawn(move || worker.work(&queue))?;
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

    /// Folds the write-ahead log into the file and empties it. Where somebody reads it just now, or the disk fails, this is done at the
    /// next idle moment, and at the latest when the record is closed; so there is nothing to report.
    pub(crate) async fn fold_log(&self) {
        // A writer that is gone has folded its log when it was closed.
        let _ = self.hand_over(Worker::fold).await;
    }

    async fn run<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        self.hand_over(|worker| worker.run(work)).await?
    }

    async fn hand_over<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Worker) -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |worker| {
            // The caller may have stopped waiting; the change stands all the same.
            let _ = reply.send(work(worker));
        });
        let jobs = self.jobs.as_ref().ok_or(StoreError::Closed)?;
        jobs.send(job).map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)
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
