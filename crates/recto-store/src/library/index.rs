//! Writing the passages of a document and the words that find them, so that the tables never disagree.

use super::prepare::PreparedDocument;
use crate::error::StoreError;
use crate::word::Word;
use recto_core::library::Chunk;
use rusqlite::{Transaction, params};
use std::collections::HashMap;
use std::ops::Range;

/// How many pages of an index are merged in one transaction.
const MERGED: i64 = 500;

/// The names of passages that stay, by their place among the new ones.
pub(super) type Kept = HashMap<usize, i64>;

/// Removes the passages of a document that are not among `chunks`, and says which of these have a name already.
pub(super) fn keep_equal(transaction: &Transaction<'_>, document: i64, chunks: &[Chunk]) -> Result<Kept, StoreError> {
    let mut by_text: HashMap<(String, String), Vec<usize>> = HashMap::new();
    for (position, chunk) in chunks.iter().enumerate().rev() {
        by_text.entry((serde_json::to_string(&chunk.headings)?, chunk.text.clone())).or_default().push(position);
    }
    let mut select = transaction
        .prepare_cached("SELECT id, headings, text FROM library_chunks WHERE document_id = ?1 ORDER BY position")?;
    let mut rows = select.query([document])?;
    let (mut kept, mut gone) = (Kept::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let (id, headings, text): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        match by_text.get_mut(&(headings, text)).and_then(Vec::pop) {
            Some(position) => _ = kept.insert(position, id),
            None => gone.push(id),
        }
    }
    for id in gone {
        remove(transaction, id)?;
    }
    Ok(kept)
}

/// Adds the passages of a range, or only their new places where their texts are there.
pub(super) fn add(
    transaction: &Transaction<'_>,
    document: i64,
    prepared: &PreparedDocument,
    kept: &Kept,
    range: Range<usize>,
) -> Result<(), StoreError> {
    for position in range {
        let (chunk, terms) = (&prepared.document.chunks[position], &prepared.terms[position]);
        let place = &chunk.place;
        if let Some(id) = kept.get(&position) {
            transaction
                .prepare_cached("UPDATE library_chunks SET position = ?2, first = ?3, last = ?4 WHERE id = ?1")?
                .execute(params![id, position as i64, place.first, place.last])?;
            continue;
        }
        let headings = serde_json::to_string(&chunk.headings)?;
        let id = transaction
            .prepare_cached(
                "INSERT INTO library_chunks (document_id, position, headings, unit, first, last, sheet, n_words, text)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .insert(params![
                document,
                position as i64,
                headings,
                Word(place.unit),
                place.first,
                place.last,
                place.sheet,
                terms.n_words as i64,
                chunk.text,
            ])?;
        transaction
            .prepare_cached("INSERT INTO library_words (rowid, words) VALUES (?1, ?2)")?
            .execute(params![id, terms.words])?;
        transaction
            .prepare_cached("INSERT INTO library_parts (rowid, words) VALUES (?1, ?2)")?
            .execute(params![id, terms.parts])?;
    }
    Ok(())
}

/// Removes a document with its passages.
pub(super) fn forget(transaction: &Transaction<'_>, document: i64) -> Result<(), StoreError> {
    let mut select = transaction.prepare_cached("SELECT id FROM library_chunks WHERE document_id = ?1")?;
    let passages: Vec<i64> = select.query_map([document], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for id in passages {
        remove(transaction, id)?;
    }
    transaction.prepare_cached("DELETE FROM library_documents WHERE id = ?1")?.execute([document])?;
    Ok(())
}

/// Empties the indices at once where no passage of another root would stay, which is far quicker than word by word. The documents count
/// as unfinished from here on, so that a program that ends now finds them again.
pub(super) fn empty_if_all_goes(transaction: &Transaction<'_>, root: i64) -> Result<(), StoreError> {
    let others_stay: bool = transaction.query_row(
        "SELECT EXISTS (SELECT 1 FROM library_documents WHERE root_id <> ?1 AND n_chunks > 0)",
        [root],
        |row| row.get(0),
    )?;
    if others_stay {
        return Ok(());
    }
    for table in ["library_words", "library_parts"] {
        transaction.execute(&format!("INSERT INTO {table} ({table}) VALUES ('delete-all')"), [])?;
    }
    transaction.execute("UPDATE library_documents SET state = 'partial', hash = NULL WHERE root_id = ?1", [root])?;
    Ok(())
}

fn remove(transaction: &Transaction<'_>, passage: i64) -> Result<(), StoreError> {
    for table in ["library_words", "library_parts"] {
        transaction.prepare_cached(&format!("DELETE FROM {table} WHERE rowid = ?1"))?.execute([passage])?;
    }
    transaction.prepare_cached("DELETE FROM library_chunks WHERE id = ?1")?.execute([passage])?;
    Ok(())
}

/// Merges a part of the indices, by which the words of removed passages leave them. Whether there is more to do.
pub(super) fn merge(transaction: &Transaction<'_>, is_first: bool) -> Result<bool, StoreError> {
    let is_empty: bool =
        transaction.query_row("SELECT NOT EXISTS (SELECT 1 FROM library_chunks)", [], |row| row.get(0))?;
    let mut has_more = false;
    for table in ["library_words", "library_parts"] {
        if is_empty {
            transaction.execute(&format!("INSERT INTO {table} ({table}) VALUES ('delete-all')"), [])?;
            continue;
        }
        // A negative count begins with a merge of everything, a positive one goes on with it.
        let n_pages = if is_first { -MERGED } else { MERGED };
        let before = transaction.total_changes();
        transaction.execute(&format!("INSERT INTO {table} ({table}, rank) VALUES ('merge', ?1)"), [n_pages])?;
        has_more |= transaction.total_changes() - before >= 2;
    }
    Ok(has_more)
}
