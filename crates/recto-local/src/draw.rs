//! Draws the next token. Under a grammar the token is drawn freely first and then checked, because checking one token is quick and checking
//! a whole vocabulary is not; only a refused token is drawn again among those that the grammar allows.

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;
use recto_core::request::Sampling;

/// How many of the likeliest tokens are tried against the grammar before the whole vocabulary is.
const FIRST_TRIED: usize = 512;

/// The sampler of one reply.
pub(crate) struct Draw {
    chain: LlamaSampler,
    grammar: Option<LlamaSampler>,
    candidates: LlamaTokenDataArray,
    end: LlamaToken,
    /// Tokens that the grammar refused at first.
    pub(crate) n_refused: u32,
}

/// No token may follow: the grammar allows none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoToken;

impl Draw {
    /// # Errors
    /// The grammar is refused by the library; the sentence says so.
    pub(crate) fn new(model: &LlamaModel, sampling: Sampling, grammar: Option<&str>) -> Result<Self, String> {
        let grammar = grammar
            .map(|text| LlamaSampler::grammar(model, text, "root"))
            .transpose()
            .map_err(|error| format!("the grammar of the step was refused: {error}"))?;
        let chain = if sampling.temperature <= 0.0 {
            LlamaSampler::chain([LlamaSampler::greedy()], true)
        } else {
            // The defaults of llama.cpp's own programs.
            LlamaSampler::chain(
                [
                    LlamaSampler::top_k(40),
                    LlamaSampler::top_p(0.95, 1),
                    LlamaSampler::min_p(0.05, 1),
                    LlamaSampler::temp(sampling.temperature),
                    LlamaSampler::dist(sampling.seed),
                ],
                true,
            )
        };
        let candidates = LlamaTokenDataArray::new(Vec::new(), false);
        Ok(Self { chain, grammar, candidates, end: model.vocab().eos(), n_refused: 0 })
    }

    /// The next token after what was evaluated last.
    ///
    /// # Errors
    /// The grammar allows none.
    pub(crate) fn next(&mut self, context: &LlamaContext<'_>) -> Result<LlamaToken, NoToken> {
        let Some(grammar) = &mut self.grammar else {
            return Ok(self.chain.sample(context, -1));
        };
        fill(&mut self.candidates, context);
        self.chain.apply(&mut self.candidates);
        let token = self.candidates.selected_token().ok_or(NoToken)?;
        if allows(grammar, token) {
            return Ok(token);
        }
        self.n_refused += 1;
        for n_tried in [FIRST_TRIED, usize::MAX] {
            fill(&mut self.candidates, context);
            keep_likeliest(&mut self.candidates.data, n_tried);
            grammar.apply(&mut self.candidates);
            self.candidates.data.retain(|candidate| candidate.logit() > f32::NEG_INFINITY);
            if !self.candidates.data.is_empty() {
                self.chain.apply(&mut self.candidates);
                return self.candidates.selected_token().ok_or(NoToken);
            }
        }
        Err(NoToken)
    }

    /// Tells the grammar that `token` was written. Not for a token that ends the reply.
    ///
    /// # Errors
    /// The grammar does not allow it.
    pub(crate) fn accept(&mut self, token: LlamaToken) -> Result<(), NoToken> {
        match &mut self.grammar {
            Some(grammar) => grammar.try_accept(token).map_err(|_| NoToken),
            None => Ok(()),
        }
    }

    /// Whether the grammar allows the reply to end here.
    pub(crate) fn may_end(&mut self) -> bool {
        self.grammar.as_mut().is_some_and(|grammar| allows(grammar, self.end))
    }
}

fn fill(candidates: &mut LlamaTokenDataArray, context: &LlamaContext<'_>) {
    candidates.data.clear();
    candidates.data.extend(context.candidates_ith(-1));
    candidates.sorted = false;
    candidates.selected = None;
}

fn allows(grammar: &mut LlamaSampler, token: LlamaToken) -> bool {
    let mut one = LlamaTokenDataArray::new(vec![LlamaTokenData::new(token, 1.0, 0.0)], false);
    grammar.apply(&mut one);
    one.data.first().is_some_and(|candidate| candidate.logit() > f32::NEG_INFINITY)
}

fn keep_likeliest(candidates: &mut Vec<LlamaTokenData>, n: usize) {
    if n < candidates.len() {
        candidates.select_nth_unstable_by(n, |a, b| b.logit().total_cmp(&a.logit()));
        candidates.truncate(n);
    }
}
