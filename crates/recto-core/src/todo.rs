//! The list of the work: `todo_write` takes the whole list and gives the whole list back.

use crate::reminder::StaleCounter;
use crate::text::ascii_json_string;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// The tool's name.
pub const TODO_WRITE: &str = "todo_write";
/// The longest list.
pub const MAX_ITEMS: usize = 100;
/// The longest item, in characters.
pub const MAX_CHARACTERS: usize = 2_000;

/// How far an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Finished.
    Done,
}

impl TodoStatus {
    /// The word in a snapshot.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Done => "done",
        }
    }

    fn read(word: &str) -> Option<Self> {
        [Self::Pending, Self::InProgress, Self::Done].into_iter().find(|status| status.as_str() == word)
    }
}

/// One item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoItem {
    /// What is to be done; not empty and trimmed.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
}

/// The list. It changes only by being replaced as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TodoList {
    /// The items in the model's order.
    pub items: Vec<TodoItem>,
}

impl TodoList {
    /// The whole list as bytes: `{"todos":[{"content":"…","status":"…"}]}`, ASCII only. The same list gives the same bytes.
    #[must_use]
    pub fn snapshot(&self) -> String {
        let items: Vec<String> = self
            .items
            .iter()
            .map(|item| {
                format!(r#"{{"content":{},"status":"{}"}}"#, ascii_json_string(&item.content), item.status.as_str())
            })
            .collect();
        format!(r#"{{"todos":[{}]}}"#, items.join(","))
    }

    /// Whether something is left to do.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.items.iter().any(|item| item.status != TodoStatus::Done)
    }

    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// Every fault of the call, each with the index of its item.
    pub fn read(arguments: &str) -> Result<Self, Vec<String>> {
        let value: Value =
            serde_json::from_str(arguments).map_err(|error| vec![format!("the arguments are not JSON: {error}")])?;
        let Value::Object(object) = value else {
            return Err(vec![r#"the arguments must be an object: {"todos":[…]}"#.to_owned()]);
        };
        let mut faults: Vec<String> =
            object.keys().filter(|key| *key != "todos").map(|key| format!("unknown field `{key}`")).collect();
        let items = match object.get("todos") {
            Some(Value::Array(items)) => items.as_slice(),
            Some(other) => {
                faults.push(format!("`todos` must be an array, not {}", type_name(other)));
                &[]
            }
            None => {
                faults.push("`todos` is missing".to_owned());
                &[]
            }
        };
        if items.len() > MAX_ITEMS {
            faults.push(format!("`todos` has {} items; at most {MAX_ITEMS} are allowed", items.len()));
        }
        let mut list = Self::default();
        for (index, item) in items.iter().enumerate() {
            match read_item(item) {
                Ok(item) => list.items.push(item),
                Err(found) => faults.extend(found.into_iter().map(|fault| format!("todos[{index}]: {fault}"))),
            }
        }
        if faults.is_empty() { Ok(list) } else { Err(faults) }
    }

    /// What replacing `self` by `next` changes, in words for a person. Items are paired by their text first; of the rest, the one
    /// most like a new item is taken as its earlier wording.
    #[must_use]
    pub fn changes_to(&self, next: &Self) -> Vec<TodoChange> {
        let mut earlier: Vec<Option<&TodoItem>> = self.items.iter().map(Some).collect();
        let mut pairs: Vec<Option<&TodoItem>> = Vec::new();
        for item in &next.items {
            let twin = earlier.iter().position(|old| old.is_some_and(|old| old.content == item.content));
            pairs.push(twin.and_then(|at| earlier[at].take()));
        }
        let mut changes = Vec::new();
        for (item, pair) in next.items.iter().zip(&mut pairs) {
            let mut reworded = None;
            if pair.is_none() {
                let closest = (0..earlier.len())
                    .filter_map(|at| earlier[at].map(|old| (at, likeness(&old.content, &item.content))))
                    .filter(|(_, likeness)| *likeness >= 0.5)
                    .max_by(|a, b| a.1.total_cmp(&b.1));
                if let Some((at, _)) = closest {
                    *pair = earlier[at].take();
                    reworded = pair.map(|old| old.content.clone());
                }
            }
            match pair {
                None => changes.push(TodoChange::Added { content: item.content.clone() }),
                Some(old) => {
                    if let Some(from) = reworded {
                        changes.push(TodoChange::Reworded { from, to: item.content.clone() });
                    }
                    if old.status != item.status {
                        changes.push(TodoChange::of_status(old.status, item));
                    }
                }
            }
        }
        let removed = earlier
            .into_iter()
            .flatten()
            .map(|old| TodoChange::Removed { content: old.content.clone(), was_done: old.status == TodoStatus::Done });
        changes.extend(removed);
        changes
    }
}

fn read_item(item: &Value) -> Result<TodoItem, Vec<String>> {
    let Value::Object(object) = item else {
        return Err(vec![format!("must be an object with `content` and `status`, not {}", type_name(item))]);
    };
    let mut faults: Vec<String> = object
        .keys()
        .filter(|key| !matches!(key.as_str(), "content" | "status"))
        .map(|key| format!("unknown field `{key}`"))
        .collect();
    let content = read_content(object).map_err(|fault| faults.push(fault)).ok();
    let status = read_status(object).map_err(|fault| faults.push(fault)).ok();
    match (content, status) {
        (Some(content), Some(status)) if faults.is_empty() => Ok(TodoItem { content, status }),
        _ => Err(faults),
    }
}

fn read_content(object: &Map<String, Value>) -> Result<String, String> {
    match object.get("content") {
        None => Err("`content` is missing".to_owned()),
        Some(Value::String(text)) => {
            let trimmed = text.trim();
            let n_characters = trimmed.chars().count();
            if trimmed.is_empty() {
                Err("`content` is empty".to_owned())
            } else if n_characters > MAX_CHARACTERS {
                Err(format!("`content` has {n_characters} characters; at most {MAX_CHARACTERS} are allowed"))
            } else {
                Ok(trimmed.to_owned())
            }
        }
        Some(other) => Err(format!("`content` must be a string, not {}", type_name(other))),
    }
}

fn read_status(object: &Map<String, Value>) -> Result<TodoStatus, String> {
    let wanted = "`pending`, `in_progress` or `done`";
    match object.get("status") {
        None => Err("`status` is missing".to_owned()),
        Some(Value::String(word)) => {
            TodoStatus::read(word).ok_or_else(|| format!("`status` must be {wanted}, not `{word}`"))
        }
        Some(other) => Err(format!("`status` must be {wanted}, not {}", type_name(other))),
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Likeness of two texts between 0 and 1: Dice's coefficient over pairs of neighbouring characters.
fn likeness(a: &str, b: &str) -> f64 {
    let pairs = |text: &str| {
        let characters: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
        let mut counts: HashMap<(char, char), usize> = HashMap::new();
        for pair in characters.windows(2) {
            *counts.entry((pair[0], pair[1])).or_default() += 1;
        }
        counts
    };
    let (a, b) = (pairs(a), pairs(b));
    let n_pairs = a.values().sum::<usize>() + b.values().sum::<usize>();
    let n_shared: usize = a.iter().map(|(pair, count)| (*count).min(b.get(pair).copied().unwrap_or(0))).sum();
    if n_pairs == 0 { 0.0 } else { 2.0 * n_shared as f64 / n_pairs as f64 }
}

/// One difference between a snapshot and the one before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum TodoChange {
    /// A new item.
    Added {
        /// Its text.
        content: String,
    },
    /// An item that was left out.
    Removed {
        /// Its text.
        content: String,
        /// Whether it was done; if not, something may have been forgotten.
        was_done: bool,
    },
    /// An item with another text.
    Reworded {
        /// The earlier text.
        from: String,
        /// The text now.
        to: String,
    },
    /// An item that was begun.
    Started {
        /// Its text.
        content: String,
    },
    /// An item that was finished.
    Finished {
        /// Its text.
        content: String,
    },
    /// A finished item that is open again.
    Reopened {
        /// Its text.
        content: String,
    },
    /// An item in progress that is pending again.
    PutBack {
        /// Its text.
        content: String,
    },
}

impl TodoChange {
    fn of_status(old: TodoStatus, item: &TodoItem) -> Self {
        let content = item.content.clone();
        match (old, item.status) {
            (TodoStatus::Done, _) => Self::Reopened { content },
            (_, TodoStatus::Done) => Self::Finished { content },
            (_, TodoStatus::InProgress) => Self::Started { content },
            (_, TodoStatus::Pending) => Self::PutBack { content },
        }
    }
}

/// The list of one session with its stale counter. A session owns its own; there is no other.
#[derive(Clone, Debug, Default)]
pub struct TodoState {
    /// The list. A rejected call leaves this very object in place.
    pub list: Arc<TodoList>,
    /// How often the list was replaced.
    pub version: u64,
    /// Rounds without a successful `todo_write`.
    pub stale: StaleCounter,
}

impl TodoState {
    /// Replaces the list, once, after everything was validated.
    pub fn replace(&mut self, list: TodoList) {
        self.list = Arc::new(list);
        self.version += 1;
    }
}

/// JSON Schema of the arguments: one property, the whole list.
#[must_use]
pub fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "maxItems": MAX_ITEMS,
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "minLength": 1, "maxLength": MAX_CHARACTERS},
                        "status": {"type": "string", "enum": ["pending", "in_progress", "done"]}
                    },
                    "required": ["content", "status"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["todos"],
        "additionalProperties": false
    })
}

#[cfg(test)]
mod tests;
