//! The server: takes requests, records and checks them, and plays the script.

use crate::check;
use crate::http::{self, RecordedRequest};
use crate::play;
use crate::script::{After, Fault, Message, Part, RequestKind, Script, ScriptedReply};
use crate::shape::{Shape, texts};
use anyhow::Context as _;
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A running fake model. It ends when it is dropped; dropped with faults that nobody asked for, it fails the test.
pub struct FakeModel {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    script: Script,
    n_calls: AtomicU32,
    is_over: AtomicBool,
    on_request: Option<Watcher>,
    record: Mutex<Record>,
    changed: Condvar,
}

type Watcher = Box<dyn Fn(&RecordedRequest, &[String]) + Send + Sync>;

#[derive(Default)]
struct Record {
    requests: Vec<RecordedRequest>,
    faults: Vec<String>,
    are_faults_read: bool,
    /// Replies that each part of the script has given.
    n_played: Vec<usize>,
}

impl FakeModel {
    /// Plays a script on a free port.
    ///
    /// # Panics
    /// The script cannot be read, or there is no port.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test without its server has failed, and the message says why")]
    pub fn start(script: &str) -> Self {
        let script = script.parse().expect("the script of the fake model");
        Self::serve(script, 0, None).expect("a fake model on a loopback port")
    }

    /// Plays a script on this port (0 for a free one), and shows each chat request with its faults to `on_request`.
    ///
    /// # Errors
    /// The port is taken.
    pub fn serve(script: Script, port: u16, on_request: Option<Watcher>) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).with_context(|| format!("port {port} cannot be used"))?;
        let address = listener.local_addr().context("the port has no address")?;
        let record = Record { n_played: vec![0; script.parts.len()], ..Record::default() };
        let shared = Arc::new(Shared {
            script,
            n_calls: AtomicU32::new(0),
            is_over: AtomicBool::new(false),
            on_request,
            record: Mutex::new(record),
            changed: Condvar::new(),
        });
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if accepting.is_over.load(Ordering::Acquire) {
                    return;
                }
                let shared = Arc::clone(&accepting);
                if let Ok(stream) = stream {
                    std::thread::spawn(move || shared.connection(stream));
                }
            }
        });
        Ok(Self { address, shared })
    }

    /// The base address: `http://127.0.0.1:PORT/v1`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Every request that arrived so far, in order; those for the list of models too.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.record().requests.clone()
    }

    /// The chat requests that arrived so far, in order.
    #[must_use]
    pub fn chats(&self) -> Vec<RecordedRequest> {
        self.requests().into_iter().filter(RecordedRequest::is_chat).collect()
    }

    /// What was wrong with the requests so far.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut record = self.shared.record();
        record.are_faults_read = true;
        record.faults.clone()
    }

    /// Fails the test if a request was not well formed.
    ///
    /// # Panics
    /// A request was not well formed.
    pub fn assert_clean(&self) {
        let faults = self.faults();
        assert!(faults.is_empty(), "requests that a real server would refuse: {faults:#?}");
    }

    /// Waits until so many requests arrived, and says whether they did in time.
    #[must_use]
    pub fn wait_for_requests(&self, n: usize, limit: Duration) -> bool {
        self.wait_until(limit, |record| record.requests.len() >= n)
    }

    /// Waits until the client closed the connection of request `index` (from 0) before its answer was over, and says whether
    /// it did in time.
    #[must_use]
    pub fn wait_until_closed(&self, index: usize, limit: Duration) -> bool {
        self.wait_until(limit, |record| {
            record.requests.get(index).is_some_and(|request| request.closed_after.is_some())
        })
    }

    fn wait_until(&self, limit: Duration, is_there: impl Fn(&Record) -> bool) -> bool {
        let record = self.shared.record();
        let waited = self.shared.changed.wait_timeout_while(record, limit, |record| !is_there(record));
        let (record, _) = waited.unwrap_or_else(PoisonError::into_inner);
        is_there(&record)
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        // The accepting thread looks at the flag when someone connects; if nobody can, it is gone already.
        drop(TcpStream::connect(self.address));
        let record = self.shared.record();
        if !record.are_faults_read && !std::thread::panicking() {
            assert!(record.faults.is_empty(), "requests that a real server would refuse: {:#?}", record.faults);
        }
    }
}

impl Shared {
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connection(&self, mut stream: TcpStream) {
        let Ok(request) = http::read(&mut stream) else { return };
        let arrived = Instant::now();
        let faults = request.shape().map(|shape| check::faults(shape, &request.body)).unwrap_or_default();
        if let (Some(watch), true) = (&self.on_request, request.is_chat()) {
            watch(&request, &faults);
        }
        let (index, reply) = {
            let mut record = self.record();
            let index = record.requests.len();
            record.requests.push(request.clone());
            record.faults.extend(faults.iter().map(|fault| format!("request {index}: {fault}")));
            let reply = if request.is_chat() && faults.is_empty() {
                Some(self.next_reply(&mut record, &request.json()))
            } else {
                None
            };
            (index, reply)
        };
        self.changed.notify_all();
        let is_whole = match reply {
            Some(reply) => self.chat(&mut stream, &reply, &request),
            None if faults.is_empty() => self.page(&mut stream, &request),
            None => {
                let body =
                    json!({"error": {"message": faults.join("; "), "type": "invalid_request_error", "code": 400}});
                whole(&mut stream, 400, &body)
            }
        };
        if !is_whole {
            self.record().requests[index].closed_after = Some(arrived.elapsed());
            self.changed.notify_all();
        }
    }

    /// Sends a reply; false if the client closed the connection before it was over.
    fn chat(&self, stream: &mut TcpStream, reply: &ScriptedReply, request: &RecordedRequest) -> bool {
        let shape = request.shape().unwrap_or(Shape::OpenAi);
        let answer = play::answer(reply, shape, &request.json(), &self.n_calls);
        match reply.fault {
            Some(Fault::Close) => return true,
            Some(Fault::StallHeaders) => {
                http::until_closed(stream);
                return false;
            }
            _ => {}
        }
        if !http::is_open_after(stream, reply.delay) {
            return false;
        }
        let head = http::head(answer.status, answer.content_type, &reply.headers, true, 0);
        if stream.write_all(head.as_bytes()).is_err() {
            return false;
        }
        for (number, write) in answer.writes.iter().enumerate() {
            let is_open = number == 0 || http::is_open_after(stream, reply.delay);
            if !is_open || chunk(stream, write).is_err() {
                return false;
            }
        }
        match reply.fault {
            Some(Fault::Stall | Fault::StallAfter(_)) => {
                http::until_closed(stream);
                false
            }
            Some(Fault::CloseAfter(_)) => true,
            // A client that has read the end mark may be gone already; it has missed nothing.
            _ => {
                drop(stream.write_all(b"0\r\n\r\n"));
                true
            }
        }
    }

    fn page(&self, stream: &mut TcpStream, request: &RecordedRequest) -> bool {
        let path = request.path.split('?').next().unwrap_or_default();
        match (request.method.as_str(), path) {
            ("GET", path) if path.ends_with("/v1/models") => whole(stream, 200, &self.models()),
            ("GET", "/props") if self.script.slot_window.is_some() => {
                let window = self.script.slot_window;
                whole(stream, 200, &json!({"default_generation_settings": {"n_ctx": window}, "total_slots": 1}))
            }
            // A vocabulary that is easily checked: each character is a token.
            ("POST", "/tokenize") if self.script.counts => {
                let asked = request.json();
                let n_tokens = asked["content"].as_str().unwrap_or_default().chars().count();
                whole(stream, 200, &json!({"tokens": (0..n_tokens).collect::<Vec<_>>()}))
            }
            ("POST", "/api/show") => {
                let asked = request.json();
                let shown = self.script.shown.iter().find(|model| asked["model"] == model.name.as_str());
                match shown {
                    Some(model) => {
                        let info = json!({"general.architecture": "qwen2", "qwen2.context_length": model.window});
                        whole(stream, 200, &json!({"model_info": info, "capabilities": ["completion", "tools"]}))
                    }
                    None => whole(stream, 404, &json!({"error": "model not found"})),
                }
            }
            ("GET", "/api/ps") if self.script.loaded.is_some() => {
                let loaded: Vec<Value> = self
                    .script
                    .loaded
                    .iter()
                    .flatten()
                    .map(|model| json!({"name": model.name, "model": model.name, "context_length": model.window}))
                    .collect();
                whole(stream, 200, &json!({"models": loaded}))
            }
            ("GET", "/health") => whole(stream, 200, &json!({"status": "ok"})),
            _ => {
                whole(stream, 404, &json!({"error": {"message": "not found", "type": "not_found_error", "code": 404}}))
            }
        }
    }

    fn models(&self) -> Value {
        let listed: Vec<Value> = self
            .script
            .models
            .iter()
            .map(|model| {
                let mut listed = json!({"id": model.name, "object": "model", "owned_by": "script"});
                if let Some(window) = model.window {
                    listed["meta"] = json!({"n_ctx": window});
                }
                listed
            })
            .collect();
        let unnamed = vec![json!({"id": "fake", "object": "model", "owned_by": "script"})];
        json!({"object": "list", "data": if listed.is_empty() { unnamed } else { listed }})
    }

    fn next_reply(&self, record: &mut Record, body: &Value) -> ScriptedReply {
        let Some(part) = fitting_part(&self.script.parts, body) else {
            return said("The script has no part for this request.");
        };
        let Part { replies, after, .. } = &self.script.parts[part];
        let n_played = record.n_played[part];
        record.n_played[part] += 1;
        let place = match after {
            After::Say => n_played,
            After::Repeat => n_played.min(replies.len().saturating_sub(1)),
            After::Again => n_played % replies.len().max(1),
        };
        replies.get(place).cloned().unwrap_or_else(|| said("The script has ended."))
    }
}

/// Of the parts that fit, the one whose words stand last in the request; without words, the first.
fn fitting_part(parts: &[Part], body: &Value) -> Option<usize> {
    let kind = RequestKind::of(body);
    let said: String = body["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|message| message["role"] == "user")
        .flat_map(|message| texts(&message["content"]))
        .collect::<Vec<_>>()
        .join("\n");
    let of_kind = || parts.iter().enumerate().filter(|(_, part)| part.kind.is_none_or(|each| each == kind));
    of_kind()
        .filter_map(|(index, part)| Some((said.rfind(part.asks.as_deref()?)?, index)))
        .max()
        .or_else(|| of_kind().find(|(_, part)| part.asks.is_none()).map(|(index, _)| (0, index)))
        .map(|(_, index)| index)
}

fn said(text: &str) -> ScriptedReply {
    let message = Message { text: Some(text.to_owned()), ..Message::default() };
    ScriptedReply { body: crate::script::Body::Message(message), ..ScriptedReply::default() }
}

fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    stream.write_all(&framed)
}

fn whole(stream: &mut TcpStream, status: u16, body: &Value) -> bool {
    let body = body.to_string();
    let head = http::head(status, "application/json", &[], false, body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).is_ok()
}
