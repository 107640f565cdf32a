//! A text that is looked for, in the forms in which it may stand somewhere.

use super::folded::{Folded, folded, in_lower_case, unescaped};
use super::matching::{Level, Match, nearest};
use crate::telling::{TellingWords, words};
use crate::text::is_chinese;

/// Characters for which one may differ.
const CHARACTERS_PER_CHANGE: usize = 20;
/// A longer text is not looked for with changes: it would be found in parts already.
const LONGEST_NEAR: usize = 2_000;
/// The share of a text's telling words that stand beside its values where it is called found by them.
const WORDS_BESIDE_VALUES: f64 = 0.6;
/// Of a text that was cut through, at least this share of its beginning is there.
const BEGINNING: usize = 4;

/// A text that is looked for.
#[derive(Clone, Debug)]
pub struct Needle {
    text: String,
    plain: String,
    folded: String,
    lower: String,
    characters: Vec<char>,
    n_changes: usize,
    telling: TellingWords,
    values: Vec<String>,
    anchors: Vec<Anchor>,
    /// How many of the anchors stand in every text that holds this one.
    n_anchors: usize,
}

impl Needle {
    /// A text to be looked for; `None` where nothing of it can be seen.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let plain = unescaped(text).map_or_else(|| text.to_owned(), |plain| plain.text);
        let own = folded(&plain);
        let lower = in_lower_case(&own).text;
        let characters: Vec<char> = lower.chars().collect();
        let n_changes = if characters.len() > LONGEST_NEAR { 0 } else { characters.len() / CHARACTERS_PER_CHANGE };
        let values = values(&own.text);
        let anchors = anchors(&lower);
        // Each change spoils one word at most. What is found by its values needs only some of its words.
        let is_of_words = values.is_empty() && anchors.len() > 1 && !lower.contains(is_chinese);
        let n_anchors = if is_of_words { anchors.len().saturating_sub(n_changes).max(1) } else { anchors.len().min(1) };
        (!own.text.is_empty()).then(|| Self {
            n_anchors,
            telling: TellingWords::of(&plain),
            text: text.to_owned(),
            folded: own.text,
            plain,
            lower,
            characters,
            n_changes,
            values,
            anchors,
        })
    }

    /// The text as it was given, without white space around it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn telling(&self) -> &TellingWords {
        &self.telling
    }

    pub(super) fn values(&self) -> &[String] {
        &self.values
    }

    /// Whether it may be worth looking into these bytes: a word of the text stands in them, as it is or escaped. Quick, and wrong only about
    /// bytes that write plain letters or digits in another form (`１４`, `ﬁ`): in such a text it is not found.
    #[must_use]
    pub fn may_be_in(&self, bytes: &[u8]) -> bool {
        let n_found = self.anchors.iter().filter(|anchor| anchor.is_in(bytes)).take(self.n_anchors).count();
        n_found >= self.n_anchors
    }

    /// Whether the text stands in another one byte for byte.
    #[must_use]
    pub fn is_exactly_in(&self, other: &str) -> bool {
        find_bytes(other, &self.text).is_some()
    }

    /// Where the text is in another one, at the best level at which it is there.
    #[must_use]
    pub fn find(&self, other: &str) -> Option<Match> {
        if other.is_empty() || !self.may_be_in(other.as_bytes()) {
            return None;
        }
        if let Some(start) = find_bytes(other, &self.text) {
            return Some(Match { level: Level::Exact, start, end: start + self.text.len() });
        }
        let unescaped = unescaped(other);
        if let Some(found) = unescaped.as_ref().and_then(|plain| within(plain, &self.plain, Level::Unescaped)) {
            return Some(found);
        }
        if let Some(start) = find_bytes(other, &self.plain) {
            return Some(Match { level: Level::Unescaped, start, end: start + self.plain.len() });
        }
        let source = unescaped.as_ref().map_or(other, |plain| plain.text.as_str());
        let back = |found: Match| match &unescaped {
            Some(plain) => {
                let (start, end) = plain.source(found.start, found.end);
                Match { start, end, ..found }
            }
            None => found,
        };
        let folded = folded(source);
        if let Some(found) = within(&folded, &self.folded, Level::Normalised) {
            return Some(back(found));
        }
        let lower = in_lower_case(&folded);
        within(&lower, &self.lower, Level::CaseOnly)
            .or_else(|| self.near(&lower))
            .or_else(|| self.by_values(source))
            .map(back)
    }

    /// Whether the other text holds the beginning of this one: it was cut through.
    pub(super) fn begins_in(&self, other: &str) -> bool {
        let beginning: String = self.characters.iter().take(self.characters.len().div_ceil(BEGINNING)).collect();
        let source = unescaped(other).map_or_else(|| other.to_owned(), |plain| plain.text);
        beginning.trim().chars().count() >= 3 && in_lower_case(&folded(&source)).text.contains(beginning.trim())
    }

    /// With a few characters changed. Of k changes in k + 1 parts one part is untouched, so only its surroundings are compared. No digit may
    /// be among what changed: a fact with another digit is another fact.
    fn near(&self, lower: &Folded) -> Option<Match> {
        let most = self.n_changes;
        if most == 0 {
            return None;
        }
        let n = self.characters.len();
        let reach = n + 2 * most;
        let mut best: Option<(usize, Match)> = None;
        for part in 0..=most {
            let (from, to) = (n * part / (most + 1), n * (part + 1) / (most + 1));
            let wanted: String = self.characters[from..to].iter().collect();
            for (at, _) in lower.text.match_indices(&wanted).take(64) {
                let before = lower.text[..at].char_indices().rev().take(from + most).last().map_or(at, |(at, _)| at);
                let around: Vec<(usize, char)> =
                    lower.text[before..].char_indices().take(reach).map(|(index, c)| (before + index, c)).collect();
                let Some((start, end, distance)) = nearest(&self.characters, &around, most) else { continue };
                let is_better = best.is_none_or(|(known, _)| distance < known);
                if is_better && digits(&lower.text[start..end]) == digits(&self.lower) {
                    let (start, end) = lower.source(start, end);
                    best = Some((distance, Match { level: Level::Near, start, end }));
                }
            }
        }
        best.map(|(_, found)| found)
    }

    /// All of its values in one line, beside most of its words.
    fn by_values(&self, text: &str) -> Option<Match> {
        if self.values.is_empty() || self.telling.n_words() == 0 {
            return None;
        }
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let own = values(&folded(line).text);
            let has_all = self.values.iter().all(|value| own.contains(value));
            if has_all && self.telling.share_in(line).0 >= WORDS_BESIDE_VALUES {
                return Some(Match { level: Level::Value, start, end: start + line.trim_end().len() });
            }
            start += line.len();
        }
        None
    }
}

fn within(other: &Folded, wanted: &str, level: Level) -> Option<Match> {
    let at = find_bytes(&other.text, wanted)?;
    let (start, end) = other.source(at, at + wanted.len());
    Some(Match { level, start, end })
}

/// A match that does not break into a number or a word with digits: “1.4” is not in “11.45”.
fn find_bytes(other: &str, wanted: &str) -> Option<usize> {
    let is_digit = |character: Option<char>| character.is_some_and(|c| c.is_ascii_digit());
    let is_point = |character: Option<char>| matches!(character, Some('.' | ','));
    let first = wanted.chars().next();
    let last = wanted.chars().next_back();
    other.match_indices(wanted).map(|(at, _)| at).find(|&at| {
        let before = other[..at].chars().next_back();
        let mut after = other[at + wanted.len()..].chars();
        let (next, second) = (after.next(), after.next());
        let goes_on_before =
            is_digit(first) && (is_digit(before) || is_point(before) && is_digit(other[..at].chars().nth_back(1)));
        let goes_on_after = is_digit(last) && (is_digit(next) || is_point(next) && is_digit(second));
        !goes_on_before && !goes_on_after
    })
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Numbers, dates, paths and codes of a text: its words with a digit, or with a slash between letters.
pub(super) fn values(text: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for word in words(text).flat_map(|word| word.split(|c: char| is_chinese(c))) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_value = word.chars().any(|c| c.is_ascii_digit()) || (word.contains('/') && word.len() > 2);
        if is_value && !values.iter().any(|known| known == word) {
            values.push(word.to_owned());
        }
    }
    values
}

/// What of a text stays as it is, whatever is done to it: its longest number, because no level of likeness lets a digit change. Without one, its
/// longest words of plain letters and its Chinese characters, as they are and escaped: as many as may be changed, and some more, so that one of
/// them is left.
fn anchors(lower: &str) -> Vec<Anchor> {
    let number = lower.split(|c: char| !c.is_ascii_digit()).max_by_key(|number| number.len()).unwrap_or_default();
    if number.len() >= 2 {
        return vec![Anchor::new(number.as_bytes())];
    }
    let mut plain: Vec<&str> =
        lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() >= 2).collect();
    plain.sort_by_key(|word| std::cmp::Reverse(word.len()));
    plain.dedup();
    let n_changes = lower.chars().count() / CHARACTERS_PER_CHANGE;
    let mut anchors: Vec<Anchor> = plain.iter().take(n_changes + 2).map(|word| Anchor::new(word.as_bytes())).collect();
    let others: Vec<char> = lower.chars().filter(|c| is_chinese(*c)).collect();
    for character in others.iter().take(2 * n_changes + 2) {
        anchors.push(Anchor::new(character.to_string().as_bytes()));
        let mut units = [0; 2];
        let escaped: String = character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect();
        anchors.push(Anchor::new(escaped.as_bytes()));
    }
    // A text in another script has nothing that stays as it is.
    if plain.is_empty() && others.is_empty() { Vec::new() } else { anchors }
}

/// Bytes that are looked for in either case, by the one among them that is seldom.
#[derive(Clone, Debug)]
struct Anchor {
    bytes: Vec<u8>,
    /// Where the seldom one stands.
    at: usize,
}

/// Letters of English text, the most frequent first (Norvig, 2012); what is not among them is seldom.
const FREQUENT: &[u8] = b"etaoinsrhldcumfpgwybvkxjqz";

impl Anchor {
    fn new(bytes: &[u8]) -> Self {
        let rank = |byte: &u8| FREQUENT.iter().position(|letter| letter == byte).unwrap_or(FREQUENT.len());
        let seldom = (0..bytes.len()).max_by_key(|&at| rank(&bytes[at].to_ascii_lowercase()));
        Self { bytes: bytes.to_vec(), at: seldom.unwrap_or_default() }
    }

    fn is_in(&self, text: &[u8]) -> bool {
        let wanted = &self.bytes;
        if wanted.len() > text.len() {
            return false;
        }
        let Some(seldom) = wanted.get(self.at) else { return true };
        let (lower, upper) = (seldom.to_ascii_lowercase(), seldom.to_ascii_uppercase());
        let last = text.len() - wanted.len() + self.at;
        memchr::memchr2_iter(lower, upper, &text[self.at..=last])
            .any(|start| text[start..start + wanted.len()].eq_ignore_ascii_case(wanted))
    }
}
