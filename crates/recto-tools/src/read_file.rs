//! `read_file`: a text file, whole or a range of its lines.

use crate::content::decode;
use crate::door::Door;
use crate::explain::{Wanted, explain};
use crate::list_dir::count;
use crate::path_rules::RelativePath;
use crate::visible::shown_path;
use recto_core::tool::{CallOutcome, CallStatus};

/// Of a larger file only this much is looked at.
const MAX_READ: u64 = 64 * 1_024 * 1_024;
/// A result is at most this long.
const MAX_RESULT: usize = 2 * 1_024 * 1_024;

/// Which lines: from 1, both ends included; `None` for the end of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) start: Option<u64>,
    pub(crate) end: Option<u64>,
}

/// Reads the file. Lines end in a line feed, whatever the file has; a line in brackets before the text says what has to be known.
pub(crate) fn read_file(door: &Door, path: &RelativePath, lines: Lines) -> CallOutcome {
    let name = shown_path(&path.text());
    let failed = |sentence: String| CallOutcome::new(CallStatus::Failed, sentence, "not read");
    let (bytes, n_bytes) = match door.read(path, MAX_READ) {
        Ok(read) => read,
        Err(trouble) => return failed(explain(door, path, Wanted::File, &trouble)),
    };
    if n_bytes == 0 {
        return CallOutcome::new(CallStatus::Done, format!("The file `{name}` is empty."), "empty file");
    }
    let Some(text) = decode(&bytes) else {
        return failed(format!("`{name}` is not a text file ({}), so it cannot be read here.", count_bytes(n_bytes)));
    };
    let mut about: Vec<String> =
        text.coding.unusual_name().map(|encoding| format!("encoding {encoding}")).into_iter().collect();
    if n_bytes > MAX_READ {
        about.push(format!("only the first {MAX_READ} of {n_bytes} bytes can be read"));
    }
    let plain = text.text.replace("\r\n", "\n");
    let n_lines = plain.lines().count();
    let start = lines.start.map_or(1, |start| usize::try_from(start).unwrap_or(usize::MAX)).max(1);
    let end = lines.end.map_or(n_lines, |end| usize::try_from(end).unwrap_or(usize::MAX)).min(n_lines);
    if start > n_lines {
        return failed(format!(
            "`{name}` has only {}. Ask for lines from 1 to {n_lines}.",
            count(n_lines, "line", "lines")
        ));
    }
    if start > end {
        return failed(format!(
            "Line {start} comes after line {end}. `start_line` must not be greater than `end_line`."
        ));
    }
    let wanted = slice_lines(&plain, start, end);
    let kept = cut(wanted);
    let n_kept = kept.lines().count();
    if kept.len() < wanted.len() {
        let next = start + n_kept;
        about.push(format!(
            "lines {start} to {} of {n_lines}, cut at {MAX_RESULT} bytes; go on with start_line {next}",
            next - 1
        ));
    } else if start > 1 || end < n_lines {
        about.push(format!("lines {start} to {end} of {n_lines}"));
    }
    let head = if about.is_empty() { String::new() } else { format!("[{}]\n", about.join("; ")) };
    CallOutcome::new(CallStatus::Done, head + kept, count(n_kept, "line", "lines"))
}

/// From line `start` to line `end`, both from 1 and included, with their ends.
fn slice_lines(text: &str, start: usize, end: usize) -> &str {
    let mut ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let from = if start == 1 { 0 } else { ends.nth(start - 2).unwrap_or(text.len()) };
    let to = ends.nth(end - start).unwrap_or(text.len());
    &text[from..to]
}

/// At most `MAX_RESULT` bytes, whole lines if there is one.
fn cut(text: &str) -> &str {
    if text.len() <= MAX_RESULT {
        return text;
    }
    let limit = text.floor_char_boundary(MAX_RESULT);
    let end = text[..limit].rfind('\n').map_or(limit, |at| at + 1);
    &text[..end]
}

/// `1 byte`, `42 bytes`.
pub(crate) fn count_bytes(n_bytes: u64) -> String {
    count(usize::try_from(n_bytes).unwrap_or(usize::MAX), "byte", "bytes")
}
