//! The structured protocol: one step of work is one JSON value under a schema, so that a small model never makes a malformed call.
//!
//! A step is a call of one offered tool, `READY` when the facts are in, or, where no tool is needed, the answer itself.

use crate::todo::TODO_WRITE;
use crate::tool::{Effect, PathChoice, Places, ToolDefinition, ToolIdentity};
use serde_json::{Map, Value, json};

/// The word that ends the work.
pub const READY: &str = "READY";
/// The name of the step that is the answer itself.
pub const ANSWER: &str = "answer";

/// The longest texts a step may hold, in characters; a runaway list or string would otherwise fill the reply.
const MAX_PATH: u64 = 200;
const MAX_TEXT: u64 = 6_000;
const MAX_PATTERN: u64 = 120;
const MAX_SENTENCE: u64 = 240;
const MAX_TODO_ITEMS: u64 = 12;
const MAX_TODO_CONTENT: u64 = 160;

/// What a step may be, at one moment of a turn.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    /// Tools on offer.
    pub tools: Vec<&'a ToolDefinition>,
    /// Whether the work may end.
    pub may_end: bool,
    /// Whether the step may be the answer itself.
    pub may_answer: bool,
    /// Whether a result did not fit, so that a part of a file may be asked for. A small model that is offered a line range takes
    /// one line at random.
    pub has_cut_result: bool,
    /// Paths that are there.
    pub places: &'a Places,
    /// The files among them that reading makes sense for: those whose whole text is not above already.
    pub unread: &'a [String],
    /// What is remembered and stands in the system message, so that a sentence can be named exactly.
    pub remembered: &'a [String],
    /// Names of passages that were given in this turn.
    pub passages: &'a [String],
}

/// JSON Schema of a step.
#[must_use]
pub fn schema(choices: &Choices<'_>) -> Value {
    let mut steps: Vec<Value> = Vec::new();
    if choices.may_end {
        steps.push(object(json!({"name": {"const": READY}})));
    }
    if choices.may_answer {
        let arguments = object(json!({"text": {"type": "string", "minLength": 1}}));
        steps.push(object(json!({"name": {"const": ANSWER}, "arguments": arguments})));
    }
    let has_places = !choices.places.files.is_empty();
    let can_be_called = |tool: &&&ToolDefinition| {
        let reads_a_file =
            tool.effect == Effect::Read && tool.paths.iter().any(|(_, choice)| *choice == PathChoice::File);
        // A name that nobody gave could only be made up.
        let names_a_passage = tool.paths.iter().any(|(_, choice)| *choice == PathChoice::Passage);
        let has_no_file = reads_a_file && has_places && choices.unread.is_empty();
        let has_no_passage = names_a_passage && choices.passages.is_empty();
        !has_no_file && !has_no_passage
    };
    for tool in choices.tools.iter().filter(can_be_called) {
        let arguments = narrowed(tool, choices);
        steps.push(object(json!({"name": {"const": tool.name}, "arguments": arguments})));
    }
    if steps.is_empty() {
        // A step with no choice at all could not be written; where nothing is left to do, the work is done.
        steps.push(object(json!({"name": {"const": READY}})));
    }
    json!({"anyOf": steps})
}

/// An object with exactly these properties, all of them required.
fn object(properties: Value) -> Value {
    let required: Vec<String> = properties.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The tool's own schema with what is known at this moment: paths that are there, and lengths capped.
fn narrowed(tool: &ToolDefinition, choices: &Choices<'_>) -> Value {
    let places = choices.places;
    let mut schema = tool.parameters.clone();
    if tool.name == TODO_WRITE {
        cap_todos(&mut schema);
        return schema;
    }
    let required: Vec<Value> = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return schema };
    if !choices.has_cut_result {
        properties.retain(|name, property| {
            property.get("type") != Some(&json!("integer")) || required.iter().any(|other| other == name)
        });
    }
    if tool.identity == ToolIdentity::Forget {
        for (_, property) in properties.iter_mut() {
            *property = json!({"type": "string", "enum": choices.remembered});
        }
        return schema;
    }
    for (name, property) in properties.iter_mut() {
        let there = tool.paths.iter().find(|(path, _)| path == name).map(|(_, choice)| match choice {
            PathChoice::File if tool.effect == Effect::Read => choices.unread,
            PathChoice::File => places.files.as_slice(),
            PathChoice::Folder => places.folders.as_slice(),
            PathChoice::Passage => choices.passages,
        });
        match there {
            Some(paths) if !paths.is_empty() => *property = json!({"type": "string", "enum": paths}),
            _ if property.get("type") == Some(&json!("string")) => {
                let cap = match name.as_str() {
                    _ if tool.identity == ToolIdentity::Remember => MAX_SENTENCE,
                    "path" | "to" => MAX_PATH,
                    "pattern" => MAX_PATTERN,
                    _ => MAX_TEXT,
                };
                cap_length(property, cap);
            }
            _ => {}
        }
    }
    schema
}

fn cap_length(property: &mut Value, cap: u64) {
    if let Some(property) = property.as_object_mut() {
        property.remove("description");
        property.insert("maxLength".into(), json!(cap));
    }
}

fn cap_todos(schema: &mut Value) {
    if let Some(todos) = schema.pointer_mut("/properties/todos").and_then(Value::as_object_mut) {
        todos.insert("minItems".into(), json!(1));
        todos.insert("maxItems".into(), json!(MAX_TODO_ITEMS));
    }
    if let Some(content) = schema.pointer_mut("/properties/todos/items/properties/content") {
        cap_length(content, MAX_TODO_CONTENT);
    }
}

/// A step as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepRead {
    /// The work is done.
    Ready,
    /// The answer itself.
    Answer(String),
    /// A call: the name, and the arguments byte for byte as they stand in the step.
    Call {
        /// The tool's name.
        name: String,
        /// The arguments as they were written.
        arguments: String,
    },
    /// Text that is no step at all; a server that ignores the schema sends it.
    Text(String),
    /// A step that cannot be read, with the reason.
    Broken(String),
}

/// Reads a step. Arguments are kept as they were written, because they are shown, hashed and sent back.
#[must_use]
pub fn read(text: &str) -> StepRead {
    #[derive(serde::Deserialize)]
    struct Raw<'a> {
        name: String,
        #[serde(borrow, default)]
        arguments: Option<&'a serde_json::value::RawValue>,
    }
    let trimmed = text.trim();
    if trimmed.trim_matches(|c: char| !c.is_alphanumeric()) == READY {
        return StepRead::Ready;
    }
    if !trimmed.starts_with('{') {
        return StepRead::Text(trimmed.to_owned());
    }
    let raw: Raw<'_> = match serde_json::from_str(trimmed) {
        Ok(raw) => raw,
        Err(error) => return StepRead::Broken(error.to_string()),
    };
    let arguments = raw.arguments.map_or("{}", serde_json::value::RawValue::get);
    match raw.name.as_str() {
        READY => StepRead::Ready,
        ANSWER => {
            match serde_json::from_str::<Map<String, Value>>(arguments).ok().and_then(|mut map| map.remove("text")) {
                Some(Value::String(answer)) => StepRead::Answer(answer),
                _ => StepRead::Broken("the answer has no text".to_owned()),
            }
        }
        name => StepRead::Call { name: name.to_owned(), arguments: arguments.to_owned() },
    }
}

/// Decodes the text of an answer step while it arrives, so that it can be shown as it is written.
#[derive(Clone, Debug, Default)]
pub struct AnswerStream {
    seen: String,
    n_given: usize,
}

impl AnswerStream {
    /// Takes what arrived and gives the new part of the answer; `None` while the step is not known to be an answer.
    pub fn push(&mut self, delta: &str) -> Option<String> {
        self.seen.push_str(delta);
        let start = answer_start(&self.seen)?;
        let text = decoded(&self.seen[start..]);
        let new = text.get(self.n_given..)?.to_owned();
        self.n_given = text.len();
        (!new.is_empty()).then_some(new)
    }
}

/// Where the characters of the answer begin, once the step is known to be one.
fn answer_start(seen: &str) -> Option<usize> {
    let mut at = 0;
    for expected in ["{", "\"name\"", ":", "\"answer\"", ",", "\"arguments\"", ":", "{", "\"text\"", ":", "\""] {
        let rest = &seen[at..];
        let skipped = rest.len() - rest.trim_start().len();
        at += skipped;
        if !seen[at..].starts_with(expected) {
            return None;
        }
        at += expected.len();
    }
    Some(at)
}

/// Decodes the inside of a JSON string as far as it is complete; an escape that is cut off waits for its rest.
fn decoded(inside: &str) -> String {
    let mut end = 0;
    let mut characters = inside.char_indices().peekable();
    let mut pending_surrogate = None;
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => break,
            '\\' => {
                let Some((_, escape)) = characters.next() else { break };
                let mut unit_end = at + 1 + escape.len_utf8();
                if escape == 'u' {
                    if inside.len() < unit_end + 4 || !inside.is_char_boundary(unit_end + 4) {
                        break;
                    }
                    let unit = u32::from_str_radix(&inside[unit_end..unit_end + 4], 16).unwrap_or(0);
                    unit_end += 4;
                    for _ in 0..4 {
                        characters.next();
                    }
                    // A high surrogate is only text together with the low one that follows.
                    if (0xd800..0xdc00).contains(&unit) && pending_surrogate.is_none() {
                        pending_surrogate = Some(at);
                        continue;
                    }
                }
                pending_surrogate = None;
                end = unit_end;
            }
            _ => {
                pending_surrogate = None;
                end = at + character.len_utf8();
            }
        }
    }
    serde_json::from_str(&format!("\"{}\"", &inside[..end])).unwrap_or_default()
}

mod asked;

pub use asked::Asked;

#[cfg(test)]
mod tests;
