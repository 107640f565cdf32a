//! Settings by name.

use crate::error::StoreError;
use crate::store::Store;
use rusqlite::OptionalExtension;

impl Store {
    /// The value of a setting; `None` if the person chose none.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn setting(&self, key: String) -> Result<Option<String>, StoreError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached("SELECT value FROM settings WHERE key = ?1")?;
            Ok(select.query_row([key], |row| row.get(0)).optional()?)
        })
        .await
    }

    /// Sets a setting; `None` goes back to what the program chooses.
    ///
    /// # Errors
    /// It is not saved.
    pub async fn set_setting(&self, key: String, value: Option<String>) -> Result<(), StoreError> {
        self.write(move |transaction| {
            match value {
                Some(value) => transaction
                    .prepare_cached(
                        "INSERT INTO settings (key, value) VALUES (?1, ?2)
                         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                    )?
                    .execute([key, value])?,
                None => transaction.prepare_cached("DELETE FROM settings WHERE key = ?1")?.execute([key])?,
            };
            Ok(())
        })
        .await
    }
}
