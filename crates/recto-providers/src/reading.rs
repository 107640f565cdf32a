//! A reply from the bytes of an answer's body, without I/O. Where the bytes are cut makes no difference to what is told.

use super::calls::CallAssembler;
use super::chunk;
use super::think::{Stretch, ThinkSplitter};
use super::usage;
use crate::sse::{Decoder, Frame};
use recto_core::id::CallId;
use recto_core::reply::{Finish, Reply};
use recto_engine::ports::Delta;
use serde_json::Value;

/// The largest answer that is read, in bytes.
pub const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// Why a body is no whole reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// The provider says that something went wrong; its words.
    Provider(String),
    /// It is a web page; its first thousand characters.
    Page(String),
    /// It is neither a stream of events nor a JSON reply; its first thousand characters.
    Strange(String),
    /// A line is longer than a decoder takes.
    LineTooLong,
    /// It is larger than [`BODY_LIMIT`].
    TooLarge,
    /// It ended inside the arguments of a tool call.
    CallCutOff,
    /// A tool call cannot be told from another, or has no name.
    CallAmbiguous,
    /// It ended without saying anything.
    Empty,
}

/// A body that is no whole reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenReply {
    /// Why.
    pub fault: BodyFault,
    /// What there is of a reply. Its calls may be cut off and are not to be run.
    pub partial: Reply,
}

/// Reads one reply.
#[derive(Debug, Default)]
pub struct ReplyReader {
    taken: Vec<CallId>,
    body: Body,
    n_bytes: usize,
    n_ignored: u32,
    n_progress: usize,
    think: ThinkSplitter,
    calls: CallAssembler,
    reply: Reply,
    finish: Option<Finish>,
    has_end_mark: bool,
    fault: Option<BodyFault>,
}

/// What the body turns out to be, by its first byte that is no white space.
#[derive(Debug, Default)]
enum Body {
    #[default]
    Unknown,
    Events(Decoder),
    /// JSON or a page, kept until it is whole.
    Whole(Vec<u8>),
}

impl ReplyReader {
    /// A reader. Calls that come without an id get one that is not in `taken`.
    #[must_use]
    pub fn new(taken: Vec<CallId>) -> Self {
        Self { taken, ..Self::default() }
    }

    /// Takes bytes of the body and tells what they add.
    pub fn push(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Delta)) {
        self.n_bytes += bytes.len();
        if self.n_bytes > BODY_LIMIT {
            self.fail(BodyFault::TooLarge);
        }
        if self.is_over() {
            return;
        }
        if matches!(self.body, Body::Unknown) {
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return,
                Some(b'{' | b'[' | b'<') => self.body = Body::Whole(Vec::new()),
                Some(_) => self.body = Body::Events(Decoder::default()),
            }
        }
        match &mut self.body {
            Body::Events(decoder) => {
                let frames = decoder.push(bytes);
                self.frames(frames, tell);
            }
            Body::Whole(whole) => {
                self.n_progress += bytes.len();
                whole.extend_from_slice(bytes);
            }
            Body::Unknown => {}
        }
    }

    /// The body has ended cleanly.
    pub fn end(&mut self, tell: &mut dyn FnMut(Delta)) {
        match std::mem::take(&mut self.body) {
            Body::Events(mut decoder) => {
                let frames = decoder.finish();
                self.frames(frames, tell);
            }
            Body::Whole(whole) if !self.is_over() => self.whole(&whole, tell),
            _ => {}
        }
        self.settle(tell);
    }

    /// Nothing that comes later counts: the end mark or an error was read.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.has_end_mark || self.fault.is_some()
    }

    /// Why the model ended is known; counts and the end mark may still come.
    #[must_use]
    pub fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    /// A number that grows with everything that says something; comments and frames that are not understood do not count.
    #[must_use]
    pub fn n_progress(&self) -> usize {
        self.n_progress
    }

    /// A tool call has begun and its arguments are not whole.
    #[must_use]
    pub fn is_in_call(&self) -> bool {
        self.calls.is_cut_off()
    }

    /// What there is so far, whole or not.
    #[must_use]
    pub fn so_far(&mut self, finish: Finish) -> Reply {
        self.settle(&mut |_| {});
        Reply { finish, ..self.reply.clone() }
    }

    /// The reply, or why it is none and what there is of it.
    ///
    /// # Errors
    /// The body is no whole reply.
    pub fn result(mut self) -> Result<Reply, Box<BrokenReply>> {
        self.settle(&mut |_| {});
        if self.n_ignored > 0 {
            tracing::debug!(n = self.n_ignored, "frames that were not understood");
        }
        let mut reply = self.reply;
        reply.finish = match self.finish {
            None if self.has_end_mark => Finish::Stop,
            None => Finish::Unmarked,
            Some(finish) => finish,
        };
        // Several servers end a reply that calls tools with a plain `stop`.
        if reply.finish == Finish::Stop && self.calls.has_begun() {
            reply.finish = Finish::ToolCalls;
        }
        let says_nothing = reply.text.is_empty() && reply.reasoning.is_empty() && reply.calls.is_empty();
        let fault = self.fault.or_else(|| {
            if self.calls.is_ambiguous() {
                Some(BodyFault::CallAmbiguous)
            } else if reply.finish == Finish::Unmarked && self.calls.is_cut_off() {
                Some(BodyFault::CallCutOff)
            } else {
                (says_nothing && self.finish.is_none()).then_some(BodyFault::Empty)
            }
        });
        match fault {
            Some(fault) => Err(Box::new(BrokenReply { fault, partial: reply })),
            None => Ok(reply),
        }
    }

    fn frames(&mut self, frames: Vec<Frame>, tell: &mut dyn FnMut(Delta)) {
        for frame in frames {
            if self.is_over() {
                return;
            }
            match frame {
                Frame::Comment => {}
                Frame::TooLong => self.fail(BodyFault::LineTooLong),
                Frame::Event { event, data } => self.event(&event, &data, tell),
            }
        }
    }

    fn event(&mut self, event: &str, data: &str, tell: &mut dyn FnMut(Delta)) {
        if data.trim().eq_ignore_ascii_case("[done]") {
            self.has_end_mark = true;
            return;
        }
        let values = chunk::parse(data);
        if values.is_empty() {
            if event == "error" {
                self.fail(BodyFault::Provider(data.to_owned()));
            } else {
                self.n_ignored += 1;
            }
        }
        for value in values {
            self.n_progress += 1;
            self.value(event, &value, tell);
        }
    }

    /// One chunk of a stream, or a whole reply: they differ in `delta` and `message` only.
    fn value(&mut self, event: &str, value: &Value, tell: &mut dyn FnMut(Delta)) {
        usage::read(value, &mut self.reply.usage);
        if let Some(error) = chunk::error(event, value) {
            self.fail(BodyFault::Provider(error));
            return;
        }
        let Some(choice) = chunk::choice(value) else { return };
        let said = chunk::said(choice);
        if !said.reasoning.is_empty() {
            self.stretch(Stretch::Reasoning(said.reasoning), tell);
        }
        for stretch in self.think.push(&said.text) {
            self.stretch(stretch, tell);
        }
        for name in self.calls.push(&said.calls) {
            tell(Delta::Call(name));
        }
        self.finish = said.finish.or(self.finish);
    }

    fn whole(&mut self, whole: &[u8], tell: &mut dyn FnMut(Delta)) {
        let text = String::from_utf8_lossy(whole);
        match chunk::parse(&text).as_slice() {
            [value] if chunk::choice(value).is_some() || chunk::error("", value).is_some() => {
                self.value("", value, tell)
            }
            _ => {
                let text = text.trim();
                let beginning = text.chars().take(1000).collect();
                let is_page = text.starts_with('<');
                self.fail(if is_page { BodyFault::Page(beginning) } else { BodyFault::Strange(beginning) });
            }
        }
    }

    fn stretch(&mut self, stretch: Stretch, tell: &mut dyn FnMut(Delta)) {
        match stretch {
            Stretch::Reasoning(text) => {
                self.reply.reasoning.push_str(&text);
                tell(Delta::Reasoning(text));
            }
            Stretch::Text(text) => {
                self.reply.text.push_str(&text);
                tell(Delta::Text(text));
            }
        }
    }

    /// Lets go of what was held back, and writes the calls down.
    fn settle(&mut self, tell: &mut dyn FnMut(Delta)) {
        for stretch in self.think.finish() {
            self.stretch(stretch, tell);
        }
        for name in self.calls.finish() {
            tell(Delta::Call(name));
        }
        self.reply.calls = self.calls.calls(&self.taken);
    }

    fn fail(&mut self, fault: BodyFault) {
        self.fault.get_or_insert(fault);
    }
}
