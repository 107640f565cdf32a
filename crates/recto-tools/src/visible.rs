//! Characters that a person cannot see, and how they are made visible.

use std::fmt::Write as _;

/// Whether `character` shows nothing or changes how its neighbours are shown: control, bidirectional, zero-width, filler and tag
/// characters. Tab and line ends count, because they have no place in a name; a text passes them by itself.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether `character` selects a variant of the one before it. One of them after an emoji is ordinary; a run of them carries data.
pub(crate) fn is_variation_selector(character: char) -> bool {
    matches!(character, '\u{180b}'..='\u{180d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether `text` has a character that a person would not see. Tab and line feed are ordinary.
#[must_use]
pub fn has_hidden(text: &str) -> bool {
    marked(text).any(|(_, is_hidden)| is_hidden)
}

/// The text with every character that a person would not see written as `\u{…}`.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (character, is_hidden) in marked(text) {
        if is_hidden {
            // Writing into a String cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// A name for a sentence: on one line, nothing hidden, not endless.
pub(crate) fn shown_name(name: &str) -> String {
    const LIMIT: usize = 120;
    let escaped = shown_path(name);
    if escaped.chars().count() <= LIMIT {
        return escaped;
    }
    let head: String = escaped.chars().take(LIMIT).collect();
    format!("{head}…")
}

/// A path that is there: on one line, nothing hidden, and whole, because a shortened one leads nowhere.
pub(crate) fn shown_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for character in path.chars() {
        if is_hidden(character) {
            // Writing into a String cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// Each character with whether it has to be made visible where it stands.
fn marked(text: &str) -> impl Iterator<Item = (char, bool)> + '_ {
    let mut before: Option<char> = None;
    let mut characters = text.chars().peekable();
    std::iter::from_fn(move || {
        let character = characters.next()?;
        let is_marked = if matches!(character, '\t' | '\n') {
            false
        } else if is_variation_selector(character) {
            before.is_none_or(|before| is_variation_selector(before) || before.is_ascii_alphabetic())
        } else if character == '\u{200d}' {
            // Joined emoji (a family, a flag) are one picture to a person.
            let joins = |neighbour: Option<char>| neighbour.is_some_and(is_picture);
            !(joins(before) && joins(characters.peek().copied()))
        } else {
            is_hidden(character)
        };
        before = Some(character);
        Some((character, is_marked))
    })
}

fn is_picture(character: char) -> bool {
    matches!(character, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_written_out() {
        assert_eq!(visible("a\u{202e}b\u{200b}c\u{1b}[2J\r"), r"a\u{202e}b\u{200b}c\u{1b}[2J\u{d}");
        assert_eq!(visible("tag\u{e0041}\u{e0042}"), r"tag\u{e0041}\u{e0042}");
        assert_eq!(visible("x\u{fe0f}\u{fe0e}"), r"x\u{fe0f}\u{fe0e}");
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for text in ["tab\tand line\n", "潮位站", "❤\u{fe0f}", "👩\u{200d}👩\u{200d}👧", "e\u{301}", "שלום"]
        {
            assert!(!has_hidden(text), "{text:?}");
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn a_name_in_a_sentence_is_short_and_on_one_line() {
        assert_eq!(shown_name("a\nb\tc"), r"a\u{a}b\u{9}c");
        assert_eq!(shown_name(&"x".repeat(300)).chars().count(), 121);
    }
}
