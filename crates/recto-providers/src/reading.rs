//! A reply from the bytes of an answer's body, without I/O. Where the bytes are cut makes no difference to what is told.

mod calls;
mod think;
pub(crate) mod values;

use crate::dialect::{Dialect, Framing};
use crate::sse::Frame;
use crate::{ndjson, sse};
use calls::CallAssembler;
use recto_core::id::CallId;
use recto_core::reply::{Finish, Reply};
use recto_engine::ports::Delta;
use serde_json::{Value, json};
use think::{Stretch, ThinkSplitter};

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

/// What one value of a stream adds, in the same form for every dialect.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) reasoning: String,
    pub(crate) text: String,
    /// Deltas of calls, in the form of OpenAI's interface.
    pub(crate) calls: Vec<Value>,
    pub(crate) finish: Option<Finish>,
    /// Nothing comes after it.
    pub(crate) is_end: bool,
    pub(crate) thoughts: Vec<ThoughtDelta>,
}

/// A piece of reasoning that goes back.
#[derive(Debug)]
pub(crate) enum ThoughtDelta {
    /// A block with this number has begun.
    Begun { index: u64, block: Value },
    /// More of one of its texts.
    More { index: u64, key: &'static str, text: String },
}

/// Reads one reply.
#[derive(Debug, Default)]
pub struct ReplyReader {
    dialect: Dialect,
    taken: Vec<CallId>,
    body: Body,
    n_bytes: usize,
    n_ignored: u32,
    n_progress: usize,
    think: ThinkSplitter,
    calls: CallAssembler,
    thoughts: Vec<(u64, Value)>,
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
    Events(sse::Decoder),
    Lines(ndjson::Decoder),
    /// JSON or a page, kept until it is whole.
    Whole(Vec<u8>),
}

impl ReplyReader {
    /// A reader of this dialect. Calls that come without an id get one that is not in `taken`.
    #[must_use]
    pub fn new(dialect: Dialect, taken: Vec<CallId>) -> Self {
        Self { dialect, taken, ..Self::default() }
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
            let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
            self.body = match (first, self.dialect.framing()) {
                (None, _) => return,
                (Some(b'<'), _) | (Some(b'{' | b'['), Framing::Events) => Body::Whole(Vec::new()),
                (Some(_), Framing::Events) => Body::Events(sse::Decoder::default()),
                (Some(_), Framing::Lines) => Body::Lines(ndjson::Decoder::default()),
            };
        }
        match &mut self.body {
            Body::Events(decoder) => {
                let frames = decoder.push(bytes);
                self.frames(frames, tell);
            }
            Body::Lines(decoder) => {
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
            Body::Lines(mut decoder) => {
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
        let values = values::parse(data);
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
        self.dialect.usage(value, &mut self.reply.usage);
        if let Some(error) = values::error(event, value) {
            self.fail(BodyFault::Provider(error));
            return;
        }
        let Some(said) = self.dialect.said(value) else { return };
        if !said.reasoning.is_empty() {
            self.stretch(Stretch::Reasoning(said.reasoning), tell);
        }
        for stretch in self.think.push(&said.text) {
            self.stretch(stretch, tell);
        }
        let mut calls = said.calls;
        if self.dialect == Dialect::Anthropic {
            // Pieces of blocks that are none of ours, as of tools that run on the server, have an index at which no call began.
            calls.retain(|call| call["id"].is_string() || self.calls.has_index(&call["index"]));
        }
        for name in self.calls.push(&calls) {
            tell(Delta::Call(name));
        }
        for thought in said.thoughts {
            self.think_more(thought);
        }
        self.finish = said.finish.or(self.finish);
        self.has_end_mark |= said.is_end;
    }

    fn think_more(&mut self, thought: ThoughtDelta) {
        match thought {
            ThoughtDelta::Begun { index, block } => self.thoughts.push((index, block)),
            ThoughtDelta::More { index, key, text } => {
                // A piece without a beginning belongs to nothing that could go back.
                if let Some((_, block)) = self.thoughts.iter_mut().rfind(|(begun, _)| *begun == index) {
                    let before = block[key].as_str().unwrap_or_default();
                    block[key] = json!(format!("{before}{text}"));
                }
            }
        }
    }

    fn whole(&mut self, whole: &[u8], tell: &mut dyn FnMut(Delta)) {
        let text = String::from_utf8_lossy(whole);
        match values::parse(&text).as_slice() {
            [value] if self.dialect.said(value).is_some() || values::error("", value).is_some() => {
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
        if self.dialect != Dialect::OpenAi {
            // Where arguments are an object, a call without any has an empty one, which comes as nothing.
            for call in self.reply.calls.iter_mut().filter(|call| call.arguments.is_empty()) {
                "{}".clone_into(&mut call.arguments);
            }
        }
        self.reply.thoughts = self.thoughts.iter().map(|(_, block)| block.to_string()).collect();
    }

    fn fail(&mut self, fault: BodyFault) {
        self.fault.get_or_insert(fault);
    }
}
