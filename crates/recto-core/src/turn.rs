//! placeholder
use serde::{Deserialize, Serialize};

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ending", rename_all = "snake_case")]
pub enum Ending {
    /// With an answer.
    Answered,
    /// With an answer from what was found when a limit was reached; the sentence says which.
    Limited {
        /// For the user.
        sentence: String,
    },
    /// By the user.
    Stopped,
    /// Without an answer; the sentence says why and what one can do.
    Failed {
        /// For the user.
        sentence: String,
    },
}
