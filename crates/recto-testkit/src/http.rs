//! The little of HTTP/1.1 that a server for one request a connection needs.

use crate::shape::Shape;
use serde_json::Value;
use std::io::{self, Read, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// A request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRequest {
    /// `GET`, `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Headers in their order, names as they were sent.
    pub headers: Vec<(String, String)>,
    /// The body, to the byte.
    pub body: Vec<u8>,
    /// How long after its arrival the client closed the connection before the answer was over; `None` if it did not.
    pub closed_after: Option<Duration>,
}

impl RecordedRequest {
    /// A header by its name, whatever the case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null if it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Whether it asks for a chat completion.
    #[must_use]
    pub fn is_chat(&self) -> bool {
        self.shape().is_some()
    }

    /// In which interface it asks for one; `None` if it does not.
    #[must_use]
    pub fn shape(&self) -> Option<Shape> {
        Shape::of(&self.path).filter(|_| self.method == "POST")
    }
}

/// Reads one request.
pub(crate) fn read(stream: &mut TcpStream) -> io::Result<RecordedRequest> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        more(stream, &mut bytes)?;
        if !bytes[0].is_ascii_uppercase() {
            // Someone speaks TLS; a server without it says this and closes.
            stream.write_all(head(400, "text/plain", &[], false, 0).as_bytes())?;
            return Err(io::ErrorKind::InvalidData.into());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let mut request =
        RecordedRequest { method, path, headers, body: bytes.split_off(head_end + 4), closed_after: None };
    let n_body = request.header("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    while request.body.len() < n_body {
        more(stream, &mut request.body)?;
    }
    Ok(request)
}

fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    match stream.read(&mut buffer)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        n => {
            bytes.extend_from_slice(&buffer[..n]);
            Ok(())
        }
    }
}

/// Waits, and says whether the client is still there.
pub(crate) fn is_open_after(stream: &mut TcpStream, pause: Duration) -> bool {
    if pause.is_zero() {
        return true;
    }
    // A client that has sent its request sends nothing more, so the wait ends early only when it closes.
    if stream.set_read_timeout(Some(pause)).is_err() {
        return false;
    }
    match stream.read(&mut [0]) {
        Ok(0) => false,
        Ok(_) => true,
        Err(error) => matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
    }
}

/// Waits until the client closes.
pub(crate) fn until_closed(stream: &mut TcpStream) {
    while is_open_after(stream, Duration::from_secs(60)) {}
}

/// Status line and headers of an answer.
pub(crate) fn head(
    status: u16,
    content_type: &str,
    headers: &[(String, String)],
    is_chunked: bool,
    n_bytes: usize,
) -> String {
    let length =
        if is_chunked { "transfer-encoding: chunked".to_owned() } else { format!("content-length: {n_bytes}") };
    let extra: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: {content_type}\r\n{length}\r\nconnection: close\r\n{extra}\r\n",
        reason(status)
    )
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
