//! What is on the disk, by a walk of its own that knows nothing of the door.

use recto_core::text::ContentHash;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Every path below a folder with what is there: the hash of a file, `folder`, or where a link leads.
pub(crate) type Tree = BTreeMap<String, String>;

pub(crate) fn tree(root: &Path) -> io::Result<Tree> {
    let mut found = Tree::new();
    walk(root, root, &mut found)?;
    Ok(found)
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    ContentHash::of(bytes).as_str().to_owned()
}

fn walk(root: &Path, folder: &Path, found: &mut Tree) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.strip_prefix(root).map(|name| name.display().to_string()).unwrap_or_default();
        let kind = path.symlink_metadata()?.file_type();
        let what = if kind.is_symlink() {
            format!("link to {}", std::fs::read_link(&path)?.display())
        } else if kind.is_dir() {
            "folder".to_owned()
        } else {
            hash(&std::fs::read(&path)?)
        };
        let is_folder = kind.is_dir();
        found.insert(name, what);
        if is_folder {
            walk(root, &path, found)?;
        }
    }
    Ok(())
}
