//! Tokens of a prompt, by its pieces.
//!
//! Special tokens are recognised in what the template writes and nowhere else: a file that contains `<|im_start|>` stays text. Each piece is
//! tokenized by itself, so the border of a block is always a border of tokens, and the counts of the pieces are exact and add up to the request.
//!
//! A grammar makes a model write tokens that tokenizing the same text would not give. So the tokens of the latest replies are remembered by their
//! text: when such a reply goes back in the next request, its tokens are the ones that stand in the cache already.

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use recto_core::context::block::Role;
use recto_core::request::{ModelRequest, Part, Token, Wire, WirePiece};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Replies that are remembered: more than a turn has steps.
const MOST_REPLIES: usize = 64;

#[derive(Debug)]
pub(crate) struct Vocabulary {
    model: Arc<LlamaModel>,
    /// Whether the vocabulary writes a space before each text, which it must not do in the middle of a prompt.
    adds_space: bool,
    /// The latest replies and their tokens, the newest first.
    replies: Mutex<VecDeque<(String, Vec<LlamaToken>)>>,
}

impl Vocabulary {
    pub(crate) fn new(model: Arc<LlamaModel>) -> Self {
        let metadata = |key| model.meta_val_str(key).ok();
        let adds_space = metadata("tokenizer.ggml.model").as_deref() == Some("llama")
            && metadata("tokenizer.ggml.add_space_prefix").as_deref() != Some("false");
        Self { model, adds_space, replies: Mutex::default() }
    }

    /// Remembers what `text`, a whole reply, was written as.
    pub(crate) fn remember(&self, text: &str, tokens: Vec<LlamaToken>) {
        let vocab = self.model.vocab();
        if tokens.iter().any(|token| vocab.is_control(*token)) {
            // Such a token shows as nothing in the text, so the text alone does not stand for it.
            return;
        }
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        replies.retain(|(known, _)| known != text);
        replies.push_front((text.to_owned(), tokens));
        replies.truncate(MOST_REPLIES);
    }

    /// Tokens of a text in which nothing is special.
    pub(crate) fn count(&self, text: &str) -> u32 {
        as_count(self.tokens_of(text, false).len())
    }

    /// Tokens of each piece.
    pub(crate) fn measure(&self, wire: &Wire) -> Vec<u32> {
        wire.pieces.iter().map(|piece| as_count(self.piece(piece).len())).collect()
    }

    /// Tokens of the whole prompt.
    pub(crate) fn tokens(&self, wire: &Wire) -> Vec<LlamaToken> {
        wire.pieces.iter().flat_map(|piece| self.piece(piece)).collect()
    }

    /// Tokens of the whole prompt with the bytes that each stands for; `None` where the vocabulary writes other bytes than those it was
    /// given, so that nobody could say which stretch a token is.
    pub(crate) fn placed(&self, wire: &Wire) -> Option<Vec<Token>> {
        let vocab = self.model.vocab();
        let mut placed = Vec::new();
        for piece in &wire.pieces {
            let bytes = piece.bytes();
            let mut rest = bytes.as_bytes();
            for token in self.piece(piece) {
                let written = vocab.token_to_piece(token, true, None);
                rest = rest.strip_prefix(written.as_slice())?;
                placed.push(Token { id: token.0.unsigned_abs(), n_bytes: as_count(written.len()) });
            }
            if !rest.is_empty() {
                return None;
            }
        }
        Some(placed)
    }

    /// Tokens from the beginning to the end of the system message's text; 0 without one.
    pub(crate) fn n_system(&self, request: &ModelRequest, wire: &Wire) -> usize {
        let system = request.messages.first().filter(|message| message.role == Role::System);
        let is_of_system = |piece: &WirePiece| {
            let mut parts = system.iter().flat_map(|message| &message.parts);
            parts.any(|part| matches!(part, Part::Text { block, .. } if Some(*block) == piece.block))
        };
        let n_pieces = wire.pieces.iter().rposition(is_of_system).map_or(0, |last| last + 1);
        wire.pieces[..n_pieces].iter().map(|piece| self.piece(piece).len()).sum()
    }

    /// Whether a text would steer the model if it stood in the template: whether it holds the mark of a control token.
    pub(crate) fn has_control(&self, text: &str) -> bool {
        let vocab = self.model.vocab();
        vocab.tokenize(text.as_bytes(), false, true).iter().any(|token| vocab.is_control(*token))
    }

    fn piece(&self, piece: &WirePiece) -> Vec<LlamaToken> {
        self.tokens_of(&piece.bytes(), piece.block.is_none())
    }

    fn tokens_of(&self, text: &str, has_special: bool) -> Vec<LlamaToken> {
        if !has_special {
            let replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, tokens)) = replies.iter().find(|(known, _)| known == text) {
                return tokens.clone();
            }
        }
        let vocab = self.model.vocab();
        if !self.adds_space {
            return vocab.tokenize(text.as_bytes(), false, has_special);
        }
        // A line break never joins with what follows it, so the space goes before the break and is cut off with it.
        let lead = vocab.tokenize(b"\n", false, false);
        let with_lead = vocab.tokenize(format!("\n{text}").as_bytes(), false, has_special);
        match with_lead.strip_prefix(lead.as_slice()) {
            Some(tokens) => tokens.to_vec(),
            None => vocab.tokenize(text.as_bytes(), false, has_special),
        }
    }
}

fn as_count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
