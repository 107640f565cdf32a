//! The words of `recto-core`'s enums in columns.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::value::Error as WordError;
use serde::de::{DeserializeOwned, IntoDeserializer};

/// A unit variant as the word that serde knows it by.
pub(crate) struct Word<T>(pub(crate) T);

impl<T: Serialize> ToSql for Word<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match serde_json::to_value(&self.0) {
            Ok(serde_json::Value::String(word)) => Ok(word.into()),
            Ok(other) => Err(rusqlite::Error::ToSqlConversionFailure(format!("no single word: {other}").into())),
            Err(error) => Err(rusqlite::Error::ToSqlConversionFailure(error.into())),
        }
    }
}

impl<T: DeserializeOwned> FromSql for Word<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let word: serde::de::value::StrDeserializer<'_, WordError> = value.as_str()?.into_deserializer();
        T::deserialize(word).map(Word).map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

/// A count that Rust holds without a sign and SQLite with one.
pub(crate) fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The way back; a negative count is none.
pub(crate) fn count(integer: i64) -> u64 {
    u64::try_from(integer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use recto_core::tool::CallStatus;

    #[test]
    fn a_word_comes_back_and_an_unknown_one_is_an_error() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let word: String =
            connection.query_row("SELECT ?1", [Word(CallStatus::InvalidArguments)], |row| row.get(0)).unwrap();
        assert_eq!(word, "invalid_arguments");
        let back: Word<CallStatus> = connection.query_row("SELECT 'refused'", [], |row| row.get(0)).unwrap();
        assert_eq!(back.0, CallStatus::Refused);
        let unknown = connection.query_row("SELECT 'perhaps'", [], |row| row.get::<_, Word<CallStatus>>(0));
        assert!(unknown.is_err());
    }
}
