//! The live trail: one line an event, on stderr.

use recto_core::text::one_line;
use recto_core::todo::{TodoList, TodoStatus};
use recto_core::tool::{CallStatus, Effect};
use recto_core::turn::Ending;
use recto_engine::event::TurnEvent;

/// The line for an event; `None` for one that has none.
pub(crate) fn line(event: &TurnEvent) -> Option<String> {
    match event {
        TurnEvent::Request { number, purpose, n_tokens, window, n_stale_rounds, has_reminder, .. } => {
            let reminder = if *has_reminder { "yes" } else { "no" };
            let purpose = purpose.as_str();
            Some(format!(
                "[Hook] request {number} ({purpose}): {n_tokens} of {window} tokens, stale rounds {n_stale_rounds}, reminder {reminder}"
            ))
        }
        TurnEvent::Retry { attempt, of, reason } => Some(format!("[Hook] attempt {attempt} of {of}: {reason}")),
        TurnEvent::Permission { tool, target, effect, is_allowed, decider, .. } => {
            let effect = match effect {
                Effect::Read => "read",
                Effect::Write => "write",
            };
            let decided = if *is_allowed { "allowed" } else { "denied" };
            Some(format!("[Permission] {tool} {target}: {effect}, {decided} by {decider}"))
        }
        TurnEvent::Called { call, target, outcome } => {
            let about = if target.is_empty() { one_line(&call.arguments, 80) } else { target.clone() };
            let how = match outcome.status {
                CallStatus::Done => outcome.note.clone(),
                CallStatus::InvalidArguments | CallStatus::Failed => one_line(&outcome.text, 160),
                CallStatus::Refused | CallStatus::Repeated | CallStatus::Cancelled => outcome.note.clone(),
            };
            Some(format!("[Tool] {} {about}: {how}", call.name))
        }
        TurnEvent::Todo { list, .. } => Some(format!("[Todo] {}", list_words(list))),
        TurnEvent::Folded { n_exchanges, version } => Some(format!(
            "[Hook] {n_exchanges} earlier exchanges no longer fit and are in the summary now (version {version}; `recto summary` shows it)"
        )),
        TurnEvent::QuestionCut { n_tokens, of } => Some(format!(
            "[Hook] the question is too long for the window: the model is given {n_tokens} of its {of} tokens, beginning and end"
        )),
        TurnEvent::Composing { n_facts } => Some(format!("[Answer] written from {n_facts} facts")),
        TurnEvent::Replied { usage, .. } => {
            let number = |count: Option<u32>| count.map_or_else(|| "?".to_owned(), |count| count.to_string());
            Some(format!(
                "[Hook] read {} tokens ({} reused, {} evaluated), wrote {}",
                number(usage.n_read),
                number(usage.n_reused),
                number(usage.n_evaluated),
                number(usage.n_written)
            ))
        }
        TurnEvent::Ended { ending, .. } => match ending {
            Ending::Answered => None,
            Ending::Limited { sentence } => Some(format!("[Answer] {sentence}")),
            Ending::Stopped => Some("[Answer] stopped".to_owned()),
            Ending::Failed { sentence } => Some(format!("[Answer] failed: {sentence}")),
        },
        TurnEvent::Loading { .. }
        | TurnEvent::Reading { .. }
        | TurnEvent::Draft(_)
        | TurnEvent::DraftDropped
        | TurnEvent::Answer(_)
        | TurnEvent::Reasoning(_)
        | TurnEvent::Call { .. }
        | TurnEvent::Asked(_)
        | TurnEvent::Answered { .. } => None,
    }
}

/// The list in one line, with a mark for how far each item is.
pub(crate) fn list_words(list: &TodoList) -> String {
    if list.items.is_empty() {
        return "(empty)".to_owned();
    }
    let words: Vec<String> = list
        .items
        .iter()
        .map(|item| {
            let mark = match item.status {
                TodoStatus::Pending => '☐',
                TodoStatus::InProgress => '▸',
                TodoStatus::Done => '✓',
            };
            format!("{mark} {}", item.content)
        })
        .collect();
    words.join("  ")
}
