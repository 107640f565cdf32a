//! The record: one SQLite file that holds every conversation, every request to the byte, and every decision.
//!
//! One thread writes, each change is one transaction, and nothing is reported as saved before it is. Readers see committed
//! states only. What goes in and comes out are the values of `recto-core`; nothing outside this crate knows SQL.

#![warn(missing_docs)]

mod approvals;
mod assistants;
mod audit;
mod branch;
mod calls;
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
mod turns;
mod word;
mod writer;

pub use approvals::{ApprovalRow, OpenApproval};
pub use assistants::AssistantRow;
pub use audit::{AuditFault, AuditFaultKind, AuditFilter, AuditRow, AuditVerdict};
pub use branch::{Shortened, StepCounts, TurnPage, TurnRow, TurnState};
pub use calls::CallRow;
pub use conversations::{ConversationRow, NewConversation};
pub use error::StoreError;
pub use knowledge::{KnowledgeContent, KnowledgeRow};
pub use memories::{MemoryRow, MemorySource, NewMemory};
pub use open::Opened;
pub use recovery::UnsettledWrite;
pub use replaced::{ReplacedRow, ReplacedWrite};
pub use replies::ReplyRow;
pub use requests::{RequestRecord, RequestRow};
pub use store::Store;
pub use summaries::SummaryRow;
pub use todos::TodoSnapshot;
pub use turns::NewTurn;
