//! A key as a value that cannot be shown by accident.

use reqwest::header::HeaderValue;

/// A key for a provider. It has no `Debug`, no `Display` and no `Serialize`: all it can become is a header.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// A key as the user entered it; white space around it is not part of it.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(key.trim().to_owned())
    }

    /// The header that carries it; `None` if it has a character that no header may have.
    pub(crate) fn bearer(&self) -> Option<HeaderValue> {
        sensitive(&format!("Bearer {}", self.0))
    }

    /// The same for a header that holds nothing but the key.
    pub(crate) fn bare(&self) -> Option<HeaderValue> {
        sensitive(&self.0)
    }

    /// A text of a server with the key taken out of it, where a server repeats what it was sent.
    pub(crate) fn censor(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_key_becomes_a_sensitive_header_and_is_taken_out_of_texts() {
        let key = Secret::new(" sk-1 \n");
        let header = key.bearer().unwrap();
        assert!(header.is_sensitive());
        assert_eq!(header.to_str().unwrap(), "Bearer sk-1");
        assert_eq!(format!("{header:?}"), "Sensitive");
        assert_eq!(key.censor("bad key: sk-1."), "bad key: [key].");
        assert!(Secret::new("a\nb").bearer().is_none());
    }
}
