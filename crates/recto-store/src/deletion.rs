//! Deleting a conversation: its rows go, and the texts that nothing else names. The audit log stays.

use crate::error::StoreError;
use crate::store::Store;
use recto_core::id::ConversationId;
use rusqlite::Connection;

impl Store {
    /// Deletes a conversation with its turns, requests and texts, all or nothing. Its words are overwritten in the file at once, or,
    /// where another program reads the record just now, as soon as it no longer does. What was decided in it stays in the audit log.
    ///
    /// # Errors
    /// `NoSuch` if it is not there; a failing disk.
    pub async fn delete_conversation(&self, id: ConversationId) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let n_deleted =
                transaction.prepare_cached("DELETE FROM conversations WHERE id = ?1")?.execute([id.as_str()])?;
            if n_deleted == 0 {
                return Err(StoreError::no_such("conversation", id.0));
            }
            sweep(transaction)
        })
        .await?;
        // Deleted words would otherwise stand in the log until it is overwritten some day.
        self.fold_log().await
    }
}

/// Deletes every text that no row names. Reads every table once, which is well for something as rare as a deletion.
pub(crate) fn sweep(connection: &Connection) -> Result<(), StoreError> {
    connection.execute(
        "DELETE FROM texts WHERE id NOT IN (
             SELECT question_text_id FROM turns
             UNION SELECT answer_text_id FROM turns WHERE answer_text_id IS NOT NULL
             UNION SELECT step_text_id FROM requests WHERE step_text_id IS NOT NULL
             UNION SELECT text_id FROM request_blocks
             UNION SELECT placed_text_id FROM request_blocks WHERE placed_text_id IS NOT NULL
             UNION SELECT text_id FROM request_pieces
             UNION SELECT text_id FROM replies WHERE text_id IS NOT NULL
             UNION SELECT reasoning_text_id FROM replies WHERE reasoning_text_id IS NOT NULL
             UNION SELECT arguments_text_id FROM calls
             UNION SELECT text_id FROM facts
             UNION SELECT bytes_text_id FROM approvals
             UNION SELECT text_id FROM todo_snapshots
             UNION SELECT prose_text_id FROM summaries
             UNION SELECT text_id FROM knowledge WHERE text_id IS NOT NULL)",
        [],
    )?;
    Ok(())
}
