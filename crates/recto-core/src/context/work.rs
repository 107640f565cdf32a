//! The arrangement for working: system message, earlier exchanges, question, and this turn's tool traffic in its order.
//!
//! The head (everything up to the question) is composed once per turn and stands; each later request appends to the one before.

use super::block::{Block, BlockKind, Importance, Role, Seat, Slot};
use super::system::{SystemTexts, system_blocks};
use crate::conversation::Exchange;
use crate::id::BlockId;
use crate::request::Protocol;
use crate::text::one_line;
use crate::todo::TodoList;
use crate::tool::{CallOutcome, ToolCall};

/// The blocks up to and including the question's message.
#[must_use]
pub fn head(texts: &SystemTexts, history: &[Exchange], question: &str, open_list: Option<&TodoList>) -> Vec<Block> {
    let mut blocks = system_blocks(texts);
    let mut message = 0;
    for (number, exchange) in (0..).zip(history) {
        for (part, role, text) in
            [("question", Role::User, &exchange.question), ("answer", Role::Assistant, &exchange.answer)]
        {
            message += 1;
            blocks.push(Block {
                importance: Importance::Exchange(number),
                ..Block::pinned(
                    format!("history/{}/{part}", exchange.turn),
                    BlockKind::History,
                    format!("{part} of an earlier turn"),
                    Seat::new(message, role),
                    text.clone(),
                )
            });
        }
    }
    let seat = Seat::new(message + 1, Role::User);
    let asked = Block::pinned("question", BlockKind::Question, "question", seat.clone(), question.to_owned());
    blocks.push(Block { importance: Importance::Question, ..asked });
    if let Some(list) = open_list.filter(|list| list.is_unfinished()) {
        let text = format!("\n\nYour unfinished TODO list from earlier:\n{}", list.snapshot());
        blocks.push(Block::pinned("list", BlockKind::List, "unfinished list", seat, text));
    }
    blocks
}

/// A reply of this turn that asked for tools, and what the calls gave back so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The reply's text as it was received.
    pub text: String,
    /// Reasoning of the reply that the interface wants back.
    pub thoughts: Vec<String>,
    /// The calls with their results, in call order.
    pub results: Vec<(ToolCall, CallOutcome)>,
    /// For a step that could not be read: what the model is told instead of a result.
    pub complaint: Option<String>,
}

/// The tool traffic that follows a head whose last message is number `message`, and the reminder last where one is due.
#[must_use]
pub fn traffic(
    mut message: u32,
    steps: &[Step],
    protocol: Protocol,
    result_limit: u32,
    reminder: Option<Reminder<'_>>,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (number, step) in (1..).zip(steps) {
        message += 1;
        push_reply(&mut blocks, number, step, protocol, message);
        let is_newest = number as usize == steps.len();
        push_results(&mut blocks, number, step, protocol, result_limit, is_newest, &mut message);
    }
    if let Some(Reminder { text, as_message }) = reminder {
        let (seat, text) = if as_message {
            (Seat::new(message + 1, Role::System), text.to_owned())
        } else {
            let last = blocks.last().map(|block| block.seat.clone());
            (last.unwrap_or(Seat::new(message, Role::User)), format!("\n\n{text}"))
        };
        blocks.push(Block::pinned("reminder", BlockKind::Reminder, "stale reminder", seat, text));
    }
    blocks
}

/// The stale reminder for one request.
#[derive(Clone, Copy, Debug)]
pub struct Reminder<'a> {
    /// What it says.
    pub text: &'a str,
    /// As a system message of its own, or at the end of the last message.
    pub as_message: bool,
}

fn push_reply(blocks: &mut Vec<Block>, number: u32, step: &Step, protocol: Protocol, message: u32) {
    let seat = Seat::new(message, Role::Assistant);
    let source = format!("reply {number} of this turn");
    for (index, thought) in (1..).zip(&step.thoughts) {
        let id = format!("thought/{number}/{index}");
        blocks.push(Block::pinned(id, BlockKind::Thought, source.clone(), seat.clone(), thought.clone()));
    }
    blocks.push(Block::pinned(format!("step/{number}"), BlockKind::Step, source, seat.clone(), step.text.clone()));
    if protocol == Protocol::Native {
        for (call, _) in &step.results {
            blocks.push(Block {
                slot: Slot::Call { id: call.id.clone(), name: call.name.clone() },
                ..Block::pinned(
                    format!("call/{}", call.id),
                    BlockKind::Call,
                    format!("call of {}", call.name),
                    seat.clone(),
                    call.arguments.clone(),
                )
            });
        }
    }
}

fn push_results(
    blocks: &mut Vec<Block>,
    number: u32,
    step: &Step,
    protocol: Protocol,
    result_limit: u32,
    is_newest: bool,
    message: &mut u32,
) {
    if let Some(complaint) = &step.complaint {
        *message += 1;
        let seat = Seat::new(*message, Role::User);
        let source = format!("answer to reply {number}");
        blocks.push(Block::pinned(format!("complaint/{number}"), BlockKind::Result, source, seat, complaint.clone()));
    }
    for (call, outcome) in &step.results {
        *message += 1;
        let (role, answers, text) = match protocol {
            Protocol::Native => (Role::Tool, Some(call.id.clone()), outcome.text.clone()),
            Protocol::Structured => (Role::User, None, format!("Result of {}:\n{}", call.name, outcome.text)),
        };
        // The results of the newest step are what the next one is made from, so they stay whole.
        let importance = if is_newest { Importance::Pinned } else { Importance::Result(*message) };
        blocks.push(Block {
            id: BlockId(format!("result/{}", call.id)),
            kind: BlockKind::Result,
            source: format!("{} {}", call.name, call.arguments),
            seat: Seat { message: *message, role, answers },
            slot: Slot::Text,
            importance,
            score: None,
            stub: Some(stub(call, outcome)),
            limit: Some(result_limit),
            text: if text.is_empty() { "(empty)".to_owned() } else { text },
        });
    }
}

/// The one line that stands for a result when the turn outgrows the window.
fn stub(call: &ToolCall, outcome: &CallOutcome) -> String {
    let arguments = one_line(&call.arguments, 120);
    format!(
        "[The result of {} {arguments} ({}) was left out here for want of room. It is kept for the answer.]",
        call.name, outcome.note
    )
}
