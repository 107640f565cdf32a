//! One page of HTML: no script, nothing that is loaded, and every text of a person, a model or a file escaped.

use super::words::{self, PageLanguage, Words, fill};
use recto_core::audit::{AuditEvent, status_word};
use recto_core::context::block::BlockKind;
use recto_core::context::omission::omissions;
use recto_core::context::plan::{PlannedBlock, Verdict};
use recto_core::request::Purpose;
use recto_core::turn::Ending;
use recto_store::{AuditRow, BundleNote, CallRow, RequestRecord, TodoSnapshot, TurnRow, TurnState};
use std::fmt::Write as _;

/// A conversation as the page tells it.
pub(super) struct ToldConversation {
    pub(super) title: String,
    pub(super) turns: Vec<ToldTurn>,
    pub(super) snapshots: Vec<TodoSnapshot>,
}

/// A turn as the page tells it.
pub(super) struct ToldTurn {
    pub(super) turn: TurnRow,
    /// Each request with its bytes.
    pub(super) requests: Vec<(RequestRecord, String)>,
    pub(super) calls: Vec<CallRow>,
    pub(super) decisions: Vec<AuditRow>,
}

const STYLE: &str = include_str!("page.css");

/// The whole page.
pub(super) fn page(told: &[ToldConversation], note: Option<&BundleNote>, language: PageLanguage) -> String {
    let words = words::words(language);
    let title = told.first().map(|conversation| conversation.title.as_str()).filter(|title| !title.is_empty());
    let title = title.unwrap_or(words.title);
    let mut out = Out { language, words, note, html: String::new() };
    out.raw(&format!("<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n", words.html));
    // A page from elsewhere loads nothing, whatever stands in it.
    out.raw(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
    );
    out.raw("<meta name=\"viewport\" content=\"width=device-width\">\n");
    out.raw(&format!("<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n", escaped(title)));
    out.element("h1", title);
    out.element("p", words.intro);
    if let Some(note) = note {
        if note.is_one_turn {
            out.element("p", words.one_turn);
        }
        if note.n_redacted > 0 {
            out.element("p", &fill(words.redacted, &[&note.n_redacted]));
        }
    }
    for conversation in told {
        for turn in &conversation.turns {
            out.turn(turn);
        }
        out.snapshots(&conversation.snapshots);
    }
    out.raw("</body>\n</html>\n");
    out.html
}

struct Out<'a> {
    language: PageLanguage,
    words: &'static Words,
    note: Option<&'a BundleNote>,
    html: String,
}

impl Out<'_> {
    fn raw(&mut self, html: &str) {
        self.html.push_str(html);
    }

    fn element(&mut self, name: &str, text: &str) {
        // Writing into a String cannot fail.
        let _ = writeln!(self.html, "<{name}>{}</{name}>", escaped(text));
    }

    fn folded(&mut self, name: &str, text: &str) {
        let _ =
            writeln!(self.html, "<details><summary>{}</summary><pre>{}</pre></details>", escaped(name), escaped(text));
    }

    fn turn(&mut self, told: &ToldTurn) {
        let words = self.words;
        self.raw("<article>\n");
        self.element("h2", &told.turn.question);
        match (&told.turn.answer, &told.turn.state) {
            (Some(answer), _) if !answer.is_empty() => {
                self.element("h3", words.answer);
                self.raw(&format!("<div class=\"text\">{}</div>\n", escaped(answer)));
            }
            (_, TurnState::Ended(Ending::Failed { sentence } | Ending::Limited { sentence })) => {
                self.element("p", &fill(words.no_answer, &[sentence]));
            }
            _ => self.element("p", &fill(words.no_answer, &[&""])),
        }
        self.element("h3", &fill(words.requests, &[&told.requests.len()]));
        for (record, bytes) in &told.requests {
            self.request(record, bytes);
        }
        if !told.calls.is_empty() {
            self.element("h3", words.calls);
            self.raw("<ol>\n");
            for row in &told.calls {
                let outcome = row.fact.as_ref().map_or("", |fact| status_word(fact.outcome.status));
                self.element("li", &format!("{} {} · {outcome}", row.call.name, row.call.arguments));
            }
            self.raw("</ol>\n");
        }
        if !told.decisions.is_empty() {
            self.element("h3", words.decisions);
            self.raw("<ul>\n");
            for row in &told.decisions {
                let said = self.decision(row);
                self.element("li", &said);
            }
            self.raw("</ul>\n");
        }
        self.raw("</article>\n");
    }

    fn decision(&self, row: &AuditRow) -> String {
        let entry = &row.entry;
        let said = match &entry.event {
            AuditEvent::Decision { is_allowed: true, decider, .. } => fill(self.words.allowed, &[decider]),
            AuditEvent::Decision { decider, reason, .. } => {
                let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
                format!("{}{reason}", fill(self.words.denied, &[decider]))
            }
            AuditEvent::Outcome { status, note, .. } => format!("{}: {note}", status_word(*status)),
        };
        format!("{} {} · {said}", entry.tool, entry.target)
    }

    fn request(&mut self, record: &RequestRecord, bytes: &str) {
        let words = self.words;
        let row = &record.row;
        let purpose = match row.purpose {
            Purpose::Work => words.work,
            Purpose::Answer => words.answer_request,
            Purpose::Summary => words.summary,
        };
        self.raw("<section>\n");
        let size = fill(words.tokens, &[&row.n_tokens, &record.plan.budget.window]);
        self.element("h4", &format!("{}. {purpose} · {} · {size}", row.number, row.profile.name));
        self.bar(record);
        let n_placed = |index: usize| record.n_tokens_placed.get(index).copied().unwrap_or_default();
        for (index, block) in record.plan.rows.iter().enumerate().filter(|(_, block)| block.placed.is_some()) {
            let verdict = match block.verdict {
                Verdict::Cut { kept_lines, of_lines } => fill(words.cut, &[&kept_lines, &of_lines]),
                _ => words.kept.to_owned(),
            };
            let name = format!("{} · {verdict} · {}", self.name_of(block), n_placed(index));
            self.folded(&name, block.placed.as_deref().unwrap_or_default());
            if matches!(block.verdict, Verdict::Cut { .. }) {
                self.folded(&format!("{} · {}", words.whole, block.n_tokens), &block.block.text);
            }
        }
        let left_out: Vec<_> = omissions(&record.plan, &record.n_tokens_placed)
            .into_iter()
            .filter(|omission| omission.needed > 0)
            .collect();
        if left_out.is_empty() {
            self.raw(&format!("<p class=\"quiet\">{}</p>\n", escaped(words.nothing_left_out)));
        } else {
            self.element("h5", words.left_out);
            for omission in left_out {
                let block = &record.plan.rows[omission.block];
                let why = fill(words.dropped, &[&words::rule(self.language, omission.rule)]);
                let room = omission
                    .had
                    .map_or(String::new(), |had| format!(" · {}", fill(words.needed, &[&omission.needed, &had])));
                self.folded(&format!("{} · {why}{room}", self.name_of(block)), &block.block.text);
            }
        }
        if let Some(reply) = &row.reply {
            let calls: String =
                reply.reply.calls.iter().map(|call| format!("\n{} {}", call.name, call.arguments)).collect();
            self.folded(words.reply, &format!("{}{calls}", reply.reply.text));
        }
        if let Some(hash) = self.note.and_then(|note| note.original_hashes.get(row.id.as_str())) {
            let said = fill(words.changed_bytes, &[hash]);
            self.raw(&format!("<p class=\"quiet\">{}</p>\n", escaped(&said)));
        }
        self.folded(&format!("{} · {}", words.bytes, row.wire_hash), bytes);
        self.raw("</section>\n");
    }

    /// A block by its kind, and by where it comes from where that is a tool, a file or a passage.
    fn name_of(&self, block: &PlannedBlock) -> String {
        let kind = words::kind(self.language, block.block.kind);
        match block.block.kind {
            BlockKind::Knowledge | BlockKind::Passage | BlockKind::Call | BlockKind::Result | BlockKind::Fact => {
                format!("{kind} · {}", block.block.source)
            }
            _ => kind.to_owned(),
        }
    }

    /// The window to scale: the blocks in their order, what is free, and what is kept for the reply.
    fn bar(&mut self, record: &RequestRecord) {
        let budget = record.plan.budget;
        let window = f64::from(budget.window.max(1));
        let mut used = 0;
        let mut html = String::from("<div class=\"bar\">");
        for (index, block) in record.plan.rows.iter().enumerate().filter(|(_, block)| block.placed.is_some()) {
            let n_tokens = record.n_tokens_placed.get(index).copied().unwrap_or_default();
            used += n_tokens;
            html.push_str(&stretch_of(block.block.kind.as_str(), &self.name_of(block), n_tokens, window));
        }
        let free = budget.window.saturating_sub(record.row.n_tokens.max(used) + budget.reserve);
        html.push_str(&stretch_of("free", self.words.free, free, window));
        html.push_str(&stretch_of("reserve", self.words.reserve, budget.reserve, window));
        html.push_str("</div>\n");
        self.raw(&html);
    }

    fn snapshots(&mut self, snapshots: &[TodoSnapshot]) {
        if snapshots.is_empty() {
            return;
        }
        self.element("h3", self.words.list);
        for snapshot in snapshots {
            self.folded(&fill(self.words.version, &[&snapshot.version]), &snapshot.snapshot);
        }
    }
}

fn stretch_of(class: &str, name: &str, n_tokens: u32, window: f64) -> String {
    if n_tokens == 0 {
        return String::new();
    }
    let width = 100.0 * f64::from(n_tokens) / window;
    format!("<i class=\"{class}\" style=\"width:{width:.3}%\" title=\"{} {n_tokens}\"></i>", escaped(name))
}

/// A text as it stands in HTML. What would turn the direction of the line or be invisible is shown by its number.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
                let _ = write!(out, "[U+{:04X}]", character as u32);
            }
            _ if character.is_control() => {
                let _ = write!(out, "[U+{:04X}]", character as u32);
            }
            _ => out.push(character),
        }
    }
    out
}
