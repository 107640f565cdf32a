//! The body of a request, written by hand piece by piece, so that each byte of it belongs to a block or to the interface.
//!
//! What is different from the others: the system message stands beside the messages; the results of a reply's calls are blocks of one message of the
//! user, before any text of it; the arguments of a call are an object; reasoning goes back with its signature; and the cache is told where a beginning
//! ends that will come again. Temperature and seed are not sent: newer models refuse the one, and none knows the other.

use crate::body::{MESSAGE, TOOLS, check, is_object, quoted, tools};
use recto_core::context::block::Role;
use recto_core::request::{Encoding, ModelRequest, Part, Purpose, RequestMessage, Wire};
use recto_core::tool::ToolDefinition;
use recto_engine::ports::ModelError;
use serde_json::{Value, json};

/// Where a beginning ends that a later request shares.
const CACHED: &str = ",\"cache_control\":{\"type\":\"ephemeral\"}";

/// Tokens that a model may think before and between what it says. They count within the longest reply, so they are added to it, and taken out of
/// the window that requests are planned for.
pub(crate) const THINKING: u32 = 8_192;

pub(crate) fn encode(model: &str, request: &ModelRequest) -> Result<Wire, ModelError> {
    check(request)?;
    let mut wire = Wire::default();
    wire.glue(format!(
        "{{\"model\":{},\"max_tokens\":{}",
        quoted(model),
        request.sampling.max_tokens.saturating_add(THINKING)
    ));
    let (system, others): (Vec<&RequestMessage>, Vec<&RequestMessage>) =
        request.messages.iter().partition(|message| message.role == Role::System);
    wire.glue(",\"system\":[");
    write_texts(&mut wire, system.iter().flat_map(|message| &message.parts), &request.marks.stands_to);
    wire.glue("],\"messages\":[");
    // A turn's next request begins with all of this one, so its end is a mark as well.
    let is_continued = request.purpose == Purpose::Work;
    let turns = turns(&others);
    for (index, turn) in turns.iter().enumerate() {
        if index > 0 {
            wire.glue(",");
        }
        let is_last = index + 1 == turns.len();
        write_turn(&mut wire, turn, request.marks.reminder, is_last && is_continued);
    }
    wire.glue("]");
    if !request.tools.is_empty() {
        wire.glue(format!("{TOOLS}{}", tools(&request.tools, definition)));
        wire.glue(format!(",\"tool_choice\":{{\"type\":\"{}\"}}", if request.may_call { "auto" } else { "none" }));
    }
    if let Some(schema) = &request.step {
        let format = json!({"format": {"type": "json_schema", "schema": allowed(schema)}});
        wire.glue(format!(",\"output_config\":{format}"));
    }
    wire.glue(",\"stream\":true}");
    Ok(wire)
}

/// The messages by who speaks: a reply's results and what follows them are one message of the user.
fn turns<'a>(messages: &[&'a RequestMessage]) -> Vec<Vec<&'a RequestMessage>> {
    let speaker = |message: &RequestMessage| message.role == Role::Assistant;
    let mut turns: Vec<Vec<&RequestMessage>> = Vec::new();
    for message in messages {
        match turns.last_mut() {
            Some(turn) if turn.first().is_some_and(|first| speaker(first) == speaker(message)) => turn.push(message),
            _ => turns.push(vec![message]),
        }
    }
    turns
}

/// Texts as blocks; those with which a beginning ends are a block's last ones.
fn write_texts<'a>(wire: &mut Wire, parts: impl Iterator<Item = &'a Part>, ends: &[usize]) {
    let mut is_open = false;
    let mut n_blocks = 0;
    for part in parts {
        let Part::Text { block, text } = part else { continue };
        if !is_open {
            wire.glue(if n_blocks == 0 { "{\"type\":\"text\",\"text\":\"" } else { ",{\"type\":\"text\",\"text\":\"" });
            is_open = true;
            n_blocks += 1;
        }
        wire.block(*block, text.as_str(), Encoding::Json);
        if ends.contains(block) {
            wire.glue(format!("\"{CACHED}}}"));
            is_open = false;
        }
    }
    if is_open {
        wire.glue("\"}");
    }
}

fn write_turn(wire: &mut Wire, turn: &[&RequestMessage], reminder: Option<usize>, is_cached: bool) {
    let is_assistant = turn.first().is_some_and(|message| message.role == Role::Assistant);
    wire.glue(format!("{MESSAGE}\"{}\",\"content\":[", if is_assistant { "assistant" } else { "user" }));
    let mut blocks = 0;
    let mut next = |wire: &mut Wire| {
        if blocks > 0 {
            wire.glue(",");
        }
        blocks += 1;
    };
    // The reminder comes after everything, so what ends before it is the last block that the next request has too.
    let last = turn.len() - 1;
    let mut after = None;
    for (index, message) in turn.iter().enumerate() {
        let mark = if is_cached && index == last { CACHED } else { "" };
        let texts: Vec<(usize, &str)> = message
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text { block, text } if Some(*block) == reminder => {
                    after = Some((*block, text.as_str()));
                    None
                }
                Part::Text { block, text } if !text.is_empty() => Some((*block, text.as_str())),
                _ => None,
            })
            .collect();
        for part in &message.parts {
            if let Part::Thought { block, json } = part {
                next(wire);
                wire.block(*block, json.as_str(), Encoding::Plain);
            }
        }
        let is_result = message.role == Role::Tool;
        if is_result {
            next(wire);
            let call = message.call.as_ref().map_or("", |call| call.as_str());
            wire.glue(format!("{{\"type\":\"tool_result\",\"tool_use_id\":{},\"content\":\"", quoted(call)));
        } else if !texts.is_empty() {
            next(wire);
            wire.glue("{\"type\":\"text\",\"text\":\"");
        }
        for (block, text) in &texts {
            wire.block(*block, *text, Encoding::Json);
        }
        if is_result || !texts.is_empty() {
            wire.glue(format!("\"{mark}}}"));
        }
        for part in &message.parts {
            let Part::Call { block, id, name, arguments } = part else { continue };
            next(wire);
            wire.glue(format!(
                "{{\"type\":\"tool_use\",\"id\":{},\"name\":{},\"input\":",
                quoted(id.as_str()),
                quoted(name)
            ));
            // The input has to be an object; the string of a call that could not be read is put into one, so that nothing of it is lost.
            if is_object(arguments) {
                wire.block(*block, arguments.as_str(), Encoding::Plain);
            } else {
                wire.glue("{\"unreadable\":\"");
                wire.block(*block, arguments.as_str(), Encoding::Json);
                wire.glue("\"}");
            }
            wire.glue("}");
        }
    }
    if let Some((block, text)) = after {
        next(wire);
        wire.glue("{\"type\":\"text\",\"text\":\"");
        wire.block(block, text, Encoding::Json);
        wire.glue("\"}");
    }
    wire.glue("]}");
}

fn definition(tool: ToolDefinition) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}

/// A schema without the limits that this interface refuses; what comes back is read by our own rules anyway.
fn allowed(schema: &Value) -> Value {
    const REFUSED: [&str; 10] = [
        "minLength",
        "maxLength",
        "pattern",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minimum",
        "maximum",
        "minProperties",
        "maxProperties",
    ];
    match schema {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, value)| !REFUSED.contains(&name.as_str()) || value.is_object())
            .map(|(name, value)| (name.clone(), allowed(value)))
            .collect(),
        Value::Array(items) => items.iter().map(allowed).collect(),
        other => other.clone(),
    }
}
