//! Token counts for a model whose vocabulary is not here: how many tokens a character makes, by its script, learnt from what the model's server says
//! that it read.
//!
//! A vocabulary differs from another one mostly in how it treats a script, so three weights are learnt: for Latin letters and spaces, for Chinese,
//! Japanese and Korean characters, and for everything else, which is digits, signs, and most of code. They are the ridge regression of what was read
//! on what was sent, each request weighted by its size, with the usual weights as the prior: the sum over the requests of
//! `(1 − Σ uₖ·zₖ)²` plus `λ·Σ (uₖ − 1)²`, where `uₖ` is a weight in units of the usual one and `zₖ` the tokens of a script by the usual weight over
//! the tokens read.

use crate::context::plan::CountTokens;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Tokens a character by script before anything is known: Latin, Chinese, the rest. On the safe side: rather too many than too few.
const USUAL: [f64; 3] = [0.25, 8.0 / 12.0, 0.5];
/// How much the usual weights weigh, in requests.
const PRIOR: f64 = 0.05;
/// What a request still weighs after one more: after fifty it weighs about a third, so a model that was exchanged behind its name is learnt anew.
const FADING: f64 = 0.98;
/// Requests whose errors are remembered, and from how many on something can be said of them.
const REMEMBERED: usize = 20;
const ENOUGH: usize = 5;
/// No vocabulary is outside of this, in units of the usual weight.
const BOUNDS: std::ops::RangeInclusive<f64> = 0.2..=4.0;

/// Characters of a text by script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scripts {
    /// Latin letters and spaces.
    pub n_latin: u64,
    /// Chinese, Japanese and Korean characters.
    pub n_chinese: u64,
    /// Everything else.
    pub n_other: u64,
}

impl Scripts {
    /// Counts the characters of a text. White space in a row is one: no vocabulary spends a token on each space of an indent.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut scripts = Self::default();
        let mut was_space = false;
        for character in text.chars() {
            let is_space = character.is_whitespace();
            match character {
                _ if is_space && was_space => {}
                'a'..='z' | 'A'..='Z' | ' ' => scripts.n_latin += 1,
                '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' => scripts.n_chinese += 1,
                _ => scripts.n_other += 1,
            }
            was_space = is_space;
        }
        scripts
    }

    /// Adds another text's characters.
    pub fn add(&mut self, other: Self) {
        self.n_latin += other.n_latin;
        self.n_chinese += other.n_chinese;
        self.n_other += other.n_other;
    }

    fn values(self) -> [f64; 3] {
        [self.n_latin, self.n_chinese, self.n_other].map(|n| n as f64)
    }
}

/// Tokens a character by script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights([f64; 3]);

impl Default for Weights {
    fn default() -> Self {
        Self(USUAL)
    }
}

impl Weights {
    fn tokens(self, scripts: Scripts) -> f64 {
        self.0.iter().zip(scripts.values()).map(|(weight, n)| weight * n).sum()
    }
}

impl CountTokens for Weights {
    fn count(&self, text: &str) -> u32 {
        // A count is far below what a float holds exactly.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "neither negative nor that large")]
        let tokens = self.tokens(Scripts::of(text)).ceil().min(f64::from(u32::MAX)) as u32;
        tokens
    }
}

/// What one request teaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The characters of its texts.
    pub scripts: Scripts,
    /// Tokens beside them, which no weight changes.
    pub n_known: u32,
    /// Tokens that the server says it read.
    pub n_read: u32,
}

/// What has been learnt of one model at one server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// `Σ z·zᵀ` over the requests, the older ones faded.
    products: [[f64; 3]; 3],
    /// `Σ z` over the requests, the older ones faded.
    sums: [f64; 3],
    /// How far the counts of the latest requests were off when they were sent, as shares of what was read; the newest last.
    errors: VecDeque<f64>,
}

impl Calibration {
    /// Learns from one request.
    pub fn learn(&mut self, observation: Observation) {
        let Observation { scripts, n_known, n_read } = observation;
        let n_read_of_texts = f64::from(n_read.saturating_sub(n_known));
        if n_read_of_texts < 1.0 {
            return;
        }
        let counted = self.weights().tokens(scripts) + f64::from(n_known);
        self.errors.push_back((counted - f64::from(n_read)).abs() / f64::from(n_read));
        while self.errors.len() > REMEMBERED {
            self.errors.pop_front();
        }
        let mut shares = scripts.values();
        shares.iter_mut().zip(USUAL).for_each(|(share, usual)| *share *= usual / n_read_of_texts);
        for (row, one) in self.products.iter_mut().zip(shares) {
            row.iter_mut().zip(shares).for_each(|(product, other)| *product = *product * FADING + one * other);
        }
        self.sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum = *sum * FADING + share);
    }

    /// The weights as they are now.
    #[must_use]
    pub fn weights(&self) -> Weights {
        let mut products = self.products;
        let mut sums = self.sums;
        for script in 0..3 {
            products[script][script] += PRIOR;
            sums[script] += PRIOR;
        }
        let learnt = solved(products, sums);
        let mut weights = USUAL;
        weights
            .iter_mut()
            .zip(learnt)
            .for_each(|(weight, units)| *weight *= units.clamp(*BOUNDS.start(), *BOUNDS.end()));
        Weights(weights)
    }

    /// How far a count may be off, in percent: what nine of ten of the latest ones were not off by more than, and never less than one. `None` until
    /// enough requests were read.
    #[must_use]
    pub fn error_percent(&self) -> Option<u8> {
        // The first ones were counted before anything was known and say nothing of how it is now.
        let mut errors: Vec<f64> = self.errors.iter().copied().skip(self.errors.len() / 4).collect();
        if self.errors.len() < ENOUGH {
            return None;
        }
        errors.sort_by(f64::total_cmp);
        let at = (errors.len() * 9).div_ceil(10).saturating_sub(1);
        let percent = (100.0 * errors.get(at).copied().unwrap_or(1.0)).ceil().clamp(1.0, 99.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 1–99")]
        Some(percent as u8)
    }
}

/// The solution of three equations whose matrix is symmetric and positive, by Gauss.
fn solved(mut matrix: [[f64; 3]; 3], mut right: [f64; 3]) -> [f64; 3] {
    for pivot in 0..3 {
        let above = matrix[pivot];
        for row in pivot + 1..3 {
            let factor = matrix[row][pivot] / above[pivot];
            for (value, above) in matrix[row].iter_mut().zip(above) {
                *value -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    let mut solution = [0.0; 3];
    for row in (0..3).rev() {
        let known: f64 = (row + 1..3).map(|column| matrix[row][column] * solution[column]).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request of so many characters of each script, as a vocabulary with these weights reads it.
    fn read(n: [u64; 3], truth: [f64; 3]) -> (Scripts, u32) {
        let scripts = Scripts { n_latin: n[0], n_chinese: n[1], n_other: n[2] };
        let tokens: f64 = scripts.values().iter().zip(truth).map(|(n, weight)| n * weight).sum();
        (scripts, tokens.round() as u32 + 40)
    }

    #[test]
    fn characters_are_told_by_script_and_an_indent_is_one_space() {
        assert_eq!(Scripts::of("ab  你好,\n    1"), Scripts { n_latin: 3, n_chinese: 2, n_other: 3 });
    }

    #[test]
    fn twenty_requests_tell_the_weights_of_each_script() {
        let truth = [0.21, 0.5, 0.62];
        let mut calibration = Calibration::default();
        assert_eq!((calibration.weights(), calibration.error_percent()), (Weights::default(), None));
        for round in 0..20 {
            let mix = [[4_000, 200, 300], [900, 2_500, 200], [2_500, 100, 1_500]][round % 3];
            let (scripts, n_read) = read(mix, truth);
            calibration.learn(Observation { scripts, n_known: 40, n_read });
        }
        for mix in [[3_000, 0, 200], [0, 3_000, 200], [2_000, 0, 2_000]] {
            let (scripts, n_read) = read(mix, truth);
            let counted = calibration.weights().tokens(scripts) + 40.0;
            let error = (counted - f64::from(n_read)).abs() / f64::from(n_read);
            assert!(error < 0.05, "{mix:?}: {counted} of {n_read}");
        }
        assert!(calibration.error_percent().unwrap() <= 5, "{calibration:?}");
    }

    #[test]
    fn what_a_server_says_of_another_request_moves_no_weight_out_of_bounds() {
        let mut calibration = Calibration::default();
        for _ in 0..50 {
            calibration.learn(Observation {
                scripts: Scripts { n_latin: 100_000, n_chinese: 0, n_other: 0 },
                n_known: 10,
                n_read: 12,
            });
            calibration.learn(Observation {
                scripts: Scripts { n_latin: 1, n_chinese: 1, n_other: 1 },
                n_known: 10,
                n_read: u32::MAX,
            });
            calibration.learn(Observation { scripts: Scripts::default(), n_known: 10, n_read: 5 });
        }
        let Weights(weights) = calibration.weights();
        for (weight, usual) in weights.iter().zip(USUAL) {
            assert!(BOUNDS.contains(&(weight / usual)), "{weights:?}");
        }
    }

    #[test]
    fn a_calibration_is_kept_as_text() {
        let mut calibration = Calibration::default();
        calibration.learn(Observation {
            scripts: Scripts { n_latin: 900, n_chinese: 20, n_other: 80 },
            n_known: 40,
            n_read: 300,
        });
        let text = serde_json::to_string(&calibration).unwrap();
        let kept: Calibration = serde_json::from_str(&text).unwrap();
        // The last digit of a float may be lost on the way.
        let scripts = Scripts { n_latin: 4_000_000, n_chinese: 1_000_000, n_other: 1_000_000 };
        assert!((kept.weights().tokens(scripts) - calibration.weights().tokens(scripts)).abs() < 1e-3);
    }
}
