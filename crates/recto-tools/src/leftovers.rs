//! Temporary files of a write that a dying program left behind. One is removed only where it is certain that nothing is lost.

use crate::door::{Door, Kind, Trouble, open_in};
use crate::path_rules::RelativePath;
use crate::watch::Watch;
use crate::writer::{is_temporary_name, state_of_file};
use cap_std::fs::Dir;
use recto_core::text::ContentHash;
use recto_core::tool::BOTH_ENDS;
use std::collections::BTreeMap;

/// A change of which nobody knows whether it happened, because the program died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedWrite {
    /// What it is about: a path from the workspace, or both ends of a move as `Change::target` gives them.
    pub target: String,
    /// Hash of the file before; `None` where there was none.
    pub before: Option<ContentHash>,
    /// Hash of the file if the change happened; `None` where there is no file then.
    pub after: Option<ContentHash>,
}

/// How a file stands after an unfinished change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The new content, or the place that it was to get: the change happened.
    New,
    /// The old content, or no file where there was none: the change did not happen.
    Old,
    /// Another content, or none where there was a file: somebody else was there too.
    Other,
    /// The file cannot be looked at.
    Unknown,
}

/// What was found after unfinished writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// How the files stand, in the order of the writes.
    pub standings: Vec<Standing>,
    /// Temporary files that are gone now, as paths from the workspace.
    pub removed: Vec<String>,
    /// Temporary files that were left, because they may be the only copy of something; a person has to look at them.
    pub left: Vec<String>,
}

/// Looks at the files, and at the temporary files beside them.
pub(crate) fn tidy(door: &Door, writes: &[UnfinishedWrite], watch: &Watch) -> Leftovers {
    let mut found = Leftovers::default();
    let mut by_folder: BTreeMap<RelativePath, Vec<(&UnfinishedWrite, Standing)>> = BTreeMap::new();
    for write in writes {
        let ends = ends_of(write);
        let standing = ends.as_ref().map_or(Standing::Unknown, |(path, to)| standing(door, path, to.as_ref(), write));
        let path = ends.map(|(path, _)| path);
        found.standings.push(standing);
        if let Some((folder, _)) =
            path.and_then(|path| path.split_last().map(|(folder, name)| (folder, name.to_owned())))
        {
            by_folder.entry(folder).or_default().push((write, standing));
        }
    }
    for (folder, writes) in by_folder {
        if watch.is_over() || door.check_present().is_err() {
            break;
        }
        tidy_folder(door, &folder, &writes, &mut found);
    }
    found
}

fn tidy_folder(door: &Door, folder: &RelativePath, writes: &[(&UnfinishedWrite, Standing)], found: &mut Leftovers) {
    // The way of a write: it follows no link and enters neither git's own data nor the program's.
    let Ok(entries) = door.entries(folder) else { return };
    let names = entries.iter().filter(|entry| entry.kind == Kind::File).filter_map(|entry| entry.name.to_str());
    for name in names.filter(|name| is_temporary_name(name)) {
        let path = folder.join(name);
        let is_removed = door.parent_of(&path).is_ok_and(|parent| {
            let is_there = parent.missing.is_empty();
            is_there && is_spare(&parent.dir, name, writes) && parent.dir.remove_file(name).is_ok()
        });
        if is_removed { &mut found.removed } else { &mut found.left }.push(path.text());
    }
}

/// Whether what stands under a temporary name is kept elsewhere: it is the new content, which the record has, and the file is there;
/// or it is the old content, whose place the new one has taken as it was agreed.
fn is_spare(dir: &Dir, name: &str, writes: &[(&UnfinishedWrite, Standing)]) -> bool {
    let Ok((file, metadata)) = open_in(dir, name) else { return false };
    if !metadata.is_file() {
        return false;
    }
    let Ok(state) = state_of_file(file, &metadata) else { return false };
    writes.iter().any(|(write, standing)| match standing {
        // What was replaced or deleted was kept before the change began.
        Standing::New => Some(&state.hash) == write.after.as_ref() || Some(&state.hash) == write.before.as_ref(),
        Standing::Old => Some(&state.hash) == write.after.as_ref(),
        Standing::Other | Standing::Unknown => false,
    })
}

/// The place that a change is about, and the other one where it has two: nothing but a move leaves a file as it was.
fn ends_of(write: &UnfinishedWrite) -> Option<(RelativePath, Option<RelativePath>)> {
    if write.before.is_none() || write.before != write.after {
        return Some((RelativePath::read(&write.target).ok()?, None));
    }
    let mut parts = write.target.split(BOTH_ENDS);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(from), Some(to), None) => Some((RelativePath::read(from).ok()?, Some(RelativePath::read(to).ok()?))),
        // A name with an arrow of its own in it can be read in two ways.
        _ => None,
    }
}

/// The hash of the file that is there; `None` where there is none.
fn hash_at(door: &Door, path: &RelativePath) -> Result<Option<ContentHash>, Trouble> {
    match door.open_file(path) {
        Ok((file, metadata)) => Ok(Some(state_of_file(file, &metadata).map_err(Trouble::Io)?.hash)),
        Err(Trouble::Absent) => Ok(None),
        Err(trouble) => Err(trouble),
    }
}

fn standing(door: &Door, path: &RelativePath, to: Option<&RelativePath>, write: &UnfinishedWrite) -> Standing {
    let (before, after) = (&write.before, &write.after);
    if before.is_none() && after.is_none() {
        return match door.look(path) {
            Ok((Kind::Folder, _)) => Standing::New,
            Err(Trouble::Absent) => Standing::Old,
            Ok(_) => Standing::Other,
            Err(_) => Standing::Unknown,
        };
    }
    let Ok(now) = hash_at(door, path) else { return Standing::Unknown };
    match to {
        None if now == *after => Standing::New,
        None if now == *before => Standing::Old,
        None => Standing::Other,
        Some(to) => match hash_at(door, to) {
            Ok(there) if now.is_none() && there == *after => Standing::New,
            Ok(None) if now == *before => Standing::Old,
            Ok(_) => Standing::Other,
            Err(_) => Standing::Unknown,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::Duration;

    const STAGED: &str = ".recto-0123456789abcdef.tmp";

    /// What becomes of a folder with these files after a write of `list.md` from `old` to `new` that was not finished.
    fn check(before: Option<&str>, files: &[(&str, &str)], standing: Standing, left: &[&str]) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        let door = Door::open(folder.path(), &[]).expect("opens");
        let hash = |text: &str| ContentHash::of(text.as_bytes());
        let write =
            UnfinishedWrite { target: "list.md".to_owned(), before: before.map(hash), after: Some(hash("new")) };
        let found = tidy(&door, &[write], &Watch::new(Duration::from_secs(10)));
        assert_eq!(found.standings, [standing], "{files:?}");
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .expect("is read")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .collect();
        names.sort();
        assert_eq!(names, left, "{files:?}");
        let is_left = |path: &String| names.contains(path);
        assert!(found.left.iter().all(is_left) && !found.removed.iter().any(is_left), "{found:?}");
        assert_eq!(found.left.len() + found.removed.len(), files.iter().filter(|(name, _)| *name == STAGED).count());
    }

    #[test]
    fn permission_p4_a_leftover_goes_where_its_content_is_kept_elsewhere() {
        check(Some("old"), &[("list.md", "old"), (STAGED, "new")], Standing::Old, &["list.md"]);
        check(Some("old"), &[("list.md", "new"), (STAGED, "old")], Standing::New, &["list.md"]);
        check(None, &[("list.md", "new"), (STAGED, "new")], Standing::New, &["list.md"]);
        check(None, &[(STAGED, "new")], Standing::Old, &[]);
    }

    #[test]
    fn permission_p4_a_leftover_that_may_be_the_only_copy_stays() {
        // The old content, with the file itself gone or changed by somebody else.
        check(Some("old"), &[(STAGED, "old")], Standing::Other, &[STAGED]);
        check(Some("old"), &[("list.md", "theirs"), (STAGED, "old")], Standing::Other, &[STAGED, "list.md"]);
        check(Some("old"), &[(STAGED, "new")], Standing::Other, &[STAGED]);
        // What somebody wrote between the look and the swap.
        check(Some("old"), &[("list.md", "new"), (STAGED, "theirs")], Standing::New, &[STAGED, "list.md"]);
        check(Some("old"), &[("list.md", "old"), (STAGED, "ne")], Standing::Old, &[STAGED, "list.md"]);
    }

    /// How a change from `before` to `after` stands in a folder with these files, and which are left.
    fn settled(
        target: &str,
        before: Option<&str>,
        after: Option<&str>,
        files: &[(&str, &str)],
    ) -> (Standing, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        let door = Door::open(folder.path(), &[]).expect("opens");
        let hash = |text: &str| ContentHash::of(text.as_bytes());
        let write = UnfinishedWrite { target: target.to_owned(), before: before.map(hash), after: after.map(hash) };
        let found = tidy(&door, &[write], &Watch::new(Duration::from_secs(10)));
        let names = fs::read_dir(folder.path()).expect("is read");
        (found.standings[0], names.map(|name| name.unwrap().file_name().into_string().unwrap()).collect())
    }

    #[test]
    fn permission_p7_the_disk_tells_whether_a_deletion_a_move_or_a_new_folder_happened() {
        let standing = |target, before, after, files| settled(target, before, after, files).0;
        assert_eq!(standing("a.md", Some("old"), None, &[]), Standing::New);
        assert_eq!(standing("a.md", Some("old"), None, &[("a.md", "old")]), Standing::Old);
        assert_eq!(standing("a.md", Some("old"), None, &[("a.md", "mine")]), Standing::Other);
        // It was taken aside when the program died; its content was kept before that.
        assert_eq!(settled("a.md", Some("old"), None, &[(STAGED, "old")]), (Standing::New, vec![]));
        let moved = "a.md → b.md";
        assert_eq!(standing(moved, Some("old"), Some("old"), &[("b.md", "old")]), Standing::New);
        assert_eq!(standing(moved, Some("old"), Some("old"), &[("a.md", "old")]), Standing::Old);
        assert_eq!(standing(moved, Some("old"), Some("old"), &[("a.md", "old"), ("b.md", "old")]), Standing::Other);
        assert_eq!(standing("a → b → c", Some("old"), Some("old"), &[]), Standing::Unknown);
        assert_eq!(standing("folder", None, None, &[]), Standing::Old);
        assert_eq!(standing(".", None, None, &[]), Standing::New);
        assert_eq!(standing("folder", None, None, &[("folder", "a file")]), Standing::Other);
    }

    #[test]
    fn names_that_are_not_quite_ours_are_never_touched() {
        for name in [
            ".recto-0123456789abcdef.tmp.md",
            ".recto-0123.tmp",
            "recto-0123456789abcdef.tmp",
            ".recto-0123456789abcdeg.tmp",
        ] {
            let mut left = vec![name, "list.md"];
            left.sort_unstable();
            check(Some("old"), &[("list.md", "new"), (name, "old")], Standing::New, &left);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_with_our_name_is_never_followed_nor_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("list.md"), "new").expect("a file");
        fs::write(folder.path().join("other"), "old").expect("a file");
        std::os::unix::fs::symlink("other", folder.path().join(STAGED)).expect("links");
        let door = Door::open(folder.path(), &[]).expect("opens");
        let hash = |text: &str| ContentHash::of(text.as_bytes());
        let write =
            UnfinishedWrite { target: "list.md".to_owned(), before: Some(hash("old")), after: Some(hash("new")) };
        let found = tidy(&door, &[write], &Watch::new(Duration::from_secs(10)));
        assert_eq!((found.removed, found.left), (vec![], vec![]));
        assert!(folder.path().join(STAGED).is_symlink());
    }
}
