//! The seal of a row: a keyed hash that only this program can make, because the key is in the system's keychain and not beside the log. And the
//! anchor, which says elsewhere how far the log went.

use crate::text::ContentHash;
use hmac::digest::KeyInit as _;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use std::fmt;

/// The key of the seals. It cannot be shown.
#[derive(Clone)]
pub struct SealKey([u8; 32]);

impl fmt::Debug for SealKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SealKey")
    }
}

impl SealKey {
    /// A key out of bytes that nobody can guess.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A key as a keychain holds it: 64 hexadecimal digits.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() != 64 || !bytes.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let mut key = [0; 32];
        for (at, byte) in key.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(Self(key))
    }

    /// The key as a keychain holds it. For the keychain only.
    #[must_use]
    pub fn to_keychain(&self) -> String {
        hex(&self.0)
    }

    /// The seal of row `seq`: over its number, the number of the row that was sealed before it (0 if none was), and its link, which holds
    /// everything that the row says and all rows before it.
    #[must_use]
    pub fn seal(&self, seq: i64, previous: i64, link: &ContentHash) -> String {
        let mut text = b"recto audit seal 1".to_vec();
        text.extend_from_slice(&seq.to_be_bytes());
        text.extend_from_slice(&previous.to_be_bytes());
        text.extend_from_slice(link.as_str().as_bytes());
        hex(&hmac(&self.0, &text))
    }
}

/// How far a log went when this was written down, somewhere else than in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The number of the last row.
    pub n_rows: i64,
    /// Its link.
    pub head: ContentHash,
    /// The last row that was sealed; 0 if none was.
    pub sealed_to: i64,
}

impl Anchor {
    /// As it was written down.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let anchor = Self {
            n_rows: parts.next()?.parse().ok()?,
            head: ContentHash(parts.next()?.to_owned()),
            sealed_to: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(anchor)
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}", self.n_rows, self.head, self.sealed_to)
    }
}

/// HMAC-SHA-256 (RFC 2104).
fn hmac(key: &[u8; 32], text: &[u8]) -> [u8; 32] {
    // A shorter key is filled up with zeros to a block, so this is the key itself.
    let mut block = [0; 64];
    block[..key.len()].copy_from_slice(key);
    let mut hmac = Hmac::<Sha256>::new(&block.into());
    hmac.update(text);
    hmac.finalize().into_bytes().into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 1, whose key is filled up with zeros to our length, which means the same to HMAC.
    #[test]
    fn the_keyed_hash_is_hmac_sha_256() {
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        let expected = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
        assert_eq!(hex(&hmac(&key, b"Hi There")), expected);
    }

    #[test]
    fn permission_p7_a_seal_holds_its_row_its_place_and_the_seal_before() {
        let (key, other) = (SealKey::new([7; 32]), SealKey::new([8; 32]));
        let (link, another) = (ContentHash::of(b"a"), ContentHash::of(b"b"));
        let seal = key.seal(3, 2, &link);
        assert_eq!(seal, key.seal(3, 2, &link));
        for changed in [key.seal(4, 2, &link), key.seal(3, 1, &link), key.seal(3, 2, &another), other.seal(3, 2, &link)]
        {
            assert_ne!(seal, changed);
        }
    }

    #[test]
    fn a_key_and_an_anchor_come_back_as_they_were_kept_and_nothing_else_does() {
        let key = SealKey::new(std::array::from_fn(|at| u8::try_from(at * 7).unwrap()));
        assert_eq!(SealKey::read(&key.to_keychain()).unwrap().0, key.0);
        for broken in ["", "ab", &"g".repeat(64), &"+1".repeat(32), &"é".repeat(32)] {
            assert!(SealKey::read(broken).is_none(), "{broken}");
        }
        assert_eq!(format!("{key:?}"), "SealKey");
        let anchor = Anchor { n_rows: 12, head: ContentHash::of(b"x"), sealed_to: 11 };
        assert_eq!(Anchor::read(&anchor.to_string()), Some(anchor));
        for broken in ["", "12", "12 sha256:00", "x sha256:00 1", "12 sha256:00 1 2"] {
            assert_eq!(Anchor::read(broken), None, "{broken}");
        }
    }
}
