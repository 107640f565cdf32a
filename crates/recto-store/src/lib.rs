//! The record: one SQLite file that holds every conversation, every request to the byte, and every decision.
//!
//! One thread writes, each change is one transaction, and nothing is reported as saved before it is. Readers see committed
//! states only. What goes in and comes out are the values of `recto-core`; nothing outside this crate knows SQL.

#![warn(missing_docs)]

mod approvals;
mod assistants;
mod audit;
mod branch;
mod bundle;
mod calls;
mod checkups;
mod connection;
mod conversations;
mod deletion;
mod error;
mod journal;
mod knowledge;
pub mod library;
mod lock;
mod memories;
mod open;
mod readers;
mod recovery;
mod replaced;
mod replies;
mod requests;
mod schema;
mod settings;
mod store;
mod summaries;
mod texts;
mod todos;
mod transports;
mod turns;
mod word;
mod writer;

pub use approvals::{ApprovalRow, OpenApproval};
pub use assistants::AssistantRow;
pub use audit::{AuditFault, AuditFaultKind, AuditFilter, AuditRow, AuditVerdict, AuditWitness};
pub use branch::{BranchText, BranchTextKind, ElsewhereText, Shortened, StepCounts, TurnPage, TurnRow, TurnState};
pub use bundle::{BundleNote, BundleScope};
pub use calls::CallRow;
pub use checkups::CheckupRow;
pub use conversations::{ConversationRow, NewConversation};
pub use error::StoreError;
pub use knowledge::{KnowledgeContent, KnowledgeRow};
pub use memories::{MemoryRow, MemorySource, NewMemory};
pub use open::Opened;
pub use recovery::UnsettledWrite;
pub use recto_engine::ports::Transport;
pub use replaced::{ReplacedRow, ReplacedWrite};
pub use replies::ReplyRow;
pub use requests::{RequestRecord, RequestRow};
pub use store::Store;
pub use summaries::SummaryRow;
pub use todos::TodoSnapshot;
pub use turns::NewTurn;
