//! `search_text`: lines that match, in all files below a folder or in one file.

use crate::content::decode;
use crate::door::{Door, Kind, Trouble};
use crate::explain::{Wanted, explain};
use crate::list_dir::count;
use crate::path_rules::RelativePath;
use crate::visible::{shown_name, shown_path, visible};
use crate::walk::{Skip, walk};
use crate::watch::{Watch, Watched};
use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use recto_core::tool::{CallOutcome, CallStatus};
use std::fmt::Write as _;
use std::io::{self, Read as _};

/// At most this many lines are shown.
const MAX_SHOWN: usize = 200;
/// At most this many are counted.
const MAX_COUNTED: usize = 10_000;
/// A line is shown with about this many characters around its match.
const MAX_LINE: usize = 300;
/// A file up to this size is read whole, so that its encoding can be found out; of a larger one the beginning has to tell.
const MAX_WHOLE: u64 = 8 * 1_024 * 1_024;
/// So much of a larger one.
const BEGINNING: u64 = 64 * 1_024;

/// What was found so far.
#[derive(Debug, Default)]
struct Found {
    shown: String,
    n_shown: usize,
    n_lines: usize,
    n_files: usize,
    n_searched: usize,
    n_left_out: usize,
    /// Large files that began as UTF-8 and did not go on as it.
    n_mixed: usize,
    /// The walk did not come to its end.
    is_partial: bool,
}

/// Searches. `pattern` is a regular expression where it is a valid one that matches something, else plain text. Without a capital
/// letter, case makes no difference.
pub(crate) fn search_text(door: &Door, pattern: &str, place: &RelativePath, watch: &Watch) -> CallOutcome {
    let failed = |sentence: String| CallOutcome::new(CallStatus::Failed, sentence, "not searched");
    let kind = match door.look(place) {
        Ok((kind @ (Kind::File | Kind::Folder), _)) => kind,
        Ok(_) => return failed(explain(door, place, Wanted::Either, &Trouble::Special)),
        Err(trouble) => return failed(explain(door, place, Wanted::Either, &trouble)),
    };
    let mut found = None;
    for matcher in [matcher(pattern, false), matcher(pattern, true)].into_iter().flatten() {
        match search_place(door, place, kind, &matcher, watch) {
            Ok(now) => found = Some(now),
            Err(trouble) => return failed(explain(door, place, Wanted::File, &trouble)),
        }
        // `3.1 (m)` is a regular expression and finds nothing; the one who wrote it meant what stands there.
        let is_same_as_text =
            !pattern.contains(['\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$']);
        if is_same_as_text || found.as_ref().is_some_and(|found| found.n_lines > 0) {
            break;
        }
    }
    let Some(found) = found else {
        let sentence = "The pattern covers more than one line or is too large. Search for a few words of one line.";
        return failed(sentence.to_owned());
    };
    if kind == Kind::File && found.n_searched == 0 && !watch.is_over() {
        return failed(format!("`{}` is not a text file, so it cannot be searched.", shown_path(&place.text())));
    }
    outcome(pattern, place, kind, &found)
}

fn search_place(
    door: &Door,
    place: &RelativePath,
    kind: Kind,
    matcher: &RegexMatcher,
    watch: &Watch,
) -> Result<Found, Trouble> {
    let mut found = Found::default();
    if kind == Kind::File {
        search_file(door, place, matcher, watch, &mut found)?;
    } else {
        let is_whole = walk(door, place, Skip::Unimportant, watch, |path, kind| {
            // A file that goes or cannot be opened is passed over and counted.
            if kind == Kind::File && search_file(door, &path, matcher, watch, &mut found).is_err() {
                found.n_left_out += 1;
            }
            found.n_lines < MAX_COUNTED
        });
        found.is_partial = !is_whole;
    }
    found.is_partial |= watch.is_over();
    Ok(found)
}

fn outcome(pattern: &str, place: &RelativePath, kind: Kind, found: &Found) -> CallOutcome {
    let mut text = found.shown.clone();
    if found.n_lines == 0 {
        let files = count(found.n_searched, "file", "files");
        let name = shown_path(&place.text());
        let place = if name == "." { String::new() } else { format!(" in `{name}`") };
        let _ = write!(text, "No line contains `{}`{place}; {files} searched.", shown_name(pattern));
        if kind == Kind::Folder {
            text.push_str(" Hidden files, files named in .gitignore and files that are no text are not searched. Try another or a shorter word.");
        }
    } else if found.n_lines > found.n_shown {
        let at_least = if found.n_lines >= MAX_COUNTED { "at least " } else { "" };
        let more = found.n_lines - found.n_shown;
        let _ = write!(
            text,
            "({at_least}{more} more lines match and are not shown. Search for more words, or in one folder.)"
        );
    }
    if found.n_left_out > 0 {
        let files = count(found.n_left_out, "file", "files");
        let _ = write!(text, "\n({files} could not be read and were left out.)");
    }
    // Where the pattern is ASCII, it was found in those as well.
    if found.n_mixed > 0 && !pattern.is_ascii() {
        let files = count(found.n_mixed, "large file", "large files");
        let _ = write!(text, "\n({files} may hold it in another encoding, which was not searched.)");
    }
    if found.is_partial && found.n_lines < MAX_COUNTED {
        text.push_str("\n(The search ended early; not every file was searched. Search in one folder.)");
    }
    let matches = count(found.n_lines, "match", "matches");
    let note = match found.n_lines {
        0 => "no match".to_owned(),
        _ => format!("{matches} in {}", count(found.n_files, "file", "files")),
    };
    CallOutcome::new(CallStatus::Done, text, note)
}

/// A matcher for one line at a time. `None` if the pattern is none of this kind.
fn matcher(pattern: &str, is_text: bool) -> Option<RegexMatcher> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_smart(true).line_terminator(Some(b'\n')).crlf(true).size_limit(4 << 20);
    builder.fixed_strings(is_text).build(pattern).ok()
}

/// Searches one file. A file that is no text is passed over in silence.
fn search_file(
    door: &Door,
    path: &RelativePath,
    matcher: &RegexMatcher,
    watch: &Watch,
    found: &mut Found,
) -> Result<(), Trouble> {
    let name = shown_path(&path.text());
    let (file, metadata) = door.open_file(path)?;
    let mut lines = Lines { name: &name, matcher, watch, found: Vec::new(), n_before: found.n_shown };
    if metadata.len() <= MAX_WHOLE {
        let mut bytes = Vec::new();
        Watched { reader: file.take(MAX_WHOLE), watch }.read_to_end(&mut bytes).map_err(Trouble::Io)?;
        let Some(text) = decode(&bytes) else { return Ok(()) };
        searcher(None).search_slice(matcher, text.text.as_bytes(), &mut lines).map_err(Trouble::Io)?;
    } else {
        let mut beginning = Vec::new();
        let mut reader = Watched { reader: file, watch };
        reader.by_ref().take(BEGINNING).read_to_end(&mut beginning).map_err(Trouble::Io)?;
        // A character that is cut in two would look like damage.
        let n_whole = beginning.iter().rposition(|byte| *byte == b'\n').map_or(beginning.len(), |at| at + 1);
        let Some(text) = decode(&beginning[..n_whole]) else { return Ok(()) };
        let encoding = match text.coding.unusual_name().map(grep_searcher::Encoding::new) {
            None => None,
            Some(Ok(encoding)) => Some(encoding),
            Some(Err(_)) => return Err(Trouble::Io(io::ErrorKind::InvalidData.into())),
        };
        let is_utf8 = encoding.is_none();
        let mut whole =
            Witnessed { reader: io::Cursor::new(beginning).chain(reader), cut: Vec::new(), is_mixed: false };
        searcher(encoding).search_reader(matcher, &mut whole, &mut lines).map_err(Trouble::Io)?;
        found.n_mixed += usize::from(is_utf8 && whole.is_mixed);
    }
    let lines = lines.found;
    found.n_searched += 1;
    found.n_files += usize::from(!lines.is_empty());
    found.n_lines += lines.len();
    for line in lines.into_iter().flatten() {
        found.shown.push_str(&line);
        found.n_shown += 1;
    }
    Ok(())
}

/// Searches line by line. `encoding` is that of what is searched; `None` for UTF-8.
fn searcher(encoding: Option<grep_searcher::Encoding>) -> Searcher {
    SearcherBuilder::new()
        .line_number(true)
        // A large file without line ends would otherwise be kept in memory whole.
        .heap_limit(Some(64 * 1_024 * 1_024))
        .line_terminator(LineTerminator::crlf())
        .binary_detection(BinaryDetection::quit(0))
        .encoding(encoding)
        .build()
}

/// A reader that notices whether what goes through it is something else than UTF-8.
struct Witnessed<R> {
    reader: R,
    /// The beginning of a character that the last part ended in.
    cut: Vec<u8>,
    is_mixed: bool,
}

impl<R: io::Read> io::Read for Witnessed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.reader.read(buffer)?;
        if !self.is_mixed {
            self.cut.extend_from_slice(&buffer[..n_bytes]);
            match std::str::from_utf8(&self.cut) {
                Ok(_) => self.cut.clear(),
                Err(error) => {
                    self.is_mixed = error.error_len().is_some();
                    self.cut.drain(..error.valid_up_to());
                }
            }
        }
        Ok(n_bytes)
    }
}

/// The matching lines of one file; `None` for one that is counted and not shown.
struct Lines<'a> {
    name: &'a str,
    matcher: &'a RegexMatcher,
    watch: &'a Watch,
    found: Vec<Option<String>>,
    n_before: usize,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let line = (self.n_before + self.found.len() < MAX_SHOWN).then(|| {
            let number = matched.line_number().unwrap_or_default();
            format!("{}:{number}: {}\n", self.name, around(matched.bytes(), self.matcher))
        });
        self.found.push(line);
        Ok(self.found.len() < MAX_COUNTED && !self.watch.is_over())
    }
}

/// The line without its end, or the part of a long one around its first match.
fn around(bytes: &[u8], matcher: &RegexMatcher) -> String {
    let line = String::from_utf8_lossy(bytes);
    let line = line.trim_end_matches(['\n', '\r']);
    if line.len() <= MAX_LINE {
        return visible(line);
    }
    let at = matcher.find(line.as_bytes()).ok().flatten().map_or(0, |found| found.start());
    let start = line.floor_char_boundary(at.saturating_sub(MAX_LINE / 3));
    let end = line.floor_char_boundary((start + MAX_LINE).min(line.len()));
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    format!("{before}{}{after}", visible(&line[start..end]))
}
