//! Models that can be chosen.

use serde::Serialize;
use ts_rs::TS;

/// A model.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelView {
    /// Which.
    pub id: String,
    /// What the person reads.
    pub title: String,
    /// Where it runs.
    pub kind: ModelKindView,
    /// Tokens that a request and its reply share; `None` while it is not known.
    pub window: Option<u32>,
    /// Whether it can be used.
    pub state: ModelStateView,
}

/// Where a model runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ModelKindView {
    /// In this program.
    Embedded,
    /// On a server.
    Server,
}

/// Whether a model can be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "state", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ModelStateView {
    /// It can.
    Ready,
    /// Its file is not here.
    Missing {
        /// The file's name.
        file: String,
        /// Its size, where known.
        n_bytes: Option<u64>,
    },
    /// It is being read from the disk.
    Loading,
    /// It cannot.
    Failed {
        /// Why, and what one can do.
        sentence: String,
    },
}
