//! Questions that wait for an answer from the window. An answer names a question and says yes or no, with or without a rule, and nothing else.

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
    open: Mutex<HashMap<ApprovalId, oneshot::Sender<Said>>>,
}

/// What the window may say to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// No.
    No,
    /// Yes, this once.
    Yes,
    /// Yes, and the same without a question for this session, where that was offered.
    YesWithRule,
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
    pub fn answer(&self, id: &ApprovalId, said: Said) -> Result<(), NotOpen> {
        let waiting = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id).ok_or(NotOpen)?;
        waiting.send(said).map_err(|_| NotOpen)
    }
}

#[async_trait]
impl Approver for Pending {
    async fn ask(&self, question: &Question, mut stop: Stop) -> Answer {
        let (sender, answered) = oneshot::channel();
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(question.id.clone(), sender);
        let answer = tokio::select! {
            answer = answered => match answer {
                Ok(Said::Yes) => Answer::Approved,
                Ok(Said::YesWithRule) => Answer::ApprovedWithRule,
                Ok(Said::No) => Answer::Denied,
                Err(_) => Answer::Withdrawn,
            },
            () = stop.wait() => Answer::Withdrawn,
            () = tokio::time::sleep(PATIENCE) => Answer::TimedOut,
        };
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&question.id);
        answer
    }
}
