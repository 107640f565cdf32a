//! Tools on the user's files: what a model may read, what it may ask to write, and the one door to the disk.
//!
//! [`Workspace`] is the folder that the user chose, held open. Every path of every tool goes through the module `door`. Nothing in
//! this crate decides whether a write is allowed, asks anyone, or keeps a record: it freezes a change, and later writes exactly that
//! change or nothing. No program is ever started and no configuration is ever read from the workspace.

mod arguments;
mod change;
mod chosen_file;
mod content;
mod definitions;
mod diff;
mod door;
mod edit;
mod executes_later;
mod explain;
mod finding;
mod fitting;
mod leftovers;
mod library;
mod list_dir;
mod path_rules;
mod places;
mod read_file;
mod search_text;
mod visible;
mod walk;
mod watch;
mod workspace;
mod writer;

pub use arguments::{Arguments, Checker};
pub use chosen_file::read_chosen_file;
pub use door::OpenError;
pub use finding::FoundFile;
pub use leftovers::{Leftovers, Standing, UnfinishedWrite};
pub use library::{LibraryDocument, LibraryFile, LibraryRoot, LibraryStop, Listing, MAX_BYTES, Unread};
pub use path_rules::Platform;
pub use visible::{has_hidden, visible};
pub use workspace::{Made, PutBack, Workspace};
