//! Turns what arrives of a reply into what a watcher is told: a draft, the answer, or nothing while it is a step of work.

use crate::event::TurnEvent;
use crate::ports::{Delta, Transport};
use recto_core::request::Purpose;
use recto_core::step::AnswerStream;

/// What a reply's beginning may still turn out to be: a step in the place of an answer.
const STEP_BEGINNING: &str = "{\"name\"";

/// The reply of one request while it arrives.
#[derive(Debug)]
pub(crate) struct Stream {
    purpose: Purpose,
    is_structured: bool,
    text: String,
    transport: Transport,
    n_saved: usize,
    step: AnswerStream,
    is_told_raw: bool,
    held: String,
}

impl Stream {
    pub(crate) fn new(purpose: Purpose, is_structured: bool) -> Self {
        Self {
            purpose,
            is_structured,
            text: String::new(),
            transport: Transport::default(),
            n_saved: 0,
            step: AnswerStream::default(),
            is_told_raw: false,
            held: String::new(),
        }
    }

    pub(crate) fn take(&mut self, delta: Delta) -> Vec<TurnEvent> {
        match delta {
            Delta::Reading { n_read, of, .. } => vec![TurnEvent::Reading { n_read, of }],
            Delta::Retry { attempt, of, reason } => {
                self.transport.failed_attempts.push(reason.clone());
                vec![TurnEvent::Retry { attempt, of, reason }]
            }
            Delta::Reasoning(text) => vec![TurnEvent::Reasoning(text)],
            Delta::Call(_) => Vec::new(),
            Delta::Raw(bytes) => {
                self.transport.push(&bytes);
                Vec::new()
            }
            Delta::Text(text) => {
                self.text.push_str(&text);
                self.told(text).into_iter().collect()
            }
        }
    }

    /// What is told of new text.
    fn told(&mut self, text: String) -> Option<TurnEvent> {
        match (self.purpose, self.is_structured) {
            (Purpose::Work, false) => Some(TurnEvent::Draft(text)),
            // Under the structured protocol a step says at its start whether it is the answer.
            (Purpose::Work, true) => self.step.push(&text).map(TurnEvent::Answer),
            // The conversation shows nothing of a summary; its request does.
            (Purpose::Summary, _) => None,
            (Purpose::Answer, _) if self.is_told_raw => Some(TurnEvent::Answer(text)),
            (Purpose::Answer, _) => {
                self.held.push_str(&text);
                let decoded = self.step.push(&text);
                let compact: String = self.held.chars().filter(|c| !c.is_whitespace()).collect();
                if compact.starts_with(STEP_BEGINNING) {
                    return decoded.map(TurnEvent::Answer);
                }
                if STEP_BEGINNING.starts_with(&compact) {
                    return None;
                }
                self.is_told_raw = true;
                Some(TurnEvent::Answer(std::mem::take(&mut self.held)))
            }
        }
    }

    /// The bytes that came back.
    pub(crate) fn into_transport(self) -> Transport {
        self.transport
    }

    /// What was held back because it could have become a step, now that nothing more comes.
    pub(crate) fn end(&mut self) -> Vec<TurnEvent> {
        let is_step = self.held.trim_start().starts_with('{') && self.held.len() >= STEP_BEGINNING.len();
        if self.purpose == Purpose::Answer && !self.is_told_raw && !self.held.trim().is_empty() && !is_step {
            self.is_told_raw = true;
            return vec![TurnEvent::Answer(std::mem::take(&mut self.held))];
        }
        Vec::new()
    }

    /// All text so far, if some of it has not been saved.
    pub(crate) fn unsaved(&mut self) -> Option<String> {
        (self.text.len() > self.n_saved).then(|| {
            self.n_saved = self.text.len();
            self.text.clone()
        })
    }
}
