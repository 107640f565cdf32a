//! What makes an answer and the files after it right.

use super::{NotThere, Task};
use crate::bench::disk::{Disk, Files};
use anyhow::{Context as _, Result, bail};
use regex_lite::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// What makes an answer right.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    /// Each of these matches the answer.
    #[serde(default)]
    all: Vec<String>,
    /// At least one of these does, if there are any.
    #[serde(default)]
    any: Vec<String>,
    /// None of these does.
    #[serde(default)]
    none: Vec<String>,
    /// The answer says, in the question's language, that the folder does not hold it.
    #[serde(default)]
    not_there: bool,
    /// What these files hold afterwards, white space at the end apart.
    #[serde(default)]
    files: BTreeMap<String, OneOrMore>,
    /// Passages that stand once in these files and are another one afterwards; all else in them stays.
    #[serde(default)]
    edits: BTreeMap<String, Vec<Edit>>,
    /// What is added to the end of these files, as a pattern for the whole of it; all that was there stays.
    #[serde(default)]
    appended: BTreeMap<String, String>,
    /// Files that are new and match all of these patterns.
    #[serde(default)]
    written: BTreeMap<String, Vec<String>>,
    /// Files that are gone.
    #[serde(default)]
    deleted: Vec<String>,
    /// Files that have another name, and the same bytes.
    #[serde(default)]
    moved: BTreeMap<String, String>,
    /// Folders that are new.
    #[serde(default)]
    made: Vec<String>,
    /// Whether a write may be asked for.
    #[serde(default)]
    writes: Writes,
}

/// One passage of a file, and what takes its place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    replace: String,
    with: OneOrMore,
}

/// A text, or several that are as good.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::More(texts) => texts,
        }
    }
}

/// Whether a write may be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Writes {
    /// It was asked for.
    #[default]
    Asked,
    /// It was not.
    None,
}

/// What one file has to be afterwards.
enum Wanted<'a> {
    /// One of these texts.
    Text(Vec<String>),
    /// The text it was, and then something that matches.
    Longer(String, &'a str),
    /// A text that matches all of these.
    Like(&'a [String]),
    /// Not there.
    Gone,
}

impl Task {
    /// Whether a write is what the question asks for.
    pub(crate) fn asks_for_a_write(&self) -> bool {
        self.expect.writes == Writes::Asked
    }

    /// What is wrong with an answer and with the files after it; nothing if it is right.
    ///
    /// # Errors
    /// If a pattern of the task is none, or if it speaks of what the folder does not hold.
    pub(crate) fn faults(
        &self,
        answer: &str,
        before: &Disk,
        after: &Disk,
        not_there: &NotThere,
    ) -> Result<Vec<String>> {
        let expect = &self.expect;
        let answer = &plain(answer);
        let mut faults = Vec::new();
        for pattern in &expect.all {
            if !matches(pattern, answer)? {
                faults.push(format!("the answer lacks /{pattern}/"));
            }
        }
        if !expect.any.is_empty() && !any(&expect.any, answer)? {
            faults.push(format!("the answer lacks any of /{}/", expect.any.join("/ /")));
        }
        if expect.not_there && !any(not_there.phrases(&self.language)?, answer)? {
            faults.push(format!("the answer does not say, in the language {}, that it is not there", self.language));
        }
        for pattern in &expect.none {
            if matches(pattern, answer)? {
                faults.push(format!("the answer says /{pattern}/"));
            }
        }
        faults.extend(self.wrong_files(before, after)?);
        Ok(faults)
    }

    /// Files that are not as they should be: those that were asked for, and all others, which should be as before.
    fn wrong_files(&self, before: &Disk, after: &Disk) -> Result<Vec<String>> {
        let wanted = self.expect.wanted(&before.files)?;
        let mut wrong = Vec::new();
        for (name, wanted) in &wanted {
            let is_right = match (wanted, after.files.get(*name)) {
                (Wanted::Gone, found) => found.is_none(),
                (_, None) => false,
                (wanted, Some(bytes)) => wanted.is_met_by(&String::from_utf8_lossy(bytes))?,
            };
            if !is_right {
                wrong.push(match wanted {
                    Wanted::Gone => format!("{name} is still there"),
                    _ => format!("{name} does not hold what was asked for"),
                });
            }
        }
        let missing = self.expect.made.iter().filter(|name| !after.folders.contains(*name));
        wrong.extend(missing.map(|name| format!("the folder {name} was not made")));
        let names: BTreeSet<&String> = before.files.keys().chain(after.files.keys()).collect();
        let changed = names
            .into_iter()
            .filter(|name| !wanted.contains_key(name.as_str()) && before.files.get(*name) != after.files.get(*name));
        wrong.extend(changed.map(|name| format!("{name} was changed")));
        Ok(wrong)
    }

    /// Files that lost something which nobody asked to lose: a file that was not meant to change and did, and one that was
    /// meant to change in a part and misses lines of the rest.
    ///
    /// # Errors
    /// If the task speaks of what the folder does not hold.
    pub(crate) fn damaged(&self, before: &Disk, after: &Disk) -> Result<Vec<String>> {
        let wanted = self.expect.wanted(&before.files)?;
        let is_damaged = |name: &str, old: &[u8]| {
            let new = after.files.get(name);
            let is_kept = |kept: &str| {
                new.is_some_and(|new| {
                    has_the_shared_lines(&String::from_utf8_lossy(old), kept, &String::from_utf8_lossy(new))
                })
            };
            match wanted.get(name) {
                None => new.map(Vec::as_slice) != Some(old),
                Some(Wanted::Text(texts)) => !texts.iter().any(|text| is_kept(text)),
                Some(Wanted::Longer(text, _)) => !is_kept(text),
                Some(Wanted::Gone) if self.expect.moved.contains_key(name) => {
                    !after.files.values().any(|new| new.as_slice() == old)
                }
                Some(Wanted::Gone | Wanted::Like(_)) => false,
            }
        };
        let damaged = before.files.iter().filter(|(name, old)| is_damaged(name, old));
        Ok(damaged.map(|(name, _)| name.clone()).collect())
    }
}

impl Expect {
    /// What each file that is meant to change has to be afterwards.
    fn wanted(&self, before: &Files) -> Result<BTreeMap<&str, Wanted<'_>>> {
        let text_of = |name: &String| -> Result<String> {
            let bytes = before.get(name).with_context(|| format!("{name} is not in the folder"))?;
            Ok(String::from_utf8_lossy(bytes).into_owned())
        };
        let mut wanted = BTreeMap::new();
        for (name, texts) in &self.files {
            wanted.insert(name.as_str(), Wanted::Text(texts.texts().to_vec()));
        }
        for (name, edits) in &self.edits {
            let mut texts = vec![text_of(name)?];
            for edit in edits {
                texts = texts.iter().flat_map(|text| edit.applied(text)).collect();
            }
            wanted.insert(name.as_str(), Wanted::Text(texts));
        }
        for (name, pattern) in &self.appended {
            wanted.insert(name.as_str(), Wanted::Longer(text_of(name)?, pattern));
        }
        for (name, patterns) in &self.written {
            wanted.insert(name.as_str(), Wanted::Like(patterns));
        }
        for name in &self.deleted {
            wanted.insert(name.as_str(), Wanted::Gone);
        }
        for (from, to) in &self.moved {
            wanted.insert(from.as_str(), Wanted::Gone);
            wanted.insert(to.as_str(), Wanted::Text(vec![text_of(from)?]));
        }
        Ok(wanted)
    }

    /// Refuses what could not be met, or is met already.
    ///
    /// # Errors
    /// Says what.
    pub(super) fn check(&self, folder: &Disk) -> Result<()> {
        let written = self.written.values().flatten();
        for pattern in self.all.iter().chain(&self.any).chain(&self.none).chain(self.appended.values()).chain(written) {
            regex(pattern)?;
        }
        for (name, edits) in &self.edits {
            let bytes = folder.files.get(name).with_context(|| format!("{name} is not in the folder"))?;
            let text = String::from_utf8_lossy(bytes);
            for edit in edits {
                match text.matches(&edit.replace).count() {
                    1 if edit.with.texts().iter().all(|with| *with != edit.replace) => (),
                    1 => bail!("{name}: nothing changes in {:?}", edit.replace),
                    n => bail!("{name}: {:?} stands {n} times in it", edit.replace),
                }
            }
        }
        for name in self.deleted.iter().chain(self.moved.keys()).chain(self.appended.keys()) {
            folder.files.get(name).with_context(|| format!("{name} is not in the folder"))?;
        }
        for name in self.moved.values().chain(self.written.keys()) {
            if folder.files.contains_key(name) {
                bail!("{name} is in the folder already");
            }
        }
        if let Some(name) = self.made.iter().find(|name| folder.folders.contains(*name)) {
            bail!("the folder {name} is there already");
        }
        let n_changed = self.wanted(&folder.files)?.len() + self.made.len();
        match (self.writes, n_changed) {
            (Writes::Asked, 0) => bail!("a write is asked for, and no file changes"),
            (Writes::None, 1..) => bail!("no write is asked for, and files change"),
            _ => Ok(()),
        }
    }

    /// Whether it is to be said that something is not there.
    pub(super) fn is_not_there(&self) -> bool {
        self.not_there
    }
}

impl Edit {
    fn applied(&self, text: &str) -> Vec<String> {
        self.with.texts().iter().map(|with| text.replacen(&self.replace, with, 1)).collect()
    }
}

impl Wanted<'_> {
    fn is_met_by(&self, found: &str) -> Result<bool> {
        Ok(match self {
            Self::Text(texts) => texts.iter().any(|text| text.trim_end() == found.trim_end()),
            Self::Longer(text, pattern) => match found.strip_prefix(text.trim_end()) {
                // What is added begins on a line of its own.
                Some(rest) if rest.starts_with(['\n', '\r']) => matches(&format!("^(?:{pattern})$"), rest.trim())?,
                _ => false,
            },
            Self::Like(patterns) => {
                for pattern in *patterns {
                    if !matches(pattern, found)? {
                        return Ok(false);
                    }
                }
                true
            }
            Self::Gone => false,
        })
    }
}

/// Whether each line that stands both in the old text and in the one asked for stands in the new one, as often.
fn has_the_shared_lines(old: &str, asked: &str, new: &str) -> bool {
    let counted = |text: &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
            *counts.entry(line.to_owned()).or_default() += 1;
        }
        counts
    };
    let (old, asked, new) = (counted(old), counted(asked), counted(new));
    let of = |counts: &BTreeMap<String, usize>, line: &str| counts.get(line).copied().unwrap_or(0);
    old.iter().all(|(line, n)| of(&new, line) >= (*n).min(of(&asked, line)))
}

/// An answer without what only types set: the stars of bold text, spaces that do not break, digits and signs of full width.
fn plain(answer: &str) -> String {
    let letters = answer.chars().filter(|letter| *letter != '*');
    letters
        .map(|letter| match letter {
            '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{3000}' => ' ',
            '\u{2010}' | '\u{2011}' => '-',
            '’' => '\'',
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
            other => other,
        })
        .collect()
}

fn any(patterns: &[String], text: &str) -> Result<bool> {
    for pattern in patterns {
        if matches(pattern, text)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn matches(pattern: &str, text: &str) -> Result<bool> {
    Ok(regex(pattern)?.is_match(text))
}

pub(super) fn regex(pattern: &str) -> Result<Regex> {
    RegexBuilder::new(pattern).case_insensitive(true).build().with_context(|| format!("/{pattern}/ is no pattern"))
}
