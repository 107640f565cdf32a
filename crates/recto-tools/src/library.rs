//! What the person adds to the library: a folder or a file, held open like a workspace and only ever read.
//!
//! Here files become sections of text. Which of them are read again, and where their passages are kept, is decided elsewhere.

mod extract;
mod html;
mod office;
mod pdf;
mod sheet;

#[cfg(test)]
mod tests;

pub use extract::Unread;

use crate::content::decode;
use crate::door::{Door, Kind, OpenError, Trouble};
use crate::path_rules::RelativePath;
use crate::walk::{Skip, walk};
use crate::watch::Watch;
use extract::extract;
use recto_core::library::{DocumentKind, Section};
use recto_core::text::ContentHash;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A larger file is not read.
pub const MAX_BYTES: u64 = 20 * 1_024 * 1_024;
/// The longest that going through the names of one folder may take.
const LISTING: Duration = Duration::from_secs(600);

/// A folder or a file of the library, held open.
#[derive(Clone, Debug)]
pub struct LibraryRoot {
    door: Arc<Door>,
    /// The one file, where it is no folder.
    only: Option<RelativePath>,
}

/// A file that can be read as a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryFile {
    /// Its path from the root down; the file's name where the root is the file.
    pub path: String,
    /// How it is read.
    pub kind: DocumentKind,
    /// Its length.
    pub n_bytes: u64,
    /// When it was changed last, in milliseconds since 1970 UTC; 0 where the disk does not say.
    pub modified_ms: i64,
}

/// The files below a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files, in the order of their paths.
    pub files: Vec<LibraryFile>,
    /// Whether the walk came to its end. What is missing from a listing that did not need not be gone.
    pub is_whole: bool,
}

/// A document as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryDocument {
    /// The hash of the file's bytes.
    pub hash: ContentHash,
    /// Its text, or why there is none.
    pub sections: Result<Vec<Section>, Unread>,
}

/// Asks whoever goes through a library to end.
#[derive(Clone, Debug)]
pub struct LibraryStop(Watch);

impl Default for LibraryStop {
    fn default() -> Self {
        Self(Watch::new(LISTING))
    }
}

impl LibraryStop {
    /// The listing ends at its next file.
    pub fn stop(&self) {
        self.0.stop();
    }
}

impl LibraryRoot {
    /// Opens a folder or a file. `own` are the folders of the program itself, of which nothing is ever read.
    ///
    /// # Errors
    /// It is not there, cannot be read, or belongs to the program itself; one sentence.
    pub fn open(path: &Path, own: &[PathBuf]) -> Result<Self, OpenError> {
        match Door::open(path, own) {
            Ok(door) => Ok(Self { door: Arc::new(door), only: None }),
            Err(OpenError::NotFolder(_)) => {
                let absent = || OpenError::Absent(path.to_owned());
                let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str()))
                else {
                    return Err(absent());
                };
                let door = Door::open(folder, own)?;
                let only = RelativePath::read(name).map_err(|_| absent())?;
                Ok(Self { door: Arc::new(door), only: Some(only) })
            }
            Err(error) => Err(error),
        }
    }

    /// The files that can be read as documents. Hidden ones, those that a `.gitignore` names, and what other programs make anew at
    /// will are passed over.
    #[must_use]
    pub fn list(&self, stop: &LibraryStop) -> Listing {
        let mut listing = Listing::default();
        if let Some(only) = &self.only {
            listing.files.extend(self.file(only));
            listing.is_whole = true;
            return listing;
        }
        if self.door.check_present().is_err() {
            return listing;
        }
        listing.is_whole = walk(&self.door, &RelativePath::root(), Skip::MadeAnew, &stop.0, |path, kind| {
            if kind == Kind::File {
                listing.files.extend(self.file(&path));
            }
            true
        });
        listing
    }

    fn file(&self, path: &RelativePath) -> Option<LibraryFile> {
        let kind = DocumentKind::of(&path.text())?;
        let (found, metadata) = self.door.look(path).ok()?;
        let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
        let since = modified.and_then(|modified| modified.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_ms = since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        (found == Kind::File).then(|| LibraryFile { path: path.text(), kind, n_bytes: metadata.len(), modified_ms })
    }

    /// The hash of a file's bytes as they are now, so that one that was only touched need not be read again.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn hash(&self, path: &str) -> Result<ContentHash, Unread> {
        Ok(ContentHash::of(&self.bytes(path)?))
    }

    /// Reads a document. Takes as long as that document takes, at most half a minute, so it belongs on a thread of its own.
    ///
    /// # Errors
    /// Its bytes cannot be had. What cannot be made of them stands beside their hash.
    pub fn read(&self, path: &str, kind: DocumentKind) -> Result<LibraryDocument, Unread> {
        let bytes = self.bytes(path)?;
        let hash = ContentHash::of(&bytes);
        let sections = match extract(kind, bytes) {
            // A name that promises nothing, and bytes that are no text: that is not a document, and no fault.
            Err(Unread::NoText) if !kind.is_certain(path) => Err(Unread::NoDocument),
            sections => sections,
        };
        Ok(LibraryDocument { hash, sections })
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, Unread> {
        let path = RelativePath::read(path).map_err(|_| Unread::Gone)?;
        let (bytes, n_bytes) = self.door.read(&path, MAX_BYTES + 1).map_err(|trouble| match trouble {
            Trouble::Absent | Trouble::WorkspaceGone => Unread::Gone,
            Trouble::Io(error) if error.kind() == std::io::ErrorKind::NotFound => Unread::Gone,
            _ => Unread::Refused,
        })?;
        if n_bytes > MAX_BYTES { Err(Unread::TooLarge) } else { Ok(bytes) }
    }
}

/// Bytes as text with line feeds, in whatever encoding they are.
fn text_of(bytes: &[u8]) -> Result<String, Unread> {
    let text = decode(bytes).ok_or(Unread::NoText)?.text;
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}
