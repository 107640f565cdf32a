//! A conversation as a value: what earlier turns leave to later ones.

use crate::id::TurnId;

/// An earlier turn as later requests see it: the question and the answer, byte for byte, and nothing of the way there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Which turn.
    pub turn: TurnId,
    /// The question as it was asked.
    pub question: String,
    /// The answer as the user received it; possibly only what there was when the turn ended.
    pub answer: String,
}
