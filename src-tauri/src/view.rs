//! What crosses to the window: values for reading, parameters and events. The TypeScript in `ui/src/ipc/generated` is made from
//! these types and from nothing else; `tests/bindings.rs` fails when it is stale.
//!
//! Everything is camelCase on the wire, unions are tagged, ids are strings, and what is missing is written as `null`.

pub mod approval;
pub mod audit;
pub mod conversation;
pub mod error;
pub mod model;
pub mod request;
pub mod settings;
pub mod todo;
pub mod turn;
