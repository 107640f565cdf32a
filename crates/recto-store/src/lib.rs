//! recto-store
