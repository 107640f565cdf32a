//! HTTP models against a server that cuts, stalls, refuses and breaks bytes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "what a test takes for granted fails the test")]

mod bodies;
mod client;
mod dialects;
mod discovery;
mod faults;
mod fetching;
mod requests;
mod secrets;
mod splits;
mod stops;
mod tries;
mod troubles;
