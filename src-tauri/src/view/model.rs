//! Models that can be chosen.

use recto_app::{ModelKind, ModelRow};
use serde::Serialize;
use ts_rs::TS;

/// The models, and where more of them are looked for.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelsView {
    /// The models.
    pub models: Vec<ModelView>,
    /// The folder of the model files.
    pub folder: String,
}

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
    /// The file, or the server's address.
    pub location: String,
    /// Size of the file; `None` for a server.
    pub n_bytes: Option<u64>,
    /// Whether it is in memory. One that is not is loaded by the first question to it.
    pub is_loaded: bool,
    /// Whether new conversations take it.
    pub is_chosen: bool,
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

mirror!(ModelKind => ModelKindView { Embedded, Server });

impl From<ModelRow> for ModelView {
    fn from(row: ModelRow) -> Self {
        Self {
            id: row.id.0,
            title: row.title,
            kind: row.kind.into(),
            location: row.location,
            n_bytes: row.n_bytes,
            is_loaded: row.is_loaded,
            is_chosen: row.is_chosen,
        }
    }
}
