//! Paths that are there, while they are few enough to be enumerated in a grammar.

use crate::door::{Door, Kind};
use crate::path_rules::RelativePath;
use crate::walk::{Skip, walk};
use crate::watch::Watch;
use recto_core::tool::Places;

/// More files than this are not enumerated.
const MAX_FILES: usize = 60;
/// More folders than this are not enumerated.
const MAX_FOLDERS: usize = 30;

/// The paths, sorted. A list with too many is empty, because a part of it would forbid the rest.
pub(crate) fn places(door: &Door, watch: &Watch) -> Places {
    let mut files: Vec<String> = Vec::new();
    let mut folders: Vec<String> = Vec::new();
    let is_whole = walk(door, &RelativePath::root(), Skip::Unimportant, watch, |path, kind| {
        match kind {
            Kind::File => files.push(path.text()),
            _ => folders.push(path.text()),
        }
        files.len() <= MAX_FILES || folders.len() < MAX_FOLDERS
    });
    files.sort();
    folders.sort();
    folders.insert(0, RelativePath::root().text());
    let few = |names: Vec<String>, limit: usize| if is_whole && names.len() <= limit { names } else { Vec::new() };
    Places { files: few(files, MAX_FILES), folders: few(folders, MAX_FOLDERS) }
}
