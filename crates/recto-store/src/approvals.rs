//! Questions to the person. Each is a row with the frozen bytes, so it survives a reload of the window.

use crate::audit;
use crate::error::StoreError;
use crate::store::Store;
use crate::texts;
use crate::word::{Word, count, integer};
use recto_core::approval::Answer;
use recto_core::audit::{AuditEntry, AuditEvent};
use recto_core::id::{ApprovalId, CallId, ConversationId, TurnId};
use recto_core::text::ContentHash;
use recto_core::tool::{Change, FileState};
use recto_engine::ports::Question;
use rusqlite::{Connection, Row, params};

/// A question that nobody has answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenApproval {
    /// The question, bytes included.
    pub question: Question,
    /// When it was asked, in milliseconds since 1970 UTC.
    pub asked_at_ms: i64,
}

/// A question of a turn and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRow {
    /// The question, bytes included.
    pub question: Question,
    /// When it was asked, in milliseconds since 1970 UTC.
    pub asked_at_ms: i64,
    /// How it ended; `None` while it is open.
    pub answer: Option<Answer>,
    /// When.
    pub answered_at_ms: Option<i64>,
}

impl Store {
    /// The questions that are open, of one conversation or (`None`) of all, oldest first.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn open_approvals(&self, conversation: Option<ConversationId>) -> Result<Vec<OpenApproval>, StoreError> {
        self.read(move |connection| {
            let conversation = conversation.as_ref().map(ConversationId::as_str);
            let rows = select(connection, OPEN, conversation)?;
            let open = rows
                .into_iter()
                .map(|ApprovalRow { question, asked_at_ms, .. }| OpenApproval { question, asked_at_ms });
            Ok(open.collect())
        })
        .await
    }

    /// The questions of a turn, open or answered, oldest first.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn approvals(&self, turn: TurnId) -> Result<Vec<ApprovalRow>, StoreError> {
        self.read(move |connection| select(connection, "turn_id = ?1", Some(turn.as_str()))).await
    }
}

/// Adds a question.
pub(crate) fn insert(connection: &Connection, question: &Question, at_ms: i64) -> Result<(), StoreError> {
    let Question { id, conversation, turn, call, tool, change, .. } = question;
    let Change { path, to, operation, before, after, bytes, diff, flags, digest } = change;
    let bytes = texts::keep_bytes(connection, bytes)?;
    connection
        .prepare_cached(
            "INSERT INTO approvals (id, conversation_id, turn_id, call_id, tool, path, operation, before_hash, before_n_bytes,
                 after_hash, after_n_bytes, bytes_text_id, diff, flags, digest, asked_at, to_path)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?
        .execute(params![
            id.as_str(),
            conversation.as_str(),
            turn.as_str(),
            call.as_str(),
            tool,
            path,
            Word(operation),
            before.as_ref().map(|state| state.hash.as_str()),
            before.as_ref().map(|state| integer(state.n_bytes)),
            after.as_ref().map(|state| state.hash.as_str()),
            after.as_ref().map(|state| integer(state.n_bytes)),
            bytes,
            serde_json::to_string(diff)?,
            serde_json::to_string(flags)?,
            digest.as_str(),
            at_ms,
            to
        ])?;
    Ok(())
}

/// Ends an open question. The first answer stands.
pub(crate) fn answer(
    connection: &Connection,
    approval: &ApprovalId,
    answer: Answer,
    at_ms: i64,
) -> Result<(), StoreError> {
    let n_changed = connection
        .prepare_cached("UPDATE approvals SET answer = ?2, answered_at = ?3 WHERE id = ?1 AND answer IS NULL")?
        .execute(params![approval.as_str(), Word(answer), at_ms])?;
    if n_changed == 0 { Err(StoreError::no_such("open question", approval.as_str())) } else { Ok(()) }
}

/// Ends every open question with no, because whoever asked has died, and says so in the audit log.
pub(crate) fn withdraw_all(connection: &Connection, at_ms: i64) -> Result<usize, StoreError> {
    let open = select(connection, OPEN, None)?;
    let reason = "the program ended before the question was answered";
    for ApprovalRow { question, .. } in &open {
        answer(connection, &question.id, Answer::Withdrawn, at_ms)?;
        audit::append(connection, &decision(question, Answer::Withdrawn, reason, at_ms))?;
    }
    Ok(open.len())
}

/// The decisions that follow from the answered questions of a turn and are not in the audit log, and whether each allows its call.
pub(crate) fn undecided(
    connection: &Connection,
    turn: &TurnId,
    at_ms: i64,
) -> Result<Vec<(AuditEntry, bool)>, StoreError> {
    let reason = "the program ended before the answer was carried out";
    let answered = select(connection, UNDECIDED, Some(turn.as_str()))?;
    let decisions = answered.iter().filter_map(|ApprovalRow { question, answer, .. }| {
        answer.map(|answer| (decision(question, answer, reason, at_ms), answer.is_yes()))
    });
    Ok(decisions.collect())
}

/// What an answer decides. `reason` is why not, where it is a no.
fn decision(question: &Question, answer: Answer, reason: &str, at_ms: i64) -> AuditEntry {
    let Question { conversation, turn, call, tool, change, .. } = question.clone();
    let is_allowed = answer.is_yes();
    AuditEntry {
        at_ms,
        conversation,
        turn,
        call,
        tool,
        target: change.target(),
        event: AuditEvent::Decision {
            is_allowed,
            decider: format!("person {}", answer.as_str()),
            reason: (!is_allowed).then(|| reason.to_owned()),
            digest: Some(change.digest),
            before: change.before.map(|state| state.hash),
            after: change.after.map(|state| state.hash),
        },
    }
}

const OPEN: &str = "answer IS NULL AND (?1 IS NULL OR conversation_id = ?1)";

const UNDECIDED: &str = "turn_id = ?1 AND answer IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM decisions
    WHERE decisions.turn_id = ?1 AND decisions.call_id = approvals.call_id AND event = 'decision')";

/// The questions that fit `condition` on `?1`, oldest first.
fn select(
    connection: &Connection,
    condition: &'static str,
    parameter: Option<&str>,
) -> Result<Vec<ApprovalRow>, StoreError> {
    let mut select = connection.prepare_cached(&format!(
        "SELECT approvals.id, conversation_id, turn_id, call_id, tool, path, operation, before_hash, before_n_bytes,
                after_hash, after_n_bytes, body, diff, flags, digest, asked_at, answer, answered_at, to_path
         FROM approvals JOIN texts ON texts.id = bytes_text_id
         WHERE {condition} ORDER BY asked_at, approvals.rowid"
    ))?;
    let mut rows = select.query([parameter])?;
    let mut approvals = Vec::new();
    while let Some(row) = rows.next()? {
        approvals.push(approval_row(row)?);
    }
    Ok(approvals)
}

fn approval_row(row: &Row<'_>) -> Result<ApprovalRow, StoreError> {
    let state = |at: usize| -> rusqlite::Result<Option<FileState>> {
        let hash = row.get::<_, Option<String>>(at)?;
        hash.map(|hash| Ok(FileState { hash: ContentHash(hash), n_bytes: count(row.get(at + 1)?) })).transpose()
    };
    let change = Change {
        path: row.get(5)?,
        to: row.get(18)?,
        operation: row.get::<_, Word<_>>(6)?.0,
        before: state(7)?,
        after: state(9)?,
        bytes: texts::bytes(row.get(11)?),
        diff: serde_json::from_str(row.get_ref(12)?.as_str().map_err(rusqlite::Error::from)?)?,
        flags: serde_json::from_str(row.get_ref(13)?.as_str().map_err(rusqlite::Error::from)?)?,
        digest: ContentHash(row.get(14)?),
    };
    let question = Question {
        id: ApprovalId(row.get(0)?),
        conversation: ConversationId(row.get(1)?),
        turn: TurnId(row.get(2)?),
        call: CallId(row.get(3)?),
        tool: row.get(4)?,
        change,
        // A rule is made by whoever sees the question now, and dies with the program.
        offer: None,
        n_together: 1,
    };
    Ok(ApprovalRow {
        question,
        asked_at_ms: row.get(15)?,
        answer: row.get::<_, Option<Word<_>>>(16)?.map(|word| word.0),
        answered_at_ms: row.get(17)?,
    })
}
