//! The peer: started on a free port of this computer with a small model, ended with the test.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// It is started with two slots, and with twice as many tokens.
pub(crate) const WINDOW_OF_A_SLOT: u32 = 6_144;

/// One at a time, because two would share the cores.
static ONE: Mutex<()> = Mutex::new(());

pub(crate) struct Peer {
    process: Child,
    port: u16,
    _only: MutexGuard<'static, ()>,
}

impl Peer {
    /// `None`, and a line that says so, where there is no such program or no model.
    pub(crate) fn start() -> Option<Self> {
        let (Some(program), Some(model)) = (program(), model()) else {
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

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Whether one of its slots works on something.
    pub(crate) fn is_busy(&self) -> bool {
        self.get("/slots").contains("\"is_processing\":true")
    }

    /// The whole response; empty where nobody listens yet.
    fn get(&self, path: &str) -> String {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return String::new() };
        let request = format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
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

fn model() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("RECTO_MODELS")?);
    Some(folder.join("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf")).filter(|file| file.is_file())
}
