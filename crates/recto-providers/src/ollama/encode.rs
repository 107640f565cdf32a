//! The body of a request, written by hand piece by piece, so that each byte of it belongs to a block or to the interface.
//!
//! What is asked for beside the messages: the window, so that it is ours and not the server's default; no shortening of a prompt that does not fit,
//! and no shifting while the reply is written, so that either is an error and not a silent loss.

use crate::body::{MESSAGE, TOOLS, calls, check, has_text, is_object, quoted, tools};
use recto_core::context::block::Role;
use recto_core::id::CallId;
use recto_core::request::{Encoding, ModelRequest, Part, RequestMessage, Wire};
use recto_core::tool::ToolDefinition;
use recto_engine::ports::ModelError;
use serde_json::{Value, json};

/// How long a model stays in memory after a request. The server's own five minutes are over before a long answer is read.
const KEEP_ALIVE: &str = "15m";

pub(crate) fn encode(model: &str, window: u32, request: &ModelRequest) -> Result<Wire, ModelError> {
    check(request)?;
    let mut wire = Wire::default();
    wire.glue(format!("{{\"model\":{},\"messages\":[", quoted(model)));
    for (index, message) in request.messages.iter().enumerate() {
        if index > 0 {
            wire.glue(",");
        }
        write_message(&mut wire, message, &request.messages);
    }
    wire.glue("]");
    // There is no way to offer tools that may not be called.
    if request.may_call && !request.tools.is_empty() {
        wire.glue(format!("{TOOLS}{}", tools(&request.tools, definition)));
    }
    if let Some(schema) = &request.step {
        wire.glue(format!(",\"format\":{schema}"));
    }
    let sampling = request.sampling;
    wire.glue(format!(
        ",\"options\":{{\"num_ctx\":{window},\"temperature\":{},\"seed\":{},\"num_predict\":{}}}",
        sampling.temperature, sampling.seed, sampling.max_tokens
    ));
    wire.glue(format!(",\"truncate\":false,\"shift\":false,\"keep_alive\":\"{KEEP_ALIVE}\",\"stream\":true}}"));
    Ok(wire)
}

fn write_message(wire: &mut Wire, message: &RequestMessage, all: &[RequestMessage]) {
    wire.glue(format!("{MESSAGE}\"{}\"", message.role.as_str()));
    if let (Role::Tool, Some(call)) = (message.role, &message.call) {
        if let Some(name) = name_of(call, all) {
            wire.glue(format!(",\"tool_name\":{}", quoted(name)));
        }
        wire.glue(format!(",\"tool_call_id\":{}", quoted(call.as_str())));
    }
    wire.glue(",\"content\":\"");
    if has_text(message) {
        for part in &message.parts {
            if let Part::Text { block, text } = part {
                wire.block(*block, text.as_str(), Encoding::Json);
            }
        }
    }
    wire.glue("\"");
    let mut n_calls = 0;
    for part in calls(message) {
        let Part::Call { block, id, name, arguments } = part else { continue };
        wire.glue(if n_calls == 0 { ",\"tool_calls\":[" } else { "," });
        wire.glue(format!("{{\"id\":{},\"function\":{{\"name\":{},\"arguments\":", quoted(id.as_str()), quoted(name)));
        // The arguments have to be an object; the string of a call that could not be read is put into one, so that nothing of it is lost.
        if is_object(arguments) {
            wire.block(*block, arguments.as_str(), Encoding::Plain);
        } else {
            wire.glue("{\"unreadable\":\"");
            wire.block(*block, arguments.as_str(), Encoding::Json);
            wire.glue("\"}");
        }
        wire.glue("}}");
        n_calls += 1;
    }
    wire.glue(if n_calls == 0 { "}" } else { "]}" });
}

/// The tool that a call names.
fn name_of<'a>(call: &CallId, all: &'a [RequestMessage]) -> Option<&'a str> {
    all.iter().flat_map(calls).find_map(|part| match part {
        Part::Call { id, name, .. } if id == call => Some(name.as_str()),
        _ => None,
    })
}

fn definition(tool: ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    })
}
