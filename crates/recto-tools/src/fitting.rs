//! Which files a question is about, by the words in them: a small model that has only the names to go by reads the wrong one first.

use crate::content::decode;
use crate::door::Door;
use crate::path_rules::RelativePath;
use crate::watch::Watch;
use recto_core::telling::{TellingWords, Weighed, weigh};

/// Of each file so much is looked at.
const MAX_BYTES: u64 = 256 * 1_024;
/// So many files are named at most.
const MOST: usize = 5;
/// Files within this share of the best one fit as well.
const AS_GOOD: f64 = 0.5;
/// The best one holds at least this share of what the words that are found anywhere weigh; else no file is about the question.
const ENOUGH: f64 = 0.4;

/// Those of `files` that hold most of the question's telling words, in their text or their name, the best first. Empty where no file stands out.
pub(crate) fn fitting(door: &Door, question: &str, files: &[String], watch: &Watch) -> Vec<String> {
    let telling = TellingWords::of(question);
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for path in files {
        if watch.is_over() {
            // What was not looked at could be the right one.
            return Vec::new();
        }
        let Ok(relative) = RelativePath::read(path) else { continue };
        let Ok((bytes, _)) = door.read(&relative, MAX_BYTES) else { continue };
        let text = decode(&bytes).map(|text| text.text).unwrap_or_default();
        // The parts of a path are words of their own.
        let name = path.replace(|c: char| !c.is_alphanumeric(), " ");
        let words = telling.found_in(&format!("{name}\n{text}")).collect();
        found.push((path.clone(), words));
    }
    ranked(found)
}

fn ranked(found: Vec<(String, Vec<&str>)>) -> Vec<String> {
    let (paths, words): (Vec<String>, Vec<Vec<&str>>) = found.into_iter().unzip();
    let Weighed { scores, all } = weigh(&words);
    let mut scored: Vec<(f64, String)> = scores.into_iter().zip(paths).collect();
    scored.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.cmp(other)));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    if best <= 0.0 || best < ENOUGH * all {
        return Vec::new();
    }
    let good: Vec<String> =
        scored.into_iter().filter(|(score, _)| *score >= AS_GOOD * best).map(|(_, path)| path).collect();
    if good.len() > MOST { Vec::new() } else { good }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn check(question: &str, expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("README.md", "# Weir\n\nRun it with `make serve`. Stop it with Ctrl-C.\nAsk Mirela about the server.\n"),
            ("config/site.toml", "poll = 10\nlanguage = \"en\"\n"),
            ("notes/threshold.md", "The threshold for an alert is 4.2 metres.\n"),
            ("notes/温度计.md", "推荐 TM-20：电池可以用两年。\n"),
            ("data/gauges.csv", "gauge,river\nG-01,Arden\n"),
        ];
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let door = Door::open(folder.path(), &[]).unwrap();
        let watch = Watch::new(Duration::from_secs(20));
        assert_eq!(fitting(&door, question, &files.map(|(path, _)| path.to_owned()), &watch), expected, "{question}");
    }

    #[test]
    fn the_files_that_hold_the_words_of_a_question_are_found_in_text_and_in_names() {
        check("How do I stop the server?", &["README.md"]);
        check("What is the threshold for alerts?", &["notes/threshold.md"]);
        check("温度计的电池可以用多久？", &["notes/温度计.md"]);
        check("On which river is G-01?", &["data/gauges.csv"]);
        check("Which settings are for the site?", &["config/site.toml"]);
        check("Who won the cup?", &[]);
    }
}
