//! A real llama-server: started on a free port of this computer with a small model, ended with the test. `RECTO_LLAMA_SERVER` names the program,
//! where it is not on the path.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test says why it was left out, and fails where the peer does"
)]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// It is started with two slots, and with twice as many tokens.
pub const WINDOW_OF_A_SLOT: u32 = 6_144;

/// One at a time, because two would share the cores.
static ONE: Mutex<()> = Mutex::new(());

/// The running server.
pub struct Peer {
    process: Child,
    port: u16,
    _only: MutexGuard<'static, ()>,
}

impl Peer {
    /// Starts it with a model of the folder in `RECTO_MODELS` and more arguments. `None`, and a line that says so, where there is no such program or
    /// no such model.
    ///
    /// # Panics
    /// If it does not get ready.
    #[must_use]
    pub fn start(model: &str, more: &[&str]) -> Option<Self> {
        let (Some(program), Some(model)) = (program(), model_file(model)) else {
            eprintln!(
                "left out: this test needs a llama-server (RECTO_LLAMA_SERVER, or on the PATH) and the small model in RECTO_MODELS"
            );
            return None;
        };
        let only = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(program)
            .arg("--model")
            .arg(model)
            .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--jinja"])
            .args(["--ctx-size", &(2 * WINDOW_OF_A_SLOT).to_string(), "--parallel", "2"])
            .args(more)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let peer = Self { process, port, _only: only };
        let started = Instant::now();
        while !peer.get("/health").starts_with("HTTP/1.1 200") {
            assert!(started.elapsed() < Duration::from_secs(120), "llama-server does not get ready");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(peer)
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Whether one of its slots works on something.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.get("/slots").contains("\"is_processing\":true")
    }

    /// The body of what it answers to a JSON text.
    ///
    /// # Panics
    /// If it is not there, or answers with something else than success.
    #[must_use]
    pub fn post(&self, path: &str, json: &str) -> String {
        let head =
            format!("POST {path} HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n", json.len());
        let response = self.send(&head, json);
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {response}");
        body.to_owned()
    }

    fn get(&self, path: &str) -> String {
        self.send(&format!("GET {path} HTTP/1.1\r\n"), "")
    }

    /// The whole response; empty where nobody listens yet.
    fn send(&self, head: &str, body: &str) -> String {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return String::new() };
        write!(stream, "{head}host: 127.0.0.1\r\nconnection: close\r\n\r\n{body}").unwrap();
        let mut response = String::new();
        // A server that is just ending may close in the middle.
        let _ = stream.read_to_string(&mut response);
        response
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program() -> Option<PathBuf> {
    let named = std::env::var_os("RECTO_LLAMA_SERVER").map(PathBuf::from);
    let on_path = || {
        std::env::split_paths(&std::env::var_os("PATH")?)
            .map(|folder| folder.join("llama-server"))
            .find(|file| file.is_file())
    };
    named.or_else(on_path)
}

fn model_file(name: &str) -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os("RECTO_MODELS")?).join(name)).filter(|file| file.is_file())
}
