//! The arrangement for answering: the same system message, and one message that holds the facts verbatim and the question last.
//! No tool traffic, no draft, nothing condensed by a model.

use super::block::{Block, BlockKind, Importance, Role, Seat};
use super::plan::{Budget, CountTokens, DoesNotFit, DropRule, Once, Plan, PlannedBlock, Verdict, plan_on};
use super::pointers::Pointers;
use super::system::fence;
use crate::conversation::Exchange;
use crate::fact::{Fact, standing};
use crate::prompt::AnswerFrame;
use crate::request::Purpose;
use crate::text::one_line;
use crate::todo::{TODO_WRITE, TodoList};
use crate::tool::{CallStatus, ToolCall, ToolIdentity};

/// How many earlier exchanges the answer request may hold.
const N_EXCHANGES: usize = 2;

/// The note of a write that the person refused.
pub const SAID_NO: &str = "the user said no";

/// The longest question that is said before the results as well, in characters.
const SHORT_QUESTION: usize = 400;

/// What an answer request is composed from.
#[derive(Clone, Copy, Debug)]
pub struct Findings<'a> {
    /// Earlier exchanges, oldest first.
    pub history: &'a [Exchange],
    /// The list as it is now; `None` if there is none.
    pub list: Option<&'a TodoList>,
    /// Everything that the calls of this turn gave back.
    pub facts: &'a [Fact],
    /// Why the work ended before it was done, said to the model; `None` if it was done.
    pub limit: Option<&'a str>,
    /// The question.
    pub question: &'a str,
    /// Tokens that the exchanges may take: a tenth of the budget.
    pub history_limit: u32,
    /// Tokens that the question may take: half of the budget, so that a very long one leaves room for the facts.
    pub question_limit: u32,
}

/// The blocks of the answer request's one message, `cuts` being what had to be cut, line by line.
#[must_use]
pub fn blocks(findings: Findings<'_>, cuts: &str) -> Vec<Block> {
    let frame = AnswerFrame::for_question(findings.question);
    let mut message = Message { blocks: Vec::new(), seat: Seat::new(1, Role::User), frame };
    let about_list = is_about_the_list(findings);
    let part = |name: &str| if about_list { frame.part(&format!("{name}_list")) } else { frame.part(name) };
    message.push("opening", BlockKind::Task, "what this is", format!("{}\n\n", part("opening")));
    message.push_history(findings);
    let has_list = findings.list.is_some_and(|list| !list.items.is_empty());
    if findings.question.chars().count() <= SHORT_QUESTION && !has_list {
        // Read with the question in mind, the results give the right answer more often; it stands last all the same. Where a list of the
        // work stands before them, a small model would tell how it went instead.
        let text = format!("{} {}\n\n", frame.part("question"), findings.question);
        message.push("question/first", BlockKind::Question, "the question, before the results", text);
    }
    if !findings.facts.is_empty() {
        let text = format!("{}\n{}\n", frame.part("done"), done_lines(findings.facts));
        message.push("done", BlockKind::Done, "what was done", text);
    }
    if let Some(list) = findings.list.filter(|list| !list.items.is_empty()) {
        let text = format!("{}\n{}\n\n", frame.part("list"), list.snapshot());
        message.push("list", BlockKind::List, "the list now", text);
    }
    message.push_facts(findings.facts);
    message.push_pointers(findings);
    let cuts = if cuts.is_empty() { String::new() } else { format!("{}\n{cuts}\n", frame.part("cut")) };
    message.push("cuts", BlockKind::Notice, "what had to be cut", cuts);
    let limit = findings.limit.map(|limit| format!("{limit}\n")).unwrap_or_default();
    message.push("limit", BlockKind::Notice, "why the work ended early", limit);
    message.push("failed", BlockKind::Notice, "that something was not done", not_done(frame, findings.facts));
    message.push(
        "remembered",
        BlockKind::Notice,
        "what was remembered or forgotten",
        about_memories(frame, findings.facts),
    );
    let about_files = about_files(frame, findings.facts);
    if !about_files.is_empty() {
        message.push("changed", BlockKind::Notice, "what was done to files", about_files);
    }
    let task = if is_about_memories_alone(findings.facts) {
        frame.part("task_memory")
    } else if is_about_files_alone(findings.facts) {
        frame.part("task_names")
    } else {
        part("task")
    };
    let task = format!("{task}\n\n{} ", frame.part("question"));
    message.push("task", BlockKind::Task, "how to answer", task);
    message.push("question", BlockKind::Question, "question", findings.question.to_owned());
    if let Some(question) = message.blocks.last_mut() {
        question.importance = Importance::Question;
        question.limit = Some(findings.question_limit);
    }
    message.blocks
}

/// Whether nothing but the list was written and the question names the tool, so that what it returned is the answer.
fn is_about_the_list(findings: Findings<'_>) -> bool {
    findings.question.contains(TODO_WRITE)
        && findings.list.is_some_and(|list| !list.items.is_empty())
        && !findings.facts.iter().any(Fact::calls_for_answer)
}

/// Whether the work did nothing but change what is remembered, so that there is nothing to be found in the results.
fn is_about_memories_alone(facts: &[Fact]) -> bool {
    let mut others = facts.iter().filter(|fact| fact.calls_for_answer() && !fact.identity.is_about_memories());
    facts.iter().any(is_of_memory) && others.next().is_none()
}

fn is_of_memory(fact: &Fact) -> bool {
    fact.identity.is_about_memories() && fact.outcome.status == CallStatus::Done
}

/// What the answer has to say of what was remembered or forgotten, as a sentence: a small model otherwise looks for an answer in it and says
/// that it did not find one.
fn about_memories(frame: AnswerFrame, facts: &[Fact]) -> String {
    let mut said: Vec<&str> = facts
        .iter()
        .filter(|fact| is_of_memory(fact))
        .map(|fact| frame.part(if fact.identity == ToolIdentity::Remember { "remembered" } else { "forgotten" }))
        .collect();
    said.dedup();
    if said.is_empty() { String::new() } else { format!("{} {}\n", frame.part("refused"), said.join(" ")) }
}

/// What the answer has to say of a file that was added to, deleted or moved, or of a folder that was made; `None` for anything else. There is
/// nothing to be found in such a result either.
fn done_part(fact: &Fact) -> Option<&'static str> {
    // Where nothing had to be done, nothing is said of a place.
    if fact.outcome.status != CallStatus::Done || fact.target.is_empty() {
        return None;
    }
    match fact.identity {
        ToolIdentity::AppendFile => Some("added"),
        ToolIdentity::DeleteFile => Some("deleted"),
        ToolIdentity::MoveFile => Some("moved"),
        ToolIdentity::MakeDir => Some("made"),
        _ => None,
    }
}

fn about_files(frame: AnswerFrame, facts: &[Fact]) -> String {
    let said = facts.iter().filter_map(|fact| Some(frame.part(done_part(fact)?).replace("{target}", &fact.target)));
    let said: Vec<String> = said.collect();
    if said.is_empty() { String::new() } else { format!("{} {}\n", frame.part("refused"), said.join(" ")) }
}

/// Whether the work did nothing but that.
fn is_about_files_alone(facts: &[Fact]) -> bool {
    let mut all = facts.iter().filter(|fact| fact.calls_for_answer()).peekable();
    all.peek().is_some() && all.all(|fact| done_part(fact).is_some())
}

/// The answer request while it is put together.
struct Message {
    blocks: Vec<Block>,
    seat: Seat,
    frame: AnswerFrame,
}

impl Message {
    fn push(&mut self, id: &str, kind: BlockKind, source: &str, text: String) {
        self.blocks.push(Block::pinned(id, kind, source, self.seat.clone(), text));
    }

    fn push_history(&mut self, findings: Findings<'_>) {
        let n_left_out = findings.history.len().saturating_sub(N_EXCHANGES);
        for (index, exchange) in findings.history.iter().enumerate() {
            let heading = if index == n_left_out { format!("{}\n", self.frame.part("earlier")) } else { String::new() };
            let text = format!("{heading}User: {}\nYou: {}\n\n", exchange.question, exchange.answer);
            let importance =
                if index < n_left_out { Importance::LeftOut(DropRule::NotInAnswer) } else { Importance::Pinned };
            let id = format!("history/{}", exchange.turn);
            let block = Block::pinned(id, BlockKind::History, "an earlier exchange", self.seat.clone(), text);
            self.blocks.push(Block { importance, limit: Some(findings.history_limit / 2), ..block });
        }
    }

    fn push_pointers(&mut self, findings: Findings<'_>) {
        let text = match Pointers::of(findings.question, &standing(findings.facts)) {
            None => String::new(),
            Some(Pointers::Lines(lines)) => {
                let lines: String = lines.iter().map(|(path, text)| format!("- {path}: {text}\n")).collect();
                format!("{}\n{lines}\n", self.frame.part("lines"))
            }
            Some(Pointers::Differences(lines)) => {
                let only_in = self.frame.part("only_in");
                let lines: String = lines.iter().map(|(path, text)| format!("- {only_in} {path}: {text}\n")).collect();
                format!("{}\n{lines}\n", self.frame.part("differences"))
            }
        };
        self.push("pointers", BlockKind::Pointers, "what in the results fits the question", text);
    }

    fn push_facts(&mut self, facts: &[Fact]) {
        let kept: Vec<&Fact> = standing(facts);
        for fact in facts.iter().filter(|fact| fact.calls_for_answer()) {
            let stands = kept.iter().any(|other| std::ptr::eq(*other, fact));
            let importance = if stands { Importance::Shared } else { Importance::LeftOut(DropRule::Superseded) };
            let (id, source) = (format!("fact/{}", fact.call.id), format!("{} {}", fact.call.name, fact.target));
            let text = fact_text(self.frame, fact);
            let block = Block::pinned(id, BlockKind::Fact, source, self.seat.clone(), text);
            self.blocks.push(Block { importance, ..block });
        }
    }
}

/// What the answer has to say of calls that were refused or failed; empty if none was. A refusal is given as a sentence, because a small model
/// otherwise says that the user refused to work, or that it cannot help.
fn not_done(frame: AnswerFrame, facts: &[Fact]) -> String {
    let standing = standing(facts);
    let mut refused: Vec<String> = standing
        .iter()
        .filter(|fact| fact.outcome.status == CallStatus::Refused)
        .map(|fact| {
            let part = match (fact.outcome.note == SAID_NO, fact.identity) {
                (true, identity) if identity.is_about_memories() => "said_no_memory",
                (true, identity) if identity.changes_names() => "said_no_names",
                (true, _) => "said_no",
                (false, identity) if identity.is_about_memories() => "not_allowed_memory",
                (false, identity) if identity.changes_names() => "not_allowed_names",
                (false, _) => "not_allowed",
            };
            frame.part(part).replace("{target}", &fact.target)
        })
        .collect();
    refused.dedup();
    let has_failure = standing.iter().any(|fact| {
        matches!(fact.outcome.status, CallStatus::InvalidArguments | CallStatus::Failed | CallStatus::Cancelled)
    });
    let mut text = if has_failure { format!("{}\n", frame.part("failed")) } else { String::new() };
    if !refused.is_empty() {
        text.push_str(&format!("{} {}\n", frame.part("refused"), refused.join(" ")));
    }
    text
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

/// A fact with its label: tool and arguments as the model gave them, then the result byte for byte.
fn fact_text(frame: AnswerFrame, fact: &Fact) -> String {
    let label = match fact.outcome.status {
        CallStatus::Done | CallStatus::Repeated => "",
        CallStatus::InvalidArguments | CallStatus::Failed => " (failed)",
        CallStatus::Refused => " (refused, not done)",
        CallStatus::Cancelled => " (cancelled, not done)",
    };
    let ToolCall { name, arguments, .. } = &fact.call;
    // A fact that holds the fence itself gets a longer one, so that it ends where it ends.
    let fence = fence(&fact.outcome.text);
    format!("{} {name} {arguments}{label}:\n{fence}\n{}\n{fence}\n\n", frame.part("result"), fact.outcome.text)
}

/// The plan of the answer request, which begins with the turn's own system message as the work settled it. Where facts had to be cut, a
/// notice says which and by how much, and that what is missing is not to be made up; it is there if and only if something was cut.
///
/// # Errors
/// `DoesNotFit` if what is never dropped exceeds the window.
pub fn planned(
    system: Vec<PlannedBlock>,
    findings: Findings<'_>,
    budget: Budget,
    count: &dyn CountTokens,
) -> Result<Plan, DoesNotFit> {
    let once = Once::new(count);
    let mut cuts = String::new();
    // What is said about the cuts takes room itself, which can cut a little more, so it is written again until it is true.
    for _ in 0..4 {
        let planned = plan_on(Purpose::Answer, system.clone(), blocks(findings, &cuts), budget, &once)?;
        let needed = cut_lines_of(&planned);
        if needed == cuts {
            return Ok(planned);
        }
        cuts = needed;
    }
    plan_on(Purpose::Answer, system, blocks(findings, &cuts), budget, &once)
}

/// One line for each fact that had to be cut; empty if none had.
fn cut_lines_of(plan: &Plan) -> String {
    plan.rows
        .iter()
        .filter(|row| row.block.kind == BlockKind::Fact)
        .filter_map(|row| match row.verdict {
            Verdict::Cut { kept_lines, of_lines } => {
                Some(format!("- {}: lines 1–{kept_lines} of {of_lines}\n", row.block.source))
            }
            Verdict::Kept | Verdict::Dropped { .. } => None,
        })
        .collect()
}
