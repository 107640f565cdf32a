//! How well a passage fits a question, between 0 and 1.

/// How soon one more occurrence of a word stops counting.
const K1: f64 = 1.2;
/// How much the length of a passage counts.
const B: f64 = 0.75;
/// What a word is worth that holds the asked one as a part of it.
const PART: f64 = 0.5;

/// A word of the question as the library has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// How many passages have it.
    pub(super) n_with: u64,
}

/// How often a word of the question stands in one passage.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Occurrences {
    /// As a word.
    pub(super) whole: usize,
    /// Within another word.
    pub(super) within: usize,
}

/// The share of the highest BM25 score that any passage could reach for this question.
///
/// BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, equation 3.15) adds, over the words of
/// the question, idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average length)). The second factor stays below k1 + 1 however
/// often a word occurs, so idf · (k1 + 1) bounds each summand, and the sum over the sum of the bounds lies between 0 and 1:
/// Σ idf · tf / (tf + K) ÷ Σ idf. The weight of a word is Lucene's, ln(1 + (N − n + ½) / (n + ½)), which is never negative. A word that no
/// passage has counts below the line like the rarest: a passage on half of what was asked is at most half a fit. One occurrence of
/// each word in a passage of average length is 0.45 of what can be had.
pub(super) fn score(asked: &[Asked], found: &[Occurrences], n_passages: u64, length: f64) -> f64 {
    let weight = |asked: &Asked| {
        let n_with = asked.n_with.min(n_passages) as f64;
        (1.0 + (n_passages as f64 - n_with + 0.5) / (n_with + 0.5)).ln()
    };
    let saturation = K1 * (1.0 - B + B * length);
    let of = |(asked, found): (&Asked, &Occurrences)| {
        let n_times = found.whole as f64 + PART * found.within as f64;
        weight(asked) * n_times / (n_times + saturation)
    };
    let most: f64 = asked.iter().map(weight).sum();
    let sum: f64 = asked.iter().zip(found).map(of).sum();
    if most > 0.0 { (sum / most).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[(u64, usize, usize)], length: f64) -> f64 {
        let asked: Vec<Asked> = rows.iter().map(|(n_with, _, _)| Asked { n_with: *n_with }).collect();
        let found: Vec<Occurrences> =
            rows.iter().map(|(_, whole, within)| Occurrences { whole: *whole, within: *within }).collect();
        score(&asked, &found, 1_000, length)
    }

    #[test]
    fn a_score_is_a_share_of_what_can_be_had() {
        assert_eq!(format!("{:.3}", of(&[(3, 1, 0)], 1.0)), "0.455");
        assert_eq!(of(&[], 1.0), 0.0);
        assert_eq!(of(&[(3, 0, 0)], 1.0), 0.0);
        assert!(of(&[(3, 100_000, 0), (3, 100_000, 0)], 1.0) <= 1.0);
    }

    #[test]
    fn rare_words_short_passages_and_whole_words_count_more() {
        assert!(of(&[(3, 1, 0), (500, 0, 0)], 1.0) > of(&[(3, 0, 0), (500, 1, 0)], 1.0));
        assert!(of(&[(3, 1, 0)], 0.5) > of(&[(3, 1, 0)], 2.0));
        assert!(of(&[(3, 1, 0)], 1.0) > of(&[(3, 0, 1)], 1.0));
        assert!(of(&[(3, 2, 0)], 1.0) > of(&[(3, 1, 0)], 1.0));
        // What nobody has said is missing from the passage.
        assert!(of(&[(3, 1, 0)], 1.0) > 1.9 * of(&[(3, 1, 0), (0, 0, 0)], 1.0));
    }
}
