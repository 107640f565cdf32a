//! The specification: stories over the whole program, without a window. See `spec/`.
