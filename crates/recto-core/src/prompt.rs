//! Every text that a model is given, as files under `assets/prompts`. Each file begins with a comment on its reason, which the
//! model does not see.

use crate::request::Protocol;
use crate::tool::ToolDefinition;
use serde::{Deserialize, Serialize};

macro_rules! prompt {
    ($(#[$doc:meta])* $name:ident, $file:literal) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name() -> &'static str {
            body(include_str!(concat!("../../../assets/prompts/", $file)))
        }
    };
}

prompt! {
    /// What every model is told first.
    instructions, "instructions.md"
}
prompt! {
    /// How work ends under the native protocol.
    native, "native.md"
}
prompt! {
    /// The rules of a step under the structured protocol.
    structured, "structured.md"
}
prompt! {
    /// The task of an answer request.
    answer, "answer.md"
}
prompt! {
    /// The stale reminder.
    reminder, "reminder.md"
}
prompt! {
    /// What `todo_write` does.
    todo_write, "todo_write.md"
}
prompt! {
    /// Reply in the question's language.
    language_auto, "language-auto.md"
}
prompt! {
    /// Reply in English.
    language_en, "language-en.md"
}
prompt! {
    /// Reply in simplified Chinese.
    language_zh, "language-zh.md"
}

/// A prompt file without its first comment.
#[must_use]
pub fn body(file: &'static str) -> &'static str {
    match file.strip_prefix("<!--").and_then(|rest| rest.split_once("-->")) {
        Some((_, body)) => body.trim(),
        None => file.trim(),
    }
}

/// The language that answers are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyLanguage {
    /// The question's own.
    #[default]
    Auto,
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

impl ReplyLanguage {
    /// What the model is told.
    #[must_use]
    pub fn prompt(self) -> &'static str {
        match self {
            Self::Auto => language_auto(),
            Self::En => language_en(),
            Self::Zh => language_zh(),
        }
    }
}

/// What the system message says of the tools: rules and list under the structured protocol, one rule under the native one,
/// where the definitions travel beside the messages.
#[must_use]
pub fn tools(protocol: Protocol, tools: &[ToolDefinition]) -> String {
    match protocol {
        Protocol::Native => native().to_owned(),
        Protocol::Structured => {
            let mut text = structured().to_owned();
            for tool in tools {
                text.push_str(&format!("\n- {}{}: {}", tool.name, signature(tool), tool.description));
            }
            text
        }
    }
}

/// Argument names in their order, optional ones with a question mark.
fn signature(tool: &ToolDefinition) -> String {
    let properties = tool.parameters.get("properties").and_then(serde_json::Value::as_object);
    let required = tool.parameters.get("required").and_then(serde_json::Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|other| other == name));
    let names: Vec<String> = properties
        .into_iter()
        .flat_map(|map| map.keys())
        .map(|name| if is_required(name) { name.clone() } else { format!("{name}?") })
        .collect();
    format!("({})", names.join(", "))
}
