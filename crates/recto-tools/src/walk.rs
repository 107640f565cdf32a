//! Going through the files below a folder. Every folder is opened through the door, so a walk cannot be led outside.

use crate::door::{Door, Kind};
use crate::path_rules::RelativePath;
use crate::watch::Watch;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A longer list of what to leave out is read in part.
const MAX_GITIGNORE: u64 = 256 * 1_024;
/// Folders of packages and of what was built, also where no list names them.
const MADE_ANEW: [&str; 4] = ["node_modules", "target", "__pycache__", "venv"];

/// Which names a walk leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    /// Hidden ones and those that a `.gitignore` of the workspace names.
    Unimportant,
    /// The same, and folders that other programs fill and make anew at will.
    MadeAnew,
    /// Those that a `.gitignore` names. A hidden file is named there to be kept out of the repository (`.env`) and not because it is
    /// made anew at will, so it is not left out.
    Ignored,
    /// None but `.git` itself.
    OnlyGit,
}

/// Goes through the files and folders below `start`, each folder in the order of its names, until `visit` says no or the watch is
/// over. Links, and names that no tool could be given, are passed over. Whether it came to its end.
pub(crate) fn walk(
    door: &Door,
    start: &RelativePath,
    skip: Skip,
    watch: &Watch,
    mut visit: impl FnMut(RelativePath, Kind) -> bool,
) -> bool {
    let mut ignored = Vec::new();
    if skip != Skip::OnlyGit {
        ignored.extend((0..start.names().len()).filter_map(|depth| gitignore(door, &start.prefix(depth))));
    }
    descend(door, start, skip, watch, &mut ignored, &mut visit)
}

fn descend(
    door: &Door,
    folder: &RelativePath,
    skip: Skip,
    watch: &Watch,
    ignored: &mut Vec<Gitignore>,
    visit: &mut dyn FnMut(RelativePath, Kind) -> bool,
) -> bool {
    // A folder that may not be read is passed over; the ones beside it are not.
    let Ok(entries) = door.entries(folder) else { return true };
    let n_above = ignored.len();
    if skip != Skip::OnlyGit && entries.iter().any(|entry| entry.name == ".gitignore") {
        ignored.extend(gitignore(door, folder));
    }
    let mut is_whole = true;
    for entry in entries {
        if watch.is_over() {
            is_whole = false;
            break;
        }
        let Some(path) = entry.name.to_str().and_then(|name| child(folder, name)) else { continue };
        let is_left_out = entry.name == ".git"
            || !matches!(entry.kind, Kind::File | Kind::Folder)
            || match skip {
                Skip::Unimportant => is_hidden(&path) || is_ignored(ignored, &path, entry.kind),
                Skip::MadeAnew => {
                    is_hidden(&path)
                        || (entry.kind == Kind::Folder && MADE_ANEW.iter().any(|name| entry.name == *name))
                        || is_ignored(ignored, &path, entry.kind)
                }
                Skip::Ignored => {
                    !(entry.kind == Kind::File && is_hidden(&path)) && is_ignored(ignored, &path, entry.kind)
                }
                Skip::OnlyGit => false,
            };
        if is_left_out {
            continue;
        }
        is_whole = visit(path.clone(), entry.kind)
            && (entry.kind != Kind::Folder || descend(door, &path, skip, watch, ignored, visit));
        if !is_whole {
            break;
        }
    }
    ignored.truncate(n_above);
    is_whole
}

/// A name in a folder as a tool would be given it; `None` if no tool could be.
fn child(folder: &RelativePath, name: &str) -> Option<RelativePath> {
    let path = folder.join(name);
    // A name that the rules would read differently is not the name on the disk.
    RelativePath::read(&path.text()).is_ok_and(|read| read == path).then_some(path)
}

fn is_hidden(path: &RelativePath) -> bool {
    path.names().last().is_some_and(|name| name.starts_with('.'))
}

/// What the lists say, the nearest one first.
fn is_ignored(lists: &[Gitignore], path: &RelativePath, kind: Kind) -> bool {
    let verdicts = lists.iter().rev().map(|list| list.matched(path.text(), kind == Kind::Folder));
    verdicts.into_iter().find(|verdict| !verdict.is_none()).is_some_and(|verdict| verdict.is_ignore())
}

/// The list of a folder. It is a wish about names and is read like any other file of the workspace: never waiting, never outside.
fn gitignore(door: &Door, folder: &RelativePath) -> Option<Gitignore> {
    let (bytes, _) = door.read(&folder.join(".gitignore"), MAX_GITIGNORE).ok()?;
    let root = if folder.names().is_empty() { String::new() } else { folder.text() };
    let mut builder = GitignoreBuilder::new(root);
    for line in String::from_utf8_lossy(&bytes).lines() {
        // A line that is no pattern is passed over, as git does.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::Duration;

    fn check(files: &[(&str, &str)], start: &str, skip: Skip, expected: &[&str]) {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        let door = Door::open(folder.path(), &[]).expect("opens");
        let start = RelativePath::read(start).expect("a path");
        let mut found = Vec::new();
        let is_whole = walk(&door, &start, skip, &Watch::new(Duration::from_secs(10)), |path, kind| {
            found.push(if kind == Kind::Folder { format!("{}/", path.text()) } else { path.text() });
            true
        });
        assert!(is_whole);
        assert_eq!(found, expected);
    }

    #[test]
    fn what_gitignore_names_is_passed_over_and_the_nearest_list_decides() {
        let files = [
            (".gitignore", "*.log\nbuilt/\n/only-here\n"),
            ("a.log", ""),
            ("a.md", ""),
            ("built/x.md", ""),
            ("only-here", ""),
            ("sub/.gitignore", "!keep.log\n"),
            ("sub/keep.log", ""),
            ("sub/other.log", ""),
            ("sub/only-here", ""),
            ("zz/late.log", ""),
        ];
        check(&files, ".", Skip::Unimportant, &["a.md", "sub/", "sub/keep.log", "sub/only-here", "zz/"]);
        check(&files, "zz", Skip::Unimportant, &[]);
        check(&files, "built", Skip::Unimportant, &["built/x.md"]);
    }

    #[test]
    fn hidden_names_are_passed_over_unless_all_are_wanted() {
        let files = [(".git/config", ""), (".hidden/x", ""), ("a/.git/x", ""), ("a/b", ""), (".gitignore", "a\n")];
        check(&files, ".", Skip::Unimportant, &[]);
        check(&files, ".", Skip::Ignored, &[".gitignore", ".hidden/", ".hidden/x"]);
        check(&files, ".", Skip::OnlyGit, &[".gitignore", ".hidden/", ".hidden/x", "a/", "a/b"]);
        let files =
            [(".gitignore", ".env\n.cache/\n*.log\n"), (".env", ""), (".cache/x", ""), ("a.log", ""), ("b", "")];
        check(&files, ".", Skip::Ignored, &[".env", ".gitignore", "b"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_in_place_of_gitignore_holds_nobody_up() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().expect("a folder");
        mknodat(CWD, folder.path().join(".gitignore"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a pipe");
        fs::write(folder.path().join("a.md"), "").expect("writes");
        let door = Door::open(folder.path(), &[]).expect("opens");
        let mut found = Vec::new();
        let watch = Watch::new(Duration::from_secs(10));
        assert!(walk(&door, &RelativePath::root(), Skip::Unimportant, &watch, |path, _| {
            found.push(path.text());
            true
        }));
        assert_eq!(found, ["a.md"]);
    }
}
