//! What of a request stands in the cache already.

/// Tokens that two requests share from their beginning.
#[must_use]
pub(crate) fn common<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Where the beginning of a request comes from, and how many of its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reuse {
    /// From its own sequence.
    Own(usize),
    /// Copied from the other one, which shares more.
    Copied(usize),
}

impl Reuse {
    /// Decides for a request of `tokens`, given what its own and the other sequence hold. The last token is never reused: the reply is drawn
    /// from what is computed for it.
    pub(crate) fn plan<T: PartialEq>(own: &[T], other: &[T], tokens: &[T]) -> Self {
        let most = tokens.len().saturating_sub(1);
        let from_own = common(own, tokens).min(most);
        let from_other = common(other, tokens).min(most);
        if from_other > from_own { Self::Copied(from_other) } else { Self::Own(from_own) }
    }

    /// How many tokens.
    pub(crate) fn n_tokens(self) -> usize {
        match self {
            Self::Own(n) | Self::Copied(n) => n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_prefix_is_kept_and_a_tie_leaves_the_other_sequence_alone() {
        assert_eq!(Reuse::plan(&[1, 2, 3], &[1, 2, 9], &[1, 2, 3, 4]), Reuse::Own(3));
        assert_eq!(Reuse::plan(&[1, 9], &[1, 2, 3, 4], &[1, 2, 3, 5]), Reuse::Copied(3));
        assert_eq!(Reuse::plan(&[1, 2], &[1, 2], &[1, 2, 3]), Reuse::Own(2));
        assert_eq!(Reuse::plan::<i32>(&[], &[], &[1]), Reuse::Own(0));
    }

    #[test]
    fn the_last_token_of_a_repeated_request_is_evaluated_again() {
        assert_eq!(Reuse::plan(&[1, 2, 3], &[], &[1, 2, 3]), Reuse::Own(2));
        assert_eq!(Reuse::plan(&[1, 2, 3, 4, 5], &[], &[1, 2, 3]), Reuse::Own(2));
    }
}
