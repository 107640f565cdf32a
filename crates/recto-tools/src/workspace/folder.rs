//! Which folder a file lies in, for rules: by identity, so that neither a new name nor another folder under the old one makes a difference.

use super::Workspace;
use crate::door::{Door, Identity};
use crate::path_rules::RelativePath;
use recto_core::tool::FolderIdentity;

impl Workspace {
    /// Which folder the workspace is; `None` if none was chosen.
    #[must_use]
    pub fn identity(&self) -> Option<FolderIdentity> {
        self.door.as_ref().map(|door| identity(door, door.identity()))
    }
}

/// The folder that the file at `path` lies in, reached as a write reaches it; `None` where that is not there yet or cannot be entered.
pub(super) fn folder_of(door: &Door, path: &RelativePath) -> Option<FolderIdentity> {
    let parent = door.parent_of(path).ok()?;
    let is_there = parent.missing.is_empty();
    let metadata = parent.dir.dir_metadata().ok()?;
    is_there.then(|| identity(door, Identity::of(&metadata)))
}

/// The same folder in another workspace is another one.
fn identity(door: &Door, folder: Identity) -> FolderIdentity {
    let bytes = door.identity().bytes().into_iter().chain(folder.bytes());
    FolderIdentity(bytes.map(|byte| format!("{byte:02x}")).collect())
}
