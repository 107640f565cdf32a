//! The program without a window: opens the record, connects models, runs turns. The window and the command line both use it.

#![warn(missing_docs)]

mod approvals;
mod assistants;
mod folding;
mod given;
mod kept;
mod library;
mod library_tools;
mod memories;
mod memory_tools;
mod models;
mod open;
mod ports;
mod preview;
mod servers;
mod settle;
mod toolbox;
mod turns;
mod undo;
mod watch;

pub use approvals::{NotOpen, Pending};
pub use assistants::{AssistantDraft, KnowledgeDraft};
pub use library::{LibraryError, LibraryProblem, SyncProgress};
pub use models::{ModelId, ModelKind, ModelRow, ModelsError};
pub use open::{App, AppError, Change, OpenOptions, open_to_read};
pub use preview::{Chosen, NextQuestion, NextRequest};
pub use recto_store as record;
pub use servers::ServerEntry;
pub use turns::{TurnError, TurnOptions};
pub use watch::Watching;
