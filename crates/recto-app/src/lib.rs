//! recto-app
