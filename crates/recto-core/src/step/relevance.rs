//! How much of what a question speaks of stands in a result.

use crate::telling::TellingWords;

/// The share of the question's telling words that stand in `text`, between 0 and 1, and how many of them do.
#[must_use]
pub fn relevance(question: &str, text: &str) -> (f64, usize) {
    let telling = TellingWords::of(question);
    let n_found = telling.found_in(text).count();
    if telling.n() == 0 { (0.0, 0) } else { (n_found as f64 / telling.n() as f64, n_found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_speaks_of_is_counted_in_a_result() {
        let note = "The threshold for an alert is 4.2 metres. The old value gave false alarms.";
        assert_eq!(relevance("What is the threshold for alerts?", note), (1.0, 2));
        assert_eq!(relevance("Which gauges have a threshold?", note), (0.5, 1));
        assert_eq!(relevance("Who is it?", note), (0.0, 0));
        assert_eq!(relevance("警报阈值是多少？", "警报的阈值：4.2 米。报警阈值不变。"), (2.0 / 3.0, 2));
    }
}
