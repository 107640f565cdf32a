//! The program without a window: opens the record, connects models, runs turns. The window and the command line both use it.

#![warn(missing_docs)]

mod approvals;
mod assistants;
mod calibrations;
mod checkup;
mod connections;
mod evidence;
mod files;
mod folding;
mod given;
mod inspect;
mod kept;
mod keys;
mod library;
mod library_tools;
mod memories;
mod memory_tools;
mod models;
mod open;
mod ports;
mod preview;
mod rules;
mod seal;
mod servers;
mod settle;
mod tokenizers;
mod toolbox;
mod turns;
mod undo;
mod watch;
mod whereabouts;

pub use approvals::{NotOpen, Pending, Said};
pub use assistants::{AssistantDraft, KnowledgeDraft};
pub use checkup::{Checking, CheckupError};
pub use connections::{FoundServer, LOCAL_PORTS};
pub use evidence::{EvidenceForm, PageLanguage, evidence_page, free_name, write_evidence};
pub use files::{Downloading, FileError, OfferedFile};
pub use inspect::{Compared, SpelledToken, compare, curl, spelled};
pub use keys::{KeyError, KeyKeeping, KeyPlace, KeyState, Keychain, KeychainError};
pub use library::{LibraryError, LibraryProblem, SyncProgress};
pub use models::{ModelId, ModelKind, ModelRow, ModelsError};
pub use open::{App, AppError, Change, OpenOptions, open_bundle, open_to_read};
pub use preview::{Chosen, NextQuestion, NextRequest};
pub use recto_providers::fetch::{FetchError, FetchProgress};
pub use recto_store as record;
pub use rules::RuleRow;
pub use seal::{AuditReport, SealState, verify_audit};
pub use servers::ServerEntry;
pub use turns::{TurnError, TurnOptions};
pub use watch::Watching;
pub use whereabouts::{Elsewhere, Origin, OriginKind, Outcome, Trace, Traced, block_of, trace};
