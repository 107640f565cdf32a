//! The arrangement for answering: the same system message, and one message that holds the facts verbatim and the question last.
//! No tool traffic, no draft, nothing condensed by a model.

use super::block::{Block, BlockKind, Importance, Role, Seat};
use super::plan::{Budget, CountTokens, DoesNotFit, DropRule, Plan, Verdict, plan};
use crate::conversation::Exchange;
use crate::fact::{Fact, standing};
use crate::request::Purpose;
use crate::text::one_line;
use crate::todo::TodoList;
use crate::tool::CallStatus;

/// How many earlier exchanges the answer request may hold.
const N_EXCHANGES: usize = 2;

/// What an answer request is composed from.
#[derive(Clone, Copy, Debug)]
pub struct Findings<'a> {
    /// The system message's blocks, as in the work requests.
    pub system: &'a [Block],
    /// Earlier exchanges, oldest first.
    pub history: &'a [Exchange],
    /// The list as it is now; `None` if there is none.
    pub list: Option<&'a TodoList>,
    /// Everything that the calls of this turn gave back.
    pub facts: &'a [Fact],
    /// How the answer is to be written.
    pub task: &'a str,
    /// Why the work ended before it was done, said to the model; `None` if it was done.
    pub limit: Option<&'a str>,
    /// The question.
    pub question: &'a str,
    /// Tokens that the exchanges may take: a tenth of the budget.
    pub history_limit: u32,
}

/// The blocks of the answer request.
#[must_use]
pub fn blocks(findings: Findings<'_>) -> Vec<Block> {
    let mut blocks = findings.system.to_vec();
    let seat = Seat::new(1, Role::User);
    push_history(&mut blocks, findings, &seat);
    if let Some(list) = findings.list.filter(|list| !list.items.is_empty()) {
        let text = format!("# The TODO list now\n{}\n\n", list.snapshot());
        blocks.push(Block::pinned("list", BlockKind::List, "the list now", seat.clone(), text));
    }
    if !findings.facts.is_empty() {
        let text = format!("# What you have done for this question\n{}\n", done_lines(findings.facts));
        blocks.push(Block::pinned("done", BlockKind::Done, "what was done", seat.clone(), text));
    }
    push_facts(&mut blocks, findings.facts, &seat);
    let limit = findings.limit.map(|limit| format!("# Note\n{limit}\n\n")).unwrap_or_default();
    blocks.push(Block::pinned("notice", BlockKind::Notice, "why the work ended early", seat.clone(), limit));
    let task = format!("# Task\n{}\n\n", findings.task.trim());
    blocks.push(Block::pinned("task", BlockKind::Task, "how to answer", seat.clone(), task));
    blocks.push(Block::pinned("question", BlockKind::Question, "question", seat, findings.question.to_owned()));
    blocks
}

fn push_history(blocks: &mut Vec<Block>, findings: Findings<'_>, seat: &Seat) {
    let n_left_out = findings.history.len().saturating_sub(N_EXCHANGES);
    for (index, exchange) in findings.history.iter().enumerate() {
        let heading = if index == n_left_out { "# Earlier in this conversation\n" } else { "" };
        let text = format!("{heading}User: {}\nYou: {}\n\n", exchange.question, exchange.answer);
        let importance =
            if index < n_left_out { Importance::LeftOut(DropRule::NotInAnswer) } else { Importance::Pinned };
        blocks.push(Block {
            importance,
            limit: Some(findings.history_limit / 2),
            ..Block::pinned(
                format!("history/{}", exchange.turn),
                BlockKind::History,
                "an earlier exchange",
                seat.clone(),
                text,
            )
        });
    }
}

/// One line a call: the tool, what it was about, how it ended.
fn done_lines(facts: &[Fact]) -> String {
    let mut lines = String::new();
    for fact in facts.iter().filter(|fact| fact.outcome.status != CallStatus::Repeated) {
        let how = match fact.outcome.status {
            CallStatus::Done | CallStatus::Repeated => fact.outcome.note.clone(),
            CallStatus::InvalidArguments => "not done: its arguments were invalid".to_owned(),
            CallStatus::Failed => format!("failed: {}", one_line(&fact.outcome.text, 160)),
            CallStatus::Refused => "refused by the user: not done".to_owned(),
            CallStatus::Cancelled => "not done: it was cancelled".to_owned(),
        };
        lines.push_str(&format!("- {} {}: {how}\n", fact.call.name, fact.target));
    }
    lines
}

fn push_facts(blocks: &mut Vec<Block>, facts: &[Fact], seat: &Seat) {
    let kept: Vec<&Fact> = standing(facts);
    let mut heading = "# Facts found\n";
    for fact in facts.iter().filter(|fact| fact.calls_for_answer()) {
        let stands = kept.iter().any(|other| std::ptr::eq(*other, fact));
        let text = format!("{heading}{}\n\n", fact_text(fact));
        if stands {
            heading = "";
        }
        blocks.push(Block {
            importance: if stands { Importance::Shared } else { Importance::LeftOut(DropRule::Superseded) },
            ..Block::pinned(
                format!("fact/{}", fact.call.id),
                BlockKind::Fact,
                format!("{} {}", fact.call.name, fact.target),
                seat.clone(),
                text,
            )
        });
    }
}

/// A fact with its label: tool and arguments as the model gave them, then the result byte for byte.
fn fact_text(fact: &Fact) -> String {
    let label = match fact.outcome.status {
        CallStatus::Done | CallStatus::Repeated => "",
        CallStatus::InvalidArguments | CallStatus::Failed => " (failed)",
        CallStatus::Refused => " (refused, not done)",
        CallStatus::Cancelled => " (cancelled, not done)",
    };
    format!("## {} {}{label}\n{}", fact.call.name, fact.call.arguments, fact.outcome.text)
}

/// The plan of the answer request. Where facts had to be cut, a notice says which and by how much, and that what is missing is
/// not to be made up; it is there if and only if something was cut.
///
/// # Errors
/// `DoesNotFit` if what is never dropped exceeds the window.
pub fn planned(findings: Findings<'_>, budget: Budget, count: &dyn CountTokens) -> Result<Plan, DoesNotFit> {
    let mut notice = String::new();
    // The notice takes room itself, which can cut a little more, so it is written again until it is true.
    for _ in 0..4 {
        let planned = plan(Purpose::Answer, with_notice(blocks(findings), &notice), budget, count)?;
        let needed = notice_for(&planned);
        if needed == notice {
            return Ok(planned);
        }
        notice = needed;
    }
    plan(Purpose::Answer, with_notice(blocks(findings), &notice), budget, count)
}

fn notice_for(plan: &Plan) -> String {
    let cuts: Vec<String> = plan
        .rows
        .iter()
        .filter(|row| row.block.kind == BlockKind::Fact)
        .filter_map(|row| match row.verdict {
            Verdict::Cut { kept_lines, of_lines } => {
                Some(format!("- {}: lines 1–{kept_lines} of {of_lines}", row.block.source))
            }
            Verdict::Kept | Verdict::Dropped { .. } => None,
        })
        .collect();
    if cuts.is_empty() {
        return String::new();
    }
    format!(
        "# Notice: these facts are incomplete\n{}\nDo not make up what is missing; say which part is missing.\n\n",
        cuts.join("\n")
    )
}

fn with_notice(mut blocks: Vec<Block>, notice: &str) -> Vec<Block> {
    if let Some(at) = blocks.iter().position(|block| block.kind == BlockKind::Task) {
        let seat = blocks[at].seat.clone();
        let source = "what had to be cut";
        blocks.insert(at, Block::pinned("cuts", BlockKind::Notice, source, seat, notice.to_owned()));
    }
    blocks
}
