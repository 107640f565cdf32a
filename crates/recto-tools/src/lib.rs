//! recto-tools
