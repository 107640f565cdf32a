//! The embedded model: llama.cpp inside the program, one thread of its own, exact bytes and exact counts.
//!
//! Templates, the split into blocks and the reading of tool calls are ours; the library gives tokens, logits, grammars and the cache. Nothing here
//! knows what a turn is.

#![warn(missing_docs)]

mod cache;
pub mod catalogue;
mod draw;
pub mod gguf;
mod grammar;
mod kept;
mod load;
mod model;
mod prefix;
mod prompt;
mod reading;
mod template;
mod tokens;
mod worker;

pub use grammar::{LONGEST_COUNTED, grammar_of};
pub use load::{LoadError, LoadOptions, available_bytes, check_file, memory_needed};
pub use model::LocalModel;
pub use template::{ChatTemplate, TemplateError};
