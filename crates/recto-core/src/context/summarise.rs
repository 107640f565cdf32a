//! The request in which a model writes the summary, and what is taken of its reply. A reply that is no summary is not taken: the fold by rule stands
//! in for it.

use super::block::{Block, BlockKind, Importance, Role, Seat};
use super::fold::{each_once, forbidden, marks};
use super::plan::{Budget, CountTokens, DoesNotFit, PER_MESSAGE, Plan, plan};
use super::summary::{Author, Summary};
use crate::conversation::Exchange;
use crate::prompt::{part, summary};
use crate::reply::{Finish, Reply};
use crate::request::{Envelope, ModelProfile, Protocol, Purpose, Sampling};
use serde::Deserialize;
use serde_json::{Value, json};

/// The share of a summary's limit that its prose may take; the rest is for what is kept word for word.
const PROSE_PERCENT: u32 = 60;
/// A line that stands so often in a reply is babble.
const REPEATED: usize = 3;
/// The prompt asks for so many sentences at most.
const N_SENTENCES: u32 = 8;
/// The shortest limit of a sentence, in characters: below it nothing can be said.
const SHORTEST_LIMIT: u32 = 40;

/// Exchanges that are to enter a summary.
#[derive(Clone, Copy, Debug)]
pub struct Entering<'a> {
    /// The summary that they enter.
    pub summary: &'a Summary,
    /// The exchanges, oldest first.
    pub exchanges: &'a [Exchange],
    /// Tokens that the next version may take.
    pub limit: u32,
}

impl Entering<'_> {
    /// Tokens that the prose may take.
    fn prose_limit(&self) -> u32 {
        self.limit * PROSE_PERCENT / 100
    }

    /// The request, within a budget of its own: what is too long for it is cut by fair shares, so it cannot overflow.
    ///
    /// # Errors
    /// `DoesNotFit` if not even its frame fits into the window.
    pub fn request(&self, profile: &ModelProfile, count: &dyn CountTokens) -> Result<(Plan, Envelope), DoesNotFit> {
        let reserve = self.prose_limit();
        let room = profile.window.saturating_sub(reserve);
        let budget = Budget { window: profile.window, reserve, fixed: 0, per_message: PER_MESSAGE, fold_to: room };
        let plan = plan(Purpose::Summary, self.blocks(), budget, count)?;
        let sampling = Sampling { temperature: 0.0, seed: 0, max_tokens: reserve };
        let step = (profile.protocol == Protocol::Structured).then(|| self.schema());
        Ok((plan, Envelope { tools: Vec::new(), may_call: false, step, sampling }))
    }

    /// Characters of a note under the schema.
    fn longest_note(&self) -> u32 {
        (self.prose_limit() * 2 / N_SENTENCES).max(SHORTEST_LIMIT)
    }

    /// The notes as a list of sentences, for a model that is asked for JSON: a small one copies the exchanges until its tokens are used up
    /// where nothing holds it (seen on the starter model). Two characters a token, so that what is allowed nearly always fits.
    fn schema(&self) -> Value {
        let sentence = json!({"type": "string", "minLength": 1, "maxLength": self.longest_note()});
        json!({"type": "object", "properties": {"notes": {"type": "array", "items": sentence, "minItems": 1, "maxItems": N_SENTENCES}},
            "required": ["notes"], "additionalProperties": false})
    }

    fn blocks(&self) -> Vec<Block> {
        let of = |name: &str| part(summary(), name);
        let system = Seat::new(0, Role::System);
        let user = Seat::new(1, Role::User);
        let mut blocks = vec![Block::pinned(
            "instructions",
            BlockKind::Instructions,
            "instructions",
            system,
            of("system").to_owned(),
        )];
        let so_far = self.summary.text();
        let so_far = if so_far.is_empty() { so_far } else { format!("{}\n{so_far}\n\n", of("so_far")) };
        let shared = |block: Block| Block { importance: Importance::Shared, ..block };
        blocks.push(shared(Block::pinned("summary", BlockKind::Summary, "the summary so far", user.clone(), so_far)));
        for Exchange { turn, question, answer } in self.exchanges {
            let text = format!("{}\n{question}\n{}\n{answer}\n\n", of("exchange"), of("answer"));
            let id = format!("history/{turn}");
            blocks.push(shared(Block::pinned(id, BlockKind::History, "an earlier exchange", user.clone(), text)));
        }
        blocks.push(Block::pinned("task", BlockKind::Task, "what to write", user, of("task").to_owned()));
        blocks
    }

    /// The next version from the model's reply, with what the prose lost of numbers, names, paths and of what is not to be done word for word
    /// beside it.
    ///
    /// # Errors
    /// The reply is no summary; the words say why.
    pub fn written(&self, reply: &Reply, count: &dyn CountTokens) -> Result<Summary, &'static str> {
        let prose = prose_of(&reply.text, self.longest_note());
        let prose = prose.as_str();
        if reply.finish == Finish::Length || count.count(prose) > self.prose_limit() {
            return Err("it is longer than its share");
        }
        if prose.is_empty() || !reply.calls.is_empty() {
            return Err("it holds no text");
        }
        if is_babble(prose) {
            return Err("it repeats itself");
        }
        let Some(last) = self.exchanges.last() else { return Err("there is nothing to write about") };
        let before = self.summary;
        let mut texts = vec![before.prose.as_str()];
        texts.extend(self.exchanges.iter().flat_map(|exchange| [exchange.question.as_str(), exchange.answer.as_str()]));
        let marks = each_once(before.marks.iter().cloned().chain(marks(&texts)).collect());
        let said_not = forbidden(&self.exchanges.iter().collect::<Vec<&Exchange>>());
        let mut summary = Summary {
            version: before.version + 1,
            n_exchanges: before.n_exchanges + u32::try_from(self.exchanges.len()).unwrap_or(u32::MAX),
            until: Some(last.turn.clone()),
            author: Author::Model,
            marks: marks.into_iter().filter(|mark| !prose.contains(mark.as_str())).collect(),
            forbidden: each_once(before.forbidden.iter().cloned().chain(said_not).collect()),
            prose: prose.to_owned(),
        };
        while count.count(&summary.text()) > self.limit && !(summary.marks.is_empty() && summary.forbidden.is_empty()) {
            // The oldest go first, and what was forbidden last.
            let list = if summary.marks.is_empty() { &mut summary.forbidden } else { &mut summary.marks };
            list.drain(..list.len().div_ceil(8));
        }
        Ok(summary)
    }
}

/// The notes of a reply under the schema, a line each; any other reply as it is.
fn prose_of(text: &str, longest: u32) -> String {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Reply {
        notes: Vec<String>,
    }
    match serde_json::from_str::<Reply>(text.trim()) {
        Ok(Reply { notes }) => {
            let whole: Vec<&str> = notes.iter().map(|note| whole_sentences(note.trim(), longest)).collect();
            whole.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Err(_) => text.trim().to_owned(),
    }
}

/// A note that filled its limit was broken off by it: what stands after its last whole sentence could be half a number.
fn whole_sentences(note: &str, longest: u32) -> &str {
    let is_full = note.chars().count() >= longest as usize;
    if !is_full || note.ends_with(['.', '!', '?', '。', '！', '？']) {
        return note;
    }
    let ends = [". ", "! ", "? ", "。", "！", "？"].iter().filter_map(|end| note.rfind(end).map(|at| at + end.len()));
    ends.max().map_or("", |end| note[..end].trim_end())
}

/// Whether a text says the same line over and over.
fn is_babble(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.iter().any(|line| lines.iter().filter(|other| *other == line).count() >= REPEATED)
}

#[cfg(test)]
mod tests;
