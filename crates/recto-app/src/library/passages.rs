//! The passages that a question is given.

use crate::open::{App, AppError};
use recto_core::context::system::Scored;
use recto_core::library::passage_id;

/// The most passages of one question.
const MOST: usize = 6;
/// What scores less has too little of the question to be worth its room.
const LEAST_SCORE: f64 = 0.15;

impl App {
    /// The passages for a question, at most six; none where the library is switched off or has nothing that fits.
    pub(crate) async fn passages(&self, question: &str) -> Result<Vec<Scored>, AppError> {
        if !self.library_is_in_use().await? {
            return Ok(Vec::new());
        }
        let found = self.inner.store.search_library(question, MOST).await?;
        let found = found.into_iter().filter(|found| found.score >= LEAST_SCORE);
        Ok(found
            .map(|found| {
                let id = passage_id(found.passage.id);
                Scored {
                    source: format!("{id} {}", found.passage.label()),
                    id,
                    text: found.passage.text,
                    score: found.score,
                }
            })
            .collect())
    }
}
