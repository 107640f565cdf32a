//! Cutting a document into passages on its own structure: headings, paragraphs, rows below their header, blocks of a program.
//!
//! A passage holds about 400 tokens, counted by characters because no vocabulary is at hand. What stands together stays together as
//! far as it fits; a row and a character that a person sees are never split, whatever their size.

use super::{Chunk, Form, Place, Section, Unit};
use crate::text::is_chinese;
use unicode_segmentation::UnicodeSegmentation;

/// The size of a passage, in quarters of a token: some 1,600 Latin or 530 Chinese characters.
const TARGET: usize = 1_600;
/// A quoted field may span lines; one that never ends is a stray quotation mark.
const MAX_ROW_LINES: usize = 100;
/// The most headings that a passage carries; more are the mark of a broken document.
const MAX_DEPTH: usize = 6;

/// The passages of a document, in its order.
#[must_use]
pub fn chunks(sections: &[Section]) -> Vec<Chunk> {
    let mut cut = Vec::new();
    for section in sections {
        let mut cutter = Cutter { section, headings: Vec::new(), pieces: Vec::new(), weight: 0, cut: &mut cut };
        let lines: Vec<&str> = section.text.lines().collect();
        match section.form {
            Form::Prose => cutter.paragraphs(&lines, 0),
            Form::Markdown => cutter.markdown(&lines),
            Form::Table => cutter.table(&lines, 0),
            Form::Source => cutter.source(&lines),
        }
        cutter.flush();
    }
    cut
}

/// How much a text counts, in quarters of a token.
fn weight(text: &str) -> usize {
    text.chars().map(weight_of).sum()
}

fn weight_of(character: char) -> usize {
    // Kana, hangul and the wide forms are about as dense as Chinese.
    if is_chinese(character) || character >= '\u{2e80}' { 3 } else { 1 }
}

/// Lines that stand together, as indices into the section's lines.
struct Piece {
    first: usize,
    last: usize,
    text: String,
}

struct Cutter<'a> {
    section: &'a Section,
    headings: Vec<(usize, String)>,
    pieces: Vec<Piece>,
    weight: usize,
    cut: &'a mut Vec<Chunk>,
}

impl Cutter<'_> {
    /// Ends the passage that is being filled.
    fn flush(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        self.weight = 0;
        let (Some(first), Some(last)) =
            (pieces.first().map(|piece| piece.first), pieces.last().map(|piece| piece.last))
        else {
            return;
        };
        let mut text = String::new();
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 {
                // The empty lines between two pieces stay what they were, one at the most.
                let is_apart = piece.first > pieces[index - 1].last + 1;
                text.push_str(if is_apart { "\n\n" } else { "\n" });
            }
            text.push_str(&piece.text);
        }
        let headings = self.headings.iter().take(MAX_DEPTH).map(|(_, title)| title.clone()).collect();
        self.cut.push(Chunk { headings, place: self.place(first, last), text });
    }

    fn place(&self, first: usize, last: usize) -> Place {
        let section = self.section;
        let number = |index: usize| match section.unit {
            Unit::Page => section.first,
            _ => section.first.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)),
        };
        Place { unit: section.unit, first: number(first), last: number(last), sheet: section.sheet.clone() }
    }

    /// Adds lines that stand together, in a passage of their own where they do not fit into this one.
    fn add(&mut self, piece: Piece) {
        let weight = weight(&piece.text);
        if self.weight > 0 && self.weight + weight > TARGET {
            self.flush();
        }
        if weight > TARGET {
            self.add_large(&piece);
            return;
        }
        self.weight += weight;
        self.pieces.push(piece);
    }

    /// What is too long for one passage is cut between lines, and a line between sentences, words or characters.
    fn add_large(&mut self, piece: &Piece) {
        for (index, line) in piece.text.split('\n').enumerate() {
            let at = (piece.first + index).min(piece.last);
            for part in parts(line) {
                let weight = weight(part);
                if self.weight > 0 && self.weight + weight > TARGET {
                    self.flush();
                }
                self.weight += weight;
                self.pieces.push(Piece { first: at, last: at, text: part.to_owned() });
            }
        }
        self.flush();
    }

    /// Runs of lines without an empty one between them.
    fn paragraphs(&mut self, lines: &[&str], offset: usize) {
        for (first, last) in runs(lines) {
            self.add(piece(lines, first, last, offset));
        }
    }

    fn markdown(&mut self, lines: &[&str]) {
        let mut start = 0;
        let mut fence: Option<&str> = None;
        for (index, line) in lines.iter().enumerate() {
            let trimmed = line.trim_start();
            let marker = ["```", "~~~"].into_iter().find(|marker| trimmed.starts_with(marker));
            match (fence, marker) {
                (None, Some(marker)) => fence = Some(marker),
                (Some(open), Some(marker)) if open == marker => fence = None,
                _ => {}
            }
            let Some((level, title)) = heading(line).filter(|_| fence.is_none()) else { continue };
            self.body(&lines[start..index], start);
            self.flush();
            self.enter(level, title, index, lines.get(index + 1..).unwrap_or_default());
            start = index + 1;
        }
        self.body(&lines[start..], start);
    }

    /// Goes below a heading. One with nothing below it is a passage by itself, or it could not be found.
    fn enter(&mut self, level: usize, title: &str, at: usize, rest: &[&str]) {
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, title.to_owned()));
        let next = rest.iter().find(|line| !line.trim().is_empty());
        let is_bare = next.is_none_or(|line| heading(line).is_some_and(|(below, _)| below <= level));
        if is_bare {
            self.pieces.push(Piece { first: at, last: at, text: title.to_owned() });
            self.flush();
        }
    }

    /// What stands below a heading: tables row by row, the rest by paragraphs.
    fn body(&mut self, lines: &[&str], offset: usize) {
        for (first, last) in runs(lines) {
            let run = &lines[first..=last];
            let is_rule = |line: &&str| line.contains("--") && line.chars().all(|c| "|-: \t".contains(c));
            let is_table = run.len() > 2 && run[0].contains('|') && is_rule(&run[1]);
            let piece = piece(lines, first, last, offset);
            if is_table && weight(&piece.text) > TARGET {
                self.flush();
                self.table(run, offset + first);
                self.flush();
            } else {
                self.add(piece);
            }
        }
    }

    /// Rows below their header, which every passage repeats.
    fn table(&mut self, lines: &[&str], offset: usize) {
        let mut rows = rows(lines).into_iter();
        let Some((header_first, header_last)) = rows.next() else { return };
        let has_rule = lines
            .get(header_last + 1)
            .is_some_and(|line| line.contains("--") && line.chars().all(|character| "|-: \t".contains(character)));
        let mut header = lines[header_first..=header_last].join("\n");
        if has_rule {
            header = format!("{header}\n{}", lines[header_last + 1]);
            rows.next();
        }
        // A header that is no header but a whole text is not said again and again.
        let header = Some(header).filter(|header| weight(header) * 2 <= TARGET);
        let (mut text, mut from, mut to) = (String::new(), None, 0);
        let n_header = header.as_deref().map_or(0, weight);
        let header = header.unwrap_or_else(|| {
            from = Some(header_first);
            to = header_last;
            text = lines[header_first..=header_last].join("\n");
            String::new()
        });
        for (first, last) in rows {
            let row = lines[first..=last].join("\n");
            if from.is_some() && n_header + weight(&text) + weight(&row) > TARGET {
                self.rows_done(&header, &text, from.unwrap_or(first) + offset, to + offset);
                (text, from) = (String::new(), None);
            }
            from = from.or(Some(first));
            to = last;
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&row);
        }
        match from {
            Some(from) => self.rows_done(&header, &text, from + offset, to + offset),
            // A header alone is still a text.
            None => self.rows_done(&header, "", header_first + offset, header_last + offset),
        }
    }

    fn rows_done(&mut self, header: &str, rows: &str, first: usize, last: usize) {
        let text = [header, rows].into_iter().filter(|text| !text.is_empty()).collect::<Vec<&str>>().join("\n");
        self.pieces.push(Piece { first, last, text });
        self.flush();
    }

    /// Blocks between empty lines, together with the indented ones and the closing brackets that follow them.
    fn source(&mut self, lines: &[&str]) {
        let mut whole: Vec<(usize, usize)> = Vec::new();
        for (first, last) in runs(lines) {
            let goes_on = lines[first].starts_with([' ', '\t', '}', ')', ']']);
            match whole.last_mut() {
                Some(before) if goes_on => before.1 = last,
                _ => whole.push((first, last)),
            }
        }
        for (first, last) in whole {
            let block = piece(lines, first, last, 0);
            if weight(&block.text) <= TARGET {
                self.add(block);
                continue;
            }
            // A function that is too long by itself goes by its own blocks.
            self.flush();
            for (inner_first, inner_last) in runs(&lines[first..=last]) {
                self.add(piece(lines, first + inner_first, first + inner_last, 0));
            }
        }
    }
}

fn piece(lines: &[&str], first: usize, last: usize, offset: usize) -> Piece {
    let text = lines[first..=last].iter().map(|line| line.trim_end()).collect::<Vec<&str>>().join("\n");
    Piece { first: first + offset, last: last + offset, text }
}

/// The first and the last line of every run of lines that are not empty.
fn runs(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (index, _) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => runs.push((index, index)),
        }
    }
    runs
}

/// The rows of a table: a line each, or several where a quoted field goes on.
fn rows(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut rows = Vec::new();
    let mut first = 0;
    while first < lines.len() {
        let mut last = first;
        let mut n_quotes = lines[first].matches('"').count();
        while n_quotes % 2 == 1 && last + 1 < lines.len() && last - first < MAX_ROW_LINES {
            last += 1;
            n_quotes += lines[last].matches('"').count();
        }
        if n_quotes % 2 == 1 {
            last = first;
        }
        if !lines[first..=last].iter().all(|line| line.trim().is_empty()) {
            rows.push((first, last));
        }
        first = last + 1;
    }
    rows
}

/// The level and the title of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let title = rest.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t']) && !title.is_empty()).then_some((level, title))
}

/// A line in stretches that fit, cut after a sentence or a word where one ends in the second half, and never inside a grapheme.
fn parts(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut weighed, mut good) = (0, 0, None);
    for (at, grapheme) in line.grapheme_indices(true) {
        let weight = weight(grapheme);
        if weighed > 0 && weighed + weight > TARGET {
            let end = good.take().unwrap_or(at);
            parts.push(&line[start..end]);
            start = end;
            weighed = self::weight(&line[start..at]);
        }
        weighed += weight;
        let ends_something = grapheme.ends_with(|c: char| c.is_whitespace() || "。！？；，.!?;,".contains(c));
        if ends_something && weighed * 2 > TARGET {
            good = Some(at + grapheme.len());
        }
    }
    if start < line.len() || parts.is_empty() {
        parts.push(&line[start..]);
    }
    parts
}

#[cfg(test)]
mod tests;
