//! recto-local
