//! Events as JSON, one object a line, for programs that read along.

use crate::trail::list_words;
use recto_core::turn::Ending;
use recto_engine::event::TurnEvent;
use serde_json::{Value, json};

/// The line for an event; `None` for one that only a person needs.
pub(crate) fn line(event: &TurnEvent) -> Option<Value> {
    Some(match event {
        TurnEvent::Request { id, number, purpose, n_tokens, window, n_stale_rounds, has_reminder } => json!({
            "type": "request", "id": id, "number": number, "purpose": purpose, "tokens": n_tokens, "window": window,
            "stale_rounds": n_stale_rounds, "reminder": has_reminder,
        }),
        TurnEvent::Replied { id, finish, usage } => {
            json!({"type": "replied", "request": id, "finish": finish, "usage": usage})
        }
        TurnEvent::Permission { call, tool, target, effect, is_allowed, decider } => json!({
            "type": "permission", "call": call, "tool": tool, "target": target, "effect": effect,
            "allowed": is_allowed, "decider": decider,
        }),
        TurnEvent::Called { call, target, outcome } => json!({
            "type": "tool", "call": call.id, "tool": call.name, "arguments": call.arguments, "target": target,
            "status": outcome.status, "note": outcome.note, "result": outcome.text,
        }),
        TurnEvent::Todo { list, changes } => json!({
            "type": "todo", "snapshot": list.snapshot(), "list": list_words(list), "changes": changes,
        }),
        TurnEvent::Asked(question) => json!({
            "type": "asked", "approval": question.id, "tool": question.tool, "path": question.change.path,
            "operation": question.change.operation, "flags": question.change.flags,
        }),
        TurnEvent::Answered { question, answer } => {
            json!({"type": "answered", "approval": question.id, "answer": answer})
        }
        TurnEvent::Retry { attempt, of, reason } => {
            json!({"type": "retry", "attempt": attempt, "of": of, "reason": reason})
        }
        TurnEvent::Folded { n_exchanges, version } => {
            json!({"type": "folded", "exchanges": n_exchanges, "version": version})
        }
        TurnEvent::QuestionCut { n_tokens, of } => {
            json!({"type": "question_cut", "tokens": n_tokens, "of": of})
        }
        TurnEvent::Composing { n_facts } => json!({"type": "composing", "facts": n_facts}),
        TurnEvent::Ended { ending, answer } => {
            let sentence = match ending {
                Ending::Answered | Ending::Stopped => None,
                Ending::Limited { sentence } | Ending::Failed { sentence } => Some(sentence),
            };
            let how = match ending {
                Ending::Answered => "answered",
                Ending::Limited { .. } => "limited",
                Ending::Stopped => "stopped",
                Ending::Failed { .. } => "failed",
            };
            json!({"type": "ended", "ending": how, "sentence": sentence, "answer": answer})
        }
        TurnEvent::Loading { .. }
        | TurnEvent::Reading { .. }
        | TurnEvent::Draft(_)
        | TurnEvent::DraftDropped
        | TurnEvent::Answer(_)
        | TurnEvent::Reasoning(_)
        | TurnEvent::Call { .. } => return None,
    })
}
