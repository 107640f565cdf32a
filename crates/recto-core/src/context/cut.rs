//! Cuts: what is left of a text that does not fit, and the mark that says so at the cut.

use super::plan::CountTokens;
use crate::text::{prefix_within, suffix_within};

/// The beginning of a text, with a mark that says what is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutText {
    /// The kept lines and the mark.
    pub text: String,
    /// Lines that are kept.
    pub kept_lines: u32,
    /// Lines that there are.
    pub of_lines: u32,
}

/// Cuts a text to at most `limit` tokens, mark included, after a whole line; a single long line is cut between graphemes.
/// A limit too small for the mark keeps the mark alone.
#[must_use]
pub fn cut_lines(text: &str, limit: u32, count: &dyn CountTokens) -> CutText {
    let of_lines = lines(text);
    let mark_of = |kept: &str| {
        let kept_lines = lines(kept);
        let break_before = if kept.is_empty() || kept.ends_with('\n') { "" } else { "\n" };
        if kept_lines == of_lines {
            format!("{break_before}[cut: {} of {} bytes of this line]\n", kept.len(), text.len())
        } else {
            format!("{break_before}[cut: lines 1–{kept_lines} of {of_lines}]\n")
        }
    };
    let fits = |kept: &str| count.count(&format!("{kept}{}", mark_of(kept))) <= limit;
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).filter(|end| *end < text.len()).collect();
    // Longer prefixes have more tokens, so the longest that fits is found by halving.
    let n_fitting = ends.partition_point(|end| fits(&text[..*end]));
    let mut kept = if n_fitting == 0 { "" } else { &text[..ends[n_fitting - 1]] };
    if kept.is_empty() {
        let first_line = ends.first().copied().unwrap_or(text.len());
        let (mut low, mut high) = (0, first_line);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if fits(prefix_within(&text[..first_line], middle)) { low = middle } else { high = middle - 1 }
        }
        kept = prefix_within(&text[..first_line], low);
    }
    CutText { text: format!("{kept}{}", mark_of(kept)), kept_lines: lines(kept), of_lines }
}

/// Lines of a text.
pub(super) fn lines(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
}

/// Cuts the middle out of a text so that at most `limit` tokens are left, mark included: three quarters of them from the beginning, one from
/// the end, between graphemes. `None` if not even the mark has room.
#[must_use]
pub fn cut_middle(text: &str, limit: u32, count: &dyn CountTokens) -> Option<CutText> {
    let of_tokens = count.count(text);
    let cut_at = |n_bytes: usize| {
        let (head, tail) = (prefix_within(text, n_bytes - n_bytes / 4), suffix_within(text, n_bytes / 4));
        let shown = count.count(head) + count.count(tail);
        let mark = format!("\n[cut: {shown} of {of_tokens} tokens are shown; the middle is left out]\n");
        (head.len(), tail.len(), format!("{head}{mark}{tail}"))
    };
    let fits = |n_bytes: usize| count.count(&cut_at(n_bytes).2) <= limit;
    if !fits(0) {
        return None;
    }
    let (mut low, mut high) = (0, text.len().saturating_sub(1));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    let (head, tail, cut) = cut_at(low);
    let of_lines = lines(text);
    // The two ends can be parts of one and the same line.
    let kept_lines = (lines(&text[..head]) + lines(&text[text.len() - tail..])).min(of_lines);
    Some(CutText { text: cut, kept_lines, of_lines })
}
