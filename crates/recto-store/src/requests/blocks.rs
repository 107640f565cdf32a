//! The verdicts of one request, a row each.

use crate::error::StoreError;
use crate::texts::Keeping;
use crate::word::Word;
use recto_core::context::block::{Block, Importance, Seat, Slot};
use recto_core::context::plan::{PlannedBlock, Verdict};
use recto_core::id::{BlockId, CallId};
use rusqlite::{Connection, Row, params};

pub(super) fn insert<'a>(
    connection: &Connection,
    seq: i64,
    rows: &'a [PlannedBlock],
    n_tokens_placed: &[u32],
    texts: &mut Keeping<'a>,
) -> Result<(), StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO request_blocks (request_seq, position, block_id, kind, source, message, role, answers_call_id, slot,
             slot_call_id, slot_call_name, importance, exchange, score, token_limit, verdict, kept_lines, of_lines, rule, drop_order, n_tokens,
             n_tokens_placed, text_id, placed_text_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)",
    )?;
    for (position, row) in rows.iter().enumerate() {
        let PlannedBlock { block, verdict, n_tokens, placed } = row;
        // The line that could have stood for a block is in the record where it did: as what was placed.
        let Block { id, kind, source, seat, slot, importance, score, stub: _, limit, text } = block;
        let Seat { message, role, answers } = seat;
        let (slot, call_id, call_name) = match slot {
            Slot::Text => ("text", None, None),
            Slot::Call { id, name } => ("call", Some(id.as_str()), Some(name)),
        };
        let (importance, exchange) = match importance {
            Importance::Pinned => ("pinned", None),
            Importance::Question => ("question", None),
            Importance::Ranked => ("ranked", None),
            Importance::Heading => ("heading", None),
            Importance::Result(number) => ("result", Some(number)),
            Importance::Exchange(number) => ("exchange", Some(number)),
            Importance::Shared => ("shared", None),
            // The rule is that of the verdict, which follows from it.
            Importance::LeftOut(_) => ("left_out", None),
        };
        let (kept_lines, of_lines, rule, order) = match verdict {
            Verdict::Kept => (None, None, None, None),
            Verdict::Cut { kept_lines, of_lines } => (Some(kept_lines), Some(of_lines), None, None),
            Verdict::Dropped { rule, order } => (None, None, Some(Word(rule)), Some(order)),
        };
        insert.execute(params![
            seq,
            position as i64,
            id.as_str(),
            Word(kind),
            source,
            message,
            Word(role),
            answers.as_ref().map(CallId::as_str),
            slot,
            call_id,
            call_name,
            importance,
            exchange,
            score,
            limit,
            verdict.as_str(),
            kept_lines,
            of_lines,
            rule,
            order,
            n_tokens,
            n_tokens_placed.get(position).copied().unwrap_or_default(),
            texts.keep(text)?,
            placed.as_deref().map(|placed| texts.keep(placed)).transpose()?
        ])?;
    }
    Ok(())
}

/// The verdicts in their order, and the tokens of each block as it was placed.
pub(super) fn read(connection: &Connection, seq: i64) -> Result<(Vec<PlannedBlock>, Vec<u32>), StoreError> {
    let mut select = connection.prepare_cached(
        "SELECT block_id, kind, source, message, role, answers_call_id, slot_call_id, slot_call_name, importance, exchange, score,
                verdict, kept_lines, of_lines, rule, drop_order, n_tokens, n_tokens_placed, whole.body, placed.body, token_limit
         FROM request_blocks JOIN texts AS whole ON whole.id = text_id
         LEFT JOIN texts AS placed ON placed.id = placed_text_id
         WHERE request_seq = ?1 ORDER BY position",
    )?;
    let rows = select.query_map([seq], |row| Ok((planned_block(row)?, row.get::<_, u32>(17)?)))?;
    Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().unzip())
}

fn planned_block(row: &Row<'_>) -> rusqlite::Result<PlannedBlock> {
    let call = |column| row.get::<_, Option<String>>(column).map(|call| call.map(CallId));
    let slot = match call(6)? {
        Some(id) => Slot::Call { id, name: row.get(7)? },
        None => Slot::Text,
    };
    // The columns' checks allow no other words than these and, in the last arm, the one that is left.
    let importance = match row.get_ref(8)?.as_str()? {
        "pinned" => Importance::Pinned,
        "question" => Importance::Question,
        "ranked" => Importance::Ranked,
        "heading" => Importance::Heading,
        "result" => Importance::Result(row.get(9)?),
        "exchange" => Importance::Exchange(row.get(9)?),
        "left_out" => Importance::LeftOut(row.get::<_, Word<_>>(14)?.0),
        _ => Importance::Shared,
    };
    let verdict = match row.get_ref(11)?.as_str()? {
        "kept" => Verdict::Kept,
        "cut" => Verdict::Cut { kept_lines: row.get(12)?, of_lines: row.get(13)? },
        _ => Verdict::Dropped { rule: row.get::<_, Word<_>>(14)?.0, order: row.get(15)? },
    };
    let block = Block {
        id: BlockId(row.get(0)?),
        kind: row.get::<_, Word<_>>(1)?.0,
        source: row.get(2)?,
        seat: Seat { message: row.get(3)?, role: row.get::<_, Word<_>>(4)?.0, answers: call(5)? },
        slot,
        importance,
        score: row.get(10)?,
        stub: None,
        limit: row.get(20)?,
        text: row.get(18)?,
    };
    Ok(PlannedBlock { block, verdict, n_tokens: row.get(16)?, placed: row.get(19)? })
}
