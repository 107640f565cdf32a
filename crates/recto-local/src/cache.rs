//! The cache of what the model has read: two sequences in one context, one for the steps of work and one for answers, so that neither drives out
//! the other. Both draw on the same cells; a copied prefix costs no memory and no time.

use crate::kept::Kept;
use crate::prefix::{Reuse, common};
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::token::LlamaToken;
use recto_core::request::Purpose;

/// Tokens that are read in one go. Stop is looked at between two goes: whoever asked is let go at once, and the next request waits for the rest of
/// this one, so a go should take a second or two on a slow machine, which reads some 70 tokens a second. Measured there (`xtask bench model`,
/// 1.5B): 64 in one go read at 91 % of the speed of 512, 128 at 98 %, 256 at 97 %.
pub(crate) const MICRO_BATCH: usize = 128;

/// The library could not evaluate tokens; the sentence says why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotEvaluated(String);

/// Which of the two sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Work,
    Answer,
}

impl Lane {
    pub(crate) fn of(purpose: Purpose) -> Self {
        match purpose {
            Purpose::Work => Self::Work,
            Purpose::Answer | Purpose::Summary => Self::Answer,
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Work => Self::Answer,
            Self::Answer => Self::Work,
        }
    }

    fn sequence(self) -> i32 {
        match self {
            Self::Work => 0,
            Self::Answer => 1,
        }
    }

    fn index(self) -> usize {
        match self {
            Self::Work => 0,
            Self::Answer => 1,
        }
    }
}

pub(crate) struct Cache<'model> {
    context: LlamaContext<'model>,
    batch: LlamaBatch<'static>,
    /// The tokens of each sequence, by position.
    held: [Vec<LlamaToken>; 2],
    /// Tokens at the beginning that both sequences hold in the same cells.
    n_shared: usize,
    n_cells: usize,
    /// Whether a sequence can be cut at any place and a part of it copied. A recurrent model keeps one running state and cannot.
    can_be_cut: bool,
    /// Where what was read of a system message is kept; `None` where it is not.
    kept: Option<Kept>,
}

impl<'model> Cache<'model> {
    pub(crate) fn new(context: LlamaContext<'model>, can_be_cut: bool, kept: Option<Kept>) -> Self {
        let n_cells = context.n_ctx() as usize;
        let batch = LlamaBatch::new(MICRO_BATCH, 1);
        Self { context, batch, held: [Vec::new(), Vec::new()], n_shared: 0, n_cells, can_be_cut, kept }
    }

    /// What was evaluated last, to draw from.
    pub(crate) fn context(&self) -> &LlamaContext<'model> {
        &self.context
    }

    /// Prepares `lane` for a request that begins with `n_system` tokens of a system message, and for a reply of at most `n_reply` tokens; returns
    /// how many tokens of the request stand in it already.
    pub(crate) fn begin(&mut self, lane: Lane, tokens: &[LlamaToken], n_system: usize, n_reply: usize) -> usize {
        self.fetch(lane, &tokens[..n_system]);
        let (own, other) = (&self.held[lane.index()], &self.held[lane.other().index()]);
        let reuse = if self.can_be_cut {
            Reuse::plan(own, other, tokens)
        } else if own.len() < tokens.len() && tokens.starts_with(own) {
            Reuse::Own(own.len())
        } else {
            Reuse::Own(0)
        };
        match reuse {
            Reuse::Own(n) => self.cut(lane, n),
            Reuse::Copied(n) => self.copy(lane, &tokens[..n]),
        }
        let n_kept = self.held[lane.index()].len();
        let n_used = self.held[0].len() + self.held[1].len() - self.n_shared;
        if n_used + tokens.len() - n_kept + n_reply > self.n_cells {
            // What both share stays, because it belongs to this sequence too.
            self.cut(lane.other(), 0);
        }
        debug_assert!(n_kept == 0 || n_kept == reuse.n_tokens());
        n_kept
    }

    /// Evaluates the next tokens of `lane`, at most [`MICRO_BATCH`]. With `draws`, the next token can be drawn afterwards.
    pub(crate) fn evaluate(&mut self, lane: Lane, tokens: &[LlamaToken], draws: bool) -> Result<(), NotEvaluated> {
        self.batch.clear();
        let start = self.held[lane.index()].len();
        for (index, token) in tokens.iter().enumerate() {
            let position = i32::try_from(start + index).map_err(|error| NotEvaluated(error.to_string()))?;
            let is_drawn_from = draws && index + 1 == tokens.len();
            self.batch
                .add(*token, position, &[lane.sequence()], is_drawn_from)
                .map_err(|error| NotEvaluated(error.to_string()))?;
        }
        match self.context.decode(&mut self.batch) {
            Ok(()) => {
                self.held[lane.index()].extend_from_slice(tokens);
                Ok(())
            }
            Err(error) => {
                // What the library holds now is not known.
                self.forget();
                Err(NotEvaluated(error.to_string()))
            }
        }
    }

    /// Keeps what `lane` holds, which is a system message, for the next start.
    pub(crate) fn keep(&mut self, lane: Lane) {
        let held = &self.held[lane.index()];
        let Some(kept) = self.kept.as_ref() else { return };
        let save = |path: &std::path::Path| {
            let saved = self.context.state_seq_save_file(path, lane.sequence(), held);
            saved.map(|_| ()).map_err(std::io::Error::other)
        };
        if let Err(error) = kept.keep(held, save) {
            tracing::debug!(%error, "what was read of the system message is not kept");
        }
    }

    /// Brings a system message that was read in an earlier start into `lane`, where neither sequence holds it.
    fn fetch(&mut self, lane: Lane, system: &[LlamaToken]) {
        if system.is_empty() || self.held.iter().any(|held| common(held, system) == system.len()) {
            return;
        }
        let Some(path) = self.kept.as_ref().and_then(|kept| kept.find(system)) else { return };
        self.cut(lane, 0);
        let fetched = self.context.state_seq_load_file(&path, lane.sequence(), system.len());
        let is_whole = fetched.is_ok_and(|(tokens, _)| tokens == system);
        self.held[lane.index()] = system.to_vec();
        self.check(lane, is_whole);
    }

    /// Empties both sequences.
    pub(crate) fn forget(&mut self) {
        self.context.clear_kv_cache();
        self.held.iter_mut().for_each(Vec::clear);
        self.n_shared = 0;
    }

    fn cut(&mut self, lane: Lane, n: usize) {
        if n < self.held[lane.index()].len() {
            let from = u32::try_from(n).unwrap_or_default();
            let is_cut = self.context.kv_cache_seq_rm(lane.sequence(), Some(from), None).is_ok();
            self.held[lane.index()].truncate(n);
            self.n_shared = self.n_shared.min(n);
            self.check(lane, is_cut);
        }
    }

    fn copy(&mut self, lane: Lane, tokens: &[LlamaToken]) {
        self.cut(lane, 0);
        let end = u32::try_from(tokens.len()).unwrap_or_default();
        let (from, to) = (lane.other().sequence(), lane.sequence());
        let is_copied = self.context.kv_cache_seq_cp(from, to, Some(0), Some(end)).is_ok();
        self.held[lane.index()] = tokens.to_vec();
        self.n_shared = tokens.len();
        self.check(lane, is_copied);
    }

    /// The library is the truth about what a sequence holds; where it disagrees, the sequence is emptied, which is always right.
    fn check(&mut self, lane: Lane, is_done: bool) {
        let expected = i32::try_from(self.held[lane.index()].len()).unwrap_or(i32::MAX) - 1;
        if !is_done || self.context.kv_cache_seq_pos_max(lane.sequence()) != expected {
            tracing::debug!(?lane, expected, "a sequence of the cache is read anew");
            if self.context.kv_cache_seq_rm(lane.sequence(), None, None).is_err() {
                self.forget();
            }
            self.held[lane.index()].clear();
            self.n_shared = 0;
        }
    }
}
