//! Files in which a text stands, however the one who asks finds it there.

use crate::content::decode;
use crate::door::{Door, Kind};
use crate::path_rules::RelativePath;
use crate::visible::shown_path;
use crate::walk::{Skip, walk};
use crate::watch::Watch;

/// Of each file so much is looked at.
const MAX_BYTES: u64 = 1_024 * 1_024;
/// So many files are named at most.
const MOST: usize = 8;

/// A file that holds what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile<T> {
    /// Its path below the folder.
    pub path: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// What whoever asked says of it.
    pub found: T,
}

/// The files below the workspace whose text `find` finds something in: where it begins, in bytes, and what it is. What is hidden or named in a
/// `.gitignore` is passed over, as every search does.
pub(crate) fn files_with<T>(
    door: &Door,
    watch: &Watch,
    find: impl Fn(&str) -> Option<(usize, T)>,
) -> Vec<FoundFile<T>> {
    let mut files = Vec::new();
    walk(door, &RelativePath::root(), Skip::Unimportant, watch, |path, kind| {
        if kind == Kind::File
            && let Ok((bytes, _)) = door.read(&path, MAX_BYTES)
            && let Some(text) = decode(&bytes)
            && let Some((start, found)) = find(&text.text)
        {
            let before = text.text.get(..start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            files.push(FoundFile { path: shown_path(&path.text()), line, found });
        }
        files.len() < MOST
    });
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_text_is_found_in_the_files_that_a_search_would_look_into_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("a.md", "one\ntwo\nthe key is under the pot\n"),
            ("sub/b.md", "the key is under the pot"),
            (".hidden.md", "the key is under the pot"),
            ("c.bin", "\0\u{1}the key is under the pot"),
            ("d.md", "nothing"),
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let door = Door::open(folder.path(), &[]).unwrap();
        let watch = Watch::new(Duration::from_secs(20));
        let found = files_with(&door, &watch, |text| Some((text.find("key")?, text.len())));
        let file = |path: &str, line, found| FoundFile { path: path.to_owned(), line, found };
        assert_eq!(found, [file("a.md", 3, 33), file("sub/b.md", 1, 24)]);
    }
}
