//! What a turn is given beyond its question: instructions, texts that are always known, the profile, and the memories that fit. It is gathered
//! once, at the start of the turn.

use crate::open::{App, AppError};
use crate::ports::WallClock;
use recto_core::approval::Grants;
use recto_core::assistant::{self, Knowledge, ToolGroup};
use recto_core::context::system::Scored;
use recto_core::id::{AssistantId, ConversationId, MemoryId};
use recto_core::memory::{self, Memory};
use recto_core::prompt::{self, ReplyLanguage};
use recto_engine::ports::Clock as _;
use recto_store::{AssistantRow, KnowledgeContent, KnowledgeRow, MemoryRow};
use recto_tools::read_chosen_file;
use std::path::PathBuf;
use std::time::Duration;

/// How long is waited for a file; a disk that is gone must not keep a turn from beginning.
const FILE_LIMIT: Duration = Duration::from_secs(3);

/// Who works in a conversation.
pub(crate) struct Who {
    /// `None` is the assistant that comes with the program.
    assistant: Option<AssistantRow>,
    /// The conversation's own language; `None` leaves it to the assistant.
    language: Option<String>,
}

/// What a turn is given.
pub(crate) struct Given {
    pub(crate) instructions: String,
    pub(crate) knowledge: String,
    pub(crate) language: ReplyLanguage,
    pub(crate) profile_of_user: String,
    pub(crate) memories: Vec<Scored>,
    pub(crate) grants: Grants,
    /// The tools that may be used.
    pub(crate) tools: Vec<ToolGroup>,
}

impl App {
    /// Who works in a conversation; in a new one, the assistant that was used last. `chosen` is an assistant that was chosen for it and is not
    /// saved there yet.
    pub(crate) async fn who(
        &self,
        conversation: Option<&ConversationId>,
        chosen: Option<Option<AssistantId>>,
    ) -> Result<Who, AppError> {
        let store = &self.inner.store;
        let (saved, language) = match conversation {
            Some(conversation) => {
                let row = store.conversation(conversation.clone()).await?;
                (row.assistant, row.reply_language)
            }
            None => (self.last_assistant().await?.map(|row| row.id), None),
        };
        let assistant = match chosen.unwrap_or(saved) {
            Some(id) => Some(store.assistant(id).await?),
            None => None,
        };
        Ok(Who { assistant, language })
    }

    /// Gathers it for a question. `language` is what was wished for this turn; where it leaves that open, the conversation's own counts, then
    /// the assistant's.
    pub(crate) async fn given(&self, who: Who, question: &str, language: ReplyLanguage) -> Result<Given, AppError> {
        let Who { assistant, language: own_language } = who;
        let own_text = assistant.as_ref().map(|row| row.instructions.as_str()).unwrap_or_default();
        let of_assistant = assistant.as_ref().and_then(|row| row.reply_language.clone());
        let wished = own_language.or(of_assistant);
        Ok(Given {
            instructions: prompt::instructions_of(own_text),
            knowledge: match &assistant {
                Some(row) => assistant::written(&self.known(row.id.clone()).await?),
                None => String::new(),
            },
            language: match (language, wished.as_deref()) {
                (ReplyLanguage::Auto, Some("en")) => ReplyLanguage::En,
                (ReplyLanguage::Auto, Some("zh")) => ReplyLanguage::Zh,
                (language, _) => language,
            },
            profile_of_user: self.profile().await?,
            memories: self.fitting_memories(question).await?,
            grants: self.grants().await?,
            tools: assistant.map_or_else(|| ToolGroup::ALL.to_vec(), |row| row.tools),
        })
    }

    /// The texts that an assistant always knows, as they are now.
    async fn known(&self, assistant: AssistantId) -> Result<Vec<Knowledge>, AppError> {
        let rows = self.inner.store.knowledge(assistant).await?;
        let mut known = Vec::new();
        for KnowledgeRow { title, content, .. } in rows.into_iter().filter(|row| row.is_on) {
            known.push(Knowledge { title, text: text_of(content).await });
        }
        Ok(known)
    }

    /// The memories that fit the question.
    async fn fitting_memories(&self, question: &str) -> Result<Vec<Scored>, AppError> {
        let memories: Vec<Memory> = self.inner.store.memories().await?.iter().map(as_memory).collect();
        Ok(memory::offered(question, &memories, WallClock.now_ms()))
    }

    /// Notes that a turn was given these memories; one that only shows what a turn would be given does not.
    pub(crate) async fn memories_were_used(&self, memories: &[Scored]) {
        let ids: Vec<MemoryId> = memories.iter().map(|one| MemoryId(one.id.clone())).collect();
        if ids.is_empty() {
            return;
        }
        if let Err(error) = self.inner.store.memories_used(ids, WallClock.now_ms()).await {
            tracing::warn!(%error, "it was not noted that memories were used");
        }
    }
}

/// The text of something known; `Err` says why a file could not be read.
pub(crate) async fn text_of(content: KnowledgeContent) -> Result<String, String> {
    let path = match content {
        KnowledgeContent::Text(text) => return Ok(text),
        KnowledgeContent::File(path) => PathBuf::from(path),
    };
    let reading = tokio::task::spawn_blocking(move || read_chosen_file(&path));
    match tokio::time::timeout(FILE_LIMIT, reading).await {
        Ok(Ok(read)) => read,
        Ok(Err(_)) => Err("It could not be read because of a fault in the program.".to_owned()),
        Err(_) => Err("Its disk did not answer in time.".to_owned()),
    }
}

/// A row as the rules look at it.
pub(crate) fn as_memory(row: &MemoryRow) -> Memory {
    Memory {
        id: row.id.clone(),
        text: row.text.clone(),
        is_pinned: row.is_pinned,
        fresh_at_ms: row.updated_at_ms.max(row.last_used_at_ms.unwrap_or(row.updated_at_ms)),
    }
}
