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
            let mut looking = Looking { connection, is_wanted: &is_wanted, texts: Vec::new() };
            let (n_turns, with_calls) = looking.exchanges(&turn)?;
            for (n_after, turn) in with_calls {
                looking.results(n_after, &turn)?;
            }
            let mut texts = looking.texts;
            // They were counted from the end.
            texts.iter_mut().for_each(|text| text.number = n_turns.saturating_sub(text.number));
            texts.sort_by_key(|text| text.number);
            Ok((n_turns, texts))
        })
        .await
    }
}

/// A text of another conversation, or of another branch of the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElsewhereText {
    /// The conversation's title; `None` while it has none.
    pub title: Option<String>,
    /// In which turn it entered.
    pub turn: TurnId,
    /// What it is: a question, an answer, or what a tool gave back.
    pub kind: BranchTextKind,
    /// The text.
    pub text: String,
}

impl Store {
    /// Texts of turns that are not on the branch up to this one, those whose bytes `is_wanted`, the latest first, at most `most`.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn texts_elsewhere(
        &self,
        turn: TurnId,
        is_wanted: impl Fn(&[u8]) -> bool + Send + 'static,
        most: usize,
    ) -> Result<Vec<ElsewhereText>, StoreError> {
        self.read(move |connection| {
            let mut found = Vec::new();
            let mut select = connection.prepare_cached(&format!(
                "{BRANCH} SELECT conversations.title, turns.id, question.body, answer.body
                 FROM turns JOIN conversations ON conversations.id = turns.conversation_id
                 JOIN texts AS question ON question.id = question_text_id
                 LEFT JOIN texts AS answer ON answer.id = answer_text_id
                 WHERE turns.id NOT IN (SELECT id FROM branch) ORDER BY turns.started_at DESC, turns.id DESC"
            ))?;
            let mut rows = select.query([turn.as_str()])?;
            while let (true, Some(row)) = (found.len() < most, rows.next()?) {
                for (column, kind) in [(2, BranchTextKind::Question), (3, BranchTextKind::Answer)] {
                    if let Some(text) = wanted(row, column, &is_wanted)? {
                        found.push(ElsewhereText { title: row.get(0)?, turn: TurnId(row.get(1)?), kind, text });
                    }
                }
            }
            let mut select = connection.prepare_cached(&format!(
                "{BRANCH} SELECT conversations.title, turns.id, body, facts.call_id, calls.name, facts.target
                 FROM calls JOIN facts ON facts.turn_id = calls.turn_id AND facts.call_id = calls.call_id
                 JOIN texts ON texts.id = facts.text_id JOIN turns ON turns.id = calls.turn_id
                 JOIN conversations ON conversations.id = turns.conversation_id
                 WHERE turns.id NOT IN (SELECT id FROM branch) ORDER BY turns.started_at DESC, calls.number"
            ))?;
            let mut rows = select.query([turn.as_str()])?;
            while let (true, Some(row)) = (found.len() < most, rows.next()?) {
                if let Some(text) = wanted(row, 2, &is_wanted)? {
                    let source = format!("{} {}", row.get::<_, String>(4)?, row.get::<_, String>(5)?);
                    let kind = BranchTextKind::Result { call: CallId(row.get(3)?), source };
                    found.push(ElsewhereText { title: row.get(0)?, turn: TurnId(row.get(1)?), kind, text });
                }
            }
            Ok(found)
        })
        .await
    }
}

/// A walk along a branch, which is made once.
struct Looking<'a> {
    connection: &'a Connection,
    is_wanted: &'a dyn Fn(&[u8]) -> bool,
    texts: Vec<BranchText>,
}

impl Looking<'_> {
    /// Looks at questions and answers; gives the number of turns, and those in which tools were called.
    fn exchanges(&mut self, turn: &TurnId) -> Result<(usize, Vec<(usize, TurnId)>), StoreError> {
        let mut select = self.connection.prepare_cached(&format!(
            "{BRANCH} SELECT n_after, turns.id, question.body, answer.body, EXISTS (SELECT 1 FROM calls WHERE turn_id = turns.id)
             FROM branch JOIN turns ON turns.id = branch.id JOIN texts AS question ON question.id = question_text_id
             LEFT JOIN texts AS answer ON answer.id = answer_text_id"
        ))?;
        let mut rows = select.query([turn.as_str()])?;
        let (mut n_turns, mut with_calls) = (0, Vec::new());
        while let Some(row) = rows.next()? {
            n_turns += 1;
            let n_after = usize::try_from(row.get::<_, i64>(0)?).unwrap_or_default();
            for (column, kind) in [(2, BranchTextKind::Question), (3, BranchTextKind::Answer)] {
                if let Some(text) = wanted(row, column, self.is_wanted)? {
                    self.texts.push(BranchText { turn: TurnId(row.get(1)?), number: n_after, kind, text });
                }
            }
            if row.get(4)? {
                with_calls.push((n_after, TurnId(row.get(1)?)));
            }
        }
        Ok((n_turns, with_calls))
    }

    fn results(&mut self, n_after: usize, turn: &TurnId) -> Result<(), StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT body, facts.call_id, calls.name, facts.target
             FROM calls JOIN facts ON facts.turn_id = calls.turn_id AND facts.call_id = calls.call_id
             JOIN texts ON texts.id = facts.text_id WHERE calls.turn_id = ?1 ORDER BY calls.number",
        )?;
        let mut rows = select.query([turn.as_str()])?;
        while let Some(row) = rows.next()? {
            if let Some(text) = wanted(row, 0, self.is_wanted)? {
                let source = format!("{} {}", row.get::<_, String>(2)?, row.get::<_, String>(3)?);
                let kind = BranchTextKind::Result { call: CallId(row.get(1)?), source };
                self.texts.push(BranchText { turn: turn.clone(), number: n_after, kind, text });
            }
        }
        Ok(())
    }
}

/// The text in a column, if there is one that is wanted.
fn wanted(row: &Row<'_>, column: usize, is_wanted: &dyn Fn(&[u8]) -> bool) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) if is_wanted(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
        _ => None,
    })
}
