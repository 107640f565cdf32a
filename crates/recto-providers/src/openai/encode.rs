//! The body of a request, written by hand piece by piece, so that each byte of it belongs to a block or to the interface.

use crate::body::{MESSAGE, TOOLS, calls, check, has_text, quoted, tools};
use crate::client::ReplyLimit;
use recto_core::context::block::Role;
use recto_core::request::{Encoding, ModelRequest, Part, RequestMessage, Wire};
use recto_core::tool::ToolDefinition;
use recto_engine::ports::ModelError;
use serde_json::{Value, json};

const CALL: &str = ",\"type\":\"function\",\"function\":{\"name\":";

pub(crate) fn encode(model: &str, limit: ReplyLimit, request: &ModelRequest) -> Result<Wire, ModelError> {
    check(request)?;
    let mut wire = Wire::default();
    wire.glue(format!("{{\"model\":{},\"messages\":[", quoted(model)));
    for (index, message) in request.messages.iter().enumerate() {
        if index > 0 {
            wire.glue(",");
        }
        write_message(&mut wire, message);
    }
    wire.glue("]");
    if !request.tools.is_empty() {
        wire.glue(format!("{TOOLS}{}", tools(&request.tools, definition)));
        wire.glue(format!(",\"tool_choice\":\"{}\"", if request.may_call { "auto" } else { "none" }));
    }
    if let Some(schema) = &request.step {
        let format = json!({"type": "json_schema", "json_schema": {"name": "step", "strict": true, "schema": schema}});
        wire.glue(format!(",\"response_format\":{format}"));
    }
    let sampling = request.sampling;
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

fn write_message(wire: &mut Wire, message: &RequestMessage) {
    wire.glue(format!("{MESSAGE}\"{}\"", message.role.as_str()));
    if let (Role::Tool, Some(call)) = (message.role, &message.call) {
        wire.glue(format!(",\"tool_call_id\":{}", quoted(call.as_str())));
    }
    // A reply that was calls and nothing else had no text, which is `null` and not an empty text.
    if has_text(message) {
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
    let mut n_calls = 0;
    for part in calls(message) {
        let Part::Call { block, id, name, arguments } = part else { continue };
        wire.glue(if n_calls == 0 { ",\"tool_calls\":[" } else { "," });
        wire.glue(format!("{{\"id\":{}{CALL}{},\"arguments\":\"", quoted(id.as_str()), quoted(name)));
        wire.block(*block, arguments.as_str(), Encoding::Json);
        wire.glue("\"}}");
        n_calls += 1;
    }
    wire.glue(if n_calls == 0 { "}" } else { "]}" });
}

fn definition(tool: ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    })
}
