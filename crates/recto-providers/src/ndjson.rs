//! A JSON value a line, from bytes, without I/O: bytes → lines → frames.
//!
//! Where the bytes are cut makes no difference. Lines end with LF or CRLF; text is decoded a line at a time, so a character that arrives in two
//! pieces is whole, and a byte that is no UTF-8 becomes U+FFFD while the stream goes on.

use crate::sse::{Frame, LIMIT};

/// Reads a stream of lines. Each line that is not blank is a [`Frame::Event`] without a name.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    is_past_start: bool,
    is_deaf: bool,
}

impl Decoder {
    /// The frames that these bytes complete.
    #[must_use]
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_deaf {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let part = &rest[..end.unwrap_or(rest.len())];
            if self.line.len() + part.len() > LIMIT {
                *self = Self { is_deaf: true, ..Self::default() };
                frames.push(Frame::TooLong);
                break;
            }
            self.line.extend_from_slice(part);
            let Some(end) = end else { break };
            rest = &rest[end + 1..];
            frames.extend(self.end_line());
        }
        frames
    }

    /// The frame that the end of the stream completes: a last line without its end.
    #[must_use]
    pub fn finish(&mut self) -> Vec<Frame> {
        self.end_line().into_iter().collect()
    }

    fn end_line(&mut self) -> Option<Frame> {
        let line = std::mem::take(&mut self.line);
        let is_first = !std::mem::replace(&mut self.is_past_start, true);
        let line = if is_first { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line) } else { &line };
        let line = line.trim_ascii();
        let data = || String::from_utf8_lossy(line).into_owned();
        (!line.is_empty()).then(|| Frame::Event { event: String::new(), data: data() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(frames: Vec<Frame>) -> Vec<String> {
        frames
            .into_iter()
            .map(|frame| match frame {
                Frame::Event { data, .. } => data,
                other => format!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn models_m2_lines_are_the_same_wherever_they_are_cut() {
        let stream = "\u{feff}{\"a\":\"你🦀\"}\r\n\n  \n{\"b\":1}\n{\"c\":2}".as_bytes();
        let expected = ["{\"a\":\"你🦀\"}", "{\"b\":1}", "{\"c\":2}"];
        for cut in 0..=stream.len() {
            let mut decoder = Decoder::default();
            let mut frames = decoder.push(&stream[..cut]);
            frames.extend(decoder.push(&stream[cut..]));
            frames.extend(decoder.finish());
            assert_eq!(data(frames), expected, "cut at {cut}");
        }
    }

    #[test]
    fn fault_f17_a_byte_that_is_no_text_is_replaced_and_the_stream_goes_on() {
        let mut decoder = Decoder::default();
        assert_eq!(data(decoder.push(b"{\"a\":\"\xff\"}\n{}\n")), ["{\"a\":\"\u{fffd}\"}", "{}"]);
    }

    #[test]
    fn fault_f16_a_line_without_an_end_is_given_up_at_the_limit() {
        let mut decoder = Decoder::default();
        let part = vec![b'x'; LIMIT / 4];
        for _ in 0..4 {
            assert_eq!(decoder.push(&part), []);
        }
        assert_eq!(decoder.push(b"x"), [Frame::TooLong]);
        assert_eq!(decoder.push(b"{}\n"), []);
        assert_eq!(decoder.finish(), []);
    }
}
