//! Sends the bytes and reads the reply, trying again only while nothing of a reply has arrived.

use super::ServerClient;
use crate::reading::ReplyReader;
use crate::retry;
use crate::trouble::{Arrived, Trouble};
use recto_core::id::CallId;
use recto_core::reply::{Finish, Reply, Usage};
use recto_core::request::{ModelRequest, Part};
use recto_engine::ports::{Delta, ModelError, Stop};
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use std::time::{Duration, Instant};

/// The most of an error's body that is read, in bytes.
const ERROR_LIMIT: usize = 64 * 1024;

/// How many times the limit for silence is waited while nothing but signs of life arrives.
const SILENCES_WITHOUT_PROGRESS: u32 = 3;

/// A try that gave no reply, and what had arrived.
struct Failure {
    trouble: Trouble,
    partial: Reply,
    /// What the server asked to wait.
    wait: Option<Duration>,
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        Self { trouble, partial: Reply::default(), wait: None }
    }
}

impl ServerClient {
    pub(super) async fn send_bytes(
        &self,
        request: &ModelRequest,
        body: String,
        deltas: &mut (dyn FnMut(Delta) + Send),
        mut stop: Stop,
    ) -> Result<Reply, ModelError> {
        let server = self.settings.address.label();
        let mut attempt = 1;
        loop {
            let failure = match self.attempt(request, body.clone(), deltas, &mut stop).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => *failure,
            };
            let Some(reason) = failure.trouble.passing.clone().filter(|_| attempt < retry::TRIES) else {
                tracing::warn!(server, attempt, sentence = failure.trouble.sentence, "a model gave no whole reply");
                return Err(failure.trouble.with(failure.partial));
            };
            attempt += 1;
            let wait = failure.wait.unwrap_or_else(|| retry::backoff(self.settings.timing.first_pause, attempt));
            if wait > retry::LONGEST_WAIT {
                return Err(Trouble::long_wait(&server, wait).with(failure.partial));
            }
            let reason = format!("{reason}; waiting {:.1} s", wait.as_secs_f32());
            deltas(Delta::Retry { attempt, of: retry::TRIES, reason });
            tokio::select! {
                () = stop.wait() => return Ok(stopped(Reply::default())),
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// One try. Leaving this function at any point drops the connection.
    async fn attempt(
        &self,
        request: &ModelRequest,
        body: String,
        deltas: &mut (dyn FnMut(Delta) + Send),
        stop: &mut Stop,
    ) -> Result<Reply, Box<Failure>> {
        let settings = &self.settings;
        let server = settings.address.label();
        let started = Instant::now();
        let post = self
            .http
            .post(settings.dialect.chat(&settings.address))
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, settings.dialect.accepts())
            .headers(self.headers.clone())
            .body(body);
        let answer = tokio::select! {
            biased;
            () = stop.wait() => return Ok(stopped(Reply::default())),
            answer = tokio::time::timeout(settings.timing.idle, post.send()) => answer,
        };
        let response = match answer {
            Err(_) => return Err(Trouble::silence(&server, settings.timing.idle).into()),
            Ok(Err(error)) => return Err(Trouble::no_answer(&server, &error.without_url()).into()),
            Ok(Ok(response)) => response,
        };
        if !response.status().is_success() {
            return tokio::select! {
                () = stop.wait() => Ok(stopped(Reply::default())),
                failure = self.refusal(response) => Err(failure),
            };
        }
        // What is recorded is what was sent, so no compression was asked for; a proxy may compress all the same.
        let encoding = response.headers().get(CONTENT_ENCODING).and_then(|encoding| encoding.to_str().ok());
        if let Some(encoding) = encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            return Err(Trouble::compressed(&server, encoding).into());
        }
        self.read(request, response, started, deltas, stop).await
    }

    async fn read(
        &self,
        request: &ModelRequest,
        mut response: reqwest::Response,
        started: Instant,
        deltas: &mut (dyn FnMut(Delta) + Send),
        stop: &mut Stop,
    ) -> Result<Reply, Box<Failure>> {
        let (timing, server) = (self.settings.timing, self.settings.address.label());
        let mut reader = ReplyReader::new(self.settings.dialect, calls_in(request));
        let mut first_token_ms = None;
        let mut has_begun = false;
        let mut tell = |delta: Delta| {
            if !matches!(delta, Delta::Raw(_)) {
                first_token_ms.get_or_insert_with(|| milliseconds(started));
            }
            deltas(delta);
        };
        // A comment shows that the server lives and not that it gets anywhere: it is waited for longer, but not for ever.
        let mut progress = (0, Instant::now());
        let ending: Result<Finish, Trouble> = loop {
            if reader.n_progress() > progress.0 {
                progress = (reader.n_progress(), Instant::now());
            }
            let limit = if reader.has_finish() { timing.after_finish } else { timing.idle };
            let patience = limit.saturating_mul(SILENCES_WITHOUT_PROGRESS);
            let left = patience.saturating_sub(progress.1.elapsed());
            if left.is_zero() {
                if reader.has_finish() {
                    break Ok(Finish::Unmarked);
                }
                break Err(Trouble::no_progress(&server, patience));
            }
            let next = tokio::select! {
                biased;
                () = stop.wait() => break Ok(Finish::Stopped),
                next = tokio::time::timeout(limit.min(left), response.chunk()) => next,
            };
            match next {
                Ok(Ok(Some(bytes))) => {
                    has_begun |= !bytes.is_empty();
                    tell(Delta::Raw(bytes.to_vec()));
                    reader.push(&bytes, &mut tell);
                    if reader.is_over() {
                        break Ok(Finish::Unmarked);
                    }
                }
                Ok(Ok(None)) => break Ok(Finish::Unmarked),
                // The model said that it is done: that the connection ends badly afterwards changes nothing.
                Err(_) | Ok(Err(_)) if reader.has_finish() => break Ok(Finish::Unmarked),
                // What is left of the patience is up, which the next round says.
                Err(_) if left < limit => {}
                Err(_) => break Err(Trouble::silence(&server, timing.idle)),
                Ok(Err(_)) => {
                    let so_far = reader.so_far(Finish::Unmarked);
                    let arrived = if !has_begun {
                        Arrived::NoByte
                    } else if reader.is_in_call() {
                        Arrived::CallBegun
                    } else if so_far.text.is_empty() && so_far.reasoning.is_empty() {
                        Arrived::NoOutput
                    } else {
                        Arrived::Output
                    };
                    break Err(Trouble::broken_off(&server, arrived));
                }
            }
        };
        // Nothing more is wanted from the server, whatever is still to be done here.
        drop(response);
        let with_times = |mut reply: Reply, first_token_ms| {
            reply.usage = Usage { first_token_ms, total_ms: Some(milliseconds(started)), ..reply.usage };
            reply
        };
        match ending {
            Ok(Finish::Stopped) => {
                let partial = reader.so_far(Finish::Stopped);
                Ok(with_times(partial, first_token_ms))
            }
            Ok(_) => {
                reader.end(&mut tell);
                let broken = match reader.result() {
                    Ok(reply) => return Ok(with_times(reply, first_token_ms)),
                    Err(broken) => *broken,
                };
                let trouble = Trouble::body(&server, broken.fault, self.settings.key.as_ref());
                let partial = with_times(broken.partial, first_token_ms);
                Err(Box::new(Failure { trouble, partial, wait: None }))
            }
            Err(trouble) => {
                let partial = reader.so_far(Finish::Unmarked);
                Err(Box::new(Failure { trouble, partial: with_times(partial, first_token_ms), wait: None }))
            }
        }
    }

    /// Reads the body of an answer that is no success, as far as it is worth it.
    async fn refusal(&self, mut response: reqwest::Response) -> Box<Failure> {
        let settings = &self.settings;
        let server = settings.address.label();
        let status = response.status().as_u16();
        if response.status().is_redirection() {
            let target = response.headers().get(LOCATION).and_then(|target| target.to_str().ok()).unwrap_or_default();
            return Trouble::redirect(&server, target).into();
        }
        let wait = retry::asked_wait(response.headers(), jiff::Timestamp::now());
        let mut body = Vec::new();
        // What a refusal says is welcome but not needed, so whatever goes wrong while it is read ends it.
        while let Ok(Ok(Some(bytes))) = tokio::time::timeout(settings.timing.connect, response.chunk()).await {
            body.extend_from_slice(&bytes);
            if body.len() > ERROR_LIMIT {
                break;
            }
        }
        let body = String::from_utf8_lossy(&body);
        let trouble = Trouble::status(&server, &settings.model, status, &body, settings.key.as_ref());
        let wait =
            wait.or_else(|| body.contains("Loading model").then(|| settings.timing.first_pause.saturating_mul(20)));
        Box::new(Failure { trouble, partial: Reply::default(), wait })
    }
}

impl From<Trouble> for Box<Failure> {
    fn from(trouble: Trouble) -> Self {
        Box::new(trouble.into())
    }
}

fn stopped(reply: Reply) -> Reply {
    Reply { finish: Finish::Stopped, ..reply }
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// The calls that the request holds already: a new one must not have the name of an earlier one.
fn calls_in(request: &ModelRequest) -> Vec<CallId> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match part {
            Part::Call { id, .. } => Some(id.clone()),
            Part::Text { .. } | Part::Thought { .. } => None,
        })
        .collect()
}
