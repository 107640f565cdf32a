//! Reasoning that a server leaves in the text: `<think>…</think>` at its start, and only there.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Tells reasoning from text while it arrives in pieces.
#[derive(Debug, Default)]
pub(super) struct ThinkSplitter {
    place: Place,
    /// What cannot be told yet: it may become a mark.
    held: String,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Start,
    Inside,
    /// Right after the mark: white space there belongs to neither.
    Behind,
    Text,
}

/// A stretch whose kind is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stretch {
    Reasoning(String),
    Text(String),
}

impl ThinkSplitter {
    /// What can be told after this piece.
    pub(super) fn push(&mut self, piece: &str) -> Vec<Stretch> {
        if matches!(self.place, Place::Text) {
            return stretch(Stretch::Text, piece.to_owned());
        }
        self.held.push_str(piece);
        let mut told = Vec::new();
        loop {
            match self.place {
                Place::Start => {
                    let begun = self.held.trim_start();
                    if let Some(inside) = begun.strip_prefix(OPEN) {
                        self.held = inside.to_owned();
                        self.place = Place::Inside;
                    } else if OPEN.starts_with(begun) {
                        return told;
                    } else {
                        self.place = Place::Text;
                    }
                }
                Place::Inside => {
                    let Some(at) = self.held.find(CLOSE) else {
                        let kept = self.held.len() - n_begun(&self.held);
                        told.extend(stretch(Stretch::Reasoning, self.held.drain(..kept).collect()));
                        return told;
                    };
                    let behind = self.held.split_off(at + CLOSE.len());
                    self.held.truncate(at);
                    told.extend(stretch(Stretch::Reasoning, std::mem::replace(&mut self.held, behind)));
                    self.place = Place::Behind;
                }
                Place::Behind => {
                    self.held = self.held.trim_start().to_owned();
                    if self.held.is_empty() {
                        return told;
                    }
                    self.place = Place::Text;
                }
                Place::Text => {
                    told.extend(stretch(Stretch::Text, std::mem::take(&mut self.held)));
                    return told;
                }
            }
        }
    }

    /// What was held when the text ended.
    pub(super) fn finish(&mut self) -> Vec<Stretch> {
        let held = std::mem::take(&mut self.held);
        match self.place {
            Place::Inside => stretch(Stretch::Reasoning, held),
            _ => stretch(Stretch::Text, held),
        }
    }
}

fn stretch(kind: fn(String) -> Stretch, text: String) -> Vec<Stretch> {
    if text.is_empty() { Vec::new() } else { vec![kind(text)] }
}

/// How many bytes at the end may be the beginning of the closing mark.
fn n_begun(text: &str) -> usize {
    (1..CLOSE.len()).rev().find(|n| text.ends_with(&CLOSE[..*n])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Stretch, ThinkSplitter};

    fn read(pieces: &[&str]) -> (String, String) {
        let mut splitter = ThinkSplitter::default();
        let mut told: Vec<Stretch> = pieces.iter().flat_map(|piece| splitter.push(piece)).collect();
        told.extend(splitter.finish());
        let (mut reasoning, mut text) = (String::new(), String::new());
        for stretch in told {
            match stretch {
                Stretch::Reasoning(more) => reasoning.push_str(&more),
                Stretch::Text(more) => text.push_str(&more),
            }
        }
        (reasoning, text)
    }

    fn check(whole: &str, reasoning: &str, text: &str) {
        let expected = (reasoning.to_owned(), text.to_owned());
        assert_eq!(read(&[whole]), expected);
        for (at, _) in whole.char_indices() {
            assert_eq!(read(&[&whole[..at], &whole[at..]]), expected, "cut at {at}");
        }
        let single: Vec<String> = whole.chars().map(String::from).collect();
        assert_eq!(read(&single.iter().map(String::as_str).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn models_m8_reasoning_at_the_start_is_kept_apart() {
        check("<think>a <b> </thin</think>\n\nc", "a <b> </thin", "c");
        check(" \n<think>\nhm\n</think>", "\nhm\n", "");
        check("<think>never closed </thi", "never closed </thi", "");
        check("<think></think>你好", "", "你好");
    }

    #[test]
    fn models_m8_the_mark_means_nothing_later_and_no_byte_of_a_text_is_lost() {
        check("Use <think>x</think> so.", "", "Use <think>x</think> so.");
        check("<thin ice", "", "<thin ice");
        check("  leading space", "", "  leading space");
        check("<think", "", "<think");
        check("<think>a</think>b<think>c</think>", "a", "b<think>c</think>");
    }
}
