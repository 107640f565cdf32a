//! Chosen texts made unreadable, the same everywhere: in plain words, inside JSON strings, and inside JSON strings that hold only ASCII.

use crate::text::ascii_json_string;

/// Replaces chosen texts by `[redacted 1]`, `[redacted 2]` …, numbered in the order in which they were chosen.
///
/// A text is found as it is written, byte for byte, and as it would stand inside a JSON string. What only looks like it (another case,
/// another line break) stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    /// What is looked for and what stands in its place, the longest first, so that a text within another cannot spoil it.
    forms: Vec<(String, String)>,
}

impl Redaction {
    /// A redaction of these texts; those without a visible character are left out.
    #[must_use]
    pub fn new(texts: &[String]) -> Self {
        let chosen = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
        let mut forms: Vec<(String, String)> = Vec::new();
        for (index, text) in chosen.enumerate() {
            let mark = format!("[redacted {}]", index + 1);
            let json = serde_json::Value::String(text.to_owned()).to_string();
            let ascii = ascii_json_string(text);
            for form in [text, inside(&json), inside(&ascii)] {
                if !forms.iter().any(|(known, _)| known == form) {
                    forms.push((form.to_owned(), mark.clone()));
                }
            }
        }
        forms.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
        Self { forms }
    }

    /// Whether there is nothing to replace.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The bytes with the chosen texts replaced; `None` if none of them is in it. Bytes need not be text.
    #[must_use]
    pub fn apply(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut copied = 0;
        let mut at = 0;
        while at < bytes.len() {
            match self.forms.iter().find(|(form, _)| bytes[at..].starts_with(form.as_bytes())) {
                Some((form, mark)) => {
                    out.extend_from_slice(&bytes[copied..at]);
                    out.extend_from_slice(mark.as_bytes());
                    at += form.len();
                    copied = at;
                }
                None => at += 1,
            }
        }
        if copied == 0 {
            return None;
        }
        out.extend_from_slice(&bytes[copied..]);
        Some(out)
    }

    /// The same for a text.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        match self.apply(text.as_bytes()) {
            // What is replaced begins and ends with a whole character, so the rest stays text.
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => text.to_owned(),
        }
    }
}

/// A JSON string without its quotes.
fn inside(quoted: &str) -> &str {
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redaction(texts: &[&str]) -> Redaction {
        Redaction::new(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_same_text_gets_the_same_mark_in_every_form() {
        let redaction = redaction(&["Söderström", "line \"one\"\nand two"]);
        assert_eq!(redaction.text("Ask Söderström, or söderström."), "Ask [redacted 1], or söderström.");
        assert_eq!(redaction.text(r#"{"content":"call S\u00f6derstr\u00f6m"}"#), r#"{"content":"call [redacted 1]"}"#);
        assert_eq!(redaction.text(r#"{"a":"line \"one\"\nand two"}"#), r#"{"a":"[redacted 2]"}"#);
        assert_eq!(redaction.text("line \"one\"\nand two"), "[redacted 2]");
    }

    #[test]
    fn a_text_within_another_cannot_spoil_it() {
        let redaction = redaction(&["Oslo", "Oslo Harbour Ltd"]);
        assert_eq!(redaction.text("Oslo Harbour Ltd is in Oslo"), "[redacted 2] is in [redacted 1]");
    }

    #[test]
    fn bytes_that_are_no_text_are_searched_too_and_what_has_none_of_it_is_told() {
        let redaction = redaction(&["key", "  "]);
        assert_eq!(redaction.apply(b"\xff key \xfe"), Some(b"\xff [redacted 1] \xfe".to_vec()));
        assert_eq!(redaction.apply(b"nothing"), None);
        assert!(self::redaction(&[" ", ""]).is_empty());
    }
}
