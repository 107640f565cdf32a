//! The engine's journal: each entry is one transaction that is on the disk when the call returns.

use crate::error::StoreError;
use crate::store::Store;
use crate::{approvals, audit, calls, replies, requests, summaries, todos, transports, turns};
use async_trait::async_trait;
use recto_engine::ports::{Entry, Journal, JournalError};
use rusqlite::Connection;

#[async_trait]
impl Journal for Store {
    async fn record(&self, entry: Entry) -> Result<(), JournalError> {
        self.write(move |transaction| insert(transaction, &entry)).await.map_err(JournalError::from)
    }
}

impl From<StoreError> for JournalError {
    fn from(error: StoreError) -> Self {
        Self { sentence: error.to_string(), source: Some(Box::new(error)) }
    }
}

fn insert(connection: &Connection, entry: &Entry) -> Result<(), StoreError> {
    match entry {
        Entry::Request(request) => requests::insert(connection, request),
        Entry::ReplySoFar { request, text } => replies::save_so_far(connection, request, text),
        Entry::Reply { request, reply, failure, transport, at_ms } => {
            replies::save(connection, request, reply, failure.as_deref(), *at_ms)?;
            transport.as_ref().map_or(Ok(()), |transport| transports::save(connection, request, transport))
        }
        Entry::Call { turn, request, call, number } => calls::insert(connection, turn, request, call, *number),
        Entry::Asked { question, at_ms } => approvals::insert(connection, question, *at_ms),
        Entry::Answered { approval, answer, at_ms } => approvals::answer(connection, approval, *answer, *at_ms),
        Entry::Audit(entry) => audit::append(connection, entry),
        Entry::Fact { turn, fact, at_ms } => calls::insert_fact(connection, turn, fact, *at_ms),
        // The turn knows its conversation.
        Entry::Todo { conversation: _, turn, call, state, at_ms } => {
            todos::insert(connection, turn, call.as_ref(), state, *at_ms)
        }
        Entry::Folded { turn, folded, request, at_ms } => {
            summaries::insert(connection, turn, folded, request.as_ref(), *at_ms)
        }
        Entry::End { turn, ending, answer, at_ms } => turns::end(connection, turn, ending, answer, *at_ms),
    }
}
