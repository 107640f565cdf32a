//! What can be wrong with a place.

use crate::path_rules::PathFault;
use std::io;

/// Why a path leads nowhere that a tool may use. What the model is told about it needs the path and what is near it.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Nothing is there.
    Absent,
    /// A file is where a folder was wanted.
    IsFile,
    /// A folder is where a file was wanted.
    IsFolder,
    /// A pipe, a device or a socket.
    Special,
    /// A link leads out of the workspace.
    Outside,
    /// This part of the path is a link, and nothing is written through links.
    Link(String),
    /// The way leads into the program's own data, by a mount or a second name.
    Own,
    /// There is a name that differs only in case, width or composition; its path.
    Twin(String),
    /// The name or path itself is not taken.
    Fault(PathFault),
    /// The workspace was moved, replaced or removed.
    WorkspaceGone,
    /// Anything else that the system says.
    Io(io::Error),
}

impl Trouble {
    /// Whether the place is refused whatever anyone decides.
    pub(crate) fn is_forbidden(&self) -> bool {
        match self {
            Self::Outside | Self::Link(_) | Self::Own => true,
            Self::Fault(fault) => fault.is_forbidden(),
            _ => false,
        }
    }
}

impl From<PathFault> for Trouble {
    fn from(fault: PathFault) -> Self {
        Self::Fault(fault)
    }
}
