//! Counting by the vocabulary of a server that counts: llama-server's `/tokenize`.
//!
//! A plan counts its texts one after the other and cannot wait for a future, so a thread of its own asks the server, which is on this computer and
//! answers within a millisecond also while it writes a reply. Each text is asked for once.

use crate::address::ServerAddress;
use crate::dialect::Dialect;
use crate::http::{self, Timing};
use crate::secret::Secret;
use crate::trouble::Trouble;
use recto_core::text::ContentHash;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A server that does not answer within this is not asked any more; the texts are estimated again.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many counts are remembered; then all of them are forgotten.
const MOST_KNOWN: usize = 100_000;

/// A text, and where its count goes.
type Job = (String, SyncSender<Option<u32>>);

/// Counts by one server's vocabulary. The thread ends when this is gone.
#[derive(Debug)]
pub struct Tokenizer {
    jobs: Mutex<Sender<Job>>,
    known: Mutex<HashMap<ContentHash, u32>>,
    is_lost: AtomicBool,
}

impl Tokenizer {
    /// Starts to count by the server at an address; nothing is asked yet.
    ///
    /// # Errors
    /// There is no client for it, or the key cannot be a header.
    pub fn new(address: &ServerAddress, key: Option<&Secret>) -> Result<Self, Trouble> {
        let client = http::client(address, Timing::usual(address.is_loopback()))?;
        let headers = Dialect::OpenAi.headers(address, key)?;
        let url = address.at_root("/tokenize");
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("tokenizer".to_owned());
        let started = thread.spawn(move || answer(&receiver, &client, &url, &headers));
        let is_lost = AtomicBool::new(started.is_err());
        Ok(Self { jobs: Mutex::new(sender), known: Mutex::default(), is_lost })
    }

    /// Tokens of a text; `None` if the server did not say, and from then on always.
    pub fn count(&self, text: &str) -> Option<u32> {
        if text.is_empty() {
            return Some(0);
        }
        if self.is_lost() {
            return None;
        }
        let hash = ContentHash::of(text.as_bytes());
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&hash) {
            return Some(*known);
        }
        let (sender, count) = sync_channel(1);
        let is_asked = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send((text.to_owned(), sender)).is_ok();
        let count = is_asked.then(|| count.recv_timeout(PATIENCE).ok().flatten()).flatten();
        let Some(count) = count else {
            tracing::info!("the server counts no more; texts are estimated");
            self.is_lost.store(true, Ordering::Relaxed);
            return None;
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(hash, count);
        Some(count)
    }

    /// Whether the server did not answer once.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }
}

/// The body that asks for the tokens of a text. Marks of the template count as in a request, where the server reads them as marks too.
pub(crate) fn question(text: &str) -> String {
    json!({"content": text}).to_string()
}

/// How many tokens an answer lists.
pub(crate) fn listed(answer: &Value) -> Option<u32> {
    answer["tokens"].as_array().and_then(|tokens| u32::try_from(tokens.len()).ok())
}

fn answer(jobs: &Receiver<Job>, client: &reqwest::Client, url: &reqwest::Url, headers: &HeaderMap) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let ask = |text: &str| {
        let asked = client.post(url.clone()).headers(headers.clone()).header(CONTENT_TYPE, "application/json");
        let asked = asked.timeout(PATIENCE / 2).body(question(text));
        runtime.block_on(async {
            let body = asked.send().await.ok()?.error_for_status().ok()?.text().await.ok()?;
            listed(&serde_json::from_str(&body).ok()?)
        })
    };
    while let Ok((text, sender)) = jobs.recv() {
        // llama-server closes a connection after a hundred questions, and the one that comes just then is lost with it.
        let count = ask(&text).or_else(|| ask(&text));
        // Whoever asked may have lost patience.
        let _ = sender.send(count);
    }
}
