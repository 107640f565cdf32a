//! recto-providers
