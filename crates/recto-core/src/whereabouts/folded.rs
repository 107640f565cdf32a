//! A text brought to a form in which only its wording counts, with the way back to the bytes it came from.

use crate::text::is_chinese;
use unicode_normalization::UnicodeNormalization as _;

/// A folded text. Each of its bytes knows where it comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct Folded {
    pub(super) text: String,
    /// For each byte of `text`, the byte of the source at which its character begins; one more for the end.
    from: Vec<usize>,
}

impl Folded {
    /// The stretch of the source that became this stretch.
    pub(super) fn source(&self, start: usize, end: usize) -> (usize, usize) {
        let at = |index: usize| self.from.get(index).or(self.from.last()).copied().unwrap_or_default();
        (at(start), at(end))
    }

    fn push(&mut self, character: char, from: usize) {
        self.from.extend(std::iter::repeat_n(from, character.len_utf8()));
        self.text.push(character);
    }

    fn ended(mut self, end: usize) -> Self {
        self.from.push(end);
        self
    }
}

/// JSON escapes and the entities of HTML as the characters that they stand for; a lone `\` stays. `None` where there are none.
pub(super) fn unescaped(text: &str) -> Option<Folded> {
    if !text.contains(['\\', '&']) {
        return None;
    }
    let mut out = Folded::default();
    let mut has_escapes = false;
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let escape = match character {
            '\\' => escape(&text[at..]),
            '&' => entity(&text[at..]),
            _ => None,
        };
        let (character, length) = escape.unwrap_or((character, character.len_utf8()));
        has_escapes |= escape.is_some();
        out.push(character, at);
        at += length;
    }
    has_escapes.then(|| out.ended(text.len()))
}

/// The escape at the beginning of a text, and its length.
fn escape(text: &str) -> Option<(char, usize)> {
    let plain = |character| Some((character, 2));
    match text.as_bytes().get(1)? {
        b'n' => plain('\n'),
        b't' => plain('\t'),
        b'r' => plain('\r'),
        b'"' => plain('"'),
        b'\\' => plain('\\'),
        b'/' => plain('/'),
        b'u' => {
            let unit = |at: usize| u16::from_str_radix(text.get(at..at + 4)?, 16).ok();
            let first = unit(2)?;
            if let Some(character) = char::from_u32(u32::from(first)) {
                return Some((character, 6));
            }
            let second = text.get(6..8).filter(|mark| *mark == "\\u").and_then(|_| unit(8))?;
            let character = char::decode_utf16([first, second]).next()?.ok()?;
            Some((character, 12))
        }
        _ => None,
    }
}

fn entity(text: &str) -> Option<(char, usize)> {
    const ENTITIES: [(&str, char); 6] =
        [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&#39;", '\''), ("&nbsp;", ' ')];
    ENTITIES.iter().find(|(entity, _)| text.starts_with(entity)).map(|(entity, character)| (*character, entity.len()))
}

/// Compatibility forms composed, white space as one space (and none between two Chinese characters), quotation marks and dashes in their
/// simplest form.
pub(super) fn folded(text: &str) -> Folded {
    let mut out = Folded::default();
    let mut space: Option<usize> = None;
    let mut last = '\n';
    let mut at = 0;
    while at < text.len() {
        // A character with the marks that follow it is composed as one.
        let mut end = at;
        for (index, character) in text[at..].char_indices() {
            if index > 0 && !unicode_normalization::char::is_combining_mark(character) {
                break;
            }
            end = at + index + character.len_utf8();
        }
        for character in text[at..end].nfkc() {
            if character.is_whitespace() {
                space.get_or_insert(at);
                continue;
            }
            if is_invisible(character) {
                continue;
            }
            let character = plain(character);
            if let Some(from) = space.take()
                && !out.text.is_empty()
                && !(is_chinese(last) && is_chinese(character))
            {
                out.push(' ', from);
            }
            out.push(character, at);
            last = character;
        }
        at = end;
    }
    out.ended(text.len())
}

/// The same in lower case.
pub(super) fn in_lower_case(folded: &Folded) -> Folded {
    let mut out = Folded::default();
    for (index, character) in folded.text.char_indices() {
        let from = folded.from.get(index).copied().unwrap_or_default();
        for lower in character.to_lowercase() {
            out.push(lower, from);
        }
    }
    out.ended(folded.from.last().copied().unwrap_or_default())
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

fn plain(character: char) -> char {
    match character {
        '“' | '”' | '„' | '«' | '»' | '「' | '」' => '"',
        '‘' | '’' | '‚' | '`' => '\'',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        other => other,
    }
}
