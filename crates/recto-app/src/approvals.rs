//! Questions that wait for an answer from the window. An answer names a question and says yes or no, with or without a rule, and nothing else.

use async_trait::async_trait;
use recto_core::approval::Answer;
use recto_core::id::ApprovalId;
use recto_engine::ports::{Approver, Question, Stop};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::Instant;

/// How long a question waits; after that it counts as no.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// The open questions of all conversations. None of them keeps another one waiting.
#[derive(Debug, Default)]
pub struct Pending {
    open: Mutex<HashMap<ApprovalId, Waiting>>,
}

/// Where the answer to a question is waited for.
#[derive(Debug)]
struct Waiting {
    /// Its place among those that were asked together.
    at: usize,
    said: UnboundedSender<(usize, Said)>,
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
        waiting.said.send((waiting.at, said)).map_err(|_| NotOpen)
    }

    /// Waits until each of the questions has its answer, in whatever order they come; stopping and running out of patience answer all that are open.
    async fn wait(&self, questions: &[Question], mut stop: Stop, mut tell: impl FnMut(usize, Answer) + Send) {
        let (said, mut answers) = mpsc::unbounded_channel();
        for (at, question) in questions.iter().enumerate() {
            let waiting = Waiting { at, said: said.clone() };
            self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(question.id.clone(), waiting);
        }
        let patience = tokio::time::sleep_until(Instant::now() + PATIENCE);
        tokio::pin!(patience);
        let mut open: BTreeSet<usize> = (0..questions.len()).collect();
        let rest = loop {
            if open.is_empty() {
                break Answer::Withdrawn;
            }
            // An answer that was given before the stop is one, whichever of the two is seen first.
            tokio::select! {
                biased;
                Some((at, said)) = answers.recv() => {
                    open.remove(&at);
                    tell(at, said.into());
                }
                () = stop.wait() => break Answer::Withdrawn,
                () = &mut patience => break Answer::TimedOut,
            }
        };
        for at in open {
            if let Some(question) = questions.get(at) {
                self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&question.id);
            }
            tell(at, rest);
        }
    }
}

impl From<Said> for Answer {
    fn from(said: Said) -> Self {
        match said {
            Said::No => Self::Denied,
            Said::Yes => Self::Approved,
            Said::YesWithRule => Self::ApprovedWithRule,
        }
    }
}

#[async_trait]
impl Approver for Pending {
    async fn ask(&self, question: &Question, stop: Stop) -> Answer {
        let mut given = Answer::Withdrawn;
        self.wait(std::slice::from_ref(question), stop, |_, answer| given = answer).await;
        given
    }

    async fn ask_all(&self, questions: &[Question], stop: Stop, said: UnboundedSender<(usize, Answer)>) {
        self.wait(questions, stop, |at, answer| {
            // Whoever asked may have stopped waiting.
            let _ = said.send((at, answer));
        })
        .await;
    }
}
