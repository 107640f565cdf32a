//! Questions that wait for an answer from the window. An answer names a question and says yes or no, and nothing else.

use async_trait::async_trait;
use recto_core::approval::Answer;
use recto_core::id::ApprovalId;
use recto_engine::ports::{Approver, Question, Stop};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a question waits; after that it counts as no.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// The open questions of all conversations. None of them keeps another one waiting.
#[derive(Debug, Default)]
pub struct Pending {
    open: Mutex<HashMap<ApprovalId, oneshot::Sender<bool>>>,
}

/// The question is not open: it was answered, ran out of time, or never existed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this question is not open any more; nothing was changed by the answer")]
pub struct NotOpen;

impl Pending {
    /// Answers a question, once.
    ///
    /// # Errors
    /// `NotOpen` if nobody waits for the answer.
    pub fn answer(&self, id: &ApprovalId, yes: bool) -> Result<(), NotOpen> {
        let waiting = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id).ok_or(NotOpen)?;
        waiting.send(yes).map_err(|_| NotOpen)
    }
}

#[async_trait]
impl Approver for Pending {
    async fn ask(&self, question: &Question, mut stop: Stop) -> Answer {
        let (sender, answered) = oneshot::channel();
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(question.id.clone(), sender);
        let answer = tokio::select! {
            answer = answered => match answer {
                Ok(true) => Answer::Approved,
                Ok(false) => Answer::Denied,
                Err(_) => Answer::Withdrawn,
            },
            () = stop.wait() => Answer::Withdrawn,
            () = tokio::time::sleep(PATIENCE) => Answer::TimedOut,
        };
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&question.id);
        answer
    }
}
