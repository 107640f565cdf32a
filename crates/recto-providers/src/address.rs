//! Where a server is: the base address as a person types it, checked before a key could go there.

use reqwest::Url;

/// The base address of an OpenAI-compatible interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    base: Url,
}

/// Why an address cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is no address.
    #[error("`{0}` is not the address of a server. Write it like http://127.0.0.1:8080/v1")]
    Unreadable(String),
    /// It has a user name or a password in it.
    #[error("an address must not hold a name or a key. Put the key into the environment variable RECTO_API_KEY")]
    HoldsCredentials,
    /// It would send everything unencrypted over a network.
    #[error(
        "`http://{0}` would send your texts and the key unencrypted. Use https, or a tunnel to a port of this computer"
    )]
    Unencrypted(String),
}

impl ServerAddress {
    /// Reads an address: the scheme may be left out (http on this computer, https elsewhere), and so may `/v1` where there is no
    /// other path. Unencrypted addresses are taken on this computer only, unless `allows_plain_http`.
    ///
    /// # Errors
    /// It cannot be used; the sentence says why.
    pub fn parse(text: &str, allows_plain_http: bool) -> Result<Self, AddressError> {
        let text = text.trim();
        let unreadable = || AddressError::Unreadable(without_credentials(text));
        let mut base = if text.contains("://") {
            Url::parse(text)
        } else {
            // The host decides on the scheme, so it is read under one and then the other.
            let plain = Url::parse(&format!("http://{text}")).map_err(|_| unreadable())?;
            if is_loopback(&plain) { Ok(plain) } else { Url::parse(&format!("https://{text}")) }
        }
        .map_err(|_| unreadable())?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none_or(str::is_empty) {
            return Err(unreadable());
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(AddressError::HoldsCredentials);
        }
        if base.scheme() == "http" && !is_loopback(&base) && !allows_plain_http {
            return Err(AddressError::Unencrypted(label(&base)));
        }
        base.set_query(None);
        base.set_fragment(None);
        let path = base
            .path()
            .trim_end_matches('/')
            .trim_end_matches("/chat/completions")
            .trim_end_matches("/messages")
            .to_owned();
        base.set_path(if path.is_empty() { "/v1" } else { &path });
        Ok(Self { base })
    }

    /// The address in the one form in which it is kept and compared: with its scheme, and without the `/v1` that is added to an
    /// address without a path. Reading it again gives the same address.
    #[must_use]
    pub fn base_url(&self) -> String {
        let url = self.base.as_str().trim_end_matches('/');
        let is_usual = self.base.path() == "/v1";
        if is_usual { url.trim_end_matches("/v1").to_owned() } else { url.to_owned() }
    }

    /// Whether `name` names its host: `example.com` on any port, `example.com:8080` on that one.
    #[must_use]
    pub fn is_at(&self, name: &str) -> bool {
        let host = self.base.host_str().unwrap_or_default();
        let port = self.base.port_or_known_default().unwrap_or_default();
        name.eq_ignore_ascii_case(host) || name.eq_ignore_ascii_case(&format!("{host}:{port}"))
    }

    /// Scheme, host and port: what a key is bound to.
    #[must_use]
    pub fn origin(&self) -> String {
        self.base.origin().ascii_serialization()
    }

    /// Host and port, for sentences.
    #[must_use]
    pub fn label(&self) -> String {
        label(&self.base)
    }

    /// Whether Anthropic's interface is spoken there: its own host, or a path of another one that says so (`https://api.example.com/anthropic/v1`).
    #[must_use]
    pub fn is_anthropic(&self) -> bool {
        let host = self.base.host_str().unwrap_or_default();
        host == "api.anthropic.com" || self.base.path().split('/').any(|part| part.eq_ignore_ascii_case("anthropic"))
    }

    /// Whether it is on this computer.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.base)
    }

    /// Whether it is encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// A path under the base.
    pub(crate) fn under(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path()));
        url
    }

    /// A path at the root of the server.
    pub(crate) fn at_root(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(path);
        url
    }
}

fn label(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// An address that cannot be read may still hold a password, which no sentence repeats.
fn without_credentials(text: &str) -> String {
    text.rsplit_once('@').map_or_else(|| text.to_owned(), |(_, host)| format!("…@{host}"))
}

#[cfg(test)]
mod tests {
    use super::{AddressError, ServerAddress};

    #[test]
    fn an_address_is_read_as_people_type_it() {
        for (typed, url) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080/v1/models"),
            (" http://localhost:1234/v1/ ", "http://localhost:1234/v1/models"),
            ("http://[::1]:9", "http://[::1]:9/v1/models"),
            ("api.example.com", "https://api.example.com/v1/models"),
            ("https://example.com/api/v1/chat/completions", "https://example.com/api/v1/models"),
            ("https://example.com/v1?x=1#y", "https://example.com/v1/models"),
        ] {
            assert_eq!(ServerAddress::parse(typed, false).unwrap().under("models").as_str(), url, "{typed}");
        }
        assert_eq!(
            ServerAddress::parse("127.0.0.1:8080", false).unwrap().at_root("/props").as_str(),
            "http://127.0.0.1:8080/props"
        );
    }

    #[test]
    fn an_address_has_one_form_in_which_it_is_kept() {
        for (typed, kept) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("localhost:1234", "http://localhost:1234"),
            ("HTTP://LOCALHOST:1234/v1/", "http://localhost:1234"),
            ("http://[::1]:9", "http://[::1]:9"),
            ("api.example.com", "https://api.example.com"),
            ("https://example.com/api/v1/chat/completions", "https://example.com/api/v1"),
        ] {
            let address = ServerAddress::parse(typed, false).unwrap();
            assert_eq!(address.base_url(), kept, "{typed}");
            assert_eq!(ServerAddress::parse(kept, false).unwrap(), address, "{typed}");
        }
    }

    #[test]
    fn a_host_is_named_with_or_without_its_port_and_never_by_a_part_of_it() {
        let address = ServerAddress::parse("https://api.example.com", false).unwrap();
        let named = ["api.example.com", "API.example.com:443"].map(|name| address.is_at(name));
        let others = ["example.com", "api.example.com:8443", "api.example.com.evil.org", "", "https://api.example.com"]
            .map(|name| address.is_at(name));
        assert_eq!((named, others), ([true; 2], [false; 5]));
    }

    #[test]
    fn attack_t46_an_unencrypted_address_is_taken_on_this_computer_only() {
        assert_eq!(
            ServerAddress::parse("http://192.168.1.5:8080", false),
            Err(AddressError::Unencrypted("192.168.1.5:8080".into()))
        );
        // A name that only begins like this computer's is another computer.
        assert_eq!(
            ServerAddress::parse("http://127.0.0.1.example.com", false),
            Err(AddressError::Unencrypted("127.0.0.1.example.com".into()))
        );
        assert!(ServerAddress::parse("http://192.168.1.5:8080", true).is_ok());
        assert!(!ServerAddress::parse("192.168.1.5:8080", false).unwrap().is_loopback());
    }

    #[test]
    fn an_address_that_cannot_be_used_says_why_and_repeats_no_password() {
        assert_eq!(ServerAddress::parse("https://me:pw@example.com", false), Err(AddressError::HoldsCredentials));
        assert_eq!(
            ServerAddress::parse("ftp://example.com", false),
            Err(AddressError::Unreadable("ftp://example.com".into()))
        );
        assert_eq!(ServerAddress::parse("http://me:pw@", false), Err(AddressError::Unreadable("…@".into())));
        assert_eq!(ServerAddress::parse("", false), Err(AddressError::Unreadable(String::new())));
    }
}
