//! The one door to the disk. Every path of a tool goes through here.
//!
//! The workspace is a folder held open: nothing is ever opened by a path from the root of the disk, so a name, a link or a swap
//! between a check and a use cannot lead out of it. Reads may follow a link that stays inside. Writes follow none.

mod identity;
mod open;
mod trouble;
mod write;

pub(crate) use identity::Identity;
pub use open::OpenError;
pub(crate) use trouble::Trouble;
pub(crate) use write::{Parent, Target, open_in};

use crate::path_rules::RelativePath;
use cap_fs_ext::OpenOptionsSyncExt as _;
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};
use std::ffi::OsString;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// The workspace, held open.
#[derive(Debug)]
pub(crate) struct Door {
    root: Dir,
    place: PathBuf,
    identity: Identity,
    /// Folders of the program itself, which no tool may enter by any way.
    own: Vec<Identity>,
}

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a device or a socket.
    Special,
}

impl Kind {
    fn of(file_type: FileType) -> Self {
        if file_type.is_symlink() {
            Self::Link
        } else if file_type.is_dir() {
            Self::Folder
        } else if file_type.is_file() {
            Self::File
        } else {
            Self::Special
        }
    }
}

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// As the disk has it; not necessarily Unicode.
    pub(crate) name: OsString,
    pub(crate) kind: Kind,
    /// Length of a file.
    pub(crate) n_bytes: u64,
}

impl Door {
    /// Where the workspace was when it was opened. For a person; nothing is opened by it.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// Which folder it is, whatever its name.
    pub(crate) fn identity(&self) -> Identity {
        self.identity
    }

    /// Whether the folder is still where the user chose it.
    pub(crate) fn check_present(&self) -> Result<(), Trouble> {
        match Identity::of_folder_at(&self.place) {
            Ok(now) if now == self.identity => Ok(()),
            Ok(_) => Err(Trouble::WorkspaceGone),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Err(Trouble::WorkspaceGone)
            }
            Err(error) => Err(Trouble::Io(error)),
        }
    }

    /// What is there, links followed as long as they stay inside.
    pub(crate) fn look(&self, path: &RelativePath) -> Result<(Kind, Metadata), Trouble> {
        let metadata = if path.names().is_empty() { self.root.dir_metadata() } else { self.root.metadata(path.text()) };
        let metadata = metadata.map_err(|error| self.trouble_at(path, error))?;
        Ok((Kind::of(metadata.file_type()), metadata))
    }

    /// What a name is by itself, no link followed at its end.
    fn look_at_name(&self, path: &RelativePath) -> Option<Kind> {
        let metadata = self.root.symlink_metadata(path.text()).ok()?;
        Some(Kind::of(metadata.file_type()))
    }

    /// Opens a file for reading. Never waits: a pipe or a device is refused.
    pub(crate) fn open_file(&self, path: &RelativePath) -> Result<(File, Metadata), Trouble> {
        match self.look(path)?.0 {
            Kind::File => {}
            Kind::Folder => return Err(Trouble::IsFolder),
            Kind::Link | Kind::Special => return Err(Trouble::Special),
        }
        let file = self.root.open_with(path.text(), OpenOptions::new().read(true).nonblock(true));
        let file = file.map_err(|error| self.trouble_at(path, error))?;
        // Looked at again through the handle, because the name may be another file by now.
        let metadata = file.metadata().map_err(Trouble::Io)?;
        if metadata.is_file() { Ok((file, metadata)) } else { Err(Trouble::Special) }
    }

    /// The beginning of a file, at most `limit` bytes, and the length of the whole.
    pub(crate) fn read(&self, path: &RelativePath, limit: u64) -> Result<(Vec<u8>, u64), Trouble> {
        let (file, metadata) = self.open_file(path)?;
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes).map_err(Trouble::Io)?;
        let n_bytes = metadata.len().max(bytes.len() as u64);
        Ok((bytes, n_bytes))
    }

    /// The names in a folder, in the order of their bytes.
    pub(crate) fn entries(&self, path: &RelativePath) -> Result<Vec<Entry>, Trouble> {
        match self.look(path)?.0 {
            Kind::Folder => {}
            Kind::File => return Err(Trouble::IsFile),
            Kind::Link | Kind::Special => return Err(Trouble::Special),
        }
        let entries = if path.names().is_empty() { self.root.entries() } else { self.root.read_dir(path.text()) };
        let mut found = Vec::new();
        for entry in entries.map_err(|error| self.trouble_at(path, error))? {
            let entry = entry.map_err(Trouble::Io)?;
            let kind = Kind::of(entry.file_type().map_err(Trouble::Io)?);
            // A file that goes while the folder is read is shown without a length.
            let n_bytes = if kind == Kind::File { entry.metadata().map_or(0, |metadata| metadata.len()) } else { 0 };
            found.push(Entry { name: entry.file_name(), kind, n_bytes });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// Says what an error of the system means at this path.
    fn trouble_at(&self, path: &RelativePath, error: std::io::Error) -> Trouble {
        match error.kind() {
            std::io::ErrorKind::NotFound => Trouble::Absent,
            std::io::ErrorKind::NotADirectory => {
                let is_link = |n: &usize| self.look_at_name(&path.prefix(*n)) == Some(Kind::Link);
                match (1..=path.names().len()).find(is_link) {
                    Some(n) => Trouble::Link(path.prefix(n).text()),
                    None => Trouble::Absent,
                }
            }
            // Raised by the handle and not by the system: the path would have left the workspace.
            std::io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Trouble::Outside,
            _ => Trouble::Io(error),
        }
    }
}
