//! What is typed, line by line, for whoever asks next. One thread reads, so that a question that was given up takes no line with it.

use std::sync::Arc;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The lines of the standard input. Cheap to clone; all clones share the lines. Nothing is read before the first one is wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines(Arc<Mutex<Option<UnboundedReceiver<String>>>>);

impl Lines {
    /// The next line without its line break; `None` when the input has ended. A line that was not waited for stays there.
    pub(crate) async fn next(&self) -> Option<String> {
        let mut lines = self.0.lock().await;
        lines.get_or_insert_with(read).recv().await
    }
}

fn read() -> UnboundedReceiver<String> {
    let (sender, lines) = unbounded_channel();
    // It waits for a line until the program ends, which nobody waits for.
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
