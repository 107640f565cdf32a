//! Paths that are there, while they are few enough to be enumerated in a grammar.

use crate::door::{Door, Kind};
use crate::path_rules::RelativePath;
use crate::walk::{Skip, walk};
use crate::watch::Watch;
use recto_core::tool::Places;
use std::cmp::Ordering;

/// More files than this are not enumerated.
const MAX_FILES: usize = 60;
/// More folders than this are not enumerated.
const MAX_FOLDERS: usize = 30;

/// The paths, sorted, hidden ones last. A list with too many is empty, because a part of it would forbid the rest; for the same
/// reason hidden files are in it.
pub(crate) fn places(door: &Door, watch: &Watch) -> Places {
    let mut files: Vec<String> = Vec::new();
    let mut folders: Vec<String> = Vec::new();
    let is_whole = walk(door, &RelativePath::root(), Skip::Ignored, watch, |path, kind| {
        match kind {
            Kind::File => files.push(path.text()),
            _ => folders.push(path.text()),
        }
        files.len() <= MAX_FILES || folders.len() < MAX_FOLDERS
    });
    files.sort_by(by_importance);
    folders.sort_by(by_importance);
    folders.insert(0, RelativePath::root().text());
    let few = |names: Vec<String>, limit: usize| if is_whole && names.len() <= limit { names } else { Vec::new() };
    Places { files: few(files, MAX_FILES), folders: few(folders, MAX_FOLDERS) }
}

/// What is seen at a glance comes first.
fn by_importance(one: &String, other: &String) -> Ordering {
    let is_hidden = |path: &str| path.starts_with('.') || path.contains("/.");
    is_hidden(one).cmp(&is_hidden(other)).then_with(|| one.cmp(other))
}
