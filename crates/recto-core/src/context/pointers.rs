//! Pointers: of the facts that an answer is written from, the few lines that speak of what was asked, said once more right before the
//! question. A small model that has to find one row among ten often takes the next one; it copies well what stands last.
//!
//! The lines are the results' own. They are chosen by counting words, so the same facts and question always give the same pointers; where too many
//! lines are equally good there are none, because a wrong pointer is worse than no pointer.

use crate::fact::Fact;
use crate::telling::{TellingWords, weigh};
use crate::text::prefix_within;
use std::collections::BTreeSet;
use unicode_segmentation::UnicodeSegmentation;

/// More lines than these point nowhere.
const MOST_LINES: usize = 3;
/// More differences than these are no two versions of one text.
const MOST_DIFFERENCES: usize = 12;
/// Lines within this share of the best one are as good as it.
const AS_GOOD: f64 = 0.75;
/// Bytes of a line that are shown.
const LONGEST: usize = 400;

/// What is pointed at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pointers {
    /// Lines that speak of what was asked: where they stand (the file, and the heading they are below), and their text.
    Lines(Vec<(String, String)>),
    /// What stands in only one of two versions of a text: in which, and its text.
    Differences(Vec<(String, String)>),
}

impl Pointers {
    /// What to point at in these facts; `None` if nothing stands out.
    #[must_use]
    pub fn of(question: &str, facts: &[&Fact]) -> Option<Self> {
        if let Some(counted) = counted(question, facts) {
            return Some(counted);
        }
        let read = facts.iter().filter_map(|fact| fact.as_read());
        let texts: Vec<Text<'_>> = read.map(|(path, text)| Text::of(path, text)).collect();
        let differences = if let [one, other] = texts.as_slice() { differences(one, other) } else { None };
        differences.or_else(|| lines(question, &texts))
    }
}

/// Words that ask for a number of things.
const COUNT: [&str; 8] = ["how many", "count", "number of", "多少个", "多少行", "几个", "几行", "一共"];

/// How much a search or a listing found, where the question asks for a number and one of them was made: a program counts, a model guesses.
fn counted(question: &str, facts: &[&Fact]) -> Option<Pointers> {
    let lower = question.to_lowercase();
    let mut found = facts.iter().filter(|fact| fact.is_count());
    match (found.next(), found.next()) {
        (Some(fact), None) if COUNT.iter().any(|word| lower.contains(word)) => {
            let place = format!("{} {}", fact.call.name, fact.target);
            Some(Pointers::Lines(vec![(place, fact.outcome.note.clone())]))
        }
        _ => None,
    }
}

/// A text in its smallest statements.
struct Text<'a> {
    path: &'a str,
    /// The names of a table's columns, which stand over every row and so tell nothing about one; empty for other texts.
    columns: &'a str,
    statements: Vec<Statement<'a>>,
}

/// A row of a table, or a sentence of a line.
struct Statement<'a> {
    text: &'a str,
    /// As it is pointed at: a row with the names of its columns.
    shown: String,
    /// The heading that it stands below, other than the title of the whole text.
    heading: &'a str,
}

impl<'a> Text<'a> {
    fn of(path: &'a str, text: &'a str) -> Self {
        let lower = path.to_lowercase();
        let is_table = [".csv", ".tsv"].iter().any(|extension| lower.ends_with(extension));
        let columns = text.lines().find(|line| is_table && !line.trim().is_empty()).unwrap_or_default();
        Self { path, columns, statements: if is_table { rows(text) } else { sentences(text) } }
    }
}

/// The rows of a table, each with its columns' names. A row with quotation marks is shown as it is: a quoted field may hold the separator, and a
/// value under a wrong name would be worse than none.
fn rows(text: &str) -> Vec<Statement<'_>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(head) = lines.next() else { return Vec::new() };
    let separator =
        [',', ';', '\t'].into_iter().max_by_key(|separator| head.matches(*separator).count()).unwrap_or(',');
    let names: Vec<&str> = head.split(separator).map(str::trim).collect();
    let named = |line: &str| {
        let fields: Vec<&str> = line.split(separator).map(str::trim).collect();
        if fields.len() != names.len() || line.contains('"') {
            return line.to_owned();
        }
        let pairs: Vec<String> = names.iter().zip(fields).map(|(name, field)| format!("{name} = {field}")).collect();
        pairs.join(", ")
    };
    lines.map(|line| Statement { text: line, shown: named(line), heading: "" }).collect()
}

/// The sentences of a text, line by line. Headings are no statements of their own.
fn sentences(text: &str) -> Vec<Statement<'_>> {
    let mut statements = Vec::new();
    let mut heading = "";
    for line in text.lines() {
        if line.starts_with('#') {
            heading = if line.starts_with("##") { line } else { "" };
            continue;
        }
        let sentences = line.split_sentence_bounds().map(str::trim).filter(|sentence| !sentence.is_empty());
        statements.extend(sentences.map(|text| Statement { text, shown: text.to_owned(), heading }));
    }
    statements
}

/// What stands in only one of two texts, if they have at least half in common.
fn differences(one: &Text<'_>, other: &Text<'_>) -> Option<Pointers> {
    let only_in = |this: &Text<'_>, that: &Text<'_>| {
        let there: BTreeSet<&str> = that.statements.iter().map(|statement| statement.text).collect();
        let new = this.statements.iter().filter(|statement| !there.contains(statement.text));
        new.map(|statement| (this.path.to_owned(), shortened(&statement.shown))).collect::<Vec<_>>()
    };
    let (mut differing, in_other) = (only_in(one, other), only_in(other, one));
    let n_common = one.statements.len() - differing.len();
    let n_most = one.statements.len().max(other.statements.len());
    differing.extend(in_other);
    let are_versions = n_common * 2 >= n_most && (1..=MOST_DIFFERENCES).contains(&differing.len());
    are_versions.then_some(Pointers::Differences(differing))
}

/// The statements that hold most of the question's telling words, a word counting the more the fewer statements it stands in.
fn lines(question: &str, texts: &[Text<'_>]) -> Option<Pointers> {
    let telling = TellingWords::of(question);
    let statements: Vec<(&Text<'_>, &Statement<'_>)> =
        texts.iter().flat_map(|text| text.statements.iter().map(move |statement| (text, statement))).collect();
    let found: Vec<Vec<&str>> = statements
        .iter()
        .map(|(text, statement)| {
            let columns: Vec<&str> = telling.found_in(text.columns).collect();
            let found = telling.found_in(&format!("{} {}", statement.heading, statement.text));
            found.filter(|word| !columns.contains(word)).collect()
        })
        .collect();
    let scores = weigh(&found).scores;
    let best = scores.iter().copied().fold(0.0, f64::max);
    if best <= 0.0 {
        return None;
    }
    let good = statements.iter().zip(&scores).filter(|(_, score)| **score >= AS_GOOD * best);
    let lines: Vec<(String, String)> =
        good.map(|((text, statement), _)| (place(text.path, statement.heading), shortened(&statement.shown))).collect();
    (lines.len() <= MOST_LINES).then_some(Pointers::Lines(lines))
}

/// The file, and the heading that a statement stands below.
fn place(path: &str, heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim();
    if heading.is_empty() { path.to_owned() } else { format!("{path}, “{heading}”") }
}

fn shortened(text: &str) -> String {
    let kept = prefix_within(text, LONGEST);
    if kept.len() < text.len() { format!("{kept}…") } else { kept.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{CallOutcome, CallStatus, ToolCall, ToolIdentity};
    use expect_test::{Expect, expect};

    fn fact(path: &str, text: &str) -> Fact {
        Fact {
            identity: ToolIdentity::BuiltIn,
            call: ToolCall { id: path.into(), name: "read_file".into(), arguments: format!("{{\"path\":\"{path}\"}}") },
            target: path.into(),
            outcome: CallOutcome::new(CallStatus::Done, text, ""),
        }
    }

    fn check(question: &str, files: &[(&str, &str)], expected: Expect) {
        let facts: Vec<Fact> = files.iter().map(|(path, text)| fact(path, text)).collect();
        let facts: Vec<&Fact> = facts.iter().collect();
        let written = match Pointers::of(question, &facts) {
            None => "nothing".to_owned(),
            Some(Pointers::Lines(lines)) => lines.iter().map(|(path, text)| format!("{path}: {text}\n")).collect(),
            Some(Pointers::Differences(lines)) => {
                lines.iter().map(|(path, text)| format!("only in {path}: {text}\n")).collect()
            }
        };
        expected.assert_eq(&written);
    }

    #[test]
    fn a_row_of_a_table_is_pointed_at_with_the_names_of_its_columns() {
        let pantry = "item,amount,unit,shelf\nolive oil,1,litres,B3\nhoney,1,jars,C1\nsalt,2,kg,A1\n";
        check(
            "On which shelf is the honey?",
            &[("pantry.csv", pantry)],
            expect![[r#"
            pantry.csv: item = honey, amount = 1, unit = jars, shelf = C1
        "#]],
        );
        check(
            "Which oils are there?",
            &[("pantry.csv", pantry)],
            expect![[r#"
            pantry.csv: item = olive oil, amount = 1, unit = litres, shelf = B3
        "#]],
        );
        let sites = "site,street,surface\nS2,Baker Street,asphalt\nS3,Canal Walk,brick\n";
        check(
            "Which street has a surface of brick?",
            &[("sites.csv", sites)],
            expect![[r#"
            sites.csv: site = S3, street = Canal Walk, surface = brick
        "#]],
        );
        let staff = "name;phone;day off\nBela;4420;Friday\n\"Ann;a\";Monday\n";
        check(
            "Who has Friday off?",
            &[("staff.CSV", staff)],
            expect![[r#"
            staff.CSV: name = Bela, phone = 4420, day off = Friday
        "#]],
        );
        check(
            "Who has Monday off?",
            &[("staff.csv", staff)],
            expect![[r#"
            staff.csv: "Ann;a";Monday
        "#]],
        );
    }

    #[test]
    fn a_sentence_is_pointed_at_where_few_speak_of_what_was_asked() {
        let note = "# Meeting of May\n\nPetra orders the frames. Luc calls the printer.\n\n## Run\n\n    make serve\n\nStop it with Ctrl-C.\n";
        check(
            "Who calls the printer?",
            &[("may.md", note)],
            expect![[r#"
            may.md: Luc calls the printer.
        "#]],
        );
        check(
            "How does one run it?",
            &[("may.md", note)],
            expect![[r#"
            may.md, “Run”: make serve
            may.md, “Run”: Stop it with Ctrl-C.
        "#]],
        );
        check("Who is it?", &[("may.md", note)], expect!["nothing"]);
        let recipe = "# 红烧肉\n\n- 五花肉 800 克\n- 冰糖 30 克\n";
        check(
            "红烧肉要用多少克冰糖？",
            &[("红烧肉.md", recipe)],
            expect![[r#"
            红烧肉.md: - 冰糖 30 克
        "#]],
        );
    }

    #[test]
    fn where_a_number_is_asked_for_what_was_counted_is_pointed_at() {
        let mut found = fact("WARN", "a.log:3: WARN disk\n");
        found.call.name = "search_text".into();
        found.outcome.note = "1 match in 1 file".into();
        let of = |question: &str| Pointers::of(question, &[&found]);
        let counted = Pointers::Lines(vec![("search_text WARN".into(), "1 match in 1 file".into())]);
        assert_eq!(of("How many lines contain WARN?"), Some(counted));
        assert_eq!(of("Which line contains WARN?"), None);
    }

    #[test]
    fn nothing_is_pointed_at_where_too_many_lines_are_equally_good() {
        check("Which tests failed?", &[("log.txt", &"test failed\n".repeat(9))], expect!["nothing"]);
    }

    #[test]
    fn what_differs_between_two_versions_of_a_text_is_pointed_at() {
        let (one, other) = ("port = 80\nworkers = 4\nname = a\n", "port = 80\nworkers = 16\nname = a\n");
        check(
            "Which setting differs?",
            &[("a.ini", one), ("b.ini", other)],
            expect![[r#"
            only in a.ini: workers = 4
            only in b.ini: workers = 16
        "#]],
        );
        check(
            "Which setting differs?",
            &[("a.ini", one), ("b.ini", "workers: many\n")],
            expect![[r#"
            nothing"#]],
        );
        check(
            "How many workers?",
            &[("a.ini", one), ("b.ini", one)],
            expect![[r#"
            a.ini: workers = 4
            b.ini: workers = 4
        "#]],
        );
    }
}
