//! The library: roots that a person added, the documents below them, the passages of these, and the two indices that find them.
//!
//! Reading files is somebody else's work. What comes in here are passages; what goes out are passages with a score.

mod documents;
mod index;
mod passages;
mod prepare;
mod roots;
mod score;
mod search;
mod words;

pub use documents::{DocumentRow, DocumentState};
pub use passages::Passage;
pub use prepare::{NewDocument, PreparedDocument, prepare};
pub use roots::RootRow;
pub use search::Found;
pub use words::warm_up;
