//! Where did it go, on the command line.

use crate::show;
use recto_app::record::Store;
use recto_app::{Elsewhere, Origin, OriginKind, Outcome, Trace, Traced, trace};
use recto_core::id::{ConversationId, TurnId};
use recto_core::whereabouts::{CompetitorKind, Level, Whereabouts};
use std::process::ExitCode;

/// Prints where a text went, up to a turn, or to the end of a conversation.
pub(crate) async fn whereabouts(
    record: &Store,
    text: &str,
    turn: &str,
    conversation: Option<String>,
) -> anyhow::Result<ExitCode> {
    let turn = match conversation {
        Some(id) => record
            .conversation(ConversationId(id))
            .await?
            .current_turn
            .ok_or_else(|| anyhow::anyhow!("nothing was asked in this conversation yet"))?,
        None if turn == "last" => show::latest_turn(record).await?,
        None => TurnId(turn.to_owned()),
    };
    let trace = trace(record, turn, text).await?;
    print!("{}", told(&trace));
    Ok(if trace.origins.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn told(trace: &Trace) -> String {
    let mut text = format!("“{}”\n", trace.text);
    if trace.origins.is_empty() {
        text.push_str("  no question, answer, result, memory or passage of this conversation has it\n");
    }
    for place in &trace.elsewhere {
        text.push_str(&format!("  but it stands {}\n", stands(place)));
    }
    for origin in &trace.origins {
        text.push_str(&format!("  {}\n", entered(origin)));
    }
    let mut turn = 0;
    for row in &trace.requests {
        if turn != row.turn_number {
            turn = row.turn_number;
            text.push_str(&format!("\nturn {turn}  {}\n", row.turn));
        }
        text.push_str(&format!("  {} {:<8} {}\n", row.number, row.purpose.as_str(), said(row)));
    }
    if trace.n_turns_before > 0 {
        text.push_str(&format!(
            "\n{} earlier turns since it entered are not shown; name one of them with --turn\n",
            trace.n_turns_before
        ));
    }
    if !trace.competitors.is_empty() {
        text.push_str("\nbeside it in the last request:\n");
    }
    for (competitor, kind, source) in &trace.competitors {
        let why = match competitor.kind {
            CompetitorKind::OtherValue => "says another value",
            CompetitorKind::NearDuplicate => "says nearly the same",
            CompetitorKind::FitsBetter => "has more of the question's words",
        };
        text.push_str(&format!("  {why} ({} · {source}): {}\n", kind.as_str(), competitor.line));
    }
    text
}

fn entered(origin: &Origin) -> String {
    let place = origin.turn.as_ref().map_or(String::new(), |(_, number)| format!(" of turn {number}"));
    let what = as_what(origin.kind);
    let source = if origin.source.is_empty() { String::new() } else { format!(" ({})", origin.source) };
    format!("{what}{place}{source}, {}", level(origin.level))
}

fn as_what(kind: OriginKind) -> &'static str {
    match kind {
        OriginKind::Question => "in the question",
        OriginKind::Answer => "in the answer",
        OriginKind::Result => "in a result",
        OriginKind::Memory => "in a memory",
        OriginKind::Knowledge => "in pinned knowledge",
        OriginKind::Profile => "in the profile",
        OriginKind::Passage => "in the library",
    }
}

fn stands(place: &Elsewhere) -> String {
    match place {
        Elsewhere::Conversation { title, turn, kind, level: found } => {
            let title = title.as_deref().unwrap_or("(empty)");
            format!(
                "{} of turn {turn} in another conversation or branch (“{title}”), {}",
                as_what(*kind),
                level(*found)
            )
        }
        Elsewhere::File { path, line, level: found } => {
            format!("in the file {path}, line {line}, which no tool read, {}", level(*found))
        }
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Exact => "word for word",
        Level::Unescaped => "word for word, escaped",
        Level::Normalised => "with other spaces, line breaks or signs",
        Level::CaseOnly => "in other case",
        Level::Near => "nearly: letters differ",
        Level::Value => "only its values beside its words",
    }
}

fn said(row: &Traced) -> String {
    let block = row.block.as_ref().map_or(String::new(), |(kind, source)| format!(" {} · {source}", kind.as_str()));
    match &row.outcome {
        Outcome::Found(Whereabouts::Whole(place)) => {
            let distance = place
                .n_tokens_to_question
                .map_or(String::new(), |tokens| format!(", {tokens} tokens before the question"));
            format!(
                "whole in{block} ({} of {} blocks, {:.0} % of the request{distance}), {}",
                place.number,
                place.of,
                100.0 * place.share,
                level(place.level)
            )
        }
        Outcome::Found(Whereabouts::Cut { has_beginning, kept_lines, of_lines, line, .. }) => {
            let part = if *has_beginning { "cut through" } else { "cut off" };
            format!("{part}: it is on line {line} of{block}, of which lines 1–{kept_lines} of {of_lines} are there")
        }
        Outcome::Found(Whereabouts::Stubbed { .. }) => {
            format!("not there:{block} was made one line to make room; it stays a fact")
        }
        Outcome::Found(Whereabouts::InSummary(place)) => {
            format!("only in the summary, {}", level(place.level))
        }
        Outcome::Found(Whereabouts::Dropped { rule, order, .. }) => {
            let room = row.room.map_or(String::new(), |(needed, had)| format!(": needed {needed} tokens, had {had}"));
            let order = if *order > 0 { format!(", the {order}. to go") } else { String::new() };
            format!("left out by rule {}{order}{room} ({})", rule.as_str(), block.trim_start())
        }
        Outcome::Found(Whereabouts::Superseded { .. }) => {
            format!("superseded: a later result of the same call stands in its place ({})", block.trim_start())
        }
        Outcome::Folded { version } => format!("folded into the summary (version {version}), which does not say it"),
        Outcome::NotChosen { chosen } if chosen.is_empty() => {
            "not chosen for this question, and nothing else was".to_owned()
        }
        Outcome::NotChosen { chosen } => {
            let best: Vec<String> =
                chosen.iter().take(3).map(|(source, score)| format!("{source} {score:.2}")).collect();
            format!("not chosen for this question; chosen were {}", best.join(", "))
        }
        Outcome::EarlierResult => {
            "not there: it was the result of a tool in an earlier turn, and the answer of that turn does not say it"
                .to_owned()
        }
        Outcome::Found(Whereabouts::NotConsidered) | Outcome::NotThere => "not there yet".to_owned(),
    }
}
