//! From a request to the exact prompt, in pieces that say which block they come from.
//!
//! The template is rendered with a unique mark in the place of each block's text, and split at the marks. That is right only if the template does
//! not look at the texts, so the pieces are compared with a direct rendering; where they differ (a template that trims), other ways are tried.

use crate::template::{ChatTemplate, TemplateCall, TemplateMessage, tools_of};
use minijinja::value::Value;
use recto_core::request::{Encoding, ModelRequest, Part, Wire};

/// The prompt of `request`, ending where the reply begins. `begin` is put before it where the vocabulary wants a first token that the template
/// does not write. `has_control` says of a text whether it holds a mark by which the template steers the model.
///
/// # Errors
/// The template raised an error, whose text is its own; or it rewrites the texts, and one of them holds such a mark.
pub(crate) fn encode(
    template: &ChatTemplate,
    begin: Option<&str>,
    request: &ModelRequest,
    has_control: &dyn Fn(&str) -> bool,
) -> Result<Wire, String> {
    let tools = tools_of(request);
    let draft = Draft::of(request);
    let direct = draft.render(template, &tools, |slot| slot.text.clone())?;
    let mut wire = Wire::default();
    if let Some(begin) = begin.filter(|begin| !direct.starts_with(begin)) {
        wire.glue(begin);
    }
    let pieces = by_marks(template, &tools, &draft, &direct)?;
    let pieces = match pieces {
        Some(pieces) => Some(pieces),
        None => by_marks(template, &tools, &draft.trimmed(), &direct)?,
    };
    let pieces = match pieces {
        Some(pieces) => pieces,
        // Where the texts stand is a guess from here on, and what is taken for the template's own is read with its marks.
        None if draft.texts_together().any(|text| has_control(&text)) => return Err(STEERING.to_owned()),
        None => by_search(&draft, &direct).unwrap_or_else(|| {
            tracing::warn!("the chat template rewrites the texts of this request; it is sent as one piece");
            vec![Piece { block: None, text: direct }]
        }),
    };
    for piece in pieces {
        match piece.block {
            Some(block) => wire.block(block, piece.text, Encoding::Plain),
            None => wire.glue(piece.text),
        }
    }
    Ok(wire)
}

/// Why a request is refused that could speak for somebody else.
const STEERING: &str = "its chat template rewrites texts, and one of them holds a mark by which the template steers the model; \
                        take the mark out of the text or choose another model";

struct Piece {
    block: Option<usize>,
    text: String,
}

/// The messages with each block's text in a slot of its own.
struct Draft {
    messages: Vec<DraftMessage>,
}

struct DraftMessage {
    role: &'static str,
    answers: Option<String>,
    texts: Vec<Slot>,
    calls: Vec<DraftCall>,
}

struct DraftCall {
    id: String,
    name: String,
    arguments: Slot,
}

#[derive(Clone)]
struct Slot {
    block: usize,
    text: String,
}

impl Draft {
    fn of(request: &ModelRequest) -> Self {
        let messages = request.messages.iter().map(|message| {
            let mut draft = DraftMessage {
                role: message.role.as_str(),
                answers: message.call.as_ref().map(|id| id.as_str().to_owned()),
                texts: Vec::new(),
                calls: Vec::new(),
            };
            for part in &message.parts {
                match part {
                    // No template of a model inside the program wants reasoning back.
                    Part::Thought { .. } => {}
                    Part::Text { block, text } => draft.texts.push(Slot { block: *block, text: text.clone() }),
                    Part::Call { block, id, name, arguments } => draft.calls.push(DraftCall {
                        id: id.as_str().to_owned(),
                        name: name.clone(),
                        arguments: Slot { block: *block, text: arguments.clone() },
                    }),
                }
            }
            draft
        });
        Self { messages: messages.collect() }
    }

    /// The same with white space at the ends of each message's text left out, as many templates do.
    fn trimmed(&self) -> Self {
        let messages = self.messages.iter().map(|message| {
            let mut texts = message.texts.clone();
            for slot in &mut texts {
                slot.text = slot.text.trim_start().to_owned();
                if !slot.text.is_empty() {
                    break;
                }
            }
            for slot in texts.iter_mut().rev() {
                slot.text = slot.text.trim_end().to_owned();
                if !slot.text.is_empty() {
                    break;
                }
            }
            let calls = message.calls.iter().map(|call| DraftCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
            });
            DraftMessage { role: message.role, answers: message.answers.clone(), texts, calls: calls.collect() }
        });
        Self { messages: messages.collect() }
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.messages
            .iter()
            .flat_map(|message| message.texts.iter().chain(message.calls.iter().map(|call| &call.arguments)))
    }

    /// All that others wrote into the request: the text of each message in one, because a mark may be put together from two, and the calls.
    fn texts_together(&self) -> impl Iterator<Item = String> {
        self.messages.iter().flat_map(|message| {
            let text: String = message.texts.iter().map(|slot| slot.text.as_str()).collect();
            let calls = message.calls.iter();
            let calls = calls.flat_map(|call| [call.id.clone(), call.name.clone(), call.arguments.text.clone()]);
            std::iter::once(text).chain(calls).chain(message.answers.clone())
        })
    }

    fn render(
        &self,
        template: &ChatTemplate,
        tools: &Value,
        mut written: impl FnMut(&Slot) -> String,
    ) -> Result<String, String> {
        let messages: Vec<_> = self
            .messages
            .iter()
            .map(|message| TemplateMessage {
                role: message.role,
                content: message.texts.iter().map(&mut written).collect(),
                answers: message.answers.clone(),
                calls: message
                    .calls
                    .iter()
                    .map(|call| TemplateCall {
                        id: call.id.clone(),
                        name: call.name.clone(),
                        written: written(&call.arguments),
                        arguments: call.arguments.text.clone(),
                    })
                    .collect(),
            })
            .collect();
        template
            .render(&messages, tools)
            .map_err(|error| error.detail().map_or_else(|| error.to_string(), str::to_owned))
    }
}

/// Splits a rendering with marks; `None` where the pieces together are not the direct rendering.
fn by_marks(template: &ChatTemplate, tools: &Value, draft: &Draft, direct: &str) -> Result<Option<Vec<Piece>>, String> {
    // A mark must not be in any text, or a text could place itself where another belongs.
    let salt = (0_u32..).find(|salt| !direct.contains(&mark_start(*salt))).unwrap_or_default();
    let mut slots = Vec::new();
    let marked = draft.render(template, tools, |slot| {
        if slot.text.is_empty() {
            // A template may ask whether there is a content at all.
            return String::new();
        }
        slots.push(slot.clone());
        format!("{}{}\u{e001}", mark_start(salt), slots.len() - 1)
    })?;
    let mut pieces = Vec::new();
    let mut rest = marked.as_str();
    let mut n_seen = 0;
    while let Some((glue, after)) = rest.split_once(&mark_start(salt)) {
        let Some((number, after)) = after.split_once('\u{e001}') else { return Ok(None) };
        let Some(slot) = number.parse().ok().and_then(|number: usize| slots.get(number)) else { return Ok(None) };
        pieces.push(Piece { block: None, text: glue.to_owned() });
        pieces.push(Piece { block: Some(slot.block), text: slot.text.clone() });
        n_seen += 1;
        rest = after;
    }
    pieces.push(Piece { block: None, text: rest.to_owned() });
    pieces.retain(|piece| !piece.text.is_empty());
    let is_whole =
        n_seen == slots.len() && pieces.iter().map(|piece| piece.text.as_str()).collect::<String>() == direct;
    Ok(is_whole.then_some(pieces))
}

fn mark_start(salt: u32) -> String {
    format!("\u{e000}recto{salt}:")
}

/// Looks for the texts one after the other in the direct rendering; `None` where one is not found.
fn by_search(draft: &Draft, direct: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = direct;
    for slot in draft.slots() {
        let text = if rest.contains(&slot.text) { slot.text.as_str() } else { slot.text.trim() };
        if text.is_empty() {
            continue;
        }
        let (glue, after) = rest.split_once(text)?;
        pieces.push(Piece { block: None, text: glue.to_owned() });
        pieces.push(Piece { block: Some(slot.block), text: text.to_owned() });
        rest = after;
    }
    pieces.push(Piece { block: None, text: rest.to_owned() });
    pieces.retain(|piece| !piece.text.is_empty());
    Some(pieces)
}

#[cfg(test)]
mod tests;
