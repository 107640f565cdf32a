//! Models behind HTTP: the OpenAI-compatible interface of llama-server, LM Studio, vLLM and the clouds, Ollama's own, and Anthropic's.
//!
//! The bytes of a request are made by a pure function of its dialect ([`Dialect`]) and go out unchanged; a reply is read from bytes to frames to
//! text by readers that do no I/O ([`sse`], [`ndjson`], [`reading`]), so every split of a stream can be tried. The HTTP client follows no
//! redirect, asks for no compression, has no total time limit, and tries again only before the first byte of a reply.
//! Keys are values of [`Secret`], which cannot be printed.

#![warn(missing_docs)]

pub mod address;
mod anthropic;
mod body;
mod client;
mod dialect;
pub mod discover;
pub mod fetch;
mod http;
pub mod ndjson;
mod ollama;
mod openai;
pub mod reading;
mod retry;
mod secret;
pub mod sse;
mod tokenizer;
mod trouble;

pub use client::{Learner, ReplyLimit, ServerClient, ServerSettings};
pub use dialect::{ANTHROPIC_VERSION, Dialect};
pub use discover::{DiscoveredModel, Discovery, WindowSource, discover};
pub use http::Timing;
pub use secret::Secret;
pub use tokenizer::Tokenizer;
pub use trouble::Trouble;
