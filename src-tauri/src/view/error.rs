//! What the window is told when a command fails.

use recto_app::record::StoreError;
use recto_app::{
    AppError, CheckupError, FetchError, FileError, KeyError, LibraryError, ModelsError, NotOpen, TurnError,
};
use serde::Serialize;
use std::collections::BTreeMap;
use ts_rs::TS;

/// A failure. The window's dictionary turns the code into a sentence; `detail` is for reading only.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct IpcError {
    /// What the window does about it.
    pub code: ErrorCode,
    /// Values for the sentence.
    pub params: BTreeMap<String, String>,
    /// What happened, in the words of the layer that failed; empty if the code says it all.
    pub detail: String,
}

/// A code exists only if the window does something different for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ErrorCode {
    /// The conversation, turn or request is not there any more: the list is read again.
    NotFound,
    /// A turn of this conversation still runs: the question stays in the composer.
    Busy,
    /// The question was answered before, or its turn ended: the card is closed.
    ApprovalGone,
    /// The model cannot be used: the model picker is opened.
    ModelUnusable,
    /// Everything would go to a server unencrypted: the person may allow it.
    Unencrypted,
    /// The folder cannot be read: the folder picker is opened.
    FolderUnusable,
    /// The keychain of the system does not take the key: keeping it for this session is offered.
    KeychainUnusable,
    /// The check-up was stopped, by whoever would read this: nothing is said.
    CheckupStopped,
    /// The download was stopped, by whoever would read this: nothing is said.
    DownloadStopped,
    /// Anything else: the sentence in `detail` is shown.
    Failed,
}

impl IpcError {
    fn new(code: ErrorCode, detail: impl ToString) -> Self {
        Self { code, params: BTreeMap::new(), detail: detail.to_string() }
    }

    /// A failure that the window only shows.
    #[must_use]
    pub fn failed(detail: impl ToString) -> Self {
        Self::new(ErrorCode::Failed, detail)
    }
}

impl From<StoreError> for IpcError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSuch { .. } => Self::new(ErrorCode::NotFound, error),
            _ => Self::failed(error),
        }
    }
}

impl From<AppError> for IpcError {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Store(error) => error.into(),
            AppError::NoDataFolder
            | AppError::NoSummary
            | AppError::NotKept(_)
            | AppError::NotWritten(..)
            | AppError::NotUndone(_) => Self::failed(error),
        }
    }
}

impl From<TurnError> for IpcError {
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::Busy => Self::new(ErrorCode::Busy, error),
            TurnError::Folder(sentence) => Self::new(ErrorCode::FolderUnusable, sentence),
            TurnError::Model(error) => error.into(),
            TurnError::App(error) => error.into(),
            TurnError::EmptyQuestion => Self::failed(error),
        }
    }
}

impl From<LibraryError> for IpcError {
    fn from(error: LibraryError) -> Self {
        match error {
            LibraryError::App(error) => error.into(),
            LibraryError::Unusable(_) | LibraryError::Covered(_) => Self::failed(error),
        }
    }
}

impl From<ModelsError> for IpcError {
    fn from(error: ModelsError) -> Self {
        match error {
            ModelsError::Store(error) => error.into(),
            ModelsError::Unencrypted { .. } => Self::new(ErrorCode::Unencrypted, error),
            _ => Self::new(ErrorCode::ModelUnusable, error),
        }
    }
}

impl From<KeyError> for IpcError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Store(error) => error.into(),
            KeyError::Keychain(_) => Self::new(ErrorCode::KeychainUnusable, error),
            KeyError::Empty | KeyError::Characters | KeyError::Address(_) => Self::failed(error),
        }
    }
}

impl From<CheckupError> for IpcError {
    fn from(error: CheckupError) -> Self {
        match error {
            CheckupError::Store(error) => error.into(),
            CheckupError::Models(error) => error.into(),
            CheckupError::Stopped => Self::new(ErrorCode::CheckupStopped, error),
            CheckupError::Busy | CheckupError::Model(_) => Self::failed(error),
        }
    }
}

impl From<FileError> for IpcError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Store(error) => error.into(),
            FileError::Models(error) => error.into(),
            FileError::Fetch(FetchError::Stopped) => Self::new(ErrorCode::DownloadStopped, error),
            FileError::NotOffered(_) | FileError::Busy | FileError::Fetch(_) | FileError::Unusable(_) => {
                Self::failed(error)
            }
        }
    }
}

impl From<NotOpen> for IpcError {
    fn from(error: NotOpen) -> Self {
        Self::new(ErrorCode::ApprovalGone, error)
    }
}
