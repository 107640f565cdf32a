//! Choosing the workspace.

use super::{Door, Identity};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::io;
use std::path::{Path, PathBuf};

/// Why a folder cannot be the workspace.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nothing is there.
    #[error("There is no folder `{}`. Choose a folder that exists.", .0.display())]
    Absent(PathBuf),
    /// Something is there, and it is no folder.
    #[error("`{}` is not a folder. Choose the folder it lies in.", .0.display())]
    NotFolder(PathBuf),
    /// The system does not let the program read it.
    #[error("The folder `{}` cannot be read: {source}. Choose another one, or change who may read it.", .place.display())]
    Unreadable {
        /// Which folder.
        place: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// It is the folder in which the program keeps its own data, or lies inside it.
    #[error("`{}` belongs to Recto's own data. Choose a folder with your own files.", .0.display())]
    InsideOwnData(PathBuf),
    /// The program's own data lies inside it.
    #[error("`{}` contains Recto's own data. Choose a folder further down.", .0.display())]
    ContainsOwnData(PathBuf),
}

impl Door {
    /// Opens `folder` and holds it. `own` are the folders of the program itself; they need not be there yet.
    pub(crate) fn open(folder: &Path, own: &[PathBuf]) -> Result<Self, OpenError> {
        let unreadable = |source| OpenError::Unreadable { place: folder.to_owned(), source };
        let root = Dir::open_ambient_dir(folder, ambient_authority()).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => OpenError::Absent(folder.to_owned()),
            io::ErrorKind::NotADirectory => OpenError::NotFolder(folder.to_owned()),
            _ => unreadable(error),
        })?;
        let metadata = root.dir_metadata().map_err(unreadable)?;
        if !metadata.is_dir() {
            return Err(OpenError::NotFolder(folder.to_owned()));
        }
        root.entries().map_err(unreadable)?;
        let identity = Identity::of(&metadata);
        let place = folder.canonicalize().map_err(unreadable)?;
        let mut own_identities = Vec::new();
        for own in own {
            let own_place = canonical_as_far_as_it_exists(own);
            let own_identity = Identity::of_folder_at(&own_place).ok();
            // By path for what is not there yet, by identity for what has a second path (a mount, a link).
            let is_at =
                |place: &Path, wanted: Identity| Identity::of_folder_at(place).is_ok_and(|found| found == wanted);
            if place.starts_with(&own_place)
                || own_identity.is_some_and(|own| place.ancestors().any(|above| is_at(above, own)))
            {
                return Err(OpenError::InsideOwnData(folder.to_owned()));
            }
            if own_place.starts_with(&place) || own_place.ancestors().any(|above| is_at(above, identity)) {
                return Err(OpenError::ContainsOwnData(folder.to_owned()));
            }
            own_identities.extend(own_identity);
        }
        Ok(Self { root, place, identity, own: own_identities })
    }
}

/// The real path of the longest part that exists, with the rest as it is written.
fn canonical_as_far_as_it_exists(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for above in absolute.ancestors() {
        if let (Ok(real), Ok(rest)) = (above.canonicalize(), absolute.strip_prefix(above)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    absolute
}
