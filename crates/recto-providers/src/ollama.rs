//! Ollama's own interface: `/api/chat`. Its OpenAI-compatible one takes no window and shortens what does not fit into the default one without a word.

pub(crate) mod chunk;
pub(crate) mod encode;
