//! The second witness: what a server says that it read, against what was sent by our own count. A server that shortens a prompt answers as if nothing
//! had happened; only the numbers tell.

use crate::reply::Usage;
use crate::request::Exactness;

/// What the two counts say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Witness {
    /// The server read what was sent, as far as both counts can tell.
    Agrees,
    /// It read less: part of the request, mostly its front, was lost.
    ReadLess {
        /// Tokens that it says it read.
        n_read: u32,
        /// Tokens that were sent by our own count.
        n_sent: u32,
    },
    /// It does not say, or says none, as some do for what they had read before.
    CannotTell,
}

/// The share of our own count that a server has to have read, in percent. A count by the vocabulary is right but for what a template adds; one by
/// the kind of characters can be a third too high.
const fn least_percent(exactness: Exactness) -> u64 {
    match exactness {
        Exactness::Exact => 97,
        Exactness::Counted => 90,
        Exactness::Estimate => 65,
        // Three times what it may be off is beyond what it ever was, and more than an estimate is never asked for.
        Exactness::Calibrated { percent } => {
            let least = 95_u64.saturating_sub(3 * percent as u64);
            if least < 65 { 65 } else { least }
        }
    }
}
/// Short requests are not judged: a few tokens of a template weigh too much in them.
const SHORTEST: u32 = 200;

/// Compares what was sent with what the reply's usage says.
#[must_use]
pub fn witness(n_sent: u32, exactness: Exactness, usage: Option<&Usage>) -> Witness {
    let Some(n_read) = usage.and_then(|usage| usage.n_read).filter(|n_read| *n_read > 0) else {
        return Witness::CannotTell;
    };
    if n_sent < SHORTEST {
        return Witness::CannotTell;
    }
    if u64::from(n_read) * 100 < u64::from(n_sent) * least_percent(exactness) {
        return Witness::ReadLess { n_read, n_sent };
    }
    Witness::Agrees
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(n_sent: u32, exactness: Exactness, n_read: Option<u32>) -> Witness {
        witness(n_sent, exactness, Some(&Usage { n_read, ..Usage::default() }))
    }

    #[test]
    fn models_m4_a_server_that_read_less_than_was_sent_is_told_with_both_numbers() {
        // A window of 32,768 of which Ollama keeps half, of a prompt of about 160,000 tokens (ollama/ollama#3839).
        assert_eq!(
            said(160_000, Exactness::Estimate, Some(16_387)),
            Witness::ReadLess { n_read: 16_387, n_sent: 160_000 }
        );
        assert_eq!(said(1_000, Exactness::Exact, Some(960)), Witness::ReadLess { n_read: 960, n_sent: 1_000 });
    }

    #[test]
    fn models_m4_what_lies_within_the_error_of_the_count_agrees_and_silence_says_nothing() {
        assert_eq!(said(1_000, Exactness::Estimate, Some(700)), Witness::Agrees);
        assert_eq!(said(1_000, Exactness::Estimate, Some(1_900)), Witness::Agrees);
        assert_eq!(said(1_000, Exactness::Calibrated { percent: 4 }, Some(850)), Witness::Agrees);
        assert!(matches!(said(1_000, Exactness::Calibrated { percent: 4 }, Some(820)), Witness::ReadLess { .. }));
        assert_eq!(said(1_000, Exactness::Counted, Some(900)), Witness::Agrees);
        assert!(matches!(said(1_000, Exactness::Counted, Some(890)), Witness::ReadLess { .. }));
        assert_eq!(said(1_000, Exactness::Calibrated { percent: 90 }, Some(700)), Witness::Agrees);
        assert_eq!(said(1_000, Exactness::Exact, Some(999)), Witness::Agrees);
        assert_eq!(said(1_000, Exactness::Exact, Some(0)), Witness::CannotTell);
        assert_eq!(said(1_000, Exactness::Exact, None), Witness::CannotTell);
        assert_eq!(said(150, Exactness::Exact, Some(20)), Witness::CannotTell);
        assert_eq!(witness(1_000, Exactness::Exact, None), Witness::CannotTell);
    }
}
