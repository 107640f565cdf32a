//! Facts: the verbatim results of this turn's tool calls.

use crate::tool::{CallOutcome, CallStatus, ToolCall, ToolIdentity};

/// The result of one call, kept word for word for the answer request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Who acted; the list of the work is no fact about the world, and enters the answer request as the list.
    pub identity: ToolIdentity,
    /// The call, as the model made it.
    pub call: ToolCall,
    /// What it is about, for a person.
    pub target: String,
    /// What came back.
    pub outcome: CallOutcome,
}

impl Fact {
    /// Whether this fact says something about the world, so that an answer request is due.
    #[must_use]
    pub fn calls_for_answer(&self) -> bool {
        self.identity != ToolIdentity::TodoWrite
    }

    /// Whether files or folders are not what they were before this call.
    #[must_use]
    pub fn has_changed_files(&self) -> bool {
        self.outcome.written.is_some() || (self.identity.changes_names() && self.outcome.status == CallStatus::Done)
    }

    /// Whether this is the result of a built-in tool of this name that was done. What an outside tool of the same name says is not known.
    fn is_done_by(&self, name: &str) -> bool {
        self.identity == ToolIdentity::BuiltIn && self.call.name == name && self.outcome.status == CallStatus::Done
    }

    /// The path and the text of a file that was read; `None` for any other fact.
    #[must_use]
    pub fn as_read(&self) -> Option<(&str, &str)> {
        self.is_done_by("read_file").then_some((self.target.as_str(), self.outcome.text.as_str()))
    }

    /// The text of a passage that was read; `None` for any other fact.
    #[must_use]
    pub fn as_passage(&self) -> Option<&str> {
        self.is_done_by("read_passage").then_some(self.outcome.text.as_str())
    }

    /// Whether something was counted, which the note then says: by a search or by a listing.
    #[must_use]
    pub fn is_count(&self) -> bool {
        self.is_done_by("search_text") || self.is_done_by("list_dir")
    }

    /// The files in which a search found something, from its lines `path:line: text`; none for any other fact.
    pub fn found_in(&self) -> impl Iterator<Item = &str> {
        let lines = self.is_done_by("search_text").then(|| self.outcome.text.lines());
        lines.into_iter().flatten().filter_map(|line| Some(line.split_once(':')?.0))
    }

    /// Whether passages of the library were found.
    #[must_use]
    pub fn is_of_library(&self) -> bool {
        self.is_done_by("search_library")
    }

    /// Whether the call was about this path, as the model wrote it.
    #[must_use]
    pub fn asks_for(&self, path: &str) -> bool {
        #[derive(serde::Deserialize)]
        struct Arguments {
            path: String,
        }
        serde_json::from_str(&self.call.arguments).is_ok_and(|arguments: Arguments| arguments.path == path)
    }
}

/// The facts that an answer request holds, in call order: the same call with the same result once, and of the same call with a
/// later, different result only the later one. A repetition that did not run says nothing new and is left out.
#[must_use]
pub fn standing(facts: &[Fact]) -> Vec<&Fact> {
    let is_same_call = |a: &Fact, b: &Fact| a.call.name == b.call.name && a.call.arguments == b.call.arguments;
    let told: Vec<&Fact> =
        facts.iter().filter(|fact| fact.calls_for_answer() && fact.outcome.status != CallStatus::Repeated).collect();
    let mut kept: Vec<&Fact> = Vec::new();
    for (index, fact) in told.iter().enumerate() {
        let stands_already = kept.iter().any(|earlier| is_same_call(earlier, fact) && earlier.outcome == fact.outcome);
        let is_superseded =
            told[index + 1..].iter().any(|later| is_same_call(later, fact) && later.outcome != fact.outcome);
        if !stands_already && !is_superseded {
            kept.push(fact);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(id: &str, arguments: &str, text: &str) -> Fact {
        Fact {
            identity: ToolIdentity::BuiltIn,
            call: ToolCall { id: id.into(), name: "read_file".into(), arguments: arguments.into() },
            target: arguments.into(),
            outcome: CallOutcome::new(CallStatus::Done, text, ""),
        }
    }

    fn check_standing(facts: &[Fact], ids: &[&str]) {
        let kept: Vec<&str> = standing(facts).iter().map(|fact| fact.call.id.as_str()).collect();
        assert_eq!(kept, ids);
    }

    #[test]
    fn answer_a3_the_same_call_with_the_same_result_stands_once() {
        check_standing(&[fact("c1", "a", "1"), fact("c2", "b", "1"), fact("c3", "a", "1")], &["c1", "c2"]);
    }

    #[test]
    fn answer_a3_a_later_different_result_of_the_same_call_supersedes_the_earlier_one() {
        check_standing(&[fact("c1", "a", "1"), fact("c2", "b", "1"), fact("c3", "a", "2")], &["c2", "c3"]);
        check_standing(&[fact("c1", "a", "1"), fact("c2", "a", "2"), fact("c3", "a", "1")], &["c3"]);
    }
}
