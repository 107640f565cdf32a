//! The check-up of a model: small requests whose right answer is known, the judgement of each reply, and what follows for the
//! protocol. Who sends them, and how long that may take, is decided elsewhere.

use crate::context::block::{Block, BlockKind, Role, Seat};
use crate::context::plan::{Budget, CountTokens, DoesNotFit, PER_MESSAGE, Plan, plan};
use crate::prompt::{checkup, part};
use crate::reply::{Reply, Usage};
use crate::request::{Envelope, ModelProfile, Protocol, Purpose, Sampling};
use crate::text::one_line;
use crate::tool::{Effect, ToolDefinition, ToolIdentity};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The tool that is offered; nothing runs when it is called.
const TOOL: &str = "weather";
/// Tokens of the longest reply; all right ones are short.
const REPLY: u32 = 48;
/// How long reading for the window may take, in seconds, by the speed that was measured before.
const READING_S: u32 = 30;
/// The most that is read for the window, however fast: elsewhere it costs money.
const MOST_READ: u32 = 12_000;
/// The least that says anything about a window.
const LEAST_READ: u32 = 512;
/// How much of a reply is kept beside its finding.
const SAID: usize = 160;

/// One thing that is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// The interface's own tool calls.
    NativeCalls,
    /// Whether the system message is still there when tools are.
    SystemBesideTools,
    /// One JSON value under a schema.
    StructuredSteps,
    /// Two messages of the user, one after the other.
    ConsecutiveRoles,
    /// Whether the head of a long request is read.
    Window,
    /// Whether what two requests have in common is read once.
    Prefix,
}

impl Check {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Self; 6] = [
        Self::NativeCalls,
        Self::SystemBesideTools,
        Self::StructuredSteps,
        Self::ConsecutiveRoles,
        Self::Window,
        Self::Prefix,
    ];
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It works.
    Works,
    /// It does not.
    Fails,
    /// Nobody can tell: the time was up, or the server does not say.
    Unknown,
}

/// A check with what it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which.
    pub check: Check,
    /// What it found.
    pub mark: Mark,
    /// What the model replied, or why it did not, in one line.
    pub said: String,
}

/// What is known of a model after its check-up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// The findings, in the order of the checks.
    pub findings: Vec<Finding>,
    /// Tokens that the model's window is said to have.
    pub window: u32,
    /// Tokens of the longest request that was tried.
    pub n_tried: u32,
    /// Tokens read in a second.
    pub read_per_s: Option<u32>,
    /// Tokens written in a second.
    pub written_per_s: Option<u32>,
}

impl Card {
    /// What a check found; `Unknown` where it was not tried.
    #[must_use]
    pub fn mark(&self, check: Check) -> Mark {
        self.findings.iter().find(|finding| finding.check == check).map_or(Mark::Unknown, |finding| finding.mark)
    }

    /// The protocol that works, where the `usual` one does not and the other one does; else the usual one.
    #[must_use]
    pub fn protocol(&self, usual: Protocol) -> Protocol {
        // Tools that push the system message out are worse than none.
        let native = self.mark(Check::NativeCalls) == Mark::Works && self.mark(Check::SystemBesideTools) == Mark::Works;
        let is_native_out =
            self.mark(Check::NativeCalls) == Mark::Fails || self.mark(Check::SystemBesideTools) == Mark::Fails;
        let structured = self.mark(Check::StructuredSteps);
        match usual {
            Protocol::Native if is_native_out && structured == Mark::Works => Protocol::Structured,
            Protocol::Structured if structured == Mark::Fails && native => Protocol::Native,
            usual => usual,
        }
    }
}

/// Tokens of the request that tries the window: what can be read in half a minute at this speed, and never more than the window has.
#[must_use]
pub fn n_to_read(read_per_s: Option<u32>, window: u32) -> u32 {
    let readable = read_per_s.map_or(2_048, |speed| speed.saturating_mul(READING_S));
    readable.clamp(LEAST_READ, MOST_READ).min(window.saturating_sub(4 * REPLY))
}

/// The request for a check, within a budget of its own. `n_tokens` is how long the one for the window should be.
///
/// # Errors
/// `DoesNotFit` if the window is too small for it.
pub fn request(
    check: Check,
    profile: &ModelProfile,
    n_tokens: u32,
    count: &dyn CountTokens,
) -> Result<(Plan, Envelope), DoesNotFit> {
    let of = |name: &str| part(checkup(), name).to_owned();
    let (system, users, max_tokens) = match check {
        Check::NativeCalls => (of("system"), vec![of("ask_call")], REPLY),
        Check::SystemBesideTools => (of("system_word"), vec![of("ask_word")], REPLY),
        Check::StructuredSteps => (of("system"), vec![of("ask_step")], REPLY),
        Check::ConsecutiveRoles => (of("system"), vec![of("first"), of("second")], REPLY),
        Check::Window => (of("system"), vec![long(n_tokens, "ask_code", count)], REPLY / 2),
        Check::Prefix => (of("system"), vec![long(n_tokens, "ask_other", count)], 4),
    };
    let mut blocks = vec![Block::pinned(
        "instructions",
        BlockKind::Instructions,
        "instructions",
        Seat::new(0, Role::System),
        system,
    )];
    for (number, text) in (1..).zip(users) {
        let seat = Seat::new(number, Role::User);
        blocks.push(Block::pinned(format!("task/{number}"), BlockKind::Task, "the check-up", seat, text));
    }
    let tools = match check {
        Check::NativeCalls | Check::SystemBesideTools => vec![tool()],
        _ => Vec::new(),
    };
    let fixed = tools.iter().map(|tool| count.count(&format!("{}{}", tool.description, tool.parameters))).sum();
    let room = profile.window.saturating_sub(max_tokens);
    let budget = Budget { window: profile.window, reserve: max_tokens, fixed, per_message: PER_MESSAGE, fold_to: room };
    let plan = plan(Purpose::Work, blocks, budget, count)?;
    let envelope = Envelope {
        may_call: !tools.is_empty(),
        tools,
        step: (check == Check::StructuredSteps).then(step),
        sampling: Sampling { temperature: 0.0, seed: 0, max_tokens },
    };
    Ok((plan, envelope))
}

/// A code word, so many tokens of nothing, and a question.
fn long(n_tokens: u32, question: &str, count: &dyn CountTokens) -> String {
    let of = |name: &str| part(checkup(), name);
    let line = |number: u32| format!("{number}. {}\n", of("line"));
    let per_line = count.count(&line(100)).max(1);
    let n_frame = count.count(of("head")) + count.count(of(question)) + count.count(of("system")) + 4 * PER_MESSAGE;
    let n_lines = n_tokens.saturating_sub(n_frame) / per_line;
    let lines: String = (1..=n_lines).map(line).collect();
    format!("{}\n{lines}\n{}", of("head"), of(question))
}

fn tool() -> ToolDefinition {
    ToolDefinition {
        identity: ToolIdentity::BuiltIn,
        name: TOOL.to_owned(),
        description: part(checkup(), "tool").to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": false
        }),
        effect: Effect::Read,
        paths: Vec::new(),
        repeats: false,
    }
}

fn step() -> Value {
    json!({
        "type": "object",
        "properties": {"city": {"type": "string", "enum": ["Lima", "Oslo", "Quito"]}},
        "required": ["city"],
        "additionalProperties": false
    })
}

/// What a reply says about its check. For the prefix, `before` is what was measured of the request that it has its head in common with.
#[must_use]
pub fn judge(check: Check, reply: &Reply, before: Option<Usage>) -> Finding {
    let text = reply.text.trim();
    let holds = |word: &str| text.to_uppercase().contains(word);
    let works = |is: bool| if is { Mark::Works } else { Mark::Fails };
    let mark = match check {
        Check::NativeCalls => works(reply.calls.iter().any(|call| call.name == TOOL && names_a_city(&call.arguments))),
        Check::SystemBesideTools => works(holds("PELICAN")),
        Check::StructuredSteps => works(fits_step(text)),
        Check::ConsecutiveRoles => works(holds("4711")),
        Check::Window => works(holds("MARZIPAN")),
        Check::Prefix => before.map_or(Mark::Unknown, |before| prefix(before, reply.usage)),
    };
    let called = reply.calls.first().map(|call| format!("{} {}", call.name, call.arguments));
    Finding { check, mark, said: in_one_line(&called.unwrap_or_else(|| text.to_owned())) }
}

/// A reply may stand on many lines, of which the first says nothing.
fn in_one_line(text: &str) -> String {
    one_line(&text.split_whitespace().collect::<Vec<&str>>().join(" "), SAID)
}

/// A check that the server or the model refused.
#[must_use]
pub fn refused(check: Check, sentence: &str) -> Finding {
    Finding { check, mark: Mark::Fails, said: in_one_line(sentence) }
}

/// A check for which there was no time.
#[must_use]
pub fn not_tried(check: Check) -> Finding {
    Finding { check, mark: Mark::Unknown, said: String::new() }
}

fn names_a_city(arguments: &str) -> bool {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    arguments["city"].as_str().is_some_and(|city| !city.trim().is_empty())
}

fn fits_step(text: &str) -> bool {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let is_alone = value.as_object().is_some_and(|object| object.len() == 1);
    is_alone && value["city"].as_str().is_some_and(|city| ["Lima", "Oslo", "Quito"].contains(&city))
}

/// By the server's own count where it gives one; else by the time that the second request took to its first token.
fn prefix(before: Usage, after: Usage) -> Mark {
    match (after.n_reused, after.n_read, before.first_token_ms, after.first_token_ms) {
        (Some(n_reused), Some(n_read), ..) if n_read > 0 => {
            if n_reused >= n_read / 2 {
                Mark::Works
            } else {
                Mark::Fails
            }
        }
        // Under a second both are mostly the way there and back.
        (_, _, Some(first), Some(second)) if first >= 1_000 && second * 3 <= first => Mark::Works,
        (_, _, Some(first), Some(second)) if first >= 1_000 && second * 10 >= first * 8 => Mark::Fails,
        _ => Mark::Unknown,
    }
}

/// Tokens read in a second, by a request that was long enough to say so; `n_sent` stands in where nobody counted.
#[must_use]
pub fn read_per_s(usage: Usage, n_sent: u32) -> Option<u32> {
    let n_evaluated = usage.n_evaluated.or_else(|| Some(usage.n_read?.saturating_sub(usage.n_reused.unwrap_or(0))));
    per_s(n_evaluated.unwrap_or(n_sent), usage.first_token_ms?)
}

/// Tokens written in a second over several replies; the first token of each belongs to the reading.
#[must_use]
pub fn written_per_s(usages: &[Usage]) -> Option<u32> {
    let (mut n_written, mut took_ms) = (0, 0);
    for usage in usages {
        if let (Some(n), Some(first), Some(total)) = (usage.n_written, usage.first_token_ms, usage.total_ms)
            && n > 1
        {
            n_written += n - 1;
            took_ms += total.saturating_sub(first);
        }
    }
    per_s(n_written, took_ms)
}

fn per_s(n: u32, ms: u64) -> Option<u32> {
    let speed = (u64::from(n) * 1_000).checked_div(ms)?;
    u32::try_from(speed).ok().filter(|speed| *speed > 0)
}

#[cfg(test)]
mod tests;
