//! The layout of the record and its versions.

use rusqlite_migration::{M, Migrations};

/// "RECT" in the file's header.
pub(crate) const APPLICATION_ID: i64 = 0x5245_4354;

/// One step per file; a step that was released is never edited.
const STEPS: &[M<'static>] = &[
    M::up(include_str!("../migrations/0001_texts.sql")),
    M::up(include_str!("../migrations/0002_conversations.sql")),
    M::up(include_str!("../migrations/0003_requests.sql")),
    M::up(include_str!("../migrations/0004_calls.sql")),
    M::up(include_str!("../migrations/0005_todo_snapshots.sql")),
    M::up(include_str!("../migrations/0006_decisions.sql")),
    M::up(include_str!("../migrations/0007_settings.sql")),
    M::up(include_str!("../migrations/0008_importance.sql")),
    M::up(include_str!("../migrations/0009_summaries.sql")),
    M::up(include_str!("../migrations/0010_assistants.sql")),
    M::up(include_str!("../migrations/0011_library.sql")),
    M::up(include_str!("../migrations/0012_transports.sql")),
    M::up(include_str!("../migrations/0013_checkups.sql")),
    M::up(include_str!("../migrations/0014_replaced_files.sql")),
    M::up(include_str!("../migrations/0015_tokens.sql")),
    M::up(include_str!("../migrations/0016_cost.sql")),
    M::up(include_str!("../migrations/0017_attempts.sql")),
    M::up(include_str!("../migrations/0018_changes_of_names.sql")),
    M::up(include_str!("../migrations/0019_audit_seals.sql")),
];

/// The steps and how many they are.
pub(crate) struct Layout {
    pub(crate) migrations: Migrations<'static>,
    pub(crate) version: i64,
}

/// The layout that this program knows.
pub(crate) fn current() -> Layout {
    // The number of steps is a handful.
    Layout { migrations: Migrations::from_slice(STEPS), version: STEPS.len() as i64 }
}
