//! The header of a GGUF file, read without llama.cpp: what the program has to know before it hands the file over, because a damaged
//! file can end a C++ library in ways that no caller can catch.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

/// A text in a header is a chat template at most; anything longer is a damaged length.
const LONGEST_TEXT: u64 = 8 << 20;
/// More entries than any model has; beyond it the count itself is damaged.
const MOST_ENTRIES: u64 = 1 << 20;

/// What the header of a model file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Single values by their key; arrays are left out.
    pub values: BTreeMap<String, HeaderValue>,
    /// Tensors that the header announces.
    pub n_tensors: u64,
    /// The length that the file must have at least, by the tensors whose storage is known.
    pub least_bytes: u64,
    /// The length that it has.
    pub n_bytes: u64,
}

/// One value of a header.
#[derive(Clone, Debug, PartialEq)]
pub enum HeaderValue {
    /// A number without a fraction, or a truth value.
    Whole(i64),
    /// A number with a fraction.
    Fraction(f64),
    /// A text.
    Text(String),
}

/// Why a header could not be read.
#[derive(Debug, thiserror::Error)]
pub enum HeaderError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It does not begin as a GGUF file does.
    #[error("not a GGUF file")]
    NotGguf,
    /// It ends before its header does, or before the last tensor does.
    #[error("ends too early")]
    Short,
    /// A length or a type in it cannot be.
    #[error("damaged header")]
    Damaged,
    /// A version that this program does not know.
    #[error("GGUF version {0}")]
    Version(u32),
}

impl Header {
    /// Reads the header of `path` and compares its tensors with the length of the file.
    ///
    /// # Errors
    /// The file is not there, is no GGUF file, or is damaged.
    pub fn read(path: &Path) -> Result<Self, HeaderError> {
        let file = File::open(path)?;
        let n_bytes = file.metadata()?.len();
        let mut source = Source { file: BufReader::with_capacity(1 << 16, file), n_bytes };
        let mut magic = [0; 4];
        if source.fill(&mut magic).is_err() || &magic != b"GGUF" {
            return Err(HeaderError::NotGguf);
        }
        let version = source.u32()?;
        if !(2..=3).contains(&version) {
            return Err(HeaderError::Version(version));
        }
        let (n_tensors, n_values) = (source.u64()?, source.u64()?);
        if n_tensors > MOST_ENTRIES || n_values > MOST_ENTRIES {
            return Err(HeaderError::Damaged);
        }
        let mut values = BTreeMap::new();
        for _ in 0..n_values {
            let key = source.text()?;
            let kind = source.u32()?;
            if let Some(value) = source.value(kind)? {
                values.insert(key, value);
            }
        }
        let mut end_of_tensors = 0;
        for _ in 0..n_tensors {
            end_of_tensors = end_of_tensors.max(source.tensor_end()?);
        }
        let mut header = Self { values, n_tensors, least_bytes: 0, n_bytes };
        let alignment = u64::try_from(header.whole("general.alignment").unwrap_or(32)).unwrap_or(32).max(1);
        let start_of_tensors = source.position()?.checked_next_multiple_of(alignment).ok_or(HeaderError::Damaged)?;
        header.least_bytes = start_of_tensors.checked_add(end_of_tensors).ok_or(HeaderError::Damaged)?;
        if n_bytes < header.least_bytes { Err(HeaderError::Short) } else { Ok(header) }
    }

    /// A text by its key.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key)? {
            HeaderValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number by its key.
    #[must_use]
    pub fn whole(&self, key: &str) -> Option<i64> {
        match self.values.get(key)? {
            HeaderValue::Whole(number) => Some(*number),
            _ => None,
        }
    }

    /// A whole number of the model's architecture: `block_count` reads `qwen2.block_count`.
    #[must_use]
    pub fn of_architecture(&self, key: &str) -> Option<u64> {
        let architecture = self.text("general.architecture")?;
        self.whole(&format!("{architecture}.{key}")).and_then(|number| u64::try_from(number).ok())
    }

    /// Bytes that one token takes in the cache, keys and values at 16 bits; `None` where the header does not say.
    #[must_use]
    pub fn cache_bytes_per_token(&self) -> Option<u64> {
        let n_layers = self.of_architecture("block_count")?;
        let n_heads = self.of_architecture("attention.head_count")?.max(1);
        let n_kv_heads = self.of_architecture("attention.head_count_kv").unwrap_or(n_heads);
        let head = self.of_architecture("embedding_length")? / n_heads;
        let key = self.of_architecture("attention.key_length").unwrap_or(head);
        let value = self.of_architecture("attention.value_length").unwrap_or(head);
        // No cache is that large, so a damaged header that says so asks for more than any machine has.
        Some(n_layers.saturating_mul(n_kv_heads).saturating_mul(key.saturating_add(value)).saturating_mul(2))
    }
}

struct Source {
    file: BufReader<File>,
    n_bytes: u64,
}

impl Source {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), HeaderError> {
        self.file.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => HeaderError::Short,
            _ => HeaderError::Io(error),
        })
    }

    fn u32(&mut self) -> Result<u32, HeaderError> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn u64(&mut self) -> Result<u64, HeaderError> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn text(&mut self) -> Result<String, HeaderError> {
        let length = self.u64()?;
        if length > LONGEST_TEXT {
            return Err(HeaderError::Damaged);
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| HeaderError::Damaged)?];
        self.fill(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn skip(&mut self, n: u64) -> Result<(), HeaderError> {
        if n > self.n_bytes {
            return Err(HeaderError::Short);
        }
        Ok(self.file.seek_relative(i64::try_from(n).map_err(|_| HeaderError::Damaged)?)?)
    }

    fn position(&mut self) -> Result<u64, HeaderError> {
        let position = self.file.stream_position()?;
        if position > self.n_bytes { Err(HeaderError::Short) } else { Ok(position) }
    }

    fn value(&mut self, kind: u32) -> Result<Option<HeaderValue>, HeaderError> {
        let mut one = [0; 1];
        let mut two = [0; 2];
        Ok(Some(match kind {
            0 | 7 => {
                self.fill(&mut one)?;
                HeaderValue::Whole(i64::from(one[0]))
            }
            1 => {
                self.fill(&mut one)?;
                HeaderValue::Whole(i64::from(i8::from_le_bytes(one)))
            }
            2 => {
                self.fill(&mut two)?;
                HeaderValue::Whole(i64::from(u16::from_le_bytes(two)))
            }
            3 => {
                self.fill(&mut two)?;
                HeaderValue::Whole(i64::from(i16::from_le_bytes(two)))
            }
            4 => HeaderValue::Whole(i64::from(self.u32()?)),
            5 => HeaderValue::Whole(i64::from(self.u32()?.cast_signed())),
            6 => HeaderValue::Fraction(f64::from(f32::from_bits(self.u32()?))),
            8 => HeaderValue::Text(self.text()?),
            9 => {
                self.skip_array()?;
                return Ok(None);
            }
            10 | 11 => HeaderValue::Whole(self.u64()?.cast_signed()),
            12 => HeaderValue::Fraction(f64::from_bits(self.u64()?)),
            _ => return Err(HeaderError::Damaged),
        }))
    }

    fn skip_array(&mut self) -> Result<(), HeaderError> {
        let (kind, length) = (self.u32()?, self.u64()?);
        if length > self.n_bytes {
            return Err(HeaderError::Damaged);
        }
        let width = match kind {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            4..=6 => 4,
            10..=12 => 8,
            8 => {
                for _ in 0..length {
                    let n = self.u64()?;
                    self.skip(n)?;
                }
                return Ok(());
            }
            _ => return Err(HeaderError::Damaged),
        };
        self.skip(length.checked_mul(width).ok_or(HeaderError::Damaged)?)
    }

    /// Where a tensor ends, counted from the start of the tensors; its beginning where its storage is not known.
    fn tensor_end(&mut self) -> Result<u64, HeaderError> {
        self.text()?;
        let n_dimensions = self.u32()?;
        if n_dimensions > 8 {
            return Err(HeaderError::Damaged);
        }
        let mut n_elements: u64 = 1;
        for _ in 0..n_dimensions {
            n_elements = n_elements.checked_mul(self.u64()?).ok_or(HeaderError::Damaged)?;
        }
        let kind = self.u32()?;
        let offset = self.u64()?;
        let n_bytes = block_of(kind).map_or(Some(0), |(elements, bytes)| (n_elements / elements).checked_mul(bytes));
        n_bytes.and_then(|n_bytes| offset.checked_add(n_bytes)).ok_or(HeaderError::Damaged)
    }
}

/// Elements and bytes of one block of a storage type, after `ggml_type`.
fn block_of(kind: u32) -> Option<(u64, u64)> {
    Some(match kind {
        0 | 26 => (1, 4),
        1 | 25 | 30 => (1, 2),
        24 => (1, 1),
        27 | 28 => (1, 8),
        2 => (32, 18),
        3 => (32, 20),
        6 => (32, 22),
        7 => (32, 24),
        8 => (32, 34),
        9 => (32, 36),
        10 => (256, 84),
        11 => (256, 110),
        12 => (256, 144),
        13 => (256, 176),
        14 => (256, 210),
        15 => (256, 292),
        20 => (32, 18),
        23 => (256, 136),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
