//! Every text that a model is given, as files under `assets/prompts`. Each file begins with a comment on its reason, which the
//! model does not see.

use crate::request::Protocol;
use crate::text::is_chinese;
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
    /// The frame of an answer request, in English.
    answer_en, "answer-en.md"
}
prompt! {
    /// The frame of an answer request, in Chinese.
    answer_zh, "answer-zh.md"
}
prompt! {
    /// The parts of a request for a summary.
    summary, "summary.md"
}
prompt! {
    /// What a model is asked in its check-up.
    checkup, "checkup.md"
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
    /// What `remember` does.
    remember, "tools/remember.md"
}
prompt! {
    /// What `forget` does.
    forget, "tools/forget.md"
}
prompt! {
    /// What stands over an assistant's own instructions.
    assistant, "assistant.md"
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

/// What every model is told, and below it what an assistant of the user's is told. The rules about files and the list always come first.
#[must_use]
pub fn instructions_of(assistant_text: &str) -> String {
    match assistant_text.trim() {
        "" => instructions().to_owned(),
        own => format!("{}\n\n{}\n{own}", instructions(), assistant()),
    }
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

/// The texts between the parts of an answer request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerFrame {
    file: &'static str,
}

impl AnswerFrame {
    /// The frame in the language of the question: a small model answers a Chinese question better inside a Chinese frame.
    #[must_use]
    pub fn for_question(question: &str) -> Self {
        let n_chinese = question.chars().filter(|c| is_chinese(*c)).count();
        let n_latin_words = question.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).count();
        Self { file: if n_chinese > n_latin_words { answer_zh() } else { answer_en() } }
    }

    /// The text of a part: the lines below its `[name]`, up to the next one.
    #[must_use]
    pub fn part(&self, name: &str) -> &'static str {
        part(self.file, name)
    }
}

/// The text of a part of a prompt file: the lines below its `[name]`, up to the next one; empty where there is none.
#[must_use]
pub fn part(file: &'static str, name: &str) -> &'static str {
    let Some((_, rest)) = file.split_once(&format!("[{name}]\n")) else { return "" };
    rest.split("\n[").next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_frames_have_every_part() {
        let names = [
            "opening",
            "opening_list",
            "earlier",
            "done",
            "list",
            "result",
            "lines",
            "differences",
            "only_in",
            "cut",
            "failed",
            "refused",
            "said_no",
            "said_no_memory",
            "said_no_names",
            "not_allowed",
            "not_allowed_memory",
            "not_allowed_names",
            "remembered",
            "forgotten",
            "added",
            "deleted",
            "moved",
            "made",
            "task_memory",
            "task_names",
            "task",
            "task_list",
            "question",
        ];
        for question in ["How do I run it?", "怎么运行 README？"] {
            let frame = AnswerFrame::for_question(question);
            assert!(names.iter().all(|name| !frame.part(name).is_empty()), "{question}");
        }
        assert_eq!(AnswerFrame::for_question("怎么运行 make serve？").part("question"), "用户的要求：");
        assert_eq!(
            AnswerFrame::for_question("What does 潮 mean?").part("question"),
            "This is what the user asked for:"
        );
    }

    #[test]
    fn the_comment_on_a_prompts_reason_is_not_given_to_a_model() {
        for text in [instructions(), native(), structured(), answer_en(), answer_zh(), reminder(), todo_write()] {
            assert!(!text.contains("<!--") && !text.is_empty());
        }
    }
}
