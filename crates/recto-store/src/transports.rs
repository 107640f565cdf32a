//! What went over the line: kept deflated, given back as it came.

use crate::error::StoreError;
use crate::requests;
use crate::store::Store;
use crate::word::integer;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use recto_core::id::RequestId;
use recto_core::request::Token;
use recto_engine::ports::Transport;
use rusqlite::{Connection, params};
use std::io::{Read as _, Write as _};

impl Store {
    /// What went over the line for a request; `None` if nothing is known of it.
    ///
    /// # Errors
    /// `NoSuch` if the request is not there; what was kept cannot be read.
    pub async fn transport(&self, request: RequestId) -> Result<Option<Transport>, StoreError> {
        self.read(move |connection| {
            let seq = requests::seq(connection, &request)?;
            let mut select = connection.prepare_cached(
                "SELECT endpoint, n_bytes, stream, tokens, failed_attempts FROM transports WHERE request_seq = ?1",
            )?;
            let mut rows = select.query([seq])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            let (tokens, attempts): (Option<Vec<u8>>, Option<String>) = (row.get(3)?, row.get(4)?);
            Ok(Some(Transport {
                endpoint: row.get(0)?,
                n_bytes: row.get::<_, i64>(1)?.unsigned_abs(),
                stream: inflated(&row.get::<_, Vec<u8>>(2)?)?,
                failed_attempts: attempts.map_or_else(|| Ok(Vec::new()), |attempts| serde_json::from_str(&attempts))?,
                tokens: tokens.map_or_else(|| Ok(Vec::new()), |tokens| read_tokens(&tokens))?,
            }))
        })
        .await
    }
}

/// Keeps what went over the line.
pub(crate) fn save(connection: &Connection, request: &RequestId, transport: &Transport) -> Result<(), StoreError> {
    let seq = requests::seq(connection, request)?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO transports (request_seq, endpoint, n_bytes, is_whole, stream, tokens, failed_attempts) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            seq,
            transport.endpoint,
            integer(transport.n_bytes),
            transport.is_whole(),
            deflated(&transport.stream)?,
            (!transport.tokens.is_empty()).then(|| written_tokens(&transport.tokens)).transpose()?,
            (!transport.failed_attempts.is_empty()).then(|| serde_json::to_string(&transport.failed_attempts)).transpose()?,
        ])?;
    Ok(())
}

/// Number and length of each token as LEB128, which is three bytes for most.
fn written_tokens(tokens: &[Token]) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    for mut number in tokens.iter().flat_map(|token| [token.id, token.n_bytes]) {
        while number >= 0x80 {
            bytes.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        bytes.push(number.to_le_bytes()[0]);
    }
    deflated(&bytes)
}

/// Reads what [`written_tokens`] wrote; a pair that is not whole is none.
fn read_tokens(bytes: &[u8]) -> Result<Vec<Token>, StoreError> {
    let mut numbers = Vec::new();
    let (mut number, mut shift) = (0_u32, 0_u32);
    for byte in inflated(bytes)? {
        number |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte < 0x80 {
            numbers.push(number);
            (number, shift) = (0, 0);
        }
    }
    Ok(numbers.chunks_exact(2).map(|pair| Token { id: pair[0], n_bytes: pair[1] }).collect())
}

pub(crate) fn deflated(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|source| StoreError::Stream { source })
}

/// No more than what is ever kept comes out, whatever a file from elsewhere says.
pub(crate) fn inflated(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let mut stream = Vec::new();
    let limit = Transport::LIMIT as u64;
    ZlibDecoder::new(bytes).take(limit).read_to_end(&mut stream).map_err(|source| StoreError::Stream { source })?;
    Ok(stream)
}
