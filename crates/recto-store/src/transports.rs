//! What went over the line: kept deflated, given back as it came.

use crate::error::StoreError;
use crate::requests;
use crate::store::Store;
use crate::word::integer;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use recto_core::id::RequestId;
use recto_engine::ports::Transport;
use rusqlite::{Connection, OptionalExtension, params};
use std::io::{Read as _, Write as _};

impl Store {
    /// What went over the line for a request; `None` if nothing is known of it.
    ///
    /// # Errors
    /// `NoSuch` if the request is not there; what was kept cannot be read.
    pub async fn transport(&self, request: RequestId) -> Result<Option<Transport>, StoreError> {
        self.read(move |connection| {
            let seq = requests::seq(connection, &request)?;
            let mut select =
                connection.prepare_cached("SELECT endpoint, n_bytes, stream FROM transports WHERE request_seq = ?1")?;
            let found = select
                .query_row([seq], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?)))
                .optional()?;
            found
                .map(|(endpoint, n_bytes, stream)| {
                    Ok(Transport { endpoint, stream: inflated(&stream)?, n_bytes: n_bytes.unsigned_abs() })
                })
                .transpose()
        })
        .await
    }
}

/// Keeps what went over the line.
pub(crate) fn save(connection: &Connection, request: &RequestId, transport: &Transport) -> Result<(), StoreError> {
    let seq = requests::seq(connection, request)?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO transports (request_seq, endpoint, n_bytes, is_whole, stream) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            seq,
            transport.endpoint,
            integer(transport.n_bytes),
            transport.is_whole(),
            deflated(&transport.stream)?
        ])?;
    Ok(())
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
