//! Takes a reply apart while it arrives: bytes of tokens → whole characters → text, reasoning and tool calls.
//!
//! A model that was trained on the Hermes format (Qwen among them) writes a call as `<tool_call>{"name": …, "arguments": …}</tool_call>` into its
//! text. The argument string is kept byte for byte, because the same bytes go back in the next request.

use recto_core::id::CallId;
use recto_core::request::Wire;
use recto_core::tool::ToolCall;
use recto_engine::ports::Delta;
use serde::Deserialize;
use serde_json::value::RawValue;

const CALL: &str = "<tool_call>";
const CALL_END: &str = "</tool_call>";
const THINK: &str = "<think>";
const THINK_END: &str = "</think>";

/// What may be marked in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marks {
    /// Nothing: a step under a grammar is text and nothing else.
    None,
    /// Reasoning.
    Reasoning,
    /// Reasoning and calls.
    Calls,
}

/// A reply so far.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    marks: Marks,
    inside: Inside,
    /// Bytes of a character that is not whole yet.
    bytes: Vec<u8>,
    /// Text that may still turn out to be a mark, or the inside of a call.
    held: String,
    /// Whether the call that is being read was announced.
    is_announced: bool,
    /// The text outside of marks.
    pub(crate) text: String,
    /// The reasoning.
    pub(crate) reasoning: String,
    /// The calls.
    pub(crate) calls: Vec<ToolCall>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Text,
    Reasoning,
    Call,
}

impl Reading {
    pub(crate) fn new(marks: Marks) -> Self {
        Self {
            marks,
            inside: Inside::Text,
            bytes: Vec::new(),
            held: String::new(),
            is_announced: false,
            text: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
        }
    }

    /// A reply whose reasoning was begun by the end of the prompt, as templates of models that always reason do.
    pub(crate) fn begun_by(marks: Marks, prompt: &Wire) -> Self {
        let end = prompt.pieces.last().filter(|piece| piece.block.is_none());
        let is_begun = marks != Marks::None && end.is_some_and(|piece| piece.text.trim_end().ends_with(THINK));
        Self { inside: if is_begun { Inside::Reasoning } else { Inside::Text }, ..Self::new(marks) }
    }

    /// Takes the bytes of one token and hands on what is certain.
    pub(crate) fn push(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Delta)) {
        self.bytes.extend_from_slice(bytes);
        self.take_characters();
        self.read(tell);
    }

    /// The reply ended: what was held back is handed on as what it is.
    pub(crate) fn finish(&mut self, tell: &mut dyn FnMut(Delta)) {
        if !self.bytes.is_empty() {
            self.held.push('\u{fffd}');
            self.bytes.clear();
        }
        self.read(tell);
        let held = std::mem::take(&mut self.held);
        match self.inside {
            Inside::Reasoning => self.say_reasoning(held, tell),
            Inside::Text => self.say(held, tell),
            // The end of the reply is as good as the closing mark, if the call itself is whole.
            Inside::Call => {
                match call_in(&held).filter(|call| serde_json::from_str::<&RawValue>(&call.arguments).is_ok()) {
                    Some(call) => self.keep(call, tell),
                    None => self.say(format!("{CALL}{held}"), tell),
                }
            }
        }
        if !self.calls.is_empty() {
            self.text.truncate(self.text.trim_end().len());
        }
    }

    fn take_characters(&mut self) {
        loop {
            match std::str::from_utf8(&self.bytes) {
                Ok(text) => {
                    self.held.push_str(text);
                    self.bytes.clear();
                    return;
                }
                Err(error) => {
                    let n_valid = error.valid_up_to();
                    self.held.push_str(&String::from_utf8_lossy(&self.bytes[..n_valid]));
                    match error.error_len() {
                        None => {
                            self.bytes.drain(..n_valid);
                            return;
                        }
                        Some(n_wrong) => {
                            self.held.push('\u{fffd}');
                            self.bytes.drain(..n_valid + n_wrong);
                        }
                    }
                }
            }
        }
    }

    fn read(&mut self, tell: &mut dyn FnMut(Delta)) {
        loop {
            match self.inside {
                Inside::Text => {
                    let may_think = self.may_think();
                    let think = if may_think { self.held.find(THINK) } else { None };
                    let call = if self.marks == Marks::Calls { self.held.find(CALL) } else { None };
                    let (at, mark, inside) = match (think, call) {
                        (Some(think), call) if call.is_none_or(|call| think < call) => {
                            (think, THINK, Inside::Reasoning)
                        }
                        (_, Some(call)) => (call, CALL, Inside::Call),
                        _ => {
                            let mut n_certain = self.held.len();
                            if may_think {
                                n_certain = n_certain.min(self.held.len() - n_of_mark(&self.held, THINK));
                            }
                            if self.marks == Marks::Calls {
                                n_certain = n_certain.min(self.held.len() - n_of_mark(&self.held, CALL));
                            }
                            let rest = self.held.split_off(n_certain);
                            let text = std::mem::replace(&mut self.held, rest);
                            return self.say(text, tell);
                        }
                    };
                    let after = self.held.split_off(at + mark.len());
                    let mut text = std::mem::replace(&mut self.held, after);
                    text.truncate(at);
                    self.say(text, tell);
                    self.inside = inside;
                    self.is_announced = false;
                }
                Inside::Reasoning => {
                    let Some(at) = self.held.find(THINK_END) else {
                        let rest = self.held.split_off(self.held.len() - n_of_mark(&self.held, THINK_END));
                        let text = std::mem::replace(&mut self.held, rest);
                        return self.say_reasoning(text, tell);
                    };
                    let after = self.held.split_off(at + THINK_END.len());
                    let mut text = std::mem::replace(&mut self.held, after);
                    text.truncate(at);
                    self.say_reasoning(text, tell);
                    self.inside = Inside::Text;
                }
                Inside::Call => {
                    if !self.is_announced
                        && let Some(name) = name_in(&self.held)
                    {
                        self.is_announced = true;
                        tell(Delta::Call(name));
                    }
                    let Some(at) = self.held.find(CALL_END) else { return };
                    let after = self.held.split_off(at + CALL_END.len());
                    let mut body = std::mem::replace(&mut self.held, after);
                    body.truncate(at);
                    self.inside = Inside::Text;
                    match call_in(&body) {
                        Some(call) => self.keep(call, tell),
                        None => self.say(format!("{CALL}{body}{CALL_END}"), tell),
                    }
                }
            }
        }
    }

    /// Reasoning stands at the very beginning or not at all; later the mark is a word like others.
    fn may_think(&self) -> bool {
        let is_blank = |text: &str| text.trim().is_empty();
        let before = self.held.split('<').next().unwrap_or_default();
        self.marks != Marks::None && self.calls.is_empty() && is_blank(&self.text) && is_blank(before)
    }

    fn keep(&mut self, call: ToolCall, tell: &mut dyn FnMut(Delta)) {
        if !std::mem::replace(&mut self.is_announced, true) {
            tell(Delta::Call(call.name.clone()));
        }
        self.calls.push(call);
    }

    fn say(&mut self, text: String, tell: &mut dyn FnMut(Delta)) {
        if !text.is_empty() {
            self.text.push_str(&text);
            tell(Delta::Text(text));
        }
    }

    fn say_reasoning(&mut self, text: String, tell: &mut dyn FnMut(Delta)) {
        if !text.is_empty() {
            self.reasoning.push_str(&text);
            tell(Delta::Reasoning(text));
        }
    }
}

/// Bytes at the end of `text` that may be the beginning of `mark`.
fn n_of_mark(text: &str, mark: &str) -> usize {
    (1..mark.len()).rev().find(|n| text.ends_with(&mark[..*n])).unwrap_or(0)
}

#[derive(Deserialize)]
struct Written<'a> {
    name: String,
    #[serde(borrow, alias = "parameters")]
    arguments: Option<&'a RawValue>,
}

/// The call that is written between the marks. Arguments that are no JSON are kept as they are: whoever runs the tool says what is wrong with
/// them. `None` where not even a name is there.
fn call_in(body: &str) -> Option<ToolCall> {
    // The turn numbers the calls of a model that gives them no name of its own.
    let id = CallId(String::new());
    if let Ok(written) = serde_json::from_str::<Written<'_>>(body) {
        let arguments = written.arguments.map_or("{}", RawValue::get).to_owned();
        return Some(ToolCall { id, name: written.name, arguments });
    }
    let name = name_in(body)?;
    let (_, after) = body.split_once("\"arguments\"").or_else(|| body.split_once("\"parameters\""))?;
    let arguments = after.trim_start().strip_prefix(':')?.trim();
    let arguments = arguments.strip_suffix('}').unwrap_or(arguments).trim_end();
    Some(ToolCall { id, name, arguments: arguments.to_owned() })
}

/// The name in a call that may not be whole yet.
fn name_in(body: &str) -> Option<String> {
    let (_, after) = body.split_once("\"name\"")?;
    let quoted = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (name, _) = quoted.split_once('"')?;
    (!name.is_empty() && !name.contains('\\')).then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
