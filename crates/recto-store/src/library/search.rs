//! Finding the passages that fit a question: the indices name candidates, and each of these is weighed by itself.

use super::passages::{Passage, passage};
use super::prepare::searched;
use super::score::{Asked, Occurrences, score};
use super::words::{asked, each_latin, whole_words};
use crate::error::StoreError;
use crate::store::Store;
use crate::word::count;
use recto_core::text::{is_chinese, prefix_within};
use rusqlite::{Connection, params};
use std::collections::BTreeSet;

/// What of a question is looked at; a longer one is a text, whose beginning says what it is about.
const MAX_QUESTION: usize = 2_000;
/// The most words of a question; of more, the rarest.
const MAX_WORDS: usize = 16;
/// Words that so many passages have are counted no further: they tell nearly nothing.
const MANY: i64 = 4_000;
/// Passages that are weighed.
const N_CANDIDATES: i64 = 60;
/// Of them found by a part of a word.
const N_BY_PART: i64 = 12;
/// Shorter words are part of too many others.
const LEAST_PART: usize = 4;

/// A passage that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The passage.
    pub passage: Passage,
    /// How well it fits the question, between 0 and 1.
    pub score: f64,
}

/// A word of the question, and how many passages have it.
struct Word {
    word: String,
    n_with: i64,
}

impl Store {
    /// The passages that fit a question best, the best first, by number where two fit alike. Any text is a question: its letters and
    /// digits are looked for, and nothing in it is an operator.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn search_library(&self, question: &str, limit: usize) -> Result<Vec<Found>, StoreError> {
        let question = prefix_within(question, MAX_QUESTION).to_owned();
        self.read(move |connection| search(connection, &question, limit)).await
    }
}

fn search(connection: &Connection, question: &str, limit: usize) -> Result<Vec<Found>, StoreError> {
    let (n_passages, n_words): (i64, i64) = connection
        .prepare_cached("SELECT coalesce(sum(n_chunks), 0), coalesce(sum(n_words), 0) FROM library_documents")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if n_passages == 0 {
        return Ok(Vec::new());
    }
    let mut words = Vec::new();
    for word in asked(question) {
        let n_with = count_with(connection, &word)?;
        words.push(Word { word, n_with });
    }
    words.sort_by_key(|word| word.n_with);
    // Words that nobody has come first and say nothing about which others to keep.
    let n_absent = words.iter().filter(|word| word.n_with == 0).count();
    words.truncate(n_absent + MAX_WORDS);
    let average = n_words as f64 / n_passages as f64;
    let mut found = Vec::new();
    for id in candidates(connection, &words, question)? {
        let Some((passage, n_words)) = passage(connection, id)? else { continue };
        let weighed: Vec<Asked> = words.iter().map(|word| Asked { n_with: count(word.n_with) }).collect();
        let occurrences = occurrences(&words, &searched(&passage.headings, &passage.text));
        let length = if average > 0.0 { n_words as f64 / average } else { 1.0 };
        let score = score(&weighed, &occurrences, count(n_passages), length);
        if score > 0.0 {
            found.push(Found { passage, score });
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.id.cmp(&b.passage.id)));
    found.truncate(limit);
    Ok(found)
}

/// A word in the language of the index, where it is a text and nothing else.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

fn count_with(connection: &Connection, word: &str) -> Result<i64, StoreError> {
    let mut select = connection
        .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM library_words WHERE library_words MATCH ?1 LIMIT ?2)")?;
    Ok(select.query_row(params![quoted(word), MANY], |row| row.get(0))?)
}

/// The numbers of the passages that are worth weighing: by the rarest words that are there, and by parts of longer words.
fn candidates(connection: &Connection, words: &[Word], question: &str) -> Result<BTreeSet<i64>, StoreError> {
    let mut ids = BTreeSet::new();
    let there: Vec<&Word> = words.iter().filter(|word| word.n_with > 0).collect();
    let mut n_rows = 0;
    let rare = there.iter().take_while(|word| {
        n_rows += word.n_with;
        word.n_with < MANY && n_rows <= MANY
    });
    let rare: Vec<String> = rare.map(|word| quoted(&word.word)).collect();
    if rare.is_empty() {
        // Only words that nearly every passage has: what has all of them, and else the rarest of them.
        let all: Vec<String> = there.iter().map(|word| quoted(&word.word)).collect();
        ids.extend(ranked(connection, "library_words", &all.join(" "), N_CANDIDATES)?);
        if ids.is_empty()
            && let Some(first) = all.first()
        {
            ids.extend(ranked(connection, "library_words", first, N_CANDIDATES)?);
        }
    } else {
        ids.extend(ranked(connection, "library_words", &rare.join(" OR "), N_CANDIDATES)?);
    }
    let parts: Vec<String> = whole_words(question, LEAST_PART).iter().map(|word| quoted(word)).collect();
    if !parts.is_empty() && ids.len() < N_CANDIDATES as usize {
        let mut parts = parts;
        parts.truncate(MAX_WORDS);
        ids.extend(ranked(connection, "library_parts", &parts.join(" OR "), N_BY_PART)?);
    }
    Ok(ids)
}

fn ranked(connection: &Connection, table: &str, query: &str, limit: i64) -> Result<Vec<i64>, StoreError> {
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let mut select = connection
        .prepare_cached(&format!("SELECT rowid FROM {table} WHERE {table} MATCH ?1 ORDER BY rank LIMIT ?2"))?;
    Ok(select.query_map(params![query, limit], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// How often each word stands in a text.
fn occurrences(words: &[Word], text: &str) -> Vec<Occurrences> {
    let mut found = vec![Occurrences::default(); words.len()];
    for (word, found) in words.iter().zip(&mut found).filter(|(word, _)| word.word.starts_with(is_chinese)) {
        found.whole = text.matches(&word.word).count();
    }
    each_latin(text, |there| {
        for (word, found) in words.iter().zip(&mut found) {
            if there == word.word {
                found.whole += 1;
            } else if word.word.len() >= LEAST_PART && there.contains(&word.word) {
                found.within += 1;
            }
        }
    });
    found
}
