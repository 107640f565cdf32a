//! What is remembered about the user: which sentences a question is given, by a score that is settled once at the start of a turn.

use crate::context::system::Scored;
use crate::id::MemoryId;
use crate::telling::{TellingWords, weigh};
use crate::text::{ContentHash, ascii_json_string};
use crate::tool::FileState;

/// The longest sentence, in characters.
pub const MAX_CHARACTERS: usize = 500;
/// So many are given to a request at most.
pub const MAX_OFFERED: usize = 12;
/// From this score on a sentence is given.
const THRESHOLD: f64 = 0.05;

const MONTH_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// After so many months a sentence that nobody needed counts half.
const HALF_LIFE_MONTHS: f64 = 3.0;
/// It never counts less than this, so that what fits a question exactly is found after years.
const FLOOR: f64 = 0.25;

/// A remembered sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Its name.
    pub id: MemoryId,
    /// The sentence.
    pub text: String,
    /// Whether it is given to every request.
    pub is_pinned: bool,
    /// When it was written, changed or last given to a request, in milliseconds since 1970 UTC.
    pub fresh_at_ms: i64,
}

/// The sentences for a question, the best first. A pinned one scores 1; any other `relevance × recency`, as in the memory stream of
/// generative agents (Park et al. 2023, arXiv 2304.03442), without their judgement of importance by a model:
/// - *relevance* is the share of the question's telling words that stand in the sentence, each weighed by ln(1 + N / n) as in [`weigh`], a
///   word that stands in none counting as if it stood in one;
/// - *recency* is 0.5^(age / 90 days), never below 0.25. Age counts from the last change or use in whole months of 30 days, so that the
///   same memories give the same bytes a day later.
#[must_use]
pub fn offered(question: &str, memories: &[Memory], now_ms: i64) -> Vec<Scored> {
    let telling = TellingWords::of(question);
    let found: Vec<Vec<&str>> = memories.iter().map(|memory| telling.found_in(&memory.text).collect()).collect();
    let weighed = weigh(&found);
    let mut known: Vec<&str> = found.iter().flatten().copied().collect();
    known.sort_unstable();
    known.dedup();
    let n_unknown = telling.n_words().saturating_sub(known.len());
    let all = weighed.all + n_unknown as f64 * (1.0 + memories.len() as f64).ln();
    let mut scored: Vec<(&Memory, f64)> = memories
        .iter()
        .zip(weighed.scores)
        .map(|(memory, weight)| {
            let relevance = if all > 0.0 { weight / all } else { 0.0 };
            let score = if memory.is_pinned { 1.0 } else { relevance * recency(memory.fresh_at_ms, now_ms) };
            (memory, score)
        })
        .filter(|(_, score)| *score >= THRESHOLD)
        .collect();
    scored.sort_by(|(a, a_score), (b, b_score)| {
        b.is_pinned.cmp(&a.is_pinned).then(b_score.total_cmp(a_score)).then_with(|| a.id.cmp(&b.id))
    });
    scored.truncate(MAX_OFFERED);
    let given = |(memory, score): (&Memory, f64)| Scored {
        id: memory.id.to_string(),
        source: String::new(),
        text: memory.text.clone(),
        score,
    };
    scored.into_iter().map(given).collect()
}

fn recency(fresh_at_ms: i64, now_ms: i64) -> f64 {
    let n_months = now_ms.saturating_sub(fresh_at_ms).max(0) / MONTH_MS;
    0.5_f64.powf(n_months as f64 / HALF_LIFE_MONTHS).max(FLOOR)
}

/// A sentence as it is kept: on one line, not empty, not too long.
///
/// # Errors
/// What is wrong with it, in words for a model and a person.
pub fn read_text(text: &str) -> Result<String, String> {
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let n_characters = line.chars().count();
    match n_characters {
        0 => Err("`text` is empty; write one sentence".to_owned()),
        n if n > MAX_CHARACTERS => {
            Err(format!("`text` has {n} characters; at most {MAX_CHARACTERS} are kept, so make it shorter"))
        }
        _ => Ok(line),
    }
}

/// The memory that a text means: the same words, else the one that holds most of its telling words. `None` where that is not clear.
#[must_use]
pub fn meant<'a>(text: &str, memories: &'a [Memory]) -> Option<&'a Memory> {
    const CLEAR: f64 = 0.6;
    let plain = |text: &str| text.trim().trim_end_matches(['.', '。']).to_lowercase();
    if let Some(same) = memories.iter().find(|memory| plain(&memory.text) == plain(text)) {
        return Some(same);
    }
    let telling = TellingWords::of(text);
    let mut shares: Vec<(f64, &Memory)> =
        memories.iter().map(|memory| (telling.share_in(&memory.text).0, memory)).collect();
    shares.sort_by(|a, b| b.0.total_cmp(&a.0));
    match shares.as_slice() {
        [(best, memory), rest @ ..] if *best >= CLEAR && rest.first().is_none_or(|(next, _)| next < best) => {
            Some(memory)
        }
        _ => None,
    }
}

/// What is remembered as one state, whatever its order: a change of it is bound to the state that it was asked about.
#[must_use]
pub fn state<'a>(texts: impl IntoIterator<Item = &'a str>) -> FileState {
    let mut lines: Vec<String> = texts.into_iter().map(ascii_json_string).collect();
    lines.sort_unstable();
    let bytes = lines.join("\n");
    FileState { hash: ContentHash::of(bytes.as_bytes()), n_bytes: bytes.len() as u64 }
}

#[cfg(test)]
mod tests;
