//! Models behind HTTP: the OpenAI-compatible interface of llama-server, LM Studio, vLLM, Ollama and the clouds.
//!
//! The bytes of a request are made by a pure function and go out unchanged; a reply is read from bytes to frames to text by
//! readers that do no I/O ([`sse`], [`openai::reading`]), so every split of a stream can be tried. The HTTP client follows no
//! redirect, asks for no compression, has no total time limit, and tries again only before the first byte of a reply.
//! Keys are values of [`Secret`], which cannot be printed.

#![warn(missing_docs)]

pub mod address;
pub mod discover;
pub mod fetch;
mod http;
pub mod openai;
mod retry;
mod secret;
pub mod sse;
mod trouble;

pub use discover::{DiscoveredModel, WindowSource, discover};
pub use http::Timing;
pub use openai::{OpenAiClient, OpenAiSettings};
pub use secret::Secret;
pub use trouble::Trouble;
