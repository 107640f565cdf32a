//! Which file or folder something is, whatever it is called.

use cap_fs_ext::MetadataExt as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use std::io;
use std::path::Path;

/// The number of a file on its volume, and of the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    volume: u64,
    number: u64,
}

impl Identity {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { volume: metadata.dev(), number: metadata.ino() }
    }

    /// Of the folder that is at this place of the disk now.
    pub(crate) fn of_folder_at(place: &Path) -> io::Result<Self> {
        Ok(Self::of(&Dir::open_ambient_dir(place, ambient_authority())?.dir_metadata()?))
    }

    /// As bytes, for a hash.
    pub(crate) fn bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.volume.to_le_bytes());
        bytes[8..].copy_from_slice(&self.number.to_le_bytes());
        bytes
    }
}
