//! Opening the program: data folder, record, models.

use crate::approvals::{NotOpen, Pending, Said};
use crate::checkup::Checking;
use crate::files::Downloads;
use crate::folding::Foldings;
use crate::keys::{Keychain, Keys};
use crate::library::Syncing;
use crate::models::Models;
use crate::ports::{FreshIds, WallClock};
use crate::rules::SessionRules;
use crate::seal::Sealing;
use crate::servers::Key;
use crate::turns::Running;
use recto_core::id::{ApprovalId, ConversationId, TurnId};
use recto_engine::ports::{Approver, Clock as _};
use recto_store::{AssistantRow, NewConversation, Store, StoreError, UnsettledWrite};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::sync::broadcast;

/// The folder's name below the user's data folder; the same for the window and the command line.
const IDENTIFIER: &str = "dev.recto.Recto";

/// The record's file in the data folder.
const RECORD: &str = "recto.db";

fn data_folder(named: Option<PathBuf>) -> Result<PathBuf, AppError> {
    named.or_else(|| dirs::data_dir().map(|data| data.join(IDENTIFIER))).ok_or(AppError::NoDataFolder)
}

/// Opens the record for reading only, beside a window that has it open.
///
/// # Errors
/// There is no record yet, or it cannot be read; one sentence.
pub fn open_to_read(data: Option<PathBuf>) -> Result<Store, AppError> {
    Ok(Store::open_to_read(&data_folder(data)?.join(RECORD))?)
}

/// Opens a bundle for reading only.
///
/// # Errors
/// There is no such file, or it is no bundle; one sentence.
pub fn open_bundle(path: &Path) -> Result<Store, AppError> {
    Ok(Store::open_to_read(path)?)
}

/// How the program is opened.
#[derive(Clone, Default)]
pub struct OpenOptions {
    /// The data folder; `None` takes the user's own.
    pub data: Option<PathBuf>,
    /// Where model files are looked for; `None` takes `RECTO_MODELS` or the user's cache folder.
    pub models: Option<PathBuf>,
    /// The model that was named for this run; its server gets the key in `RECTO_API_KEY` where `RECTO_API_KEY_FOR` names no host.
    pub model: Option<String>,
    /// Who answers questions about writes; `None` leaves them to the window (`answer_approval`).
    pub approver: Option<Arc<dyn Approver>>,
    /// Where keys are kept; `None` takes the system's keychain.
    pub keychain: Option<Arc<dyn Keychain>>,
}

/// The program could not be opened, or something could not be read or saved.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is no data folder to be found.
    #[error("there is no folder for your data; name one with --data or RECTO_DATA")]
    NoDataFolder,
    /// Nothing was folded in the conversation yet.
    #[error("this conversation has no summary yet: all of it still fits into the model's window")]
    NoSummary,
    /// The record.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file that was asked for cannot be written.
    #[error("this file cannot be written; choose another place: {}", .0.display())]
    NotWritten(PathBuf, #[source] std::io::Error),
    /// What a person wrote cannot be kept as it is.
    #[error("{0}")]
    NotKept(String),
    /// The old content of a file was not put back.
    #[error("{0}")]
    NotUndone(String),
}

/// Something that others may want to read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The list of conversations, or one of them.
    Conversations,
    /// The open questions about writes.
    Approvals,
    /// The models.
    Models,
    /// What is in the library, or how far it was read.
    Library,
}

/// The open program. Cheap to clone; all clones are the same program.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) models: Models,
    pub(crate) pending: Arc<Pending>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) rules: Arc<SessionRules>,
    pub(crate) sealing: Sealing,
    pub(crate) running: Mutex<HashMap<TurnId, Running>>,
    pub(crate) foldings: Foldings,
    pub(crate) changes: broadcast::Sender<Change>,
    pub(crate) data: PathBuf,
    pub(crate) library: Syncing,
    pub(crate) downloads: Downloads,
    /// The check-up that runs, if one does.
    pub(crate) checking: Mutex<Option<Checking>>,
    n_interrupted: usize,
    /// Writes of which the record does not know whether they happened; taken when they are settled.
    pub(crate) unsettled: Mutex<Vec<UnsettledWrite>>,
    only_looks: bool,
}

impl Inner {
    /// The program over an open record, with nothing running.
    fn over(store: Store, data: PathBuf, options: OpenOptions) -> Self {
        let pending = Arc::new(Pending::default());
        let (changes, _) = broadcast::channel(64);
        let keys = Keys::new(Key::of_environment(options.model.as_deref()), options.keychain);
        Self {
            store,
            models: Models::new(options.models, keys),
            approver: options.approver.unwrap_or_else(|| pending.clone()),
            pending,
            rules: Arc::default(),
            sealing: Sealing::default(),
            running: Mutex::default(),
            foldings: Foldings::default(),
            changes,
            data,
            library: Syncing::default(),
            downloads: Downloads::default(),
            checking: Mutex::default(),
            n_interrupted: 0,
            unsettled: Mutex::default(),
            only_looks: false,
        }
    }
}

impl App {
    /// Opens the record and looks for models.
    ///
    /// # Errors
    /// One sentence for each: no data folder, another instance, a damaged or newer record, a folder that cannot be written.
    pub fn open(options: OpenOptions) -> Result<Self, AppError> {
        let data = data_folder(options.data.clone())?;
        let opened = Store::open(&data.join(RECORD), WallClock.now_ms())?;
        let inner = Inner {
            n_interrupted: opened.n_interrupted,
            unsettled: Mutex::new(opened.unsettled),
            ..Inner::over(opened.store, data, options)
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Opens a file of evidence to look into it. Whatever would change something is refused.
    ///
    /// # Errors
    /// There is no such file, or it is no record.
    pub fn open_to_look(file: &Path) -> Result<Self, AppError> {
        let data = file.parent().unwrap_or(Path::new(".")).to_owned();
        let inner = Inner { only_looks: true, ..Inner::over(open_bundle(file)?, data, OpenOptions::default()) };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Whether it was opened to look into a file.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        self.inner.only_looks
    }

    /// The record, for reading.
    #[must_use]
    pub fn record(&self) -> &Store {
        &self.inner.store
    }

    /// The data folder.
    #[must_use]
    pub fn data_folder(&self) -> &Path {
        &self.inner.data
    }

    /// Turns that were running when the program died the last time.
    #[must_use]
    pub fn n_interrupted(&self) -> usize {
        self.inner.n_interrupted
    }

    /// What changes from now on and may be read again.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.inner.changes.subscribe()
    }

    pub(crate) fn changed(&self, change: Change) {
        // Nobody listening is fine: the record is the truth.
        let _ = self.inner.changes.send(change);
    }

    /// Begins a conversation with the assistant that was used last. Where no folder or model is named, it has those of the assistant.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn create_conversation(
        &self,
        folder: Option<String>,
        model: Option<String>,
    ) -> Result<ConversationId, AppError> {
        let id = FreshIds.conversation();
        let assistant = self.last_assistant().await?;
        let of_assistant =
            |value: fn(&AssistantRow) -> &Option<String>| assistant.as_ref().and_then(|row| value(row).clone());
        let folder = folder.or_else(|| of_assistant(|row| &row.folder));
        let model = model.or_else(|| of_assistant(|row| &row.model));
        let new = NewConversation { id: id.clone(), folder, model, reply_language: None, at_ms: WallClock.now_ms() };
        self.inner.store.create_conversation(new).await?;
        if let Some(assistant) = assistant {
            self.inner.store.set_assistant(id.clone(), Some(assistant.id)).await?;
        }
        self.changed(Change::Conversations);
        Ok(id)
    }

    /// Renames a conversation.
    ///
    /// # Errors
    /// It is not saved, or there is no such conversation.
    pub async fn rename_conversation(&self, id: ConversationId, title: String) -> Result<(), AppError> {
        self.inner.store.rename_conversation(id, title, WallClock.now_ms()).await?;
        self.changed(Change::Conversations);
        Ok(())
    }

    /// Deletes a conversation with its turns; the audit log stays. A turn that runs in it is stopped first.
    ///
    /// # Errors
    /// It is not deleted, or there is no such conversation.
    pub async fn delete_conversation(&self, id: ConversationId) -> Result<(), AppError> {
        self.stop_conversation(&id).await;
        self.stop_folding();
        self.inner.store.delete_conversation(id.clone()).await?;
        self.inner.rules.forget(&id);
        self.changed(Change::Conversations);
        Ok(())
    }

    /// Answers a question about a write.
    ///
    /// # Errors
    /// The question is not open any more.
    pub fn answer_approval(&self, id: &ApprovalId, said: Said) -> Result<(), NotOpen> {
        self.inner.pending.answer(id, said)
    }
}
