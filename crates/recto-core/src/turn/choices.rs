//! What the next step may be under the structured protocol: by what the question speaks of and what was found, never by a model's judgement. A
//! wrong guess costs a tool or a detour, never a file.

use super::Turn;
use crate::fact::Fact;
use crate::library::passage_number;
use crate::request::Protocol;
use crate::step::{Asked, Choices, schema};
use crate::telling::TellingWords;
use crate::tool::{CallStatus, Effect, ToolIdentity};
use serde_json::Value;

/// From this share of the question's telling words on, a file is taken to hold the answer.
const ENOUGH_SHARE: f64 = 0.6;
/// So many files are read before the work may end although none of them speaks of what was asked.
const FEW_FILES: usize = 3;
/// So many files are read at most where the question names none.
const ENOUGH_FILES: usize = 5;

impl Turn {
    /// What the next step may be, so that a small model cannot go in circles:
    /// - a tool that makes no sense right after itself is not offered again;
    /// - writing is offered where the question asks for it, until a write is refused; the list where it asks for one, once, and with the reminder, and first
    ///   where the question names it;
    /// - adding to the end of a file, deleting, moving and making a folder are offered only where the question asks for just that;
    /// - remembering and forgetting are offered where the question asks for them, until one was done or refused, and first where it speaks of no
    ///   file; only what is remembered can be forgotten;
    /// - where the question names files, those are offered for reading, the work goes on until they are read, and then there is nothing
    ///   more to look at; where a search found something, the files that it found are offered;
    /// - where it names none, the files that hold its words are offered before the others, and nothing more once they are read;
    /// - the work goes on while nothing that was read speaks of what was asked, for a few files;
    /// - a file that the question names and that is not there may be asked for all the same, so that its absence is on record;
    /// - the work may not end right after another failure, unless two failed in a row; where nothing has been done yet the step may be
    ///   the answer itself.
    pub(super) fn step_schema(&self, has_reminder: bool) -> Value {
        let has_done_something = !self.facts.is_empty();
        let asked = Asked::of(&self.setup.question, &self.places);
        let has_cut_result = self
            .steps
            .iter()
            .flat_map(|step| &step.results)
            .any(|(_, outcome)| self.counter().count(&outcome.text) > self.result_limit());
        let unread = self.unread(&asked, has_cut_result);
        let passages = self.passages_given();
        let begins_with_list = asked.for_list_first && !has_done_something;
        let remembered: Vec<String> = self.setup.memories.iter().map(|memory| memory.text.clone()).collect();
        let was_handled = |identity| {
            let is_settled = |fact: &Fact| fact.identity == identity && !fact.outcome.status.is_failure();
            self.facts.iter().any(is_settled)
        };
        let may_remember =
            self.offers(ToolIdentity::Remember) && asked.for_remembering && !was_handled(ToolIdentity::Remember);
        let may_forget = self.offers(ToolIdentity::Forget)
            && asked.for_forgetting
            && !remembered.is_empty()
            && !was_handled(ToolIdentity::Forget);
        let begins_with_memory = (may_remember || may_forget)
            && !has_done_something
            && !begins_with_list
            && !asked.for_files
            && !asked.for_change;
        let memory_was_handled = was_handled(ToolIdentity::Remember) || was_handled(ToolIdentity::Forget);
        let list_was_written = self.facts.iter().any(|fact| fact.identity == ToolIdentity::TodoWrite);
        let was_refused = self.facts.iter().any(|fact| fact.outcome.status == CallStatus::Refused);
        let has_looked_enough = !has_cut_result
            && !self.last_round_failed
            && if asked.named.is_empty() {
                ((list_was_written || memory_was_handled) && !asked.for_files)
                    || self.has_found_what_was_asked(&asked)
                    || (!asked.for_several && self.has_read_what_fits())
                    // What was asked for was a write, and the person said no.
                    || was_refused
            } else {
                unread.is_empty()
            };
        let has_named_unread = !asked.named.is_empty() && !unread.is_empty() && !asked.for_change && !has_cut_result;
        let tools = self.tools.iter().filter(|tool| match (tool.identity, tool.effect) {
            (ToolIdentity::Remember, _) => may_remember && !begins_with_list,
            (ToolIdentity::Forget, _) => may_forget && !begins_with_list,
            _ if begins_with_memory => false,
            (ToolIdentity::TodoWrite, _) => begins_with_list || has_reminder || (asked.for_list && !list_was_written),
            (_, Effect::Read) => {
                !begins_with_list && !has_looked_enough && (tool.repeats || self.last_tool.as_ref() != Some(&tool.name))
            }
            (identity, Effect::Write) => {
                let is_asked_for = if is_rarer(identity) { asked.is_for(identity) } else { asked.for_change };
                !begins_with_list && is_asked_for && !was_refused
            }
        });
        schema(&Choices {
            tools: tools.collect(),
            may_end: has_done_something
                && (!self.last_round_failed || self.n_failed_rounds >= 2 || self.is_missing(&asked))
                && !(has_named_unread && self.n_failed_rounds == 0)
                && (has_looked_enough || !self.reads_beside_the_question(&unread)),
            may_answer: !has_done_something && !begins_with_list && !begins_with_memory && !has_named_unread,
            has_cut_result,
            places: &self.places,
            unread: &unread,
            remembered: &remembered,
            passages: &passages,
        })
    }

    fn offers(&self, identity: ToolIdentity) -> bool {
        self.tools.iter().any(|tool| tool.identity == identity)
    }

    /// Whether every file that holds the words of the question was read: no other one says more of what was asked.
    fn has_read_what_fits(&self) -> bool {
        let is_read = |path: &String| self.facts.iter().filter_map(Fact::as_read).any(|(read, _)| read == path);
        !self.setup.fitting.is_empty() && self.setup.fitting.iter().all(is_read)
    }

    /// Whether the last call found out that a file which the question names is not there.
    fn is_missing(&self, asked: &Asked) -> bool {
        let last = self.facts.last().filter(|fact| fact.outcome.status == CallStatus::Failed);
        last.is_some_and(|fact| asked.missing.iter().any(|name| fact.asks_for(name)))
    }

    /// Whether a file that was read holds most of what the question speaks of, or so many were read that more would only cost time.
    /// A small model reads on and on instead of saying READY.
    fn has_found_what_was_asked(&self, asked: &Asked) -> bool {
        let telling = TellingWords::of(&self.setup.question);
        let files = self.facts.iter().filter_map(Fact::as_read).map(|(_, text)| text);
        let read: Vec<&str> = files.chain(self.facts.iter().filter_map(Fact::as_passage)).collect();
        let holds_it = |text: &&str| {
            let (share, n_found) = telling.share_in(text);
            share >= ENOUGH_SHARE && n_found >= 2
        };
        read.len() >= ENOUGH_FILES || (!asked.for_several && read.iter().any(holds_it))
    }

    /// Whether only files were read so far, few, and none that holds a word of what was asked, while there are others.
    fn reads_beside_the_question(&self, unread: &[String]) -> bool {
        let done = self.facts.iter().filter(|fact| fact.calls_for_answer() && fact.outcome.status == CallStatus::Done);
        let done: Vec<&Fact> = done.collect();
        let telling = TellingWords::of(&self.setup.question);
        let is_beside = |fact: &&Fact| fact.as_read().is_some_and(|(_, text)| telling.share_in(text).1 == 0);
        !unread.is_empty() && (1..FEW_FILES).contains(&done.len()) && done.iter().all(is_beside)
    }

    /// The files that searches of this turn found something in.
    fn found_by_search(&self) -> Vec<&str> {
        self.facts.iter().flat_map(Fact::found_in).collect()
    }

    /// The names of the passages that the system message or a result of this turn gives, each once, without those that were read.
    fn passages_given(&self) -> Vec<String> {
        let mut names: Vec<String> = self.setup.passages.iter().map(|passage| passage.id.clone()).collect();
        for fact in self.facts.iter().filter(|fact| fact.is_of_library()) {
            for name in fact.outcome.text.lines().filter_map(passage_named) {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        let asks_for = |name: &String, fact: &Fact| fact.call.arguments.contains(&format!("\"{name}\""));
        names.retain(|name| !self.facts.iter().any(|fact| fact.as_passage().is_some() && asks_for(name, fact)));
        names
    }

    /// Whether the list is offered at all in this turn, so that a reminder makes sense.
    pub(super) fn may_be_reminded(&self) -> bool {
        self.setup.profile.protocol == Protocol::Native
            || !self.todo.list.items.is_empty()
            || Asked::of(&self.setup.question, &self.places).for_list
    }

    /// The files that reading makes sense for: those that the question names, or all that are there, without those whose whole text
    /// is above already, and those that it names and that have not been found missing yet. Where a file did not fit, a part of it may
    /// be asked for, so nothing is left out.
    fn unread(&self, asked: &Asked, has_cut_result: bool) -> Vec<String> {
        let since_the_last_write = self.facts.iter().rev().take_while(|fact| !fact.has_changed_files());
        let read: Vec<&str> = since_the_last_write
            .filter(|fact| !self.stubbed.contains(&fact.call.id))
            .filter_map(|fact| fact.as_read().map(|(path, _)| path))
            .collect();
        let is_unread = |file: &&String| has_cut_result || !read.contains(&file.as_str());
        let mut candidates = if asked.named.is_empty() { self.places.files.clone() } else { asked.named.clone() };
        let found = self.found_by_search();
        if asked.named.is_empty() && candidates.iter().any(|file| found.contains(&file.as_str())) {
            candidates.retain(|file| found.contains(&file.as_str()));
        }
        // The files that the question is about by their words come first, and only then the others.
        let fits = |file: &String| self.setup.fitting.contains(file) && is_unread(&file);
        if asked.named.is_empty() && found.is_empty() && !asked.for_several && candidates.iter().any(fits) {
            candidates.retain(fits);
        }
        let is_untried = |name: &&String| !self.facts.iter().any(|fact| fact.asks_for(name));
        let missing = asked.missing.iter().filter(is_untried);
        missing.chain(candidates.iter().filter(is_unread)).cloned().collect()
    }
}

/// Whether a tool is offered only where a question asks for just what it does.
fn is_rarer(identity: ToolIdentity) -> bool {
    identity == ToolIdentity::AppendFile || identity.changes_names()
}

/// The name at the beginning of a line `[p12] trip.md, line 4`.
fn passage_named(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix('[')?.split_once(']')?;
    passage_number(name).map(|_| name)
}
