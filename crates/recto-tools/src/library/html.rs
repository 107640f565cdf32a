//! Web pages as Markdown.

use super::extract::Unread;
use super::text_of;
use htmd::HtmlToMarkdown;
use recto_core::library::{Form, Section, Unit};

/// A page that is nested more deeply is read without its structure: the library goes down one call a level.
const MAX_DEPTH: usize = 1_000;
/// Elements without an end.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Section>, Unread> {
    let html = text_of(bytes)?;
    let (form, text) = if depth(&html) > MAX_DEPTH {
        (Form::Prose, without_tags(&html))
    } else {
        let reader = HtmlToMarkdown::builder()
            .skip_tags(vec!["script", "style", "noscript", "template", "head", "iframe", "svg", "nav"])
            .build();
        (Form::Markdown, reader.convert(&html).map_err(|_| Unread::Damaged)?)
    };
    if text.trim().is_empty() {
        return Err(Unread::NoText);
    }
    Ok(vec![Section { form, unit: Unit::Unnumbered, first: 1, sheet: String::new(), text }])
}

/// The most elements that may be open at once; those that need no end count until a later end closes more than was opened.
fn depth(html: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    for (at, _) in html.match_indices('<') {
        let rest = &html[at + 1..];
        if rest.starts_with('/') {
            open = open.saturating_sub(1);
        } else if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let name: String =
                rest.chars().take_while(char::is_ascii_alphanumeric).take(12).collect::<String>().to_ascii_lowercase();
            if !VOID.contains(&name.as_str()) {
                open += 1;
                deepest = deepest.max(open);
            }
        }
    }
    deepest
}

/// The text between the tags.
fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut is_inside = false;
    for character in html.chars() {
        match character {
            '<' => is_inside = true,
            '>' if is_inside => {
                is_inside = false;
                if !text.is_empty() && !text.ends_with(char::is_whitespace) {
                    text.push('\n');
                }
            }
            _ if !is_inside => text.push(character),
            _ => {}
        }
    }
    text
}
