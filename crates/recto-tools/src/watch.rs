//! Whether a tool that runs on a thread of its own should go on.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// It goes on, and may still be stopped.
const RUNNING: u8 = 0;
/// It has to end, and nothing that is still there afterwards may begin.
const STOPPED: u8 = 1;
/// It has begun what is still there afterwards, and is waited for until it has come to its end.
const COMMITTED: u8 = 2;

/// Seen by the tool; it asks now and then whether it is over.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    state: Arc<AtomicU8>,
    deadline: Instant,
}

impl Watch {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { state: Arc::new(AtomicU8::new(RUNNING)), deadline: Instant::now() + limit }
    }

    /// Asks the tool to end. Whether it will: one that is committed does not.
    pub(crate) fn stop(&self) -> bool {
        let before = self.state.compare_exchange(RUNNING, STOPPED, Ordering::SeqCst, Ordering::SeqCst);
        before != Err(COMMITTED)
    }

    /// From here on the tool changes what is still there afterwards. `false` if it was stopped before; it must not begin then.
    pub(crate) fn commit(&self) -> bool {
        self.state.compare_exchange(RUNNING, COMMITTED, Ordering::SeqCst, Ordering::SeqCst) != Err(STOPPED)
    }

    /// Whether the tool was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.state.load(Ordering::SeqCst) == STOPPED
    }

    /// Whether the tool has to end, by the user or by the clock.
    pub(crate) fn is_over(&self) -> bool {
        self.is_stopped() || Instant::now() >= self.deadline
    }
}

/// A reader that ends with an error when the watch is over, so that a large file holds nobody up.
pub(crate) struct Watched<'a, R> {
    pub(crate) reader: R,
    pub(crate) watch: &'a Watch,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.watch.is_over() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the tool has to end"));
        }
        self.reader.read(buffer)
    }
}
