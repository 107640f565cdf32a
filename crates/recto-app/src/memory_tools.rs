//! `remember` and `forget`: a model asks to change what is known about the user, and the change is frozen before anyone is asked, like that of
//! a file. The words themselves stand in the question and in the record of the turn, and not in the audit log, from which nothing can be
//! removed.

use crate::given::as_memory;
use crate::ports::{FreshIds, WallClock};
use async_trait::async_trait;
use recto_core::memory::{self, Memory};
use recto_core::prompt;
use recto_core::text::ContentHash;
use recto_core::tool::{
    Action, CallOutcome, CallStatus, Change, ChangeFlag, DiffKind, DiffLine, Effect, FileState, Operation, Places,
    Prepared, ToolCall, ToolDefinition, ToolIdentity,
};
use recto_engine::drive::Place;
use recto_engine::ports::{Clock as _, Stop, Toolbox};
use recto_store::{NewMemory, Store, StoreError};
use recto_tools::{has_hidden, visible};
use serde::Deserialize;
use serde_json::json;

const REMEMBER: &str = "remember";
const FORGET: &str = "forget";
/// What a change is about, for a person.
const TARGET: &str = "memories";

/// Whether a tool of this name is one of these two.
pub(crate) fn is_of(tool: &str) -> bool {
    matches!(tool, REMEMBER | FORGET)
}

/// The two tools, for one turn.
pub(crate) struct MemoryTools {
    pub(crate) store: Store,
    /// The turn that a sentence is noted to come from.
    pub(crate) source: Place,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    text: String,
}

#[async_trait]
impl Toolbox for MemoryTools {
    fn tools(&self) -> Vec<ToolDefinition> {
        let tool = |identity, name: &str, description: &str| ToolDefinition {
            identity,
            name: name.to_owned(),
            description: description.to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "text": { "type": "string", "minLength": 1, "maxLength": memory::MAX_CHARACTERS } },
                "required": ["text"],
                "additionalProperties": false
            }),
            effect: Effect::Write,
            paths: Vec::new(),
            repeats: true,
        };
        vec![
            tool(ToolIdentity::Remember, REMEMBER, prompt::remember()),
            tool(ToolIdentity::Forget, FORGET, prompt::forget()),
        ]
    }

    async fn places(&self) -> Places {
        Places::default()
    }

    async fn prepare(&self, call: &ToolCall) -> Prepared {
        let text = match read(&call.arguments) {
            Ok(text) => text,
            Err(fault) => {
                let text = format!("invalid_arguments: {fault}. {} takes {{\"text\": string}}.", call.name);
                return Prepared::Not(CallOutcome::new(CallStatus::InvalidArguments, text, "arguments do not fit"));
            }
        };
        let memories = match self.memories().await {
            Ok(memories) => memories,
            Err(error) => return Prepared::Not(not_done(&error.to_string())),
        };
        let (identity, frozen) = if call.name == REMEMBER {
            (ToolIdentity::Remember, freeze_new(text, &memories))
        } else {
            (ToolIdentity::Forget, freeze_old(&text, &memories))
        };
        match frozen {
            Ok(change) => {
                let (effect, target) = (Effect::Write, TARGET.to_owned());
                Prepared::Ready(Action { identity, effect, target, change: Some(change), folder: None })
            }
            Err(outcome) => Prepared::Not(outcome),
        }
    }

    async fn run(&self, _call: &ToolCall, change: Option<&Change>, _stop: Stop) -> CallOutcome {
        let Some(change) = change else {
            return not_done("no change was shown to the user; make the call again");
        };
        match self.make(change).await {
            Ok(true) if change.operation == Operation::Remember => {
                let text = format!("Remembered: {}", String::from_utf8_lossy(&change.bytes));
                done(text, "remembered", change)
            }
            Ok(true) => done(format!("Forgotten: {}", String::from_utf8_lossy(&change.bytes)), "forgotten", change),
            Ok(false) => {
                let text = "What is remembered changed after the user was shown this, so nothing was done. Make the call again.";
                CallOutcome::new(CallStatus::Failed, text, "not done: the memories changed meanwhile")
            }
            Err(error) => not_done(&error.to_string()),
        }
    }
}

impl MemoryTools {
    async fn memories(&self) -> Result<Vec<Memory>, StoreError> {
        Ok(self.store.memories().await?.iter().map(as_memory).collect())
    }

    /// Makes exactly the change that was frozen. Returns whether everything was still as it was then.
    async fn make(&self, change: &Change) -> Result<bool, StoreError> {
        let text = String::from_utf8_lossy(&change.bytes).into_owned();
        let (Some(before), Some(after)) = (change.before.clone(), &change.after) else { return Ok(false) };
        if digest(change.operation, &before, after, &text) != change.digest {
            return Ok(false);
        }
        let at_ms = WallClock.now_ms();
        if change.operation == Operation::Remember {
            let Place { conversation, turn } = self.source.clone();
            let new = NewMemory { id: FreshIds.memory(), text, source: Some((conversation, turn)), at_ms };
            return self.store.remember(new, Some(before)).await;
        }
        let memories = self.memories().await?;
        match memories.into_iter().find(|memory| memory.text == text) {
            Some(memory) => self.store.forget(memory.id, Some(before), at_ms).await,
            None => Ok(false),
        }
    }
}

fn read(arguments: &str) -> Result<String, String> {
    let Arguments { text } = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
    memory::read_text(&text)
}

/// A new sentence, beside those that are there.
fn freeze_new(text: String, memories: &[Memory]) -> Result<Change, CallOutcome> {
    if memories.iter().any(|memory| memory.text == text) {
        let text = "This is remembered already. Nothing had to be done.";
        return Err(CallOutcome::new(CallStatus::Done, text, "remembered already"));
    }
    let texts = || memories.iter().map(|memory| memory.text.as_str());
    let after = memory::state(texts().chain([text.as_str()]));
    Ok(freeze(Operation::Remember, DiffKind::Added, memory::state(texts()), after, text))
}

/// One sentence less.
fn freeze_old(text: &str, memories: &[Memory]) -> Result<Change, CallOutcome> {
    let Some(meant) = memory::meant(text, memories) else {
        let text = "No memory says that, or several do. Take the exact sentence that stands under “What you remember”.";
        return Err(CallOutcome::new(CallStatus::Failed, text, "no such memory"));
    };
    let texts = |left_out: Option<&Memory>| {
        let rest = memories.iter().filter(|memory| left_out.is_none_or(|one| one.id != memory.id));
        memory::state(rest.map(|memory| memory.text.as_str()))
    };
    Ok(freeze(Operation::Forget, DiffKind::Removed, texts(None), texts(Some(meant)), meant.text.clone()))
}

fn freeze(operation: Operation, kind: DiffKind, before: FileState, after: FileState, text: String) -> Change {
    Change {
        path: TARGET.to_owned(),
        to: None,
        operation,
        digest: digest(operation, &before, &after, &text),
        before: Some(before),
        after: Some(after),
        diff: vec![DiffLine { kind, text: visible(&text) }],
        flags: if has_hidden(&text) { vec![ChangeFlag::HiddenCharacters] } else { Vec::new() },
        bytes: text.into_bytes(),
    }
}

/// What a decision is bound to. Each field carries its length, so that no two changes give the same bytes.
fn digest(operation: Operation, before: &FileState, after: &FileState, text: &str) -> ContentHash {
    let mut bytes = Vec::new();
    for field in [TARGET, operation.as_str(), before.hash.as_str(), after.hash.as_str(), text] {
        bytes.extend_from_slice(&(field.len() as u64).to_le_bytes());
        bytes.extend_from_slice(field.as_bytes());
    }
    ContentHash::of(&bytes)
}

fn done(text: String, note: &str, change: &Change) -> CallOutcome {
    CallOutcome {
        status: CallStatus::Done,
        text,
        note: note.to_owned(),
        written: change.after.as_ref().map(|state| state.hash.clone()),
    }
}

fn not_done(reason: &str) -> CallOutcome {
    CallOutcome::new(CallStatus::Failed, format!("Nothing was done: {reason}."), "not done")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memories() -> Vec<Memory> {
        let memory =
            |id: &str, text: &str| Memory { id: id.into(), text: text.into(), is_pinned: false, fresh_at_ms: 0 };
        vec![memory("me_1", "Likes tea."), memory("me_2", "Has a dog.")]
    }

    #[test]
    fn permission_p3_what_is_asked_is_one_line_and_bound_to_what_is_remembered_now() {
        let change = freeze_new("Prefers metric units.".into(), &memories()).unwrap();
        let shown: Vec<(DiffKind, &str)> = change.diff.iter().map(|line| (line.kind, line.text.as_str())).collect();
        assert_eq!(shown, [(DiffKind::Added, "Prefers metric units.")]);
        assert_eq!((change.path.as_str(), change.operation), ("memories", Operation::Remember));
        let elsewhere = freeze_new("Prefers metric units.".into(), &memories()[..1]).unwrap();
        assert_ne!(change.digest, elsewhere.digest);
        let forgotten = freeze_old("likes tea", &memories()).unwrap();
        assert_eq!(forgotten.diff, [DiffLine { kind: DiffKind::Removed, text: "Likes tea.".into() }]);
        assert_eq!(forgotten.after, Some(memory::state(["Has a dog."])));
    }

    #[test]
    fn a_sentence_that_nobody_can_see_whole_is_spelled_out_and_flagged() {
        let change = freeze_new("a\u{202e}b".into(), &memories()).unwrap();
        assert_eq!((change.diff[0].text.as_str(), change.flags), (r"a\u{202e}b", vec![ChangeFlag::HiddenCharacters]));
    }

    #[test]
    fn what_is_known_already_or_not_clear_is_not_asked_about() {
        assert_eq!(freeze_new("Likes tea.".into(), &memories()).unwrap_err().note, "remembered already");
        assert_eq!(freeze_old("Likes coffee.", &memories()).unwrap_err().note, "no such memory");
        assert!(read("{\"text\":\" \"}").is_err() && read("{\"text\":\"a\",\"b\":1}").is_err() && read("tea").is_err());
    }
}
