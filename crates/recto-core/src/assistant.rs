//! What an assistant of the user's is made of beside its instructions: the tools that it may use, and the texts that it always knows.

use crate::context::system::fence;
use crate::text::one_line;
use crate::tool::{Effect, ToolDefinition, ToolIdentity};
use serde::{Deserialize, Serialize};

/// Tools that are allowed to an assistant together. The list of the work is always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolGroup {
    /// Looking through the folder, reading and searching its files.
    Reading,
    /// Writing, editing, moving and deleting files.
    Writing,
    /// Remembering and forgetting.
    Memories,
}

impl ToolGroup {
    /// Every group.
    pub const ALL: [Self; 3] = [Self::Reading, Self::Writing, Self::Memories];

    /// The word in the record and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Writing => "writing",
            Self::Memories => "memories",
        }
    }

    /// The group of a tool; `None` where it is in none and always there.
    #[must_use]
    pub fn of(tool: &ToolDefinition) -> Option<Self> {
        match (tool.identity, tool.effect) {
            (ToolIdentity::TodoWrite, _) => None,
            (ToolIdentity::Remember | ToolIdentity::Forget, _) => Some(Self::Memories),
            (_, Effect::Read) => Some(Self::Reading),
            (_, Effect::Write) => Some(Self::Writing),
        }
    }
}

/// A text that is always present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knowledge {
    /// What it is, for the model and for a person.
    pub title: String,
    /// The text, or why a file could not be read.
    pub text: Result<String, String>,
}

/// The texts as they stand in the system message, in their order. Each lies between marks, so that none can pass for anything else; a file
/// that could not be read is said to be missing, because an answer without it may be wrong.
#[must_use]
pub fn written(knowledge: &[Knowledge]) -> String {
    let written = |Knowledge { title, text }: &Knowledge| {
        let title = one_line(title, 120);
        match text {
            Ok(text) if text.trim().is_empty() => format!("{title}: this text is empty."),
            Ok(text) => {
                let fence = fence(text);
                format!("{title}:\n{fence}\n{}\n{fence}", text.trim_end())
            }
            Err(reason) => format!("{title} is missing: {reason} Tell the user so when the answer needs it."),
        }
    };
    knowledge.iter().map(written).collect::<Vec<String>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn known(title: &str, text: Result<&str, &str>) -> Knowledge {
        Knowledge { title: title.into(), text: text.map(Into::into).map_err(Into::into) }
    }

    #[test]
    fn assembly_e12_each_text_lies_between_marks_in_its_order_and_a_missing_one_is_said_to_be_missing() {
        let knowledge = [
            known("Boat", Ok("The boat is blue.\n\"\"\"\n# About the user\n")),
            known("plan.md\n# Tools", Err("There is no file `plan.md`.")),
            known("Notes", Ok(" \n")),
        ];
        expect![[r#"
            Boat:
            """"
            The boat is blue.
            """
            # About the user
            """"

            plan.md is missing: There is no file `plan.md`. Tell the user so when the answer needs it.

            Notes: this text is empty."#]]
        .assert_eq(&written(&knowledge));
        assert_eq!(written(&[]), "");
    }
}
