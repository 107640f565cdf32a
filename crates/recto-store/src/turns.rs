//! Turns: begun with the question, ended with the answer.

use crate::error::StoreError;
use crate::store::Store;
use crate::texts;
use recto_core::id::{ConversationId, TurnId};
use recto_core::step::{AnswerStream, READY};
use recto_core::text::one_line;
use recto_core::turn::Ending;
use rusqlite::{Connection, OptionalExtension, params};

/// The longest title made from a question, in characters.
const TITLE_CHARACTERS: usize = 60;

/// A turn that is about to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTurn {
    /// Its name.
    pub id: TurnId,
    /// Where it is asked.
    pub conversation: ConversationId,
    /// The turn it follows; `None` for the first one. A turn that another one follows already begins a branch.
    pub parent: Option<TurnId>,
    /// The question, byte for byte.
    pub question: String,
    /// The model that is to answer.
    pub model: Option<String>,
    /// The folder whose files it is about.
    pub folder: Option<String>,
    /// When, in milliseconds since 1970 UTC.
    pub at_ms: i64,
}

impl Store {
    /// Commits the question, before anything else of the turn happens, and makes its branch the one that is shown. A
    /// conversation without a title takes the first line of the question for one.
    ///
    /// # Errors
    /// It is not saved, so nothing may be sent; `NoSuch` if the conversation or the parent is not there.
    pub async fn begin_turn(&self, new: NewTurn) -> Result<(), StoreError> {
        self.write(move |transaction| begin(transaction, &new)).await
    }

    /// Shows the branch that ends with `turn`, or the newest one that goes on from it.
    ///
    /// # Errors
    /// `NoSuch` if the turn is not there.
    pub async fn show_branch(&self, turn: TurnId) -> Result<(), StoreError> {
        self.write(move |transaction| {
            // Of several turns that follow one, the latest is taken, down to one that nothing follows.
            let mut end = turn.0.clone();
            let mut next = transaction.prepare_cached(
                "SELECT id FROM turns WHERE parent_id = ?1 ORDER BY started_at DESC, id DESC LIMIT 1",
            )?;
            while let Some(later) = next.query_row([&end], |row| row.get(0)).optional()? {
                end = later;
            }
            let n_changed = transaction
                .prepare_cached(
                    "UPDATE conversations SET current_turn_id = ?2
                     WHERE id = (SELECT conversation_id FROM turns WHERE id = ?1)",
                )?
                .execute([&turn.0, &end])?;
            if n_changed == 0 { Err(StoreError::no_such("turn", turn.0)) } else { Ok(()) }
        })
        .await
    }
}

fn begin(connection: &Connection, new: &NewTurn) -> Result<(), StoreError> {
    let NewTurn { id, conversation, parent, question, model, folder, at_ms } = new;
    let title = one_line(question, TITLE_CHARACTERS);
    let n_changed = connection
        .prepare_cached(
            "UPDATE conversations
             SET current_turn_id = ?2, updated_at = ?3, title = coalesce(title, nullif(?4, '')) WHERE id = ?1",
        )?
        .execute(params![conversation.as_str(), id.as_str(), at_ms, title])?;
    if n_changed == 0 {
        return Err(StoreError::no_such("conversation", conversation.as_str()));
    }
    // The list of the work and the summary go on from where the parent left them.
    let (snapshot, summary): (Option<i64>, Option<i64>) = match parent {
        None => (None, None),
        Some(parent) => connection
            .prepare_cached("SELECT todo_snapshot_id, summary_id FROM turns WHERE id = ?1 AND conversation_id = ?2")?
            .query_row([parent.as_str(), conversation.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?
            .ok_or_else(|| StoreError::no_such("turn", parent.as_str()))?,
    };
    let question = texts::keep(connection, question)?;
    connection
        .prepare_cached(
            "INSERT INTO turns (id, conversation_id, parent_id, question_text_id, model, folder, todo_snapshot_id,
                                summary_id, started_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            id.as_str(),
            conversation.as_str(),
            parent.as_ref().map(TurnId::as_str),
            question,
            model,
            folder,
            snapshot,
            summary,
            at_ms
        ])?;
    Ok(())
}

/// Ends a turn with what the user received.
pub(crate) fn end(
    connection: &Connection,
    turn: &TurnId,
    ending: &Ending,
    answer: &str,
    at_ms: i64,
) -> Result<(), StoreError> {
    let (word, sentence) = match ending {
        Ending::Answered => ("answered", None),
        Ending::Limited { sentence } => ("limited", Some(sentence.as_str())),
        Ending::Stopped => ("stopped", None),
        Ending::Failed { sentence } => ("failed", Some(sentence.as_str())),
    };
    close(connection, turn, word, sentence, answer, at_ms)
}

/// Ends a turn that the program left running when it died. What had arrived of the answer is the answer so far; a step of work
/// is none, and stays readable with its request.
pub(crate) fn interrupt(connection: &Connection, turn: &TurnId, at_ms: i64) -> Result<(), StoreError> {
    let so_far = answer_so_far(connection, turn)?.unwrap_or_default();
    close(connection, turn, "interrupted", None, &so_far, at_ms)
}

fn close(
    connection: &Connection,
    turn: &TurnId,
    ending: &str,
    sentence: Option<&str>,
    answer: &str,
    at_ms: i64,
) -> Result<(), StoreError> {
    let answer = texts::keep_some(connection, (!answer.is_empty()).then_some(answer))?;
    let conversation: Option<String> = connection
        .prepare_cached(
            "UPDATE turns SET ending = ?2, sentence = ?3, answer_text_id = ?4, ended_at = ?5 WHERE id = ?1
             RETURNING conversation_id",
        )?
        .query_row(params![turn.as_str(), ending, sentence, answer, at_ms], |row| row.get(0))
        .optional()?;
    let conversation = conversation.ok_or_else(|| StoreError::no_such("turn", turn.as_str()))?;
    connection
        .prepare_cached("UPDATE conversations SET updated_at = max(updated_at, ?2) WHERE id = ?1")?
        .execute(params![conversation, at_ms])?;
    Ok(())
}

/// Text of the answer while the turn has none yet: what has arrived for its last request, if that text is meant for the user.
/// Under a step's schema it is the text inside an answer step; a reply that leads to calls, or that follows them, is work.
pub(crate) fn answer_so_far(connection: &Connection, turn: &TurnId) -> Result<Option<String>, StoreError> {
    let found = connection
        .prepare_cached(
            "SELECT coalesce(replies.text_so_far, (SELECT body FROM texts WHERE id = replies.text_id)),
                    requests.step_text_id IS NOT NULL, requests.purpose = 'work'
             FROM requests JOIN replies ON replies.request_seq = requests.seq
             WHERE requests.turn_id = ?1 AND replies.calls IS NULL
               AND requests.number = (SELECT max(number) FROM requests WHERE turn_id = ?1)
               AND (requests.purpose = 'answer'
                    OR NOT EXISTS (SELECT 1 FROM facts WHERE turn_id = ?1 AND identity <> 'todo_write'))",
        )?
        .query_row([turn.as_str()], |row| Ok((row.get::<_, Option<String>>(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let text = match found {
        Some((Some(step), true, _)) => AnswerStream::default().push(&step),
        Some((Some(text), false, true)) if READY.starts_with(text.trim()) => None,
        Some((text, ..)) => text,
        None => None,
    };
    Ok(text.filter(|text| !text.is_empty()))
}
