//! What a turn starts from. Everything comes in as a value, composed where the session is composed.

use super::todo_write_definition;
use crate::approval::{Grants, Policy};
use crate::context::plan::Counter;
use crate::context::summary::Summary;
use crate::context::system::{Scored, SystemTexts};
use crate::conversation::Exchange;
use crate::prompt::{self, ReplyLanguage};
use crate::request::{ModelProfile, Protocol};
use crate::step::Asked;
use crate::todo::TodoState;
use crate::tool::{Places, ToolDefinition, catalogue};

/// What a turn starts from.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The model.
    pub profile: ModelProfile,
    /// Its token counts.
    pub counter: Counter,
    /// What every model is told: `prompt::instructions()`, and below it what the assistant is told.
    pub instructions: String,
    /// Texts that are always present.
    pub knowledge: String,
    /// The language to reply in.
    pub language: ReplyLanguage,
    /// What the user said about themselves.
    pub profile_of_user: String,
    /// Remembered sentences, scored for this question.
    pub memories: Vec<Scored>,
    /// Passages from the library, scored for this question.
    pub passages: Vec<Scored>,
    /// What left the history, in short; the exchanges that it stands for are not in `history`.
    pub summary: Summary,
    /// Earlier exchanges that no summary stands for, oldest first.
    pub history: Vec<Exchange>,
    /// The question.
    pub question: String,
    /// Tools on offer beside `todo_write`.
    pub tools: Vec<ToolDefinition>,
    /// The session's list and counter.
    pub todo: TodoState,
    /// Paths that are there.
    pub places: Places,
    /// The files that the question is about by the words in them, the best first; empty if none stands out or nobody looked.
    pub fitting: Vec<String>,
    /// What the person said about writes.
    pub policy: Policy,
    /// What the person allowed once and for all.
    pub grants: Grants,
    /// Where the turn ends by itself.
    pub limits: Limits,
    /// 0 is greedy.
    pub temperature: f32,
    /// Makes a run repeatable where the model allows it.
    pub seed: u32,
}

/// Where a turn ends by itself, with an answer from what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of tools.
    pub n_rounds: u32,
    /// How often the very same call may be made again.
    pub n_repeats: u32,
    /// Milliseconds of wall time after which no further work request leaves.
    pub time_ms: u64,
    /// The longest step, in tokens.
    pub step_tokens: u32,
    /// The longest answer, in tokens.
    pub answer_tokens: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { n_rounds: 16, n_repeats: 2, time_ms: 20 * 60 * 1000, step_tokens: 2_048, answer_tokens: 1_536 }
    }
}

impl Setup {
    /// All tools on offer, sorted, `todo_write` among them. An outside tool of that name is not: the name is taken. A small model that works in
    /// steps is told of the rarer tools only where the question asks for them: each tool more makes it choose worse.
    pub(super) fn catalogue(&self) -> Vec<ToolDefinition> {
        let own = todo_write_definition();
        let asked = Asked::of(&self.question, &self.places);
        let is_told = |tool: &&ToolDefinition| match (self.profile.protocol, tool.identity) {
            (Protocol::Structured, identity) => asked.is_for(identity),
            (Protocol::Native, _) => true,
        };
        let others = self.tools.iter().filter(|tool| tool.name != own.name).filter(is_told).cloned();
        catalogue(others.chain([own.clone()]).collect())
    }

    pub(super) fn system_texts(&self, tools: &[ToolDefinition]) -> SystemTexts {
        SystemTexts {
            instructions: self.instructions.clone(),
            tools: prompt::tools(self.profile.protocol, tools),
            knowledge: self.knowledge.clone(),
            language: self.language.prompt().to_owned(),
            profile: self.profile_of_user.clone(),
            memories: self.memories.clone(),
            passages: self.passages.clone(),
            summary: self.summary.text(),
        }
    }
}
