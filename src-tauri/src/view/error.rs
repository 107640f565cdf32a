//! What the window is told when a command fails.

use recto_app::record::StoreError;
use recto_app::{AppError, LibraryError, ModelsError, NotOpen, TurnError};
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
    /// The folder cannot be read: the folder picker is opened.
    FolderUnusable,
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
            AppError::NoDataFolder | AppError::NoSummary | AppError::NotKept(_) | AppError::NotUndone(_) => {
                Self::failed(error)
            }
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
            _ => Self::new(ErrorCode::ModelUnusable, error),
        }
    }
}

impl From<NotOpen> for IpcError {
    fn from(error: NotOpen) -> Self {
        Self::new(ErrorCode::ApprovalGone, error)
    }
}
