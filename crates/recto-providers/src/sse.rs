//! Server-sent events from bytes, without I/O: bytes → lines → frames.
//!
//! Where the bytes are cut makes no difference. Lines end with LF, CR or CRLF; text is decoded a line at a time, so a character
//! that arrives in two pieces is whole, and a byte that is no UTF-8 becomes U+FFFD while the stream goes on.

#[cfg(test)]
mod tests;

/// The longest line, and the longest frame, in bytes.
pub const LIMIT: usize = 8 * 1024 * 1024;

/// Something that the stream said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// An event with data.
    Event {
        /// Its name; empty where it has none.
        event: String,
        /// Its data lines, joined by LF.
        data: String,
    },
    /// A comment: the server is alive.
    Comment,
    /// A line or a frame was longer than [`LIMIT`]. Nothing comes after this.
    TooLong,
}

/// Reads a stream of events.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    /// The last byte was a CR, so an LF right after it belongs to the same line end.
    is_after_cr: bool,
    /// A line was read, so a byte order mark can no longer come.
    is_past_start: bool,
    event: String,
    data: Option<String>,
    is_deaf: bool,
}

impl Decoder {
    /// The frames that these bytes complete.
    #[must_use]
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_deaf {
            if std::mem::take(&mut self.is_after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let part = &rest[..end.unwrap_or(rest.len())];
            if self.line.len() + part.len() > LIMIT {
                self.give_up(&mut frames);
                break;
            }
            let Some(end) = end else {
                self.line.extend_from_slice(part);
                break;
            };
            self.is_after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if self.line.is_empty() {
                self.end_line(part, &mut frames);
            } else {
                self.line.extend_from_slice(part);
                let line = std::mem::take(&mut self.line);
                self.end_line(&line, &mut frames);
                // The allocation serves the next line that arrives in pieces.
                self.line = line;
                self.line.clear();
            }
        }
        frames
    }

    /// The frames that the end of the stream completes: a last line without its end, a last frame without its blank line.
    #[must_use]
    pub fn finish(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        if !self.is_deaf {
            let line = std::mem::take(&mut self.line);
            if !line.is_empty() {
                self.end_line(&line, &mut frames);
            }
            self.dispatch(&mut frames);
        }
        frames
    }

    fn end_line(&mut self, line: &[u8], frames: &mut Vec<Frame>) {
        let is_first = !std::mem::replace(&mut self.is_past_start, true);
        let line = if is_first { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        if line.is_empty() {
            self.dispatch(frames);
            return;
        }
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match name {
            b"" => frames.push(Frame::Comment),
            b"event" => self.event = value.into_owned(),
            b"data" => self.data(&value, frames),
            // Older llama-server sends `error: {…}` where others send an event of that name.
            b"error" => {
                self.event = "error".to_owned();
                self.data(&value, frames);
            }
            _ => {}
        }
    }

    fn data(&mut self, value: &str, frames: &mut Vec<Frame>) {
        match &mut self.data {
            None => self.data = Some(value.to_owned()),
            Some(data) if data.len() + value.len() < LIMIT => {
                data.push('\n');
                data.push_str(value);
            }
            Some(_) => self.give_up(frames),
        }
    }

    fn dispatch(&mut self, frames: &mut Vec<Frame>) {
        let event = std::mem::take(&mut self.event);
        if let Some(data) = self.data.take() {
            frames.push(Frame::Event { event, data });
        }
    }

    fn give_up(&mut self, frames: &mut Vec<Frame>) {
        *self = Self { is_deaf: true, ..Self::default() };
        frames.push(Frame::TooLong);
    }
}
