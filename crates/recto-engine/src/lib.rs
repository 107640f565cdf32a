//! Drives a turn: carries out the orders of `recto_core::turn` through ports and feeds back what happened.
//!
//! The ports belong here, because this is who asks. Adapters implement them and never know each other.

#![warn(missing_docs)]

pub mod drive;
pub mod event;
pub mod ports;
mod send;
mod stream;
pub mod summarise;
