//! Assistants and what they always know, as their page shows and changes them.

use crate::folders;
use crate::view::conversation::FolderView;
use crate::view::count;
use recto_app::AssistantDraft;
use recto_app::record::{AssistantRow, KnowledgeContent, KnowledgeRow};
use recto_core::assistant::ToolGroup;
use recto_core::prompt;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The assistants that can be chosen.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantsView {
    /// Those that the person made, by name.
    pub assistants: Vec<AssistantLine>,
    /// The one of the next conversation; `None` is the one that comes with the program.
    pub last: Option<String>,
    /// What the one that comes with the program is told, and every other one before its own instructions.
    pub rules: String,
}

/// An assistant in a list, with what a conversation that begins with it takes over.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantLine {
    /// Which.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The folder of a conversation that begins with it.
    pub folder: Option<FolderView>,
    /// The model of such a conversation.
    pub model: Option<String>,
}

/// An assistant with all that belongs to it.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantView {
    /// Which.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is told beside the rules.
    pub instructions: String,
    /// The language of its answers.
    pub reply_language: ReplyLanguageView,
    /// The folder of a conversation that begins with it.
    pub folder: Option<FolderView>,
    /// The model of such a conversation.
    pub model: Option<String>,
    /// The tools that it may use.
    pub tools: Vec<ToolGroupView>,
    /// What it always knows, in its order.
    pub knowledge: Vec<KnowledgeView>,
}

/// Something that an assistant always knows.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KnowledgeView {
    /// Which.
    pub id: String,
    /// Its name.
    pub title: String,
    /// The text; empty where it is a file.
    pub text: String,
    /// The file's whole path, to be read only; `None` where it is a text.
    pub path: Option<String>,
    /// Whether it is given.
    pub is_on: bool,
    /// How long it is now.
    pub n_characters: u32,
    /// Why the file cannot be read; `None` where it can.
    pub trouble: Option<String>,
}

/// The language of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ReplyLanguageView {
    /// The question's own.
    Auto,
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

/// Tools that are allowed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ToolGroupView {
    /// Looking, reading, searching.
    Reading,
    /// Writing and editing.
    Writing,
    /// Remembering and forgetting.
    Memories,
}

/// A copy of an assistant.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantCopyParams {
    /// Of which; `None` of the one that comes with the program.
    pub assistant: Option<String>,
    /// The copy's name.
    pub name: String,
}

/// Everything that a person decides about an assistant.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantWriteParams {
    /// Which.
    pub assistant: String,
    /// Its name.
    pub name: String,
    /// What it is told beside the rules.
    pub instructions: String,
    /// The language of its answers.
    pub reply_language: ReplyLanguageView,
    /// Which of the picked folders.
    pub folder: Option<String>,
    /// Which model.
    pub model: Option<String>,
    /// The tools that it may use.
    pub tools: Vec<ToolGroupView>,
}

/// Who works from now on.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantChooseParams {
    /// In which conversation; `None` in those that begin from now on.
    pub conversation: Option<String>,
    /// Which; `None` is the one that comes with the program.
    pub assistant: Option<String>,
}

/// A text that an assistant is to know, or a change of one.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KnowledgeWriteParams {
    /// Which; `None` adds one.
    pub knowledge: Option<String>,
    /// Whose.
    pub assistant: String,
    /// Its name.
    pub title: String,
    /// The text; not used for a file.
    pub text: String,
    /// Whether it is given.
    pub is_on: bool,
}

mirror!(ToolGroup => ToolGroupView { Reading, Writing, Memories });

impl From<ToolGroupView> for ToolGroup {
    fn from(group: ToolGroupView) -> Self {
        match group {
            ToolGroupView::Reading => Self::Reading,
            ToolGroupView::Writing => Self::Writing,
            ToolGroupView::Memories => Self::Memories,
        }
    }
}

impl AssistantsView {
    /// The rows of the record.
    #[must_use]
    pub fn new(rows: Vec<AssistantRow>, last: Option<String>) -> Self {
        let line = |row: AssistantRow| AssistantLine {
            id: row.id.0,
            name: row.name,
            folder: row.folder.as_deref().map(folders::view),
            model: row.model,
        };
        Self { assistants: rows.into_iter().map(line).collect(), last, rules: prompt::instructions().to_owned() }
    }
}

impl AssistantView {
    /// A row of the record, and what it knows with the texts as they are now.
    #[must_use]
    pub fn new(row: AssistantRow, knowledge: Vec<(KnowledgeRow, Result<String, String>)>) -> Self {
        Self {
            id: row.id.0,
            name: row.name,
            instructions: row.instructions,
            reply_language: match row.reply_language.as_deref() {
                Some("en") => ReplyLanguageView::En,
                Some("zh") => ReplyLanguageView::Zh,
                _ => ReplyLanguageView::Auto,
            },
            folder: row.folder.as_deref().map(folders::view),
            model: row.model,
            tools: row.tools.into_iter().map(Into::into).collect(),
            knowledge: knowledge.into_iter().map(|(row, text)| KnowledgeView::new(row, text)).collect(),
        }
    }
}

impl KnowledgeView {
    fn new(row: KnowledgeRow, read: Result<String, String>) -> Self {
        let n_characters = count(read.as_ref().map_or(0, |text| text.chars().count()));
        let (text, path) = match row.content {
            KnowledgeContent::Text(text) => (text, None),
            KnowledgeContent::File(path) => (String::new(), Some(path)),
        };
        Self { id: row.id.0, title: row.title, text, path, is_on: row.is_on, n_characters, trouble: read.err() }
    }
}

impl AssistantWriteParams {
    /// What was decided, with the folder's path.
    #[must_use]
    pub fn draft(self, folder: Option<String>) -> AssistantDraft {
        AssistantDraft {
            name: self.name,
            instructions: self.instructions,
            reply_language: match self.reply_language {
                ReplyLanguageView::Auto => None,
                ReplyLanguageView::En => Some("en".to_owned()),
                ReplyLanguageView::Zh => Some("zh".to_owned()),
            },
            folder,
            model: self.model,
            tools: self.tools.into_iter().map(Into::into).collect(),
        }
    }
}
