//! The way to a file that is to be written: name by name from the workspace down, following no link.

use super::{Door, Identity, Kind, Trouble};
use crate::path_rules::{PathFault, RelativePath, check_new_name, folded, is_short_name_of};
use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use std::io;

/// The folder that a file is to be written in, as far as it is there.
#[derive(Debug)]
pub(crate) struct Parent {
    /// The deepest folder of the path that exists, held open.
    pub(crate) dir: Dir,
    /// Folders that are missing below it, from the top.
    pub(crate) missing: Vec<String>,
    /// Whether one of the folders above the file is laid out like git's own.
    pub(crate) is_in_repository: bool,
    /// The file's own name.
    pub(crate) name: String,
}

/// What is at the place now.
#[derive(Debug)]
pub(crate) enum Target {
    Absent,
    File(File, Metadata),
}

impl Door {
    /// Walks to the folder that `path` lies in. Nothing is made.
    pub(crate) fn parent_of(&self, path: &RelativePath) -> Result<Parent, Trouble> {
        let Some((folder, name)) = path.split_last() else {
            return Err(Trouble::Fault(PathFault::Folder(path.text())));
        };
        if path.is_in_git() {
            return Err(Trouble::Fault(PathFault::Git));
        }
        let mut dir = self.root.try_clone().map_err(Trouble::Io)?;
        let mut is_in_repository = is_repository(&dir);
        for (depth, part) in folder.names().iter().enumerate() {
            match kind_in(&dir, part)? {
                None => {
                    let missing = folder.names()[depth..].to_vec();
                    check_no_twin(&dir, part, &folder.prefix(depth))?;
                    missing.iter().try_for_each(|name| check_new_name(name))?;
                    return Ok(Parent { dir, missing, is_in_repository, name: name.to_owned() });
                }
                Some(Kind::Folder) => dir = self.step(&dir, part, || folder.prefix(depth + 1).text())?,
                Some(Kind::Link) => return Err(Trouble::Link(folder.prefix(depth + 1).text())),
                Some(Kind::File | Kind::Special) => return Err(Trouble::Absent),
            }
            is_in_repository |= is_repository(&dir);
        }
        Ok(Parent { dir, missing: Vec::new(), is_in_repository, name: name.to_owned() })
    }

    /// One folder down.
    fn step(&self, dir: &Dir, name: &str, path: impl Fn() -> String) -> Result<Dir, Trouble> {
        let next = dir.open_dir_nofollow(name).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Trouble::Absent,
            // It was a folder a moment ago: something swaps it.
            _ if matches!(kind_in(dir, name), Ok(Some(Kind::Link))) => Trouble::Link(path()),
            _ => Trouble::Io(error),
        })?;
        let identity = Identity::of(&next.dir_metadata().map_err(Trouble::Io)?);
        if self.own.contains(&identity) {
            return Err(Trouble::Own);
        }
        // Where the disk knows no case, `.GIT` is caught by its name; a mount or another spelling is caught here.
        let git = dir.symlink_metadata(".git").map(|metadata| Identity::of(&metadata));
        if git.is_ok_and(|git| git == identity) {
            return Err(Trouble::Fault(PathFault::Git));
        }
        Ok(next)
    }
}

impl Parent {
    /// What is at the file's own place. Never waits and follows nothing.
    pub(crate) fn target(&self, path: &RelativePath) -> Result<Target, Trouble> {
        if !self.missing.is_empty() {
            return Ok(Target::Absent);
        }
        match kind_in(&self.dir, &self.name)? {
            None => Ok(Target::Absent),
            Some(Kind::Link) => Err(Trouble::Link(path.text())),
            Some(Kind::Folder) => Err(Trouble::IsFolder),
            Some(Kind::Special) => Err(Trouble::Special),
            Some(Kind::File) => {
                let (file, metadata) = open_in(&self.dir, &self.name).map_err(Trouble::Io)?;
                if metadata.is_file() { Ok(Target::File(file, metadata)) } else { Err(Trouble::Special) }
            }
        }
    }

    /// Whether a file of this name may be made here.
    pub(crate) fn check_new(&self, path: &RelativePath) -> Result<(), Trouble> {
        check_new_name(&self.name)?;
        if !self.missing.is_empty() {
            return Ok(());
        }
        let folder = path.split_last().map_or_else(RelativePath::root, |(folder, _)| folder);
        check_no_twin(&self.dir, &self.name, &folder)
    }
}

/// Opens one name for reading, following no link and never waiting.
pub(crate) fn open_in(dir: &Dir, name: &str) -> io::Result<(File, Metadata)> {
    let file = dir.open_with(name, OpenOptions::new().read(true).nonblock(true).follow(FollowSymlinks::No))?;
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

fn kind_in(dir: &Dir, name: &str) -> Result<Option<Kind>, Trouble> {
    match dir.symlink_metadata(name) {
        Ok(metadata) => Ok(Some(Kind::of(metadata.file_type()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Trouble::Io(error)),
    }
}

/// Refuses a new name that would be the same file as an old one on some platform.
fn check_no_twin(dir: &Dir, name: &str, folder: &RelativePath) -> Result<(), Trouble> {
    let wanted = folded(name);
    for entry in dir.entries().map_err(Trouble::Io)? {
        let entry = entry.map_err(Trouble::Io)?.file_name();
        let Some(there) = entry.to_str() else { continue };
        if there != name && (folded(there) == wanted || is_short_name_of(name, there)) {
            return Err(Trouble::Twin(folder.join(there).text()));
        }
    }
    Ok(())
}

/// A folder laid out like git's own, whatever it is called: git runs the hooks in it.
fn is_repository(dir: &Dir) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| dir.symlink_metadata(name).is_ok())
}
