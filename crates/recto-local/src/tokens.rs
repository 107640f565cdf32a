//! Tokens of a prompt, by its pieces.
//!
//! Special tokens are recognised in what the template writes and nowhere else: a file that contains `<|im_start|>` stays text. Each piece is
//! tokenized by itself, so the border of a block is always a border of tokens, and the counts of the pieces are exact and add up to the request.

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use recto_core::request::{Wire, WirePiece};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Vocabulary {
    model: Arc<LlamaModel>,
    /// Whether the vocabulary writes a space before each text, which it must not do in the middle of a prompt.
    adds_space: bool,
}

impl Vocabulary {
    pub(crate) fn new(model: Arc<LlamaModel>) -> Self {
        let metadata = |key| model.meta_val_str(key).ok();
        let adds_space = metadata("tokenizer.ggml.model").as_deref() == Some("llama")
            && metadata("tokenizer.ggml.add_space_prefix").as_deref() != Some("false");
        Self { model, adds_space }
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

    fn piece(&self, piece: &WirePiece) -> Vec<LlamaToken> {
        self.tokens_of(&piece.bytes(), piece.block.is_none())
    }

    fn tokens_of(&self, text: &str, has_special: bool) -> Vec<LlamaToken> {
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
