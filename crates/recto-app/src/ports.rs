//! The clock and the names of the real program.

use recto_core::id::{ApprovalId, AssistantId, ConversationId, KnowledgeId, MemoryId, RequestId, TurnId};
use recto_engine::ports::{Clock, Ids};

/// The wall clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallClock;

impl Clock for WallClock {
    fn now_ms(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }
}

/// Names that nobody else has drawn. They begin with the time, so that they sort by it; an approval's does not, because it
/// must not be guessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreshIds;

impl FreshIds {
    pub(crate) fn conversation(self) -> ConversationId {
        ConversationId(format!("cv_{}", uuid::Uuid::now_v7().simple()))
    }

    pub(crate) fn assistant(self) -> AssistantId {
        AssistantId(format!("as_{}", uuid::Uuid::now_v7().simple()))
    }

    pub(crate) fn knowledge(self) -> KnowledgeId {
        KnowledgeId(format!("kn_{}", uuid::Uuid::now_v7().simple()))
    }

    pub(crate) fn memory(self) -> MemoryId {
        MemoryId(format!("me_{}", uuid::Uuid::now_v7().simple()))
    }

    pub(crate) fn turn(self) -> TurnId {
        TurnId(format!("tn_{}", uuid::Uuid::now_v7().simple()))
    }
}

impl Ids for FreshIds {
    fn request(&self) -> RequestId {
        RequestId(format!("rq_{}", uuid::Uuid::now_v7().simple()))
    }

    fn approval(&self) -> ApprovalId {
        ApprovalId(format!("ap_{}", uuid::Uuid::new_v4().simple()))
    }
}
