//! Decisions and data of Recto: what a request is made of, what a turn does next, what may be written.
//!
//! Nothing here waits, reads a file, looks at a clock or draws a random id; whatever changes comes in as an argument.
//! So every rule can be tested as text. `tests/spec/layers.rs` watches what this crate may depend on.

#![warn(missing_docs)]

pub mod approval;
pub mod assistant;
pub mod audit;
pub mod calibration;
pub mod checkup;
pub mod context;
pub mod conversation;
pub mod difference;
pub mod fact;
pub mod id;
pub mod library;
pub mod memory;
pub mod prompt;
pub mod redaction;
pub mod reminder;
pub mod reply;
pub mod request;
pub mod step;
pub mod telling;
pub mod text;
pub mod todo;
pub mod tool;
pub mod turn;
pub mod whereabouts;
pub mod witness;
