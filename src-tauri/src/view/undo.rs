//! Writes that can be undone.

use recto_app::record::ReplacedRow;
use serde::Serialize;
use ts_rs::TS;

/// A write that replaced a file whose old content is still kept.
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
    /// When it was written.
    pub at_ms: i64,
}

impl From<ReplacedRow> for ReplacedView {
    fn from(ReplacedRow { id, write }: ReplacedRow) -> Self {
        Self {
            id,
            conversation: write.conversation.to_string(),
            folder: write.folder,
            path: write.path,
            at_ms: write.at_ms,
        }
    }
}
