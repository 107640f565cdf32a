//! Anthropic's interface: `/v1/messages`.

pub(crate) mod chunk;
pub(crate) mod encode;
