//! One passage with all that is said of it.

use crate::error::StoreError;
use crate::store::Store;
use crate::word::Word;
use recto_core::library::{Place, label};
use rusqlite::{Connection, OptionalExtension as _, Row};

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Its number.
    pub id: i64,
    /// The path of the root that its document lies below.
    pub root: String,
    /// The document's path from the root down; the file's name where the root is the file.
    pub document: String,
    /// The headings that it stands under.
    pub headings: Vec<String>,
    /// Where in the document it stands.
    pub place: Place,
    /// Its text.
    pub text: String,
}

impl Passage {
    /// Where it comes from, in one line.
    #[must_use]
    pub fn label(&self) -> String {
        label(&self.document, &self.headings, &self.place)
    }
}

impl Store {
    /// A passage by its number; `None` if there is none of it, or not any more.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn passage(&self, id: i64) -> Result<Option<Passage>, StoreError> {
        self.read(move |connection| passage(connection, id).map(|found| found.map(|(passage, _)| passage))).await
    }

    /// The numbers of the passages before and after one in its document.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn neighbours(&self, id: i64) -> Result<(Option<i64>, Option<i64>), StoreError> {
        self.read(move |connection| {
            let beside = |by: i64| {
                let mut select = connection.prepare_cached(
                    "SELECT other.id FROM library_chunks AS one
                     JOIN library_chunks AS other
                          ON other.document_id = one.document_id AND other.position = one.position + ?2
                     WHERE one.id = ?1",
                )?;
                select.query_row([id, by], |row| row.get(0)).optional()
            };
            Ok((beside(-1)?, beside(1)?))
        })
        .await
    }
}

/// A passage, and how many words it has.
pub(super) fn passage(connection: &Connection, id: i64) -> Result<Option<(Passage, i64)>, StoreError> {
    let mut select = connection.prepare_cached(
        "SELECT library_chunks.id, library_roots.path, library_documents.path, headings, unit, first, last, sheet, text,
                library_chunks.n_words
         FROM library_chunks JOIN library_documents ON library_documents.id = document_id
              JOIN library_roots ON library_roots.id = root_id
         WHERE library_chunks.id = ?1",
    )?;
    let found = select.query_row([id], |row| Ok((row.get::<_, String>(3)?, read(row)?))).optional()?;
    let Some((headings, (passage, n_words))) = found else { return Ok(None) };
    Ok(Some((Passage { headings: serde_json::from_str(&headings)?, ..passage }, n_words)))
}

fn read(row: &Row<'_>) -> rusqlite::Result<(Passage, i64)> {
    let Word(unit) = row.get(4)?;
    let place = Place { unit, first: row.get(5)?, last: row.get(6)?, sheet: row.get(7)? };
    let passage = Passage {
        id: row.get(0)?,
        root: row.get(1)?,
        document: row.get(2)?,
        headings: Vec::new(),
        place,
        text: row.get(8)?,
    };
    Ok((passage, row.get(9)?))
}
