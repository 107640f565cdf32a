//! The embedded model as the engine sees it.

use crate::cache::{Cache, MICRO_BATCH};
use crate::kept::Kept;
use crate::load::{
    LoadError, LoadOptions, check_memory, default_threads, header_of, template_error, template_source, window_and_cells,
};
use crate::prompt;
use crate::reading::{Marks, Reading};
use crate::template::ChatTemplate;
use crate::tokens::Vocabulary;
use crate::worker::{Job, News, work};
use async_trait::async_trait;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::{LogOptions, send_logs_to_tracing};
use recto_core::id::ConversationId;
use recto_core::reply::{Finish, Reply, Usage};
use recto_core::request::{AnswerTools, Exactness, ModelProfile, ModelRequest, Protocol, Token, Wire};
use recto_engine::ports::{Delta, ModelClient, ModelError, ModelErrorKind, Stop};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Instant;

/// A model that runs inside the program.
///
/// One thread of its own computes; tokens are counted on the thread that asks. Requests wait for each other in the order in which they came.
/// Dropping it stops the request that runs, which takes as long as one micro-batch, and frees the memory.
#[derive(Debug)]
pub struct LocalModel {
    profile: ModelProfile,
    template: ChatTemplate,
    vocabulary: Vocabulary,
    /// What the vocabulary wants before every prompt.
    begin: Option<String>,
    jobs: Option<Sender<Job>>,
    is_closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread needs to begin.
struct Start {
    path: PathBuf,
    name: String,
    window: u32,
    n_cells: u32,
    threads: u32,
    kept: Option<Kept>,
    progress: Box<dyn FnMut(f32) + Send>,
    stop: Stop,
}

impl LocalModel {
    /// Loads the GGUF file at `path`. `progress` is told from 0 to 1 how much is loaded, on another thread. Blocks until the model is ready.
    ///
    /// # Errors
    /// The model cannot be used, or `stop` turned true; the error is one sentence for the user.
    pub fn load(
        path: &Path,
        options: &LoadOptions,
        progress: impl FnMut(f32) + Send + 'static,
        stop: &Stop,
    ) -> Result<Self, LoadError> {
        let header = header_of(path)?;
        let name = options.name.clone().unwrap_or_else(|| name_of(path));
        let source = template_source(&header, &name)?;
        let (window, n_cells) = window_and_cells(options, &header);
        check_memory(&header, &name, window, n_cells)?;
        let start = Start {
            path: path.to_owned(),
            name: name.clone(),
            window,
            n_cells,
            threads: options.threads.unwrap_or_else(default_threads),
            kept: options.kept_in.as_deref().and_then(|folder| Kept::new(folder, path)),
            progress: Box::new(progress),
            stop: stop.clone(),
        };
        let (jobs, to_do) = channel();
        let (ready, is_ready) = channel();
        let is_closing = Arc::new(AtomicBool::new(false));
        let closing = Arc::clone(&is_closing);
        let failed = |reason: String| LoadError::Failed { name: name.clone(), reason };
        let thread = std::thread::Builder::new()
            .name("recto-model".to_owned())
            .stack_size(16 << 20)
            .spawn(move || run(start, &ready, &to_do, &closing))
            .map_err(|error| failed(error.to_string()))?;
        let model = is_ready.recv().map_err(|_| failed("its thread ended".to_owned()))??;
        let (template, begin) = template_of(&model, source).map_err(|error| template_error(&name, &error))?;
        if options.protocol == Protocol::Native && !template.describes_tools {
            let reason = "its chat template does not describe tools, so it works with the structured protocol only";
            return Err(LoadError::Template { name, reason: reason.to_owned() });
        }
        let profile = ModelProfile {
            name,
            window,
            protocol: options.protocol,
            takes_trailing_system: template.takes_trailing_system,
            answer_tools: match options.protocol {
                Protocol::Native => AnswerTools::Keep,
                Protocol::Structured => AnswerTools::Omit,
            },
            exactness: Exactness::Exact,
        };
        let vocabulary = Vocabulary::new(model);
        Ok(Self { profile, template, vocabulary, begin, jobs: Some(jobs), is_closing, thread: Some(thread) })
    }
}

impl LocalModel {
    /// Whether its thread still takes requests; one that has ended gives no further reply.
    #[must_use]
    pub fn is_working(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }
}

impl Drop for LocalModel {
    fn drop(&mut self) {
        self.is_closing.store(true, Ordering::Relaxed);
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to wait for.
            let _ = thread.join();
        }
    }
}

#[async_trait]
impl ModelClient for LocalModel {
    fn profile(&self) -> ModelProfile {
        self.profile.clone()
    }

    fn count(&self, text: &str) -> u32 {
        self.vocabulary.count(text)
    }

    fn encode(&self, request: &ModelRequest) -> Result<Wire, ModelError> {
        let has_control = |text: &str| self.vocabulary.has_control(text);
        let wire = prompt::encode(&self.template, self.begin.as_deref(), request, &has_control);
        wire.map_err(|reason| ModelError::BeforeOutput {
            sentence: format!("{} cannot express this request: {reason}.", self.profile.name),
            kind: ModelErrorKind::Rejected,
        })
    }

    fn measure(&self, wire: &Wire) -> Vec<u32> {
        self.vocabulary.measure(wire)
    }

    fn tokens(&self, wire: &Wire) -> Option<Vec<Token>> {
        self.vocabulary.placed(wire)
    }

    async fn send(
        &self,
        _conversation: &ConversationId,
        request: &ModelRequest,
        wire: &Wire,
        deltas: &mut (dyn FnMut(Delta) + Send),
        mut stop: Stop,
    ) -> Result<Reply, ModelError> {
        let sent_at = Instant::now();
        let marks = match (&request.step, request.tools.is_empty()) {
            (Some(_), _) => Marks::None,
            (None, true) => Marks::Reasoning,
            (None, false) => Marks::Calls,
        };
        let (news, mut arriving) = tokio::sync::mpsc::unbounded_channel();
        let job = Job {
            tokens: self.vocabulary.tokens(wire),
            n_system: self.vocabulary.n_system(request, wire),
            purpose: request.purpose,
            sampling: request.sampling,
            step: request.step.clone(),
            reading: Reading::begun_by(marks, wire),
            stop: stop.clone(),
            sent_at,
            news,
        };
        // A worker that is gone drops the job, and with it the channel.
        let is_sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        let mut is_writing = false;
        let mut usage = Usage::default();
        loop {
            let arrived = tokio::select! {
                biased;
                arrived = arriving.recv() => arrived,
                // While it waits behind another request nobody looks at its stop, and while it reads that may take a second or two, so it
                // leaves by itself; the worker notices that nobody listens any more.
                () = stop.wait(), if !is_writing => {
                    return Ok(Reply { finish: Finish::Stopped, usage, ..Reply::default() });
                }
            };
            let Some(arrived) = arrived else { break };
            match arrived {
                News::Delta(Delta::Reading { n_read, of, n_reused }) => {
                    let n_evaluated = Some(n_read.saturating_sub(n_reused));
                    usage = Usage { n_read: Some(n_read), n_reused: Some(n_reused), n_evaluated, ..usage };
                    deltas(Delta::Reading { n_read, of, n_reused });
                }
                News::Delta(delta) => {
                    is_writing = true;
                    deltas(delta);
                }
                News::Ended(Err(error)) => return Err(error),
                News::Ended(Ok((reply, tokens))) => {
                    // With calls or reasoning cut out of it, the text is not what was written.
                    if reply.calls.is_empty() && reply.reasoning.is_empty() && !reply.text.is_empty() {
                        self.vocabulary.remember(&reply.text, tokens);
                    }
                    return Ok(reply);
                }
            }
        }
        tracing::warn!(is_sent, "the model's thread ended");
        let sentence = format!("{} has stopped working; load it again.", self.profile.name);
        Err(ModelError::BeforeOutput { sentence, kind: ModelErrorKind::Failed })
    }
}

/// The thread: loads, says that it is ready, works.
fn run(
    mut start: Start,
    ready: &Sender<Result<Arc<LlamaModel>, LoadError>>,
    jobs: &Receiver<Job>,
    is_closing: &Arc<AtomicBool>,
) {
    let failed = |reason: &str| LoadError::Failed { name: start.name.clone(), reason: reason.to_owned() };
    let Some(backend) = backend() else {
        // Whoever loads waits for exactly this; if it is gone, so is the need to say it.
        let _ = ready.send(Err(failed("the library is in use by another part of the program")));
        return;
    };
    let mut progress = std::mem::replace(&mut start.progress, Box::new(|_| {}));
    let stop = start.stop.clone();
    let parameters = LlamaModelParams::default().with_progress_callback(move |part| {
        progress(part);
        !stop.is_set()
    });
    let model = match LlamaModel::load_from_file(backend, &start.path, &parameters) {
        Ok(model) => Arc::new(model),
        Err(_) if start.stop.is_set() => {
            let _ = ready.send(Err(LoadError::Stopped));
            return;
        }
        Err(error) => {
            tracing::warn!(%error, "the library does not load the model");
            let path = start.path.display().to_string();
            let reason = "the library does not know its kind, or it is damaged".to_owned();
            let _ = ready.send(Err(LoadError::Unsupported { path, reason }));
            return;
        }
    };
    let threads = i32::try_from(start.threads).unwrap_or(1);
    let n_batch = u32::try_from(MICRO_BATCH).unwrap_or(64);
    let parameters = LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(start.n_cells))
        .with_n_batch(n_batch)
        .with_n_ubatch(n_batch)
        .with_n_seq_max(2)
        .with_kv_unified(true)
        .with_n_threads(threads)
        .with_n_threads_batch(threads);
    let can_be_cut = !model.is_recurrent() && !model.is_hybrid();
    match model.new_context(backend, parameters) {
        Ok(context) => {
            if ready.send(Ok(Arc::clone(&model))).is_ok() {
                work(jobs, &model, Cache::new(context, can_be_cut, start.kept), start.window, is_closing);
            }
        }
        Err(_) => {
            let _ = ready.send(Err(failed("there is no memory for its window")));
        }
    }
}

/// The library's global state, set up once in the life of the program; its log goes to tracing.
fn backend() -> Option<&'static LlamaBackend> {
    static BACKEND: OnceLock<Option<LlamaBackend>> = OnceLock::new();
    let backend = BACKEND.get_or_init(|| {
        send_logs_to_tracing(LogOptions::default());
        LlamaBackend::init().ok()
    });
    backend.as_ref()
}

fn template_of(
    model: &LlamaModel,
    source: &str,
) -> Result<(ChatTemplate, Option<String>), crate::template::TemplateError> {
    let vocab = model.vocab();
    let text = |token| vocab.text(token).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    // A vocabulary without such a token says -1, which must not be looked up.
    let named = |token: llama_cpp_2::token::LlamaToken| if token.0 < 0 { String::new() } else { text(token) };
    let (begin, end) = (named(vocab.bos()), named(vocab.eos()));
    let template = ChatTemplate::new(source, &begin, &end)?;
    Ok((template, Some(begin).filter(|begin| vocab.should_add_bos() && !begin.is_empty())))
}

fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests;
