//! Requests: the verdicts of their plan and their bytes, in pieces that say where they come from.

use crate::error::StoreError;
use crate::replies::{self, ReplyRow};
use crate::store::Store;
use crate::texts::Keeping;
use crate::word::Word;
use recto_core::context::plan::{Budget, Plan};
use recto_core::id::{RequestId, TurnId};
use recto_core::request::{Encoding, ModelProfile, Purpose, Sampling, Wire, WirePiece};
use recto_core::text::ContentHash;
use recto_engine::ports::RequestEntry;
use rusqlite::{Connection, OptionalExtension, Row, params};

mod blocks;

/// A request as the list of a turn's requests shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestRow {
    /// Its name.
    pub id: RequestId,
    /// In which turn.
    pub turn: TurnId,
    /// Its number in the turn, from 1.
    pub number: u32,
    /// What it was for.
    pub purpose: Purpose,
    /// Tokens of all that was sent.
    pub n_tokens: u32,
    /// What was known of the model.
    pub profile: ModelProfile,
    /// Rounds without a written list before it.
    pub n_stale_rounds: u32,
    /// Whether it carried the reminder.
    pub has_reminder: bool,
    /// The hash of its bytes.
    pub wire_hash: ContentHash,
    /// When it was sent, in milliseconds since 1970 UTC.
    pub sent_at_ms: i64,
    /// What came back; `None` if nothing did.
    pub reply: Option<ReplyRow>,
}

/// One request with its verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestRecord {
    /// What the list shows of it.
    pub row: RequestRow,
    /// The verdicts, with the texts, as they were decided.
    pub plan: Plan,
    /// Tokens of each block as it was placed; same order as `plan.rows`.
    pub n_tokens_placed: Vec<u32>,
    /// Schema of the step, where there was one.
    pub step: Option<String>,
    /// How the reply was drawn.
    pub sampling: Sampling,
}

impl Store {
    /// The requests of a turn, in their order.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn requests(&self, turn: TurnId) -> Result<Vec<RequestRow>, StoreError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(&format!("{SELECT} WHERE turn_id = ?1 ORDER BY number"))?;
            let heads: Vec<Head> = select.query_map([turn.as_str()], head)?.collect::<rusqlite::Result<_>>()?;
            heads.into_iter().map(|head| head.into_row(connection)).collect()
        })
        .await
    }

    /// One request with every block that was considered for it.
    ///
    /// # Errors
    /// `NoSuch` if it is not there.
    pub async fn request(&self, id: RequestId) -> Result<RequestRecord, StoreError> {
        self.read(move |connection| {
            let head = find(connection, &id)?;
            let (rows, n_tokens_placed) = blocks::read(connection, head.seq)?;
            let Rest { budget, n_tokens_planned, step, sampling } = rest(connection, head.seq)?;
            let plan = Plan { purpose: head.row.purpose, budget, rows, n_tokens: n_tokens_planned };
            Ok(RequestRecord { row: head.into_row(connection)?, plan, n_tokens_placed, step, sampling })
        })
        .await
    }

    /// The bytes of a request as they went out, rebuilt from the record and checked against the hash that was recorded with them.
    ///
    /// # Errors
    /// `NoSuch` if it is not there; `WireDiffers` if the record was changed since.
    pub async fn wire(&self, id: RequestId) -> Result<Wire, StoreError> {
        self.read(move |connection| {
            let head = find(connection, &id)?;
            let wire = pieces(connection, head.seq)?;
            let found = ContentHash::of(wire.bytes().as_bytes());
            if found == head.row.wire_hash {
                return Ok(wire);
            }
            Err(StoreError::WireDiffers { request: id.0, expected: head.row.wire_hash.0, found: found.0 })
        })
        .await
    }
}

/// Adds a request that is about to leave.
pub(crate) fn insert(connection: &Connection, entry: &RequestEntry) -> Result<(), StoreError> {
    let RequestEntry { id, turn, number, plan, n_tokens_placed, n_tokens, profile, step, sampling, .. } = entry;
    let RequestEntry { wire, wire_hash, n_stale_rounds, has_reminder, at_ms, .. } = entry;
    let Plan { purpose, budget, rows, n_tokens: n_tokens_planned } = plan;
    let Budget { window, reserve, fixed, per_message, fold_to } = budget;
    let ModelProfile { name, window: model_window, protocol, takes_trailing_system, answer_tools, exactness } = profile;
    let Sampling { temperature, seed, max_tokens } = sampling;
    let mut texts = Keeping::new(connection);
    let step = step.as_deref().map(|step| texts.keep(step)).transpose()?;
    let seq = connection
        .prepare_cached(
            "INSERT INTO requests (id, turn_id, number, purpose, window, reserve, fixed, per_message, n_tokens_planned,
                 n_tokens, model, model_window, protocol, takes_trailing_system, answer_tools, exactness, step_text_id,
                 temperature, seed, max_tokens, n_stale_rounds, has_reminder, wire_hash, sent_at, fold_to)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23,
                 ?24, ?25)",
        )?
        .insert(params![
            id.as_str(),
            turn.as_str(),
            number,
            Word(purpose),
            window,
            reserve,
            fixed,
            per_message,
            n_tokens_planned,
            n_tokens,
            name,
            model_window,
            Word(protocol),
            takes_trailing_system,
            Word(answer_tools),
            Word(exactness),
            step,
            temperature,
            seed,
            max_tokens,
            n_stale_rounds,
            has_reminder,
            wire_hash.as_str(),
            at_ms,
            fold_to
        ])?;
    blocks::insert(connection, seq, rows, n_tokens_placed, &mut texts)?;
    insert_pieces(connection, seq, wire, &mut texts)
}

fn insert_pieces<'a>(
    connection: &Connection,
    seq: i64,
    wire: &'a Wire,
    texts: &mut Keeping<'a>,
) -> Result<(), StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO request_pieces (request_seq, position, block_position, encoding, text_id) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (position, piece) in (0_i64..).zip(&wire.pieces) {
        let WirePiece { block, text, encoding } = piece;
        let block = block.map(|block| block as i64);
        insert.execute(params![seq, position, block, Word(encoding), texts.keep(text)?])?;
    }
    Ok(())
}

/// The bytes of a request, not yet compared with their hash.
pub(crate) fn pieces(connection: &Connection, seq: i64) -> Result<Wire, StoreError> {
    let mut select = connection.prepare_cached(
        "SELECT block_position, body, encoding FROM request_pieces JOIN texts ON texts.id = text_id
         WHERE request_seq = ?1 ORDER BY position",
    )?;
    Ok(Wire { pieces: select.query_map([seq], piece)?.collect::<rusqlite::Result<_>>()? })
}

fn piece(row: &Row<'_>) -> rusqlite::Result<WirePiece> {
    let block: Option<i64> = row.get(0)?;
    let encoding: Word<Encoding> = row.get(2)?;
    Ok(WirePiece {
        block: block.and_then(|block| usize::try_from(block).ok()),
        text: row.get(1)?,
        encoding: encoding.0,
    })
}

/// The number of a request in the record.
pub(crate) fn seq(connection: &Connection, id: &RequestId) -> Result<i64, StoreError> {
    let mut select = connection.prepare_cached("SELECT seq FROM requests WHERE id = ?1")?;
    let found = select.query_row([id.as_str()], |row| row.get(0)).optional()?;
    found.ok_or_else(|| StoreError::no_such("request", id.as_str()))
}

/// A request's row before its reply was looked up.
struct Head {
    seq: i64,
    row: RequestRow,
}

impl Head {
    fn into_row(self, connection: &Connection) -> Result<RequestRow, StoreError> {
        Ok(RequestRow { reply: replies::read(connection, self.seq)?, ..self.row })
    }
}

const SELECT: &str = "
    SELECT seq, id, turn_id, number, purpose, n_tokens, model, model_window, protocol, takes_trailing_system, answer_tools,
           exactness, n_stale_rounds, has_reminder, wire_hash, sent_at
    FROM requests";

fn find(connection: &Connection, id: &RequestId) -> Result<Head, StoreError> {
    let mut select = connection.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?;
    let found = select.query_row([id.as_str()], head).optional()?;
    found.ok_or_else(|| StoreError::no_such("request", id.as_str()))
}

fn head(row: &Row<'_>) -> rusqlite::Result<Head> {
    let profile = ModelProfile {
        name: row.get(6)?,
        window: row.get(7)?,
        protocol: row.get::<_, Word<_>>(8)?.0,
        takes_trailing_system: row.get(9)?,
        answer_tools: row.get::<_, Word<_>>(10)?.0,
        exactness: row.get::<_, Word<_>>(11)?.0,
    };
    let request = RequestRow {
        id: RequestId(row.get(1)?),
        turn: TurnId(row.get(2)?),
        number: row.get(3)?,
        purpose: row.get::<_, Word<_>>(4)?.0,
        n_tokens: row.get(5)?,
        profile,
        n_stale_rounds: row.get(12)?,
        has_reminder: row.get(13)?,
        wire_hash: ContentHash(row.get(14)?),
        sent_at_ms: row.get(15)?,
        reply: None,
    };
    Ok(Head { seq: row.get(0)?, row: request })
}

/// What only the inspector of one request needs.
struct Rest {
    budget: Budget,
    n_tokens_planned: u32,
    step: Option<String>,
    sampling: Sampling,
}

fn rest(connection: &Connection, seq: i64) -> Result<Rest, StoreError> {
    let mut select = connection.prepare_cached(
        "SELECT window, reserve, fixed, per_message, n_tokens_planned, temperature, seed, max_tokens,
                (SELECT body FROM texts WHERE id = step_text_id), fold_to
         FROM requests WHERE seq = ?1",
    )?;
    let rest = select.query_row([seq], |row| {
        Ok(Rest {
            budget: Budget {
                window: row.get(0)?,
                reserve: row.get(1)?,
                fixed: row.get(2)?,
                per_message: row.get(3)?,
                fold_to: row.get(9)?,
            },
            n_tokens_planned: row.get(4)?,
            sampling: Sampling { temperature: row.get(5)?, seed: row.get(6)?, max_tokens: row.get(7)? },
            step: row.get(8)?,
        })
    })?;
    Ok(rest)
}
