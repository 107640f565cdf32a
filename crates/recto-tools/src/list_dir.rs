//! `list_dir`: what is in a folder.

use crate::door::{Door, Entry, Kind};
use crate::explain::{Wanted, explain};
use crate::path_rules::RelativePath;
use crate::visible::{is_hidden, shown_name, shown_path};
use recto_core::tool::{CallOutcome, CallStatus};
use std::ffi::OsStr;
use std::fmt::Write as _;

/// A folder with more names is listed in part.
const MAX_ENTRIES: usize = 1_000;

/// Lists the folder: one path a line, usable as it is, a folder with `/` at its end, a file with its length.
pub(crate) fn list_dir(door: &Door, path: &RelativePath) -> CallOutcome {
    let entries = match door.entries(path) {
        Ok(entries) => entries,
        Err(trouble) => {
            let sentence = explain(door, path, Wanted::Folder, &trouble);
            return CallOutcome::new(CallStatus::Failed, sentence, "not listed");
        }
    };
    if entries.is_empty() {
        let name = shown_path(&path.text());
        return CallOutcome::new(CallStatus::Done, format!("The folder `{name}` is empty."), "empty folder");
    }
    let mut text = String::new();
    for entry in entries.iter().take(MAX_ENTRIES) {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{}", line(path, entry));
    }
    if entries.len() > MAX_ENTRIES {
        let _ = writeln!(
            text,
            "({} more are not listed. Use search_text to find a file by its content.)",
            entries.len() - MAX_ENTRIES
        );
    }
    CallOutcome::new(CallStatus::Done, text, count(entries.len(), "entry", "entries"))
}

fn line(folder: &RelativePath, entry: &Entry) -> String {
    let path = |name: &str| folder.join(name).text();
    let Some(name) = entry.name.to_str() else {
        return format!("{} (its name is not Unicode, so it cannot be used here)", path(&escaped(&entry.name)));
    };
    let name = path(name);
    if name.chars().any(is_hidden) {
        return format!("{} (its name has invisible characters, so it cannot be used here)", shown_path(&name));
    }
    match entry.kind {
        Kind::Folder => format!("{name}/"),
        Kind::File => {
            format!("{name} ({})", count(usize::try_from(entry.n_bytes).unwrap_or(usize::MAX), "byte", "bytes"))
        }
        Kind::Link => format!("{name} (a link)"),
        Kind::Special => format!("{name} (no ordinary file, cannot be used)"),
    }
}

/// A name that is not Unicode, with the bytes that are not as `\x…`.
fn escaped(name: &OsStr) -> String {
    name.as_encoded_bytes().utf8_chunks().fold(String::new(), |mut out, chunk| {
        out.push_str(&shown_name(chunk.valid()));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
        out
    })
}

/// `1 line`, `3 lines`.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
