//! The text of a file together with how it was written: encoding, mark at the start, line ends. What is read is written back the same way.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EUC_JP, EUC_KR, Encoding, GBK, UTF_8, UTF_16BE, UTF_16LE};

/// How a text is turned into bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coding {
    encoding: &'static Encoding,
    has_mark: bool,
}

impl Coding {
    /// How a new file is written.
    pub(crate) const NEW: Self = Self { encoding: UTF_8, has_mark: false };

    /// The same for a text that does not stand at the beginning of a file.
    pub(crate) fn without_mark(self) -> Self {
        Self { has_mark: false, ..self }
    }

    /// The name of the encoding where it is worth saying; `None` for UTF-8.
    pub(crate) fn unusual_name(self) -> Option<&'static str> {
        (self.encoding != UTF_8).then(|| self.encoding.name())
    }

    /// The bytes of `text`.
    ///
    /// # Errors
    /// The first character that this encoding cannot hold.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        let mut bytes = Vec::with_capacity(text.len() + 3);
        if self.encoding == UTF_8 {
            if self.has_mark {
                bytes.extend_from_slice(b"\xef\xbb\xbf");
            }
            bytes.extend_from_slice(text.as_bytes());
            return Ok(bytes);
        }
        if self.encoding == UTF_16LE || self.encoding == UTF_16BE {
            let is_little = self.encoding == UTF_16LE;
            let mark = self.has_mark.then_some(0xfeff);
            for unit in mark.into_iter().chain(text.encode_utf16()) {
                bytes.extend_from_slice(&if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() });
            }
            return Ok(bytes);
        }
        let (encoded, _, has_unmappable) = self.encoding.encode(text);
        if !has_unmappable {
            return Ok(encoded.into_owned());
        }
        let is_unmappable = |character: &char| {
            let mut buffer = [0; 4];
            self.encoding.encode(character.encode_utf8(&mut buffer)).2
        };
        Err(text.chars().find(is_unmappable).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

/// The line ends of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// There is none.
    None,
    /// Every one is a line feed.
    Lf,
    /// Every one is a carriage return and a line feed.
    CrLf,
    /// Both are there; whether the longer one is in the majority.
    Mixed { mostly_crlf: bool },
}

impl LineEnds {
    /// The line ends of `text`.
    pub(crate) fn of(text: &str) -> Self {
        let n_all = text.bytes().filter(|byte| *byte == b'\n').count();
        let n_crlf = text.matches("\r\n").count();
        match (n_all, n_crlf) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            (all, crlf) if all == crlf => Self::CrLf,
            (all, crlf) => Self::Mixed { mostly_crlf: crlf * 2 > all },
        }
    }

    /// `text` with these line ends. A text without any to go by keeps what it has.
    pub(crate) fn apply(self, text: &str) -> String {
        match self {
            Self::None => text.to_owned(),
            Self::Lf | Self::Mixed { mostly_crlf: false } => text.replace("\r\n", "\n"),
            Self::CrLf | Self::Mixed { mostly_crlf: true } => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        }
    }
}

/// A file as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// The characters, without a mark at the start, with the line ends of the file.
    pub(crate) text: String,
    /// How it was written.
    pub(crate) coding: Coding,
    /// Whether the text and its coding give the same bytes again.
    pub(crate) is_exact: bool,
}

/// Reads bytes as text: a mark at the start decides, then UTF-8, then a guess. `None` if this is no text.
pub(crate) fn decode(bytes: &[u8]) -> Option<Text> {
    if let Some((encoding, n_mark)) = Encoding::for_bom(bytes) {
        let body = bytes.get(n_mark..).unwrap_or_default();
        let (text, _) = encoding.decode_without_bom_handling(body);
        let text = Text { text: text.into_owned(), coding: Coding { encoding, has_mark: true }, is_exact: false };
        return Some(checked(text, bytes));
    }
    if bytes.contains(&0) || bytes.starts_with(b"%PDF-") {
        return None;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let is_text = !is_mostly_control(text);
        return is_text.then(|| Text { text: text.to_owned(), coding: Coding::NEW, is_exact: true });
    }
    let encoding = guess(bytes);
    let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
    let n_wrong = if has_errors && encoding != UTF_8 { text.matches(char::REPLACEMENT_CHARACTER).count() } else { 0 };
    if n_wrong * 50 > text.chars().count() || is_mostly_control(&text) {
        return None;
    }
    let text = Text { text: text.into_owned(), coding: Coding { encoding, has_mark: false }, is_exact: false };
    Some(checked(text, bytes))
}

/// Finds out whether what was read gives the same bytes again.
fn checked(mut text: Text, bytes: &[u8]) -> Text {
    text.is_exact = text.coding.encode(&text.text).is_ok_and(|again| again == bytes);
    text
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    // A guess needs a few thousand characters, not a whole large file.
    const ENOUGH: usize = 64 * 1_024;
    if is_damaged_utf8(bytes) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let head = &bytes[..bytes.len().min(ENOUGH)];
    detector.feed(head, head.len() == bytes.len());
    let guess = detector.guess(None, Utf8Detection::Deny);
    // A few Chinese words are good Korean or Japanese too, byte for byte. Of the three, Chinese is the language of this program.
    let is_open = (guess == EUC_KR || guess == EUC_JP) && head.iter().filter(|byte| !byte.is_ascii()).count() < 40;
    if is_open && !GBK.decode_without_bom_handling(head).1 { GBK } else { guess }
}

/// Whether the bytes are UTF-8 but for a few places: cut at the end, or one character damaged. No other encoding looks like that.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut n_good, mut n_bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        n_good += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        n_bad += usize::from(!chunk.invalid().is_empty());
    }
    n_good > n_bad * 20
}

/// Whether too many control characters are in it for a text that somebody wrote.
fn is_mostly_control(text: &str) -> bool {
    let is_odd =
        |character: char| character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}');
    text.chars().filter(|character| is_odd(*character)).count() * 50 > text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (String, &'static str, bool) {
        let text = decode(bytes).expect("is text");
        (text.text, text.coding.encoding.name(), text.is_exact)
    }

    #[test]
    fn every_encoding_comes_back_to_the_byte() {
        let gbk = encoding_rs::GBK.encode("潮位站的高度以米为单位。\n第二行：水位上升。\n").0.into_owned();
        let shift_jis = encoding_rs::SHIFT_JIS.encode("これは日本語の文章です。ひらがなとカタカナ。\n").0.into_owned();
        let korean = "안녕하세요 세계, 조수의 높이는 미터 단위로 측정됩니다\n";
        let korean = EUC_KR.encode(korean).0.into_owned();
        let big5 = encoding_rs::BIG5.encode("潮位站的高度以公尺為單位。\n").0.into_owned();
        let german = encoding_rs::WINDOWS_1252.encode("Größe: 3 m, Tür größer\n").0.into_owned();
        let latin = encoding_rs::WINDOWS_1252.encode("Le café était fermé, déjà; où aller à présent?\n").0.into_owned();
        let utf16: Vec<u8> = "\u{feff}潮位 a\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let utf16_be: Vec<u8> = "\u{feff}潮位 a\r\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, name) in [
            (b"plain\n".to_vec(), "UTF-8"),
            ("潮位\n".into(), "UTF-8"),
            ("\u{feff}marked\n".into(), "UTF-8"),
            (gbk, "GBK"),
            (shift_jis, "Shift_JIS"),
            (korean, "EUC-KR"),
            (big5, "Big5"),
            (latin, "windows-1252"),
            (german, "windows-1252"),
            (utf16, "UTF-16LE"),
            (utf16_be, "UTF-16BE"),
        ] {
            let text = decode(&bytes).expect("is text");
            assert_eq!(text.coding.encoding.name(), name, "{:?}", text.text);
            assert!(text.is_exact, "{name}");
            assert_eq!(text.coding.encode(&text.text), Ok(bytes), "{name}");
        }
    }

    #[test]
    fn a_mark_is_not_part_of_the_text() {
        assert_eq!(read("\u{feff}a".as_bytes()), ("a".to_owned(), "UTF-8", true));
    }

    #[test]
    fn a_short_gbk_file_is_read_as_chinese() {
        for text in ["你好\n", "潮位\n", "牛奶,面包,鸡蛋\n", "name,高度\r\n北站,3.1\r\n"] {
            let bytes = GBK.encode(text).0;
            assert_eq!(read(&bytes), (text.to_owned(), "GBK", true));
        }
    }

    #[test]
    fn damaged_utf8_stays_utf8_and_is_not_exact() {
        let mut bytes = "潮位站的高度以米为单位。潮位站的高度以米为单位。".as_bytes().to_vec();
        bytes.push(0xe6);
        let (text, name, is_exact) = read(&bytes);
        assert_eq!((text.ends_with('\u{fffd}'), name, is_exact), (true, "UTF-8", false));
    }

    #[test]
    fn what_is_no_text_is_not_read_as_one() {
        let noise: Vec<u8> = (1..=255_u8).cycle().step_by(7).take(2_000).collect();
        for bytes in
            [b"\x89PNG\r\n\x1a\n\0\0".to_vec(), b"%PDF-1.7\nstream".to_vec(), b"a\0b".to_vec(), vec![1; 50], noise]
        {
            assert_eq!(decode(&bytes), None, "{:?}", &bytes[..bytes.len().min(12)]);
        }
    }

    #[test]
    fn a_character_that_does_not_fit_is_named() {
        let coding = Coding { encoding: encoding_rs::WINDOWS_1252, has_mark: false };
        assert_eq!(coding.encode("é 潮"), Err('潮'));
    }

    #[test]
    fn line_ends_follow_the_file() {
        assert_eq!(LineEnds::of("a"), LineEnds::None);
        assert_eq!(LineEnds::of("a\nb\n"), LineEnds::Lf);
        assert_eq!(LineEnds::of("a\r\nb\r\n"), LineEnds::CrLf);
        assert_eq!(LineEnds::of("a\r\nb\n\r\n"), LineEnds::Mixed { mostly_crlf: true });
        assert_eq!(LineEnds::CrLf.apply("a\nb\r\n"), "a\r\nb\r\n");
        assert_eq!(LineEnds::Lf.apply("a\r\nb\n"), "a\nb\n");
    }
}
