//! The stale reminder: a model that stops updating its list is reminded once, in one request, without a trace.

/// How many rounds without a successful `todo_write` make the list stale.
pub const STALE_TOOL_ROUNDS: u32 = 3;

/// Rounds since the last successful `todo_write`. A round is one assistant message with at least one tool call, however many
/// calls it carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StaleCounter {
    n_rounds: u32,
}

impl StaleCounter {
    /// A counter as it was kept.
    #[must_use]
    pub fn at(n_rounds: u32) -> Self {
        Self { n_rounds }
    }

    /// The count.
    #[must_use]
    pub fn n_rounds(self) -> u32 {
        self.n_rounds
    }

    /// A round ended.
    pub fn end_round(&mut self, list_was_written: bool) {
        self.n_rounds = if list_was_written { 0 } else { self.n_rounds + 1 };
    }

    /// Whether the request that is being made carries the reminder; if so, counting starts anew.
    pub fn take_due(&mut self) -> bool {
        let is_due = self.n_rounds >= STALE_TOOL_ROUNDS;
        if is_due {
            self.n_rounds = 0;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays rounds (`t` with a written list, `.` without) and notes before which requests the reminder is due, from 1.
    fn check(rounds: &str, due: &[usize]) {
        let mut counter = StaleCounter::default();
        let mut found = Vec::new();
        for (index, round) in rounds.chars().enumerate() {
            if counter.take_due() {
                found.push(index + 1);
            }
            counter.end_round(round == 't');
        }
        if counter.take_due() {
            found.push(rounds.len() + 1);
        }
        assert_eq!(found, due, "{rounds}");
    }

    #[test]
    fn reminder_r3_it_comes_in_the_request_after_the_third_stale_round_and_again_after_three_more() {
        check("..", &[]);
        check("...", &[4]);
        check("......", &[4, 7]);
        check(".....", &[4]);
    }

    #[test]
    fn reminder_r2_a_written_list_starts_the_count_anew() {
        check("..t..", &[]);
        check("..t...", &[7]);
        check("t...t...", &[5, 9]);
    }
}
