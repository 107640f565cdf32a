//! The one thread that owns the model's context. It takes one request after another, evaluates what is new in it, and writes the reply.

use crate::cache::{Cache, Lane, MICRO_BATCH};
use crate::draw::Draw;
use crate::grammar::grammar_of;
use crate::reading::Reading;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use recto_core::reply::{Finish, Reply, Usage};
use recto_core::request::{Purpose, Sampling};
use recto_engine::ports::{Delta, ModelError, ModelErrorKind, Stop};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tokio::sync::mpsc::UnboundedSender;

/// A request on its way to the worker.
pub(crate) struct Job {
    pub(crate) tokens: Vec<LlamaToken>,
    /// Tokens of the system message, at the beginning.
    pub(crate) n_system: usize,
    pub(crate) purpose: Purpose,
    pub(crate) sampling: Sampling,
    pub(crate) step: Option<Value>,
    /// What was read of the reply before its first token.
    pub(crate) reading: Reading,
    pub(crate) stop: Stop,
    pub(crate) sent_at: Instant,
    pub(crate) news: UnboundedSender<News>,
}

/// What the worker says about a request.
pub(crate) enum News {
    /// Something arrived.
    Delta(Delta),
    /// It is over, with the tokens of the text that was written; nothing follows.
    Ended(Result<(Reply, Vec<LlamaToken>), ModelError>),
}

/// Works until nobody can send any more, or `is_closing`.
pub(crate) fn work(
    jobs: &std::sync::mpsc::Receiver<Job>,
    model: &LlamaModel,
    mut cache: Cache<'_>,
    window: u32,
    is_closing: &Arc<AtomicBool>,
) {
    while let Ok(job) = jobs.recv() {
        if is_closing.load(Ordering::Relaxed) {
            return;
        }
        if job.stop.is_set() || job.news.is_closed() {
            // Nothing of it has begun, so nothing of what is there is given up for it.
            let reply = Reply { finish: Finish::Stopped, ..Reply::default() };
            let _ = job.news.send(News::Ended(Ok((reply, Vec::new()))));
            continue;
        }
        let news = job.news.clone();
        let ended = Run::new(&job, model, &mut cache, window, is_closing).and_then(Run::whole);
        // Whoever asked may be gone; then nobody is left to be told.
        let _ = news.send(News::Ended(ended));
    }
}

struct Run<'run, 'model> {
    job: &'run Job,
    model: &'run LlamaModel,
    cache: &'run mut Cache<'model>,
    is_closing: &'run AtomicBool,
    lane: Lane,
    n_reply: usize,
    draw: Draw,
    reading: Reading,
    usage: Usage,
    written: Vec<LlamaToken>,
}

impl<'run, 'model> Run<'run, 'model> {
    fn new(
        job: &'run Job,
        model: &'run LlamaModel,
        cache: &'run mut Cache<'model>,
        window: u32,
        is_closing: &'run AtomicBool,
    ) -> Result<Self, ModelError> {
        let n_tokens = job.tokens.len();
        let n_free = (window as usize).saturating_sub(n_tokens);
        if n_free == 0 || n_tokens == 0 {
            let sentence =
                format!("The request has {n_tokens} tokens and leaves no room for a reply in the window of {window}.");
            return Err(before_output(sentence, ModelErrorKind::TooLarge));
        }
        let grammar = job.step.as_ref().map(grammar_of).transpose();
        let draw = grammar.and_then(|grammar| Draw::new(model, job.sampling, grammar.as_deref()));
        let draw = draw.map_err(|sentence| before_output(sentence, ModelErrorKind::Rejected))?;
        Ok(Self {
            job,
            model,
            cache,
            is_closing,
            lane: Lane::of(job.purpose),
            n_reply: n_free.min(job.sampling.max_tokens as usize),
            draw,
            reading: job.reading.clone(),
            usage: Usage::default(),
            written: Vec::new(),
        })
    }

    fn whole(mut self) -> Result<(Reply, Vec<LlamaToken>), ModelError> {
        let is_read = self.read().map_err(|error| {
            let sentence = format!("The model could not read the request ({error}); a smaller window may help.");
            before_output(sentence, ModelErrorKind::Failed)
        })?;
        let written = if is_read { self.write() } else { Ok(Finish::Stopped) };
        let (news, reading) = (&self.job.news, &mut self.reading);
        reading.finish(&mut |delta| tell(news, delta));
        self.usage.total_ms = Some(self.ms());
        let mut reply = Reply {
            text: std::mem::take(&mut self.reading.text),
            reasoning: std::mem::take(&mut self.reading.reasoning),
            thoughts: Vec::new(),
            calls: std::mem::take(&mut self.reading.calls),
            finish: Finish::Unmarked,
            usage: self.usage,
        };
        tracing::debug!(usage = ?reply.usage, n_refused = self.draw.n_refused, "a reply ended");
        match written {
            Ok(Finish::Stop) if !reply.calls.is_empty() => reply.finish = Finish::ToolCalls,
            Ok(finish) => reply.finish = finish,
            Err(sentence) => return Err(ModelError::AfterOutput { sentence, partial: Box::new(reply) }),
        }
        Ok((reply, self.written))
    }

    /// Evaluates what is new in the request; false when it was stopped.
    fn read(&mut self) -> Result<bool, crate::cache::NotEvaluated> {
        let tokens = &self.job.tokens;
        let n_reused = self.cache.begin(self.lane, tokens, self.job.n_system, self.n_reply);
        self.usage.n_reused = Some(as_count(n_reused));
        let mut n_read = n_reused;
        loop {
            self.usage.n_read = Some(as_count(n_read));
            self.usage.n_evaluated = Some(as_count(n_read - n_reused));
            let (n_read_now, of, n_reused) = (as_count(n_read), as_count(tokens.len()), as_count(n_reused));
            self.tell(Delta::Reading { n_read: n_read_now, of, n_reused });
            if n_read == tokens.len() {
                return Ok(true);
            }
            if self.is_stopped() {
                return Ok(false);
            }
            let mut end = tokens.len().min(n_read + MICRO_BATCH);
            if n_read < self.job.n_system && self.job.n_system < end {
                // The system message is read to its end first, so that it can be kept by itself.
                end = self.job.n_system;
            }
            self.cache.evaluate(self.lane, &tokens[n_read..end], end == tokens.len())?;
            n_read = end;
            if n_read == self.job.n_system {
                self.cache.keep(self.lane);
            }
        }
    }

    fn write(&mut self) -> Result<Finish, String> {
        let mut n_written = 0;
        self.usage.n_written = Some(0);
        loop {
            if self.is_stopped() {
                return Ok(Finish::Stopped);
            }
            if n_written == self.n_reply {
                return Ok(Finish::Length);
            }
            let token = self.draw.next(self.cache.context()).map_err(|_| no_token())?;
            if n_written == 0 {
                self.usage.first_token_ms = Some(self.ms());
            }
            let vocab = self.model.vocab();
            if vocab.is_eog(token) {
                return Ok(Finish::Stop);
            }
            self.draw.accept(token).map_err(|_| no_token())?;
            self.written.push(token);
            n_written += 1;
            self.usage.n_written = Some(as_count(n_written));
            let bytes = vocab.token_to_piece(token, false, None);
            let (news, reading) = (&self.job.news, &mut self.reading);
            reading.push(&bytes, &mut |delta| tell(news, delta));
            if self.is_whole_step(&bytes) {
                return Ok(Finish::Stop);
            }
            let evaluated = self.cache.evaluate(self.lane, &[token], true);
            evaluated.map_err(|error| format!("The model could not go on ({error}); ask again to continue."))?;
        }
    }

    /// Whether a step under a grammar is complete, so that the token that only says so need not be drawn.
    fn is_whole_step(&mut self, bytes: &[u8]) -> bool {
        let may_be = self.job.step.is_some() && bytes.iter().any(|byte| b"}]\"".contains(byte));
        may_be && self.draw.may_end() && serde_json::from_str::<serde::de::IgnoredAny>(&self.reading.text).is_ok()
    }

    fn is_stopped(&self) -> bool {
        // A closed channel means that whoever asked has let go of the request.
        self.job.stop.is_set() || self.job.news.is_closed() || self.is_closing.load(Ordering::Relaxed)
    }

    fn tell(&self, delta: Delta) {
        tell(&self.job.news, delta);
    }

    fn ms(&self) -> u64 {
        u64::try_from(self.job.sent_at.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

fn tell(news: &UnboundedSender<News>, delta: Delta) {
    // Whoever asked may be gone; the next look at `is_stopped` ends the work.
    let _ = news.send(News::Delta(delta));
}

fn before_output(sentence: String, kind: ModelErrorKind) -> ModelError {
    ModelError::BeforeOutput { sentence, kind }
}

fn no_token() -> String {
    "The model has no token left that the form of the step allows; ask again.".to_owned()
}

fn as_count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
