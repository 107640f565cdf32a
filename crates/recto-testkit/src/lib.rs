//! What tests need in place of the world: a model server that plays a script.
//!
//! [`FakeModel`] speaks the OpenAI-compatible interface, Ollama's and Anthropic's on a loopback port, plays the replies of a [`script::Script`] in order,
//! records every request to the byte and checks each one for the rules that real servers enforce (see [`check`]).
//! It runs on threads of its own, so a test may be with or without a runtime and with a paused clock.
//! [`peer::Peer`] is the opposite: a real llama-server, where there is one.
//! The binary `fake-model` is the same server for journeys in the window.

#![warn(missing_docs)]

pub mod check;
mod http;
pub mod peer;
mod play;
pub mod script;
mod server;
mod shape;

pub use http::RecordedRequest;
pub use play::bodies;
pub use server::FakeModel;
pub use shape::Shape;
