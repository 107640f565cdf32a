//! Text at the byte level: content hashes, ASCII-escaped JSON, and cuts that split no character a person sees.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::{self, Write as _};
use unicode_segmentation::UnicodeSegmentation;

/// The hash of some bytes, written with its algorithm: `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(pub String);

impl ContentHash {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut hex = String::from("sha256:");
        for byte in Sha256::digest(bytes) {
            // Writing into a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        Self(hex)
    }

    /// The hash as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A JSON string literal in which every non-ASCII character is `\uXXXX` in lower-case hex, with surrogate pairs above
/// U+FFFF. The same text gives the same bytes on every platform.
#[must_use]
pub fn ascii_json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
    out
}

/// The longest prefix of `text` that is at most `limit` bytes long and ends between two graphemes.
#[must_use]
pub fn prefix_within(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    // A grapheme is never split, so everything from the first one that crosses the limit is left out.
    let end = text
        .grapheme_indices(true)
        .map(|(start, grapheme)| start + grapheme.len())
        .take_while(|end| *end <= limit)
        .last()
        .unwrap_or(0);
    &text[..end]
}

/// The longest suffix of `text` that is at most `limit` bytes long and begins between two graphemes.
#[must_use]
pub fn suffix_within(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let starts = text.grapheme_indices(true).map(|(start, _)| start).rev();
    let start = starts.take_while(|start| text.len() - start <= limit).last().unwrap_or(text.len());
    &text[start..]
}

/// Whether a character is a Chinese one.
#[must_use]
pub fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
}

/// The first line of `text`, at most `limit` characters long, with a mark where it was cut. For labels, never for a request.
#[must_use]
pub fn one_line(text: &str, limit: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    if line.chars().count() <= limit {
        return line.to_owned();
    }
    let kept: String = line.graphemes(true).take(limit.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_carries_its_algorithm() {
        assert_eq!(
            ContentHash::of(b"abc").as_str(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn non_ascii_is_escaped_with_surrogate_pairs() {
        assert_eq!(ascii_json_string("编写 README"), r#""\u7f16\u5199 README""#);
        assert_eq!(ascii_json_string("a🦀\u{7f}\n"), r#""a\ud83e\udd80\u007f\n""#);
    }

    #[test]
    fn a_prefix_never_splits_a_grapheme() {
        assert_eq!(prefix_within("e\u{301}x", 1), "");
        assert_eq!(prefix_within("e\u{301}x", 3), "e\u{301}");
        assert_eq!(prefix_within("中文", 5), "中");
        assert_eq!(prefix_within("short", 99), "short");
        assert_eq!(suffix_within("xe\u{301}", 2), "");
        assert_eq!(suffix_within("xe\u{301}", 3), "e\u{301}");
        assert_eq!(suffix_within("中文", 5), "文");
    }
}
