//! What a person lets the program know about themselves: the profile, remembered sentences, and whether those may be kept without a question.

use crate::open::{App, AppError};
use crate::ports::{FreshIds, WallClock};
use recto_core::approval::Grants;
use recto_core::id::MemoryId;
use recto_core::memory;
use recto_engine::ports::Clock as _;
use recto_store::NewMemory;

/// The setting that holds what the person said about themselves.
pub(crate) const PROFILE: &str = "profile";
/// The setting that lets sentences be remembered without a question.
const REMEMBER_ALWAYS: &str = "remember_always";
/// The longest profile, in characters.
const MAX_PROFILE: usize = 8_000;

impl App {
    /// Remembers a sentence that the person typed.
    ///
    /// # Errors
    /// It is empty or too long, or it is not saved.
    pub async fn add_memory(&self, text: &str) -> Result<MemoryId, AppError> {
        let text = memory::read_text(text).map_err(AppError::NotKept)?;
        let id = FreshIds.memory();
        let new = NewMemory { id: id.clone(), text, source: None, at_ms: WallClock.now_ms() };
        self.inner.store.remember(new, None).await?;
        Ok(id)
    }

    /// Gives a sentence other words.
    ///
    /// # Errors
    /// They are empty or too long, it is not remembered any more, or it is not saved.
    pub async fn reword_memory(&self, id: MemoryId, text: &str) -> Result<(), AppError> {
        let text = memory::read_text(text).map_err(AppError::NotKept)?;
        Ok(self.inner.store.reword_memory(id, text, WallClock.now_ms()).await?)
    }

    /// Gives a sentence to every request, or only where it fits.
    ///
    /// # Errors
    /// It is not remembered any more, or it is not saved.
    pub async fn pin_memory(&self, id: MemoryId, is_pinned: bool) -> Result<(), AppError> {
        Ok(self.inner.store.pin_memory(id, is_pinned).await?)
    }

    /// Forgets a sentence; for a day it can be brought back.
    ///
    /// # Errors
    /// It is not remembered any more, or it is not saved.
    pub async fn forget_memory(&self, id: MemoryId) -> Result<(), AppError> {
        self.inner.store.forget(id, None, WallClock.now_ms()).await?;
        Ok(())
    }

    /// Remembers a forgotten sentence again.
    ///
    /// # Errors
    /// Its words are gone, or it is not saved.
    pub async fn bring_back_memory(&self, id: MemoryId) -> Result<(), AppError> {
        Ok(self.inner.store.bring_back_memory(id).await?)
    }

    /// What the person said about themselves; empty if nothing.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn profile(&self) -> Result<String, AppError> {
        Ok(self.inner.store.setting(PROFILE.to_owned()).await?.unwrap_or_default())
    }

    /// Keeps what the person says about themselves; an empty text is none.
    ///
    /// # Errors
    /// It is too long, or it is not saved.
    pub async fn set_profile(&self, text: &str) -> Result<(), AppError> {
        let n_characters = text.chars().count();
        if n_characters > MAX_PROFILE {
            return Err(AppError::NotKept(format!(
                "the text about you has {n_characters} characters; at most {MAX_PROFILE} are kept, so shorten it"
            )));
        }
        let text = (!text.trim().is_empty()).then(|| text.to_owned());
        Ok(self.inner.store.set_setting(PROFILE.to_owned(), text).await?)
    }

    /// What the person allowed once and for all.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn grants(&self) -> Result<Grants, AppError> {
        let may_remember = self.inner.store.setting(REMEMBER_ALWAYS.to_owned()).await?.as_deref() == Some("yes");
        Ok(Grants { may_remember, ..Grants::default() })
    }

    /// Allows sentences to be remembered without a question, or takes that back.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn allow_remembering(&self, is_allowed: bool) -> Result<(), AppError> {
        let value = is_allowed.then(|| "yes".to_owned());
        Ok(self.inner.store.set_setting(REMEMBER_ALWAYS.to_owned(), value).await?)
    }
}
