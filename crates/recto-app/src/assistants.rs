//! Assistants as a person makes, copies, changes and chooses them. The one that comes with the program has no row: `None` names it.

use crate::given::text_of;
use crate::open::{App, AppError, Change};
use crate::ports::{FreshIds, WallClock};
use recto_core::assistant::ToolGroup;
use recto_core::id::{AssistantId, ConversationId, KnowledgeId};
use recto_engine::ports::Clock as _;
use recto_store::{AssistantRow, KnowledgeContent, KnowledgeRow, StoreError};

/// The setting that names the assistant of the next conversation.
const LAST: &str = "assistant.last";

/// Instructions and texts are a part of every request; what is longer would leave no room for the work.
const MAX_CHARACTERS: usize = 100_000;

/// What a person decides about an assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssistantDraft {
    /// Its name.
    pub name: String,
    /// What it is told beside the rules that every model is told.
    pub instructions: String,
    /// `en`, `zh`, or `None` for the question's own language.
    pub reply_language: Option<String>,
    /// The folder of a conversation that begins with it.
    pub folder: Option<String>,
    /// The model of a conversation that begins with it.
    pub model: Option<String>,
    /// The tools that it may use.
    pub tools: Vec<ToolGroup>,
}

impl Default for AssistantDraft {
    /// The assistant that comes with the program, as something to begin with.
    fn default() -> Self {
        Self {
            name: "Recto".to_owned(),
            instructions: String::new(),
            reply_language: None,
            folder: None,
            model: None,
            tools: ToolGroup::ALL.to_vec(),
        }
    }
}

impl From<AssistantRow> for AssistantDraft {
    fn from(row: AssistantRow) -> Self {
        let AssistantRow { name, instructions, reply_language, folder, model, tools, .. } = row;
        Self { name, instructions, reply_language, folder, model, tools }
    }
}

/// What a person decides about something that an assistant always knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeDraft {
    /// Its name.
    pub title: String,
    /// What it is.
    pub content: KnowledgeContent,
    /// Whether it is given.
    pub is_on: bool,
}

impl App {
    /// Makes an assistant.
    ///
    /// # Errors
    /// It has no name, its instructions are too long, or it is not saved.
    pub async fn create_assistant(&self, draft: AssistantDraft) -> Result<AssistantId, AppError> {
        let id = FreshIds.assistant();
        self.change_assistant(id.clone(), draft).await?;
        Ok(id)
    }

    /// Changes an assistant; a turn that runs goes on with what it had at its start.
    ///
    /// # Errors
    /// It has no name, its instructions are too long, or it is not saved.
    pub async fn change_assistant(&self, id: AssistantId, draft: AssistantDraft) -> Result<(), AppError> {
        let AssistantDraft { name, instructions, reply_language, folder, model, tools } = draft;
        let name = named(&name, "the assistant")?;
        check_length(&instructions)?;
        let at_ms = WallClock.now_ms();
        let row = AssistantRow {
            id,
            name,
            instructions,
            reply_language,
            folder,
            model,
            tools,
            created_at_ms: at_ms,
            updated_at_ms: at_ms,
        };
        self.inner.store.save_assistant(row).await?;
        Ok(())
    }

    /// Makes an assistant that is like another one, with all that it knows, under a new name.
    ///
    /// # Errors
    /// There is no such assistant, or it is not saved.
    pub async fn copy_assistant(&self, id: Option<AssistantId>, name: String) -> Result<AssistantId, AppError> {
        let store = &self.inner.store;
        let (draft, known) = match id {
            Some(id) => (store.assistant(id.clone()).await?.into(), store.knowledge(id).await?),
            None => (AssistantDraft::default(), Vec::new()),
        };
        let copy = self.create_assistant(AssistantDraft { name, ..draft }).await?;
        for row in known {
            let row = KnowledgeRow { id: FreshIds.knowledge(), assistant: copy.clone(), ..row };
            store.save_knowledge(row).await?;
        }
        Ok(copy)
    }

    /// Deletes an assistant with what it knows; its conversations stay.
    ///
    /// # Errors
    /// There is no such assistant, or it is not deleted.
    pub async fn delete_assistant(&self, id: AssistantId) -> Result<(), AppError> {
        self.inner.store.delete_assistant(id).await?;
        self.changed(Change::Conversations);
        Ok(())
    }

    /// Lets an assistant work in a conversation from its next turn on, and in conversations that begin after it.
    ///
    /// # Errors
    /// There is no such conversation or assistant, or it is not saved.
    pub async fn choose_assistant(
        &self,
        conversation: ConversationId,
        assistant: Option<AssistantId>,
    ) -> Result<(), AppError> {
        self.inner.store.set_assistant(conversation, assistant.clone()).await?;
        self.prefer_assistant(assistant).await
    }

    /// Lets an assistant work in conversations that begin from now on.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn prefer_assistant(&self, assistant: Option<AssistantId>) -> Result<(), AppError> {
        self.inner.store.set_setting(LAST.to_owned(), assistant.map(|assistant| assistant.0)).await?;
        Ok(())
    }

    /// The assistant that was used last, if it is still there; `None` is the one that comes with the program.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn last_assistant(&self) -> Result<Option<AssistantRow>, AppError> {
        let store = &self.inner.store;
        let Some(id) = store.setting(LAST.to_owned()).await? else { return Ok(None) };
        match store.assistant(AssistantId(id)).await {
            Ok(row) => Ok(Some(row)),
            Err(StoreError::NoSuch { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The text of something that an assistant always knows, as a turn that begins now would be given it; `Err` says why a file cannot be read.
    pub async fn knowledge_text(&self, content: KnowledgeContent) -> Result<String, String> {
        text_of(content).await
    }

    /// Gives an assistant a text or a file that it always knows.
    ///
    /// # Errors
    /// The text is too long, or it is not saved.
    pub async fn add_knowledge(&self, assistant: AssistantId, draft: KnowledgeDraft) -> Result<KnowledgeId, AppError> {
        let id = FreshIds.knowledge();
        self.change_knowledge(id.clone(), assistant, draft).await?;
        Ok(id)
    }

    /// Changes something that an assistant always knows.
    ///
    /// # Errors
    /// The text is too long, or it is not saved.
    pub async fn change_knowledge(
        &self,
        id: KnowledgeId,
        assistant: AssistantId,
        draft: KnowledgeDraft,
    ) -> Result<(), AppError> {
        let KnowledgeDraft { title, content, is_on } = draft;
        let title = named(&title, "the text")?;
        if let KnowledgeContent::Text(text) = &content {
            check_length(text)?;
        }
        self.inner.store.save_knowledge(KnowledgeRow { id, assistant, title, content, is_on }).await?;
        Ok(())
    }
}

fn named(name: &str, what: &str) -> Result<String, AppError> {
    match name.trim() {
        "" => Err(AppError::NotKept(format!("{what} has no name; give it one"))),
        name => Ok(name.to_owned()),
    }
}

fn check_length(text: &str) -> Result<(), AppError> {
    match text.chars().count() {
        n if n > MAX_CHARACTERS => Err(AppError::NotKept(format!(
            "the text has {n} characters; at most {MAX_CHARACTERS} can be given to every request, so shorten it"
        ))),
        _ => Ok(()),
    }
}
