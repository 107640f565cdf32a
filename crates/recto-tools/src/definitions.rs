//! The tools as they are offered to a model.

use recto_core::tool::{Effect, PathChoice, ToolDefinition, ToolIdentity};
use serde_json::{Value, json};

/// A tool of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Tool {
    ListDir,
    ReadFile,
    SearchText,
    WriteFile,
    EditFile,
    AppendFile,
    DeleteFile,
    MoveFile,
    MakeDir,
}

impl Tool {
    pub(crate) const ALL: [Self; 9] = [
        Self::ListDir,
        Self::ReadFile,
        Self::SearchText,
        Self::WriteFile,
        Self::EditFile,
        Self::AppendFile,
        Self::DeleteFile,
        Self::MoveFile,
        Self::MakeDir,
    ];

    /// The tool that a model means by this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ListDir => "list_dir",
            Self::ReadFile => "read_file",
            Self::SearchText => "search_text",
            Self::WriteFile => "write_file",
            Self::EditFile => "edit_file",
            Self::AppendFile => "append_file",
            Self::DeleteFile => "delete_file",
            Self::MoveFile => "move_file",
            Self::MakeDir => "make_dir",
        }
    }

    pub(crate) fn identity(self) -> ToolIdentity {
        match self {
            Self::ListDir | Self::ReadFile | Self::SearchText | Self::WriteFile | Self::EditFile => {
                ToolIdentity::BuiltIn
            }
            Self::AppendFile => ToolIdentity::AppendFile,
            Self::DeleteFile => ToolIdentity::DeleteFile,
            Self::MoveFile => ToolIdentity::MoveFile,
            Self::MakeDir => ToolIdentity::MakeDir,
        }
    }

    pub(crate) fn effect(self) -> Effect {
        match self {
            Self::ListDir | Self::ReadFile | Self::SearchText => Effect::Read,
            _ => Effect::Write,
        }
    }

    pub(crate) fn definition(self) -> ToolDefinition {
        let paths: &[(&str, PathChoice)] = match self {
            Self::ListDir | Self::SearchText => &[("path", PathChoice::Folder)],
            Self::ReadFile | Self::EditFile | Self::AppendFile | Self::DeleteFile | Self::MoveFile => {
                &[("path", PathChoice::File)]
            }
            // What is new has a name that is not there yet.
            Self::WriteFile | Self::MakeDir => &[],
        };
        ToolDefinition {
            identity: self.identity(),
            name: self.name().to_owned(),
            description: description(self.prompt()),
            parameters: self.parameters(),
            effect: self.effect(),
            paths: paths.iter().map(|(name, choice)| ((*name).to_owned(), *choice)).collect(),
            repeats: self != Self::ListDir,
        }
    }

    fn prompt(self) -> &'static str {
        match self {
            Self::ListDir => include_str!("../../../assets/prompts/tools/list_dir.md"),
            Self::ReadFile => include_str!("../../../assets/prompts/tools/read_file.md"),
            Self::SearchText => include_str!("../../../assets/prompts/tools/search_text.md"),
            Self::WriteFile => include_str!("../../../assets/prompts/tools/write_file.md"),
            Self::EditFile => include_str!("../../../assets/prompts/tools/edit_file.md"),
            Self::AppendFile => include_str!("../../../assets/prompts/tools/append_file.md"),
            Self::DeleteFile => include_str!("../../../assets/prompts/tools/delete_file.md"),
            Self::MoveFile => include_str!("../../../assets/prompts/tools/move_file.md"),
            Self::MakeDir => include_str!("../../../assets/prompts/tools/make_dir.md"),
        }
    }

    fn parameters(self) -> Value {
        let path = json!({ "type": "string", "minLength": 1, "maxLength": 400 });
        let line = json!({ "type": "integer", "minimum": 1 });
        let (properties, required) = match self {
            Self::ListDir | Self::DeleteFile | Self::MakeDir => (json!({ "path": path }), json!(["path"])),
            Self::ReadFile => (json!({ "path": path, "start_line": line, "end_line": line }), json!(["path"])),
            Self::SearchText => {
                let pattern = json!({ "type": "string", "minLength": 1, "maxLength": 400 });
                (json!({ "pattern": pattern, "path": path }), json!(["pattern"]))
            }
            Self::WriteFile => (json!({ "path": path, "content": { "type": "string" } }), json!(["path", "content"])),
            Self::AppendFile => {
                let content = json!({ "type": "string", "minLength": 1 });
                (json!({ "path": path, "content": content }), json!(["path", "content"]))
            }
            Self::MoveFile => (json!({ "path": path, "to": path }), json!(["path", "to"])),
            Self::EditFile => {
                let old_text = json!({ "type": "string", "minLength": 1 });
                let properties = json!({ "path": path, "old_text": old_text, "new_text": { "type": "string" } });
                (properties, json!(["path", "old_text", "new_text"]))
            }
        };
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    }
}

/// A prompt file without its first line, which says why it is as it is.
fn description(prompt: &str) -> String {
    prompt.split_once('\n').map_or("", |(_, rest)| rest).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Checker;

    #[test]
    fn every_tool_has_a_description_and_a_valid_schema() {
        for tool in Tool::ALL {
            let definition = tool.definition();
            assert_eq!(Tool::named(&definition.name), Some(tool));
            assert!(definition.description.len() > 40, "{}", definition.name);
            assert!(!definition.description.contains("<!--"), "{}", definition.name);
            assert!(tool.prompt().starts_with("<!-- "), "{}", definition.name);
            assert!(Checker::new(&definition.parameters).is_some(), "{}", definition.name);
            for (path, _) in &definition.paths {
                assert!(definition.parameters["properties"].get(path).is_some(), "{}: {path}", definition.name);
            }
        }
    }

    #[test]
    fn only_writing_tools_write_and_only_a_list_is_not_repeated() {
        let of = |test: fn(&ToolDefinition) -> bool| -> Vec<String> {
            Tool::ALL.map(Tool::definition).into_iter().filter(test).map(|tool| tool.name).collect()
        };
        assert_eq!(
            of(|tool| tool.effect == Effect::Write),
            ["write_file", "edit_file", "append_file", "delete_file", "move_file", "make_dir"]
        );
        assert_eq!(of(|tool| !tool.repeats), ["list_dir"]);
        let outside = |tool: &Tool| tool.definition().identity == ToolIdentity::External;
        assert!(!Tool::ALL.iter().any(outside));
    }
}
