//! Office files: a packed folder with one file of XML that holds the text.

use super::extract::{MAX_TEXT, Unread};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use recto_core::library::{Form, Section, Unit};
use std::io::{Cursor, Read as _};
use zip::ZipArchive;

/// A row that says that it stands many times is read once, and a cell so often at most: files fill a sheet's margin that way.
const MAX_REPEATED: usize = 64;

/// One file of those that are packed, as text.
fn unpacked(bytes: &[u8], name: &str) -> Result<String, Unread> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Unread::Damaged)?;
    let file = archive.by_name(name).map_err(|error| match error {
        zip::result::ZipError::UnsupportedArchive(_) | zip::result::ZipError::InvalidPassword => Unread::Protected,
        _ => Unread::Damaged,
    })?;
    // What the archive says of a size may be a lie, so the bytes are counted as they come.
    let mut unpacked = Vec::new();
    file.take(MAX_TEXT as u64 + 1).read_to_end(&mut unpacked).map_err(|_| Unread::Damaged)?;
    if unpacked.len() > MAX_TEXT {
        return Err(Unread::TooLargeInside);
    }
    String::from_utf8(unpacked).map_err(|_| Unread::Damaged)
}

/// Counts what all packed files come to, before a library unpacks them without counting.
pub(super) fn check_size(bytes: &[u8]) -> Result<(), Unread> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Unread::Damaged)?;
    let mut left = MAX_TEXT as u64 * 2;
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(|_| Unread::Damaged)?;
        let n_bytes = std::io::copy(&mut file.take(left + 1), &mut std::io::sink()).map_err(|_| Unread::Damaged)?;
        left = left.checked_sub(n_bytes).ok_or(Unread::TooLargeInside)?;
    }
    Ok(())
}

/// An attribute by its name without the prefix.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(found.value.to_string())
}

/// The character of a reference such as `&amp;`.
fn referred(reference: &quick_xml::events::BytesRef<'_>) -> Option<char> {
    match reference.as_ref() {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => reference.resolve_char_ref().ok().flatten(),
    }
}

/// Paragraphs of a Word document. Headings become headings of Markdown, rows of a table one line each.
pub(super) fn docx(bytes: &[u8]) -> Result<Vec<Section>, Unread> {
    let xml = unpacked(bytes, "word/document.xml")?;
    let mut reader = Reader::from_str(&xml);
    let mut lines: Vec<String> = Vec::new();
    let (mut line, mut level, mut cells): (String, usize, Vec<String>) = (String::new(), 0, Vec::new());
    let (mut depth, mut is_text, mut is_dropped) = (0_usize, false, 0_usize);
    loop {
        match reader.read_event().map_err(|_| Unread::Damaged)? {
            Event::Start(element) => match element.local_name().as_ref() {
                "p" if depth == 0 => (line, level) = (String::new(), 0),
                "t" => is_text = true,
                // What was deleted under change tracking is not the text any more.
                "del" => is_dropped += 1,
                "tbl" => depth += 1,
                "pStyle" => level = style_level(&element).unwrap_or(level),
                _ => {}
            },
            Event::Empty(element) => match element.local_name().as_ref() {
                "tab" => line.push('\t'),
                "br" | "cr" => line.push(' '),
                "pStyle" => level = style_level(&element).unwrap_or(level),
                _ => {}
            },
            Event::Text(text) if is_text && is_dropped == 0 => line.push_str(&text),
            Event::GeneralRef(reference) if is_text && is_dropped == 0 => line.extend(referred(&reference)),
            Event::End(element) => match element.local_name().as_ref() {
                "t" => is_text = false,
                "del" => is_dropped = is_dropped.saturating_sub(1),
                "p" if depth == 0 => {
                    let text = line.trim();
                    let mark = if text.is_empty() || level == 0 { String::new() } else { "#".repeat(level) + " " };
                    lines.push(format!("{mark}{text}"));
                    line.clear();
                }
                "p" => line.push(' '),
                "tc" if depth == 1 => cells.push(std::mem::take(&mut line).trim().to_owned()),
                "tr" if depth == 1 => lines.push(format!("| {} |", std::mem::take(&mut cells).join(" | "))),
                "tbl" => depth = depth.saturating_sub(1),
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    if lines.iter().all(|line| line.trim().is_empty()) {
        return Err(Unread::NoText);
    }
    Ok(vec![paragraphs(&lines)])
}

/// A paragraph a line. Chunks go by empty lines, which here would count as paragraphs, so they are no part of the numbering.
fn paragraphs(lines: &[String]) -> Section {
    let text = lines.join("\n");
    Section { form: Form::Markdown, unit: Unit::Paragraph, first: 1, sheet: String::new(), text }
}

/// `Heading2`, or `2` as some programs write it.
fn style_level(element: &BytesStart<'_>) -> Option<usize> {
    let style = attribute(element, "val")?.to_lowercase();
    if style == "title" {
        return Some(1);
    }
    let digits = style.strip_prefix("heading").unwrap_or(&style).trim();
    digits.parse().ok().filter(|level| (1..=6).contains(level))
}

/// The sheets of a LibreOffice workbook, a row a line with tabs between the cells.
pub(super) fn ods(bytes: &[u8]) -> Result<Vec<Section>, Unread> {
    let xml = unpacked(bytes, "content.xml")?;
    let mut reader = Reader::from_str(&xml);
    let mut sections = Vec::new();
    let (mut sheet, mut rows, mut row, mut cell): (String, Vec<String>, Vec<String>, String) = Default::default();
    let (mut n_times, mut is_cell, mut skipped) = (1_usize, false, 0_usize);
    let repeated = |element: &BytesStart<'_>| {
        let n_times = attribute(element, "number-columns-repeated").and_then(|text| text.parse::<usize>().ok());
        n_times.unwrap_or(1).clamp(1, MAX_REPEATED)
    };
    loop {
        match reader.read_event().map_err(|_| Unread::Damaged)? {
            Event::Start(element) => match element.local_name().as_ref() {
                "table" => (sheet, rows) = (attribute(&element, "name").unwrap_or_default(), Vec::new()),
                "table-cell" | "covered-table-cell" => {
                    (cell, n_times, is_cell) = (String::new(), repeated(&element), true);
                }
                "annotation" => skipped += 1,
                _ => {}
            },
            Event::Empty(element) => match element.local_name().as_ref() {
                "table-cell" | "covered-table-cell" => {
                    row.extend(std::iter::repeat_n(String::new(), repeated(&element)));
                }
                "s" | "tab" | "line-break" if is_cell => cell.push(' '),
                _ => {}
            },
            Event::Text(text) if is_cell && skipped == 0 => cell.push_str(text.trim_matches('\n')),
            Event::GeneralRef(reference) if is_cell && skipped == 0 => cell.extend(referred(&reference)),
            Event::End(element) => match element.local_name().as_ref() {
                "p" if is_cell => cell.push(' '),
                "annotation" => skipped = skipped.saturating_sub(1),
                "table-cell" | "covered-table-cell" => {
                    let cell = std::mem::take(&mut cell).trim().to_owned();
                    row.extend(std::iter::repeat_n(cell, n_times));
                    is_cell = false;
                }
                "table-row" => rows.push(std::mem::take(&mut row).join("\t").trim_end().to_owned()),
                "table" => {
                    let text = std::mem::take(&mut rows).join("\n");
                    if !text.trim().is_empty() {
                        let sheet = std::mem::take(&mut sheet);
                        sections.push(Section { form: Form::Table, unit: Unit::Row, first: 1, sheet, text });
                    }
                }
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    if sections.is_empty() { Err(Unread::NoText) } else { Ok(sections) }
}
