//! The OpenAI-compatible interface: `/v1/chat/completions`.

pub(crate) mod chunk;
pub(crate) mod encode;
pub(crate) mod usage;
