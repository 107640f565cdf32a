//! The HTTP client and its settings.

use crate::address::ServerAddress;
use crate::trouble::Trouble;
use reqwest::Client;
use std::time::Duration;

/// Time limits of a connection. There is none for a whole reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// For the connection to be made.
    pub connect: Duration,
    /// For the next byte of an answer; a local model may read a long request for minutes before it says anything.
    pub idle: Duration,
    /// For counts and the end mark once the model has said that it is done.
    pub after_finish: Duration,
    /// Before the second try; doubled before each later one.
    pub first_pause: Duration,
}

impl Timing {
    /// The usual limits for a server on this computer, or elsewhere.
    #[must_use]
    pub fn usual(is_loopback: bool) -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(if is_loopback { 600 } else { 180 }),
            after_finish: Duration::from_secs(2),
            first_pause: Duration::from_millis(200),
        }
    }
}

/// A client for this server.
///
/// It follows no redirect, because a key must not follow one; it goes through no proxy to this computer; it asks for no
/// compression, so that what is read is what was sent; it repeats nothing by itself, so that every try is seen.
pub(crate) fn client(address: &ServerAddress, timing: Timing) -> Result<Client, Trouble> {
    // Fails only if a provider is installed already, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(timing.connect)
        .tcp_nodelay(true)
        .user_agent(concat!("recto/", env!("CARGO_PKG_VERSION")));
    if address.is_loopback() {
        builder = builder.no_proxy();
    }
    if !address.is_encrypted() {
        // Without encryption no certificates are needed, so a computer that has none can still use its own server.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| Trouble::client(&address.label(), &error))
}
