//! How a text was found.

/// How much alike what was found is, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Byte for byte.
    Exact,
    /// With the escapes of JSON or HTML read as what they stand for.
    Unescaped,
    /// With other white space, line breaks, composed characters, quotation marks or dashes.
    Normalised,
    /// The same but for upper and lower case.
    CaseOnly,
    /// With at most one letter in twenty changed, and no digit.
    Near,
    /// Its values stand there together with its words, in another sentence.
    Value,
}

/// A text within another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// How it was found.
    pub level: Level,
    /// Where it begins, in bytes of the other text as it is.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// The stretch of `text` that differs least from `wanted`, if it differs by at most `most` insertions, deletions and changes of characters:
/// its bytes, and by how many (Sellers, 1980).
pub(super) fn nearest(wanted: &[char], text: &[(usize, char)], most: usize) -> Option<(usize, usize, usize)> {
    let n = wanted.len();
    // For each prefix of what is wanted: its distance to the best stretch that ends here, and where that stretch begins.
    let mut column: Vec<(usize, usize)> = (0..=n).map(|distance| (distance, 0)).collect();
    let mut best: Option<(usize, usize, usize)> = None;
    for (end, &(_, character)) in text.iter().enumerate() {
        let mut diagonal = column[0];
        column[0] = (0, end + 1);
        for row in 1..=n {
            let above = column[row - 1];
            let here = column[row];
            let changed = (diagonal.0 + usize::from(wanted[row - 1] != character), diagonal.1);
            column[row] = changed.min_by_distance((above.0 + 1, above.1)).min_by_distance((here.0 + 1, here.1));
            diagonal = here;
        }
        // The first row counts stretches that begin after this character; a stretch that begins here has the character's own place.
        let (distance, start) = column[n];
        if distance <= most && best.is_none_or(|(_, _, known)| distance < known) {
            best = Some((start, end, distance));
        }
    }
    best.map(|(start, end, distance)| {
        let (last, character) = text[end];
        (text.get(start).map_or(last, |(at, _)| *at), last + character.len_utf8(), distance)
    })
}

trait MinByDistance {
    fn min_by_distance(self, other: Self) -> Self;
}

impl MinByDistance for (usize, usize) {
    fn min_by_distance(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }
}
