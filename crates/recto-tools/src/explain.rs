//! What a model is told about a path that does not work: what is the matter, and the next right step.

use crate::door::{Door, Entry, Kind, Trouble};
use crate::path_rules::{RelativePath, folded};
use crate::visible::shown_path;
use crate::walk::{Skip, walk};
use crate::watch::Watch;
use std::io;
use std::time::Duration;

/// What the tool wanted to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    File,
    Folder,
    Either,
}

/// At most this many names are listed for a name that is not there.
const MAX_NAMES: usize = 20;
/// At most this many paths are compared with it.
const MAX_COMPARED: usize = 5_000;

/// The sentence for the model.
pub(crate) fn explain(door: &Door, path: &RelativePath, wanted: Wanted, trouble: &Trouble) -> String {
    let name = shown_path(&path.text());
    match trouble {
        Trouble::Absent => absent(door, path, wanted),
        Trouble::IsFile => format!("`{name}` is a file. Read it with read_file."),
        Trouble::IsFolder => format!("`{name}` is a folder. List it with list_dir."),
        Trouble::Special => {
            format!(
                "`{name}` is a pipe, a device or a socket and no ordinary file, so it is not opened. Use another file."
            )
        }
        Trouble::Outside => {
            format!(
                "`{name}` is a link that leads outside the folder, so it is not opened. Use files inside the folder."
            )
        }
        Trouble::Link(link) => {
            format!(
                "`{}` is a link, and nothing is written through links. Use the path of the real file.",
                shown_path(link)
            )
        }
        Trouble::Own => format!("`{name}` lies in Recto's own data, where no tool writes. Choose another place."),
        Trouble::Twin(twin) => {
            let twin = shown_path(twin);
            format!(
                "`{twin}` is there already, and `{name}` would be the same name on some systems. Use `{twin}`, or a name that differs more."
            )
        }
        Trouble::Fault(fault) => fault.to_string(),
        Trouble::WorkspaceGone => format!(
            "The folder `{}` is no longer where it was: it was moved, replaced or removed. No file can be used until the user chooses a folder again.",
            shown_path(&door.place().display().to_string())
        ),
        Trouble::Io(error) => io_sentence(&name, error),
    }
}

/// What an error of the system means, in plain words.
pub(crate) fn io_sentence(name: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => format!(
            "The system does not allow access to `{name}`. Use another file, or ask the user to change who may use it."
        ),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!("There is no room left on the disk for `{name}`. The user has to make room first.")
        }
        io::ErrorKind::ReadOnlyFilesystem => format!("The disk with `{name}` cannot be written to. Tell the user."),
        io::ErrorKind::CrossesDevices => {
            format!("The new place of `{name}` is on another disk, so it is not moved there. Choose another place.")
        }
        io::ErrorKind::InvalidFilename => format!("The name of `{name}` is too long for this disk. Use a shorter one."),
        _ => format!("`{name}` could not be used: {error}. Try another file, or tell the user."),
    }
}

fn absent(door: &Door, path: &RelativePath, wanted: Wanted) -> String {
    let name = shown_path(&path.text());
    let what = match wanted {
        Wanted::File => "file",
        Wanted::Folder => "folder",
        Wanted::Either => "file or folder",
    };
    // The deepest part that is there says more than the whole that is not.
    let mut folder = RelativePath::root();
    for n in 1..path.names().len() {
        let part = path.prefix(n);
        match door.look(&part) {
            Ok((Kind::Folder, _)) => folder = part,
            Ok(_) => {
                let part = shown_path(&part.text());
                return format!("`{part}` is a file, so there is nothing inside it. Read it with read_file.");
            }
            Err(_) => break,
        }
    }
    let near = nearest(door, path, wanted);
    if !near.is_empty() {
        return format!("There is no {what} `{name}`. Did you mean {}?", list(&near));
    }
    format!("There is no {what} `{name}`. {}", contents(door, &folder))
}

/// What is in a folder, in one sentence.
fn contents(door: &Door, folder: &RelativePath) -> String {
    let Ok(entries) = door.entries(folder) else { return "List the folder with list_dir.".to_owned() };
    let place =
        if folder.names().is_empty() { "here".to_owned() } else { format!("in `{}`", shown_path(&folder.text())) };
    let names: Vec<String> = entries.iter().filter_map(|entry| path_of(folder, entry)).collect();
    if names.is_empty() {
        return format!("There are no files {place}.");
    }
    let is_cut = names.len() > MAX_NAMES;
    let shown = list(&names[..names.len().min(MAX_NAMES)]);
    let more = if is_cut { format!(" and {} more", names.len() - MAX_NAMES) } else { String::new() };
    format!("The files {place} are: {shown}{more}.")
}

fn path_of(folder: &RelativePath, entry: &Entry) -> Option<String> {
    let name = entry.name.to_str().filter(|name| *name != ".git")?;
    let slash = if entry.kind == Kind::Folder { "/" } else { "" };
    Some(format!("{}{slash}", shown_path(&folder.join(name).text())))
}

/// Paths that are there and could have been meant, best first: the same name elsewhere, then a similar one.
fn nearest(door: &Door, path: &RelativePath, wanted: Wanted) -> Vec<String> {
    // On some systems a model writes `\` between names.
    let meant = path.text().replace('\\', "/");
    let meant_name = folded(meant.rsplit('/').next().unwrap_or_default());
    let mut scored: Vec<(f64, RelativePath)> = Vec::new();
    let mut n_seen = 0;
    let watch = Watch::new(Duration::from_millis(500));
    walk(door, &RelativePath::root(), Skip::OnlyGit, &watch, |found, kind| {
        n_seen += 1;
        let is_wanted = match wanted {
            Wanted::File => kind == Kind::File,
            Wanted::Folder => kind == Kind::Folder,
            Wanted::Either => true,
        };
        if is_wanted {
            let name = folded(found.names().last().map_or("", String::as_str));
            let score = if folded(&found.text()) == folded(&meant) {
                3.0
            } else if name == meant_name {
                2.0
            } else {
                strsim::normalized_damerau_levenshtein(&stem(&name), &stem(&meant_name))
            };
            if score >= 0.6 {
                scored.push((score, found));
            }
        }
        n_seen < MAX_COMPARED
    });
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    // One sure answer is better than three.
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    let wide = if best >= 2.0 { best } else { best - 0.1 };
    scored.into_iter().filter(|(score, _)| *score >= wide).take(3).map(|(_, found)| shown_path(&found.text())).collect()
}

/// A name without its ending: `plan.txt` and `plan.md` are near each other.
fn stem(name: &str) -> String {
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem }).to_owned()
}

fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() && rest.len() < 3 => format!("{} or {last}", rest.join(", ")),
        _ => quoted.join(", "),
    }
}
