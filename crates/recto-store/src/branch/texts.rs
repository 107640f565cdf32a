//! The texts that entered a branch: questions, answers, and what tools gave back.

use crate::error::StoreError;
use crate::store::Store;
use recto_core::id::{CallId, TurnId};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

/// A text of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchText {
    /// In which turn it entered.
    pub turn: TurnId,
    /// That turn's place on the branch, from 1.
    pub number: usize,
    /// What it is.
    pub kind: BranchTextKind,
    /// The text.
    pub text: String,
}

/// What a text of a branch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchTextKind {
    /// A question.
    Question,
    /// An answer.
    Answer,
    /// What a tool gave back.
    Result {
        /// For which call.
        call: CallId,
        /// The tool's name and what it was about.
        source: String,
    },
}

/// The turns from the beginning of the conversation to `?1`, each with how many follow it.
const BRANCH: &str = "
    WITH RECURSIVE branch (id, n_after) AS (
        SELECT ?1, 0
        UNION ALL
        SELECT turns.parent_id, n_after + 1 FROM branch JOIN turns ON turns.id = branch.id WHERE turns.parent_id IS NOT NULL
    )";

impl Store {
    /// How many turns a branch has up to this one, and those of its texts whose bytes `is_wanted`, oldest first. The bytes of the others are
    /// looked at where they are and not copied, so that a conversation of ten thousand turns is searched in a moment.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn branch_texts(
        &self,
        turn: TurnId,
        is_wanted: impl Fn(&[u8]) -> bool + Send + 'static,
    ) -> Result<(usize, Vec<BranchText>), StoreError> {
        self.read(move |connection| {
            let n_turns = connection
                .prepare_cached(&format!("{BRANCH} SELECT count(*) FROM branch"))?
                .query_row([turn.as_str()], |row| row.get::<_, i64>(0))?;
            let n_turns = usize::try_from(n_turns).unwrap_or_default();
            let mut texts = exchanges(connection, &turn, n_turns, &is_wanted)?;
            texts.extend(results(connection, &turn, n_turns, &is_wanted)?);
            texts.sort_by_key(|text| text.number);
            Ok((n_turns, texts))
        })
        .await
    }
}

fn exchanges(
    connection: &Connection,
    turn: &TurnId,
    n_turns: usize,
    is_wanted: &dyn Fn(&[u8]) -> bool,
) -> Result<Vec<BranchText>, StoreError> {
    let mut select = connection.prepare_cached(&format!(
        "{BRANCH} SELECT n_after, turns.id, question.body, answer.body
         FROM branch JOIN turns ON turns.id = branch.id JOIN texts AS question ON question.id = question_text_id
         LEFT JOIN texts AS answer ON answer.id = answer_text_id"
    ))?;
    let mut rows = select.query([turn.as_str()])?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next()? {
        for (column, kind) in [(2, BranchTextKind::Question), (3, BranchTextKind::Answer)] {
            texts.extend(wanted(row, column, n_turns, is_wanted, |_| Ok(kind))?);
        }
    }
    Ok(texts)
}

fn results(
    connection: &Connection,
    turn: &TurnId,
    n_turns: usize,
    is_wanted: &dyn Fn(&[u8]) -> bool,
) -> Result<Vec<BranchText>, StoreError> {
    let mut select = connection.prepare_cached(&format!(
        "{BRANCH} SELECT n_after, branch.id, body, facts.call_id, calls.name, facts.target
         FROM branch JOIN calls ON calls.turn_id = branch.id
         JOIN facts ON facts.turn_id = calls.turn_id AND facts.call_id = calls.call_id JOIN texts ON texts.id = facts.text_id
         ORDER BY calls.number"
    ))?;
    let mut rows = select.query([turn.as_str()])?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next()? {
        let kind = |row: &Row<'_>| {
            let source = format!("{} {}", row.get::<_, String>(4)?, row.get::<_, String>(5)?);
            Ok(BranchTextKind::Result { call: CallId(row.get(3)?), source })
        };
        texts.extend(wanted(row, 2, n_turns, is_wanted, kind)?);
    }
    Ok(texts)
}

/// The text in a column, if there is one that is wanted.
fn wanted(
    row: &Row<'_>,
    column: usize,
    n_turns: usize,
    is_wanted: &dyn Fn(&[u8]) -> bool,
    kind: impl FnOnce(&Row<'_>) -> rusqlite::Result<BranchTextKind>,
) -> rusqlite::Result<Option<BranchText>> {
    let bytes = match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => return Ok(None),
    };
    if !is_wanted(bytes) {
        return Ok(None);
    }
    let n_after = usize::try_from(row.get::<_, i64>(0)?).unwrap_or_default();
    Ok(Some(BranchText {
        turn: TurnId(row.get(1)?),
        number: n_turns.saturating_sub(n_after),
        kind: kind(row)?,
        text: String::from_utf8_lossy(bytes).into_owned(),
    }))
}
