//! The body of a request, written by hand piece by piece, so that each byte of it belongs to a block or to the interface.

use recto_core::context::block::Role;
use recto_core::context::plan::{ByCharacters, CountTokens as _, PER_MESSAGE};
use recto_core::request::{Encoding, ModelRequest, Part, RequestMessage, Wire};
use recto_core::tool::{ToolDefinition, catalogue};
use recto_engine::ports::{ModelError, ModelErrorKind};
use serde_json::{Value, json};

const MESSAGE: &str = "{\"role\":";
const CALL: &str = ",\"type\":\"function\",\"function\":{\"name\":";
const TOOLS: &str = ",\"tools\":";
const TOOL_CHOICE: &str = ",\"tool_choice\":";

/// Under which name the longest reply is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyLimit {
    /// `max_tokens`, which every server knows.
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's own newer models insist on.
    MaxCompletionTokens,
}

/// The body, its keys in a fixed order: the same request gives the same bytes.
///
/// # Errors
/// The request cannot be expressed: it has no message, a message is empty, or its temperature is no number.
pub fn encode(model: &str, limit: ReplyLimit, request: &ModelRequest) -> Result<Wire, ModelError> {
    let mut wire = Wire::default();
    wire.glue(format!("{{\"model\":{},\"messages\":[", quoted(model)));
    for (index, message) in request.messages.iter().enumerate() {
        if index > 0 {
            wire.glue(",");
        }
        write_message(&mut wire, message)?;
    }
    if request.messages.is_empty() {
        return Err(inexpressible("the request has no message"));
    }
    wire.glue("]");
    if !request.tools.is_empty() {
        wire.glue(format!("{TOOLS}{}", tools(request.tools.clone())));
        wire.glue(format!("{TOOL_CHOICE}\"{}\"", if request.may_call { "auto" } else { "none" }));
    }
    if let Some(schema) = &request.step {
        let format = json!({"type": "json_schema", "json_schema": {"name": "step", "strict": true, "schema": schema}});
        wire.glue(format!(",\"response_format\":{format}"));
    }
    let sampling = request.sampling;
    if !sampling.temperature.is_finite() {
        return Err(inexpressible("its temperature is no number"));
    }
    let limit = match limit {
        ReplyLimit::MaxTokens => "max_tokens",
        ReplyLimit::MaxCompletionTokens => "max_completion_tokens",
    };
    wire.glue(format!(
        ",\"temperature\":{},\"seed\":{},\"{limit}\":{}",
        sampling.temperature, sampling.seed, sampling.max_tokens
    ));
    wire.glue(",\"stream\":true,\"stream_options\":{\"include_usage\":true}}");
    Ok(wire)
}

fn write_message(wire: &mut Wire, message: &RequestMessage) -> Result<(), ModelError> {
    let calls: Vec<&Part> = message.parts.iter().filter(|part| matches!(part, Part::Call { .. })).collect();
    let has_text = message.parts.iter().any(|part| matches!(part, Part::Text { text, .. } if !text.is_empty()));
    if !has_text && calls.is_empty() {
        return Err(inexpressible(&format!("a message of the {} is empty", message.role.as_str())));
    }
    wire.glue(format!("{MESSAGE}\"{}\"", message.role.as_str()));
    if let (Role::Tool, Some(call)) = (message.role, &message.call) {
        wire.glue(format!(",\"tool_call_id\":{}", quoted(call.as_str())));
    }
    // A reply that was calls and nothing else had no text, which is `null` and not an empty text.
    if has_text {
        wire.glue(",\"content\":\"");
        for part in &message.parts {
            if let Part::Text { block, text } = part {
                wire.block(*block, text.as_str(), Encoding::Json);
            }
        }
        wire.glue("\"");
    } else {
        wire.glue(",\"content\":null");
    }
    for (index, part) in calls.iter().enumerate() {
        let Part::Call { block, id, name, arguments } = part else { continue };
        wire.glue(if index == 0 { ",\"tool_calls\":[" } else { "," });
        wire.glue(format!("{{\"id\":{}{CALL}{},\"arguments\":\"", quoted(id.as_str()), quoted(name)));
        wire.block(*block, arguments.as_str(), Encoding::Json);
        wire.glue("\"}}");
    }
    wire.glue(if calls.is_empty() { "}" } else { "]}" });
    Ok(())
}

/// Tokens of what belongs to no block. No model reads the body's own JSON: a template puts something of its own around each message and each call,
/// and renders the definitions of the tools. The planner reckons in the same way, so what it lets through is not refused for its commas.
pub(super) fn estimate_of_glue(glue: &str) -> u32 {
    let (around, tools) = glue.split_once(TOOLS).unwrap_or((glue, ""));
    let tools = tools.rsplit_once(TOOL_CHOICE).map_or(tools, |(tools, _)| tools);
    let n_marks = around.matches(MESSAGE).count() + around.matches(CALL).count();
    let marks = PER_MESSAGE.saturating_mul(u32::try_from(n_marks).unwrap_or(u32::MAX));
    marks.saturating_add(ByCharacters.count(tools))
}

/// Definitions as the interface has them, sorted by name. The schema keeps the order of its keys.
fn tools(tools: Vec<ToolDefinition>) -> Value {
    catalogue(tools)
        .into_iter()
        .map(|tool| {
            json!({
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            })
        })
        .collect()
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn inexpressible(why: &str) -> ModelError {
    ModelError::BeforeOutput {
        sentence: format!("This request cannot be sent: {why}. That is a fault in Recto, please report it."),
        kind: ModelErrorKind::Rejected,
    }
}
