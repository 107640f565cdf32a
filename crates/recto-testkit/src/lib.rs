//! recto-testkit
