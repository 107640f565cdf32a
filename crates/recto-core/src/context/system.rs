//! The system message: its parts in their order, the scored ones sorted, and an empty one leaving nothing behind.

use super::block::{Block, BlockKind, Importance, Role, Seat};
use std::cmp::Ordering;

/// The texts that a system message is made of. An empty one leaves nothing behind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemTexts {
    /// What every model is told.
    pub instructions: String,
    /// The tools and the rules of a step (structured protocol).
    pub tools: String,
    /// Texts that are always present.
    pub knowledge: String,
    /// The language to reply in.
    pub language: String,
    /// What the user said about themselves.
    pub profile: String,
    /// Remembered sentences, in any order.
    pub memories: Vec<Scored>,
    /// Passages from the library, in any order.
    pub passages: Vec<Scored>,
    /// What left the history, in short.
    pub summary: String,
}

/// A text that was chosen for this question by its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// Unique among those of its kind.
    pub id: String,
    /// Where it comes from, for the model and for a person; empty for a memory.
    pub source: String,
    /// The text.
    pub text: String,
    /// Relevance to the question, 0 to 1.
    pub score: f64,
}

/// The blocks of the system message, the same in every request of a turn.
#[must_use]
pub fn system_blocks(texts: &SystemTexts) -> Vec<Block> {
    let separated = |heading: &str, text: &str| {
        if text.trim().is_empty() { String::new() } else { format!("\n\n{heading}{}", text.trim()) }
    };
    let whole =
        |id: &str, kind, source: &str, text: String| Block::pinned(id, kind, source, Seat::new(0, Role::System), text);
    let ranked = |block: Block| Block { importance: Importance::Ranked, ..block };
    let knowledge = separated("# Always keep in mind\n\n", &texts.knowledge);
    let mut blocks = vec![
        whole("instructions", BlockKind::Instructions, "instructions", separated("", &texts.instructions)),
        whole("tools", BlockKind::Tools, "tools and rules of a step", separated("", &texts.tools)),
        whole("knowledge", BlockKind::Knowledge, "pinned knowledge", knowledge),
        whole("language", BlockKind::Language, "reply language", separated("", &texts.language)),
    ];
    let profile = separated("# About the user\n\n", &texts.profile);
    blocks.push(ranked(whole("profile", BlockKind::Profile, "profile", profile)));
    push_scored(&mut blocks, BlockKind::Memory, "\n\n# What you remember", &texts.memories, |memory| {
        format!("\n- ({:.2}) {}", memory.score, indented(&memory.text))
    });
    push_scored(&mut blocks, BlockKind::Passage, "\n\n# Passages from the library", &texts.passages, |passage| {
        let fence = fence(&passage.text);
        format!("\n\n({:.2}) {}:\n{fence}\n{}\n{fence}", passage.score, passage.source, passage.text.trim_end())
    });
    let summary = separated("# Earlier in this conversation, in short\n\n", &texts.summary);
    blocks.push(ranked(whole("summary", BlockKind::Summary, "earlier turns, in short", summary)));
    blocks
}

/// The scored texts of one kind below their heading, the best first, then by id, so that their order in the input changes no byte.
fn push_scored(
    blocks: &mut Vec<Block>,
    kind: BlockKind,
    heading: &str,
    scored: &[Scored],
    written: impl Fn(&Scored) -> String,
) {
    let seat = || Seat::new(0, Role::System);
    let mut sorted: Vec<&Scored> = scored.iter().filter(|one| !one.text.trim().is_empty()).collect();
    sorted.sort_by(|a, b| by_score(a.score, b.score).then_with(|| a.id.cmp(&b.id)));
    let kind_word = kind.as_str();
    let over = Block::pinned(
        kind_word,
        kind,
        "heading",
        seat(),
        if sorted.is_empty() { String::new() } else { heading.to_owned() },
    );
    blocks.push(Block { importance: Importance::Heading, ..over });
    for one in sorted {
        let source = if one.source.is_empty() { kind_word.to_owned() } else { one.source.clone() };
        let block = Block::pinned(format!("{kind_word}/{}", one.id), kind, source, seat(), written(one));
        blocks.push(Block { importance: Importance::Ranked, score: Some(one.score), ..block });
    }
}

/// The higher score first; what is no number comes last.
fn by_score(a: f64, b: f64) -> Ordering {
    let is_number = |score: f64| score.is_finite();
    is_number(b).cmp(&is_number(a)).then(b.partial_cmp(&a).unwrap_or(Ordering::Equal))
}

/// A text whose later lines stand below its first, so that none of them can pass for a heading or an entry of its own.
fn indented(text: &str) -> String {
    text.trim().lines().collect::<Vec<&str>>().join("\n  ")
}

/// Quotation marks that are more than any that stand together in `text`: what lies between two of them cannot end there.
#[must_use]
pub fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '"').map(str::len).max().unwrap_or(0);
    "\"".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests;
