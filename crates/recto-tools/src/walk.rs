//! Walks that collect names. What they find is a hint: it is looked at through the door before it is used.

use crate::door::{Door, Kind};
use crate::path_rules::RelativePath;
use crate::watch::Watch;
use ignore::WalkBuilder;
use std::path::Component;

/// Which names a walk leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    /// Hidden ones and those that a `.gitignore` of the workspace names.
    Unimportant,
    /// None but `.git` itself.
    OnlyGit,
}

/// Goes through the files and folders below `start`, sorted, links not followed, until `visit` says no or the watch is over.
/// Names that no tool could be given are passed over. Whether it came to its end.
pub(crate) fn walk(
    door: &Door,
    start: &RelativePath,
    skip: Skip,
    watch: &Watch,
    mut visit: impl FnMut(RelativePath, Kind) -> bool,
) -> bool {
    let is_hidden_skipped = skip == Skip::Unimportant;
    let walker = WalkBuilder::new(start.names().iter().fold(door.place().to_owned(), |place, name| place.join(name)))
        .standard_filters(false)
        .hidden(is_hidden_skipped)
        .git_ignore(is_hidden_skipped)
        // A list of what to leave out is a wish of the workspace's owner about names. Nothing outside the workspace is read for it.
        .require_git(false)
        .parents(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .build();
    for entry in walker {
        if watch.is_over() {
            return false;
        }
        let Ok(entry) = entry else { continue };
        if entry.depth() == 0 && entry.file_type().is_some_and(|file_type| file_type.is_dir()) {
            continue;
        }
        let Some(path) = relative(door, entry.path()) else { continue };
        let kind = match entry.file_type() {
            Some(file_type) if file_type.is_dir() => Kind::Folder,
            Some(file_type) if file_type.is_file() => Kind::File,
            _ => continue,
        };
        if !visit(path, kind) {
            return false;
        }
    }
    true
}

/// A path of the walk as a tool would be given it.
fn relative(door: &Door, path: &std::path::Path) -> Option<RelativePath> {
    let mut names = Vec::new();
    for component in path.strip_prefix(door.place()).ok()?.components() {
        let Component::Normal(name) = component else { return None };
        names.push(name.to_str()?);
    }
    let read = RelativePath::read(&names.join("/")).ok()?;
    // A name that the rules would write differently is not the name on the disk.
    (read.names() == names).then_some(read)
}
