//! Changes of files that can be undone.

use crate::view::approval::OperationView;
use recto_app::record::ReplacedRow;
use serde::Serialize;
use ts_rs::TS;

/// A change of a file that can still be undone.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReplacedView {
    /// Its number.
    pub id: i64,
    /// In which conversation.
    pub conversation: String,
    /// The folder.
    pub folder: String,
    /// The file, as a path from the folder.
    pub path: String,
    /// The other end of a move.
    pub to: Option<String>,
    /// What was done to it.
    pub operation: OperationView,
    /// When it was done.
    pub at_ms: i64,
}

impl From<ReplacedRow> for ReplacedView {
    fn from(ReplacedRow { id, write }: ReplacedRow) -> Self {
        Self {
            id,
            conversation: write.conversation.to_string(),
            folder: write.folder,
            path: write.path,
            to: write.to,
            operation: write.operation.into(),
            at_ms: write.at_ms,
        }
    }
}
