//! What the bodies of all dialects have in common.

use recto_core::context::plan::PER_MESSAGE;
use recto_core::request::{ModelRequest, Part, RequestMessage};
use recto_core::tool::{ToolDefinition, catalogue};
use recto_engine::ports::{ModelError, ModelErrorKind};
use serde_json::Value;

/// How every message begins.
pub(crate) const MESSAGE: &str = "{\"role\":";
/// How the tools begin, which follow the messages.
pub(crate) const TOOLS: &str = ",\"tools\":";

/// Definitions as a dialect writes them, sorted by name. The schema keeps the order of its keys.
pub(crate) fn tools(tools: &[ToolDefinition], write: impl Fn(ToolDefinition) -> Value) -> Value {
    catalogue(tools.to_vec()).into_iter().map(write).collect()
}

/// What belongs to no block, as a model is given it: tokens that a template puts around messages and calls, and the definitions of the tools. No
/// model reads the body's own JSON. The planner reckons in the same way, so what it lets through is not refused for its commas.
pub(crate) fn glue(glue: &str) -> (u32, &str) {
    let (around, tools) = glue.split_once(TOOLS).unwrap_or((glue, ""));
    // The definitions are an array, and what follows them is an object's next field.
    let tools = tools.rsplit_once("],\"").map_or(tools, |(tools, _)| tools);
    let n_marks = around.matches(MESSAGE).count() + around.matches("\"function\":{\"name\":").count();
    let n_marks = n_marks + around.matches("{\"type\":\"tool_use\"").count();
    (PER_MESSAGE.saturating_mul(u32::try_from(n_marks).unwrap_or(u32::MAX)), tools)
}

/// What no dialect can express.
///
/// # Errors
/// There is no message, a message is empty, or the temperature is no number.
pub(crate) fn check(request: &ModelRequest) -> Result<(), ModelError> {
    if request.messages.is_empty() {
        return Err(inexpressible("the request has no message"));
    }
    if let Some(empty) = request.messages.iter().find(|message| !has_text(message) && calls(message).next().is_none()) {
        return Err(inexpressible(&format!("a message of the {} is empty", empty.role.as_str())));
    }
    if !request.sampling.temperature.is_finite() {
        return Err(inexpressible("its temperature is no number"));
    }
    Ok(())
}

/// Whether a message has text.
pub(crate) fn has_text(message: &RequestMessage) -> bool {
    message.parts.iter().any(|part| matches!(part, Part::Text { text, .. } if !text.is_empty()))
}

/// The calls of a message.
pub(crate) fn calls(message: &RequestMessage) -> impl Iterator<Item = &Part> {
    message.parts.iter().filter(|part| matches!(part, Part::Call { .. }))
}

/// Whether an argument string is the JSON object that some interfaces want in the place of a string.
pub(crate) fn is_object(arguments: &str) -> bool {
    serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object())
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn inexpressible(why: &str) -> ModelError {
    ModelError::BeforeOutput {
        sentence: format!("This request cannot be sent: {why}. That is a fault in Recto, please report it."),
        kind: ModelErrorKind::Rejected,
    }
}
