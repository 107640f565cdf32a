//! A branch: a turn and the turns it follows, read from its end, so that the cost is that of what is asked for and not that of
//! the conversation.

mod texts;

pub use texts::{BranchText, BranchTextKind, ElsewhereText};

use crate::error::StoreError;
use crate::store::Store;
use crate::turns;
use crate::word::Word;
use recto_core::conversation::Exchange;
use recto_core::id::{ConversationId, TurnId};
use recto_core::reply::Usage;
use recto_core::turn::Ending;
use recto_core::witness::{Witness, witness};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// A turn as the conversation shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRow {
    /// Its name.
    pub id: TurnId,
    /// The turn it follows.
    pub parent: Option<TurnId>,
    /// The turns that follow the same one, itself among them, oldest first: the branches at this place.
    pub siblings: Vec<TurnId>,
    /// The question, byte for byte.
    pub question: String,
    /// The answer as the user received it, or what had arrived of it so far; `None` if there is nothing.
    pub answer: Option<String>,
    /// Whether and how it ended.
    pub state: TurnState,
    /// The model that was to answer.
    pub model: Option<String>,
    /// The folder whose files it is about.
    pub folder: Option<String>,
    /// When it began, in milliseconds since 1970 UTC.
    pub started_at_ms: i64,
    /// When it ended; `None` while it runs.
    pub ended_at_ms: Option<i64>,
    /// What it took.
    pub steps: StepCounts,
    /// What its requests lack of the conversation.
    pub shortened: Shortened,
}

/// Whether and how a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnState {
    /// It runs.
    Running,
    /// The program died while it ran.
    Interrupted,
    /// It ended.
    Ended(Ending),
}

/// What a turn took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// Requests that were sent.
    pub n_requests: u32,
    /// Tool calls that were made.
    pub n_calls: u32,
    /// Lists that were written.
    pub n_todo_writes: u32,
    /// Questions to the person.
    pub n_approvals: u32,
}

/// What the requests of a turn lack of the conversation, because it is longer than the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shortened {
    /// Exchanges that were folded before its first request.
    pub n_folded: u32,
    /// The version of the summary with them; 0 where none were.
    pub version: u32,
    /// Tokens of the question in the first request, and all that it has; `None` where it is whole.
    pub question: Option<(u32, u32)>,
    /// Tokens that the server says it read of a request, and those that were sent, where it read less; of the last such request.
    pub read_less: Option<(u32, u32)>,
}

/// A stretch of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnPage {
    /// The turns, oldest first.
    pub turns: Vec<TurnRow>,
    /// The turn before the first of them, from which the next page goes back; `None` if there is none.
    pub earlier: Option<TurnId>,
}

impl Store {
    /// The last `limit` turns of the branch that is shown.
    ///
    /// # Errors
    /// `NoSuch` if the conversation is not there.
    pub async fn turns(&self, conversation: ConversationId, limit: usize) -> Result<TurnPage, StoreError> {
        self.read(move |connection| {
            let current: Option<Option<String>> = connection
                .prepare_cached("SELECT current_turn_id FROM conversations WHERE id = ?1")?
                .query_row([conversation.as_str()], |row| row.get(0))
                .optional()?;
            match current {
                None => Err(StoreError::no_such("conversation", conversation.0)),
                Some(None) => Ok(TurnPage { turns: Vec::new(), earlier: None }),
                Some(Some(end)) => page(connection, TurnId(end), limit),
            }
        })
        .await
    }

    /// The `limit` turns of a branch that end with `turn`: the page before another one, from its `earlier`.
    ///
    /// # Errors
    /// `NoSuch` if the turn is not there.
    pub async fn turns_up_to(&self, turn: TurnId, limit: usize) -> Result<TurnPage, StoreError> {
        self.read(move |connection| page(connection, turn, limit)).await
    }

    /// One turn.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn turn(&self, turn: TurnId) -> Result<TurnRow, StoreError> {
        self.read(move |connection| read_turn(connection, &turn)).await
    }

    /// In which conversation a turn is.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn conversation_of(&self, turn: TurnId) -> Result<ConversationId, StoreError> {
        self.read(move |connection| {
            let found = connection
                .prepare_cached("SELECT conversation_id FROM turns WHERE id = ?1")?
                .query_row([turn.as_str()], |row| row.get(0).map(ConversationId))
                .optional()?;
            found.ok_or_else(|| StoreError::no_such("turn", turn.0))
        })
        .await
    }

    /// What earlier turns leave to one that follows `parent`: the exchanges after `until` that have an answer, oldest first; all of them for
    /// `None`.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn exchanges(&self, parent: Option<TurnId>, until: Option<TurnId>) -> Result<Vec<Exchange>, StoreError> {
        self.read(move |connection| {
            let mut exchanges = Vec::new();
            let mut select = connection.prepare_cached(
                "SELECT turns.parent_id, question.body, answer.body
                 FROM turns JOIN texts AS question ON question.id = question_text_id
                 LEFT JOIN texts AS answer ON answer.id = answer_text_id
                 WHERE turns.id = ?1",
            )?;
            let mut next = parent;
            while let Some(turn) = next.take().filter(|turn| until.as_ref() != Some(turn)) {
                let found = select.query_row([turn.as_str()], exchange_columns).optional()?;
                let Some((parent, question, answer)) = found else { break };
                exchanges.extend(answer.map(|answer| Exchange { turn, question, answer }));
                next = parent.map(TurnId);
            }
            exchanges.reverse();
            Ok(exchanges)
        })
        .await
    }
}

/// Parent, question and answer.
fn exchange_columns(row: &Row<'_>) -> rusqlite::Result<(Option<String>, String, Option<String>)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

fn page(connection: &Connection, end: TurnId, limit: usize) -> Result<TurnPage, StoreError> {
    let mut turns = Vec::new();
    let mut next = Some(end);
    while let Some(id) = next.as_ref().filter(|_| turns.len() < limit) {
        let turn = read_turn(connection, id)?;
        next = turn.parent.clone();
        turns.push(turn);
    }
    turns.reverse();
    Ok(TurnPage { turns, earlier: next })
}

fn read_turn(connection: &Connection, id: &TurnId) -> Result<TurnRow, StoreError> {
    let mut turn = connection
        .prepare_cached(
            "SELECT turns.id, parent_id, question.body, answer.body, ending, sentence, model, folder, started_at, ended_at,
                    (SELECT count(*) FROM requests WHERE turn_id = turns.id),
                    (SELECT count(*) FROM calls WHERE turn_id = turns.id),
                    (SELECT count(*) FROM todo_snapshots WHERE turn_id = turns.id AND call_id IS NOT NULL),
                    (SELECT count(*) FROM approvals WHERE turn_id = turns.id)
             FROM turns JOIN texts AS question ON question.id = question_text_id
             LEFT JOIN texts AS answer ON answer.id = answer_text_id
             WHERE turns.id = ?1",
        )?
        .query_row([id.as_str()], turn_row)
        .optional()?
        .ok_or_else(|| StoreError::no_such("turn", id.as_str()))?;
    if turn.state == TurnState::Running {
        turn.answer = turns::answer_so_far(connection, id)?;
    }
    let mut siblings = connection.prepare_cached(
        "SELECT id FROM turns WHERE parent_id IS ?1
            AND conversation_id = (SELECT conversation_id FROM turns WHERE id = ?2)
         ORDER BY started_at, id",
    )?;
    turn.shortened = shortened(connection, id)?;
    turn.siblings = siblings
        .query_map(params![turn.parent.as_ref().map(TurnId::as_str), id.as_str()], |row| row.get(0).map(TurnId))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(turn)
}

fn turn_row(row: &Row<'_>) -> rusqlite::Result<TurnRow> {
    let ending: Option<String> = row.get(4)?;
    let sentence = || row.get::<_, Option<String>>(5).map(Option::unwrap_or_default);
    let state = match ending.as_deref() {
        None => TurnState::Running,
        Some("answered") => TurnState::Ended(Ending::Answered),
        Some("limited") => TurnState::Ended(Ending::Limited { sentence: sentence()? }),
        Some("stopped") => TurnState::Ended(Ending::Stopped),
        Some("failed") => TurnState::Ended(Ending::Failed { sentence: sentence()? }),
        // The column's check allows no other word.
        Some(_) => TurnState::Interrupted,
    };
    Ok(TurnRow {
        id: TurnId(row.get(0)?),
        parent: row.get::<_, Option<String>>(1)?.map(TurnId),
        siblings: Vec::new(),
        question: row.get(2)?,
        answer: row.get(3)?,
        state,
        model: row.get(6)?,
        folder: row.get(7)?,
        started_at_ms: row.get(8)?,
        ended_at_ms: row.get(9)?,
        steps: StepCounts {
            n_requests: row.get(10)?,
            n_calls: row.get(11)?,
            n_todo_writes: row.get(12)?,
            n_approvals: row.get(13)?,
        },
        shortened: Shortened::default(),
    })
}

fn shortened(connection: &Connection, turn: &TurnId) -> Result<Shortened, StoreError> {
    // A model writes a summary after the turn; that one stands in the requests of the next.
    let folded = connection
        .prepare_cached(
            "SELECT version, (SELECT count(*) FROM summary_exchanges WHERE summary_id = id) FROM summaries
             WHERE turn_id = ?1 AND author = 'rule' ORDER BY id LIMIT 1",
        )?
        .query_row([turn.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let question = connection
        .prepare_cached(
            "SELECT n_tokens_placed, request_blocks.n_tokens FROM requests JOIN request_blocks ON request_seq = seq
             WHERE turn_id = ?1 AND number = 1 AND importance = 'question' AND verdict = 'cut'",
        )?
        .query_row([turn.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (version, n_folded) = folded.unwrap_or_default();
    Ok(Shortened { n_folded, version, question, read_less: read_less(connection, turn)? })
}

fn read_less(connection: &Connection, turn: &TurnId) -> Result<Option<(u32, u32)>, StoreError> {
    let mut select = connection.prepare_cached(
        "SELECT n_tokens, exactness, n_read FROM requests JOIN replies ON request_seq = seq
         WHERE turn_id = ?1 AND purpose <> 'summary' ORDER BY number DESC",
    )?;
    let judged = select.query_map([turn.as_str()], |row| {
        let usage = Usage { n_read: row.get(2)?, ..Usage::default() };
        Ok(witness(row.get(0)?, row.get::<_, Word<_>>(1)?.0, Some(&usage)))
    })?;
    for judged in judged {
        if let Witness::ReadLess { n_read, n_sent } = judged? {
            return Ok(Some((n_read, n_sent)));
        }
    }
    Ok(None)
}
