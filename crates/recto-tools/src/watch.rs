//! Whether a tool that runs on a thread of its own should go on.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Seen by the tool; it asks now and then whether it is over.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    is_stopped: Arc<AtomicBool>,
    deadline: Instant,
}

impl Watch {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { is_stopped: Arc::new(AtomicBool::new(false)), deadline: Instant::now() + limit }
    }

    /// Asks the tool to end.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the user stopped the turn.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
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
