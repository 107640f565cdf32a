use super::{Half, NotThere, Set, Sheet, Task};
use crate::bench::disk::{Disk, Files};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures"))
}

fn disk(all: &[(&str, &str)]) -> Disk {
    let is_folder = |name: &str| name.ends_with('/');
    let files = all.iter().filter(|(name, _)| !is_folder(name));
    let files: Files = files.map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    let folders = all.iter().filter(|(name, _)| is_folder(name));
    Disk { files, folders: folders.map(|(name, _)| name.trim_end_matches('/').to_owned()).collect() }
}

/// What stood in the folder before, in these tests.
const BEFORE: [(&str, &str); 2] = [("a.md", "old"), ("rota.csv", "who,day\nIda,Monday\nOle,Friday\n")];

fn task(expect: Value) -> Task {
    let task = json!({"id": "t", "folder": "desk", "class": "k", "half": "tune", "language": "de", "question": "?", "expect": expect});
    serde_json::from_value(task).unwrap()
}

fn faults(expect: Value, answer: &str, after: &[(&str, &str)]) -> Vec<String> {
    let not_there: NotThere = serde_json::from_value(json!({"de": ["steht nicht"]})).unwrap();
    task(expect).faults(answer, &disk(&BEFORE), &disk(after), &not_there).unwrap()
}

/// The folder after these files took the place of those of the same name.
fn with<'a>(changed: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let kept = BEFORE.iter().filter(|(name, _)| !changed.iter().any(|(other, _)| other == name));
    kept.chain(changed).copied().collect()
}

fn damaged(expect: Value, after: &[(&str, &str)]) -> Vec<String> {
    task(expect).damaged(&disk(&BEFORE), &disk(after)).unwrap()
}

#[test]
fn an_answer_is_right_when_it_says_all_and_any_and_none_whatever_the_case() {
    let expect = json!({"all": ["make serve", "127"], "any": ["one", "two"], "none": ["four"], "writes": "none"});
    assert_eq!(faults(expect.clone(), "Make SERVE on 127.0.0.1, two", &BEFORE), Vec::<String>::new());
    let wrong = vec!["the answer lacks /127/", "the answer lacks any of /one/ /two/", "the answer says /four/"];
    assert_eq!(faults(expect, "make serve, four", &BEFORE), wrong);
}

#[test]
fn an_answer_is_read_without_bold_type_and_signs_of_full_width() {
    let expect = json!({"all": ["1 250 €", "14:30", "c-4"], "writes": "none"});
    assert_eq!(faults(expect, "**1\u{202f}250** €, １４：３０, C\u{2011}4", &BEFORE), Vec::<String>::new());
}

#[test]
fn that_it_is_not_there_is_said_in_the_language_of_the_question() {
    let expect = json!({"not_there": true, "none": ["250"], "writes": "none"});
    assert_eq!(faults(expect.clone(), "Das steht nicht im Ordner.", &BEFORE), Vec::<String>::new());
    let expected = ["the answer does not say, in the language de, that it is not there", "the answer says /250/"];
    assert_eq!(faults(expect, "It is 250.", &BEFORE), expected);
}

#[test]
fn a_written_file_is_compared_to_its_last_visible_character() {
    let expect = json!({"files": {"b.md": "milk"}});
    assert_eq!(faults(expect.clone(), "", &with(&[("b.md", "milk\n")])), Vec::<String>::new());
    assert_eq!(faults(expect.clone(), "", &with(&[("b.md", "Milk")])), ["b.md does not hold what was asked for"]);
    assert_eq!(faults(expect, "", &BEFORE), ["b.md does not hold what was asked for"]);
}

#[test]
fn an_edit_changes_its_passage_and_nothing_else_in_the_file() {
    let expect = json!({"edits": {"rota.csv": [{"replace": "Ole,Friday", "with": ["Ole,Sunday", "Ole,\"Sunday\""]}]}});
    let after = |text: &'static str| faults(expect.clone(), "", &with(&[("rota.csv", text)]));
    assert_eq!(after("who,day\nIda,Monday\nOle,Sunday"), Vec::<String>::new());
    assert_eq!(after("who,day\nIda,Monday\nOle,\"Sunday\"\n"), Vec::<String>::new());
    assert_eq!(after("who,day\nIda,Tuesday\nOle,Sunday\n"), ["rota.csv does not hold what was asked for"]);
    assert_eq!(faults(expect, "", &BEFORE), ["rota.csv does not hold what was asked for"]);
}

#[test]
fn what_is_appended_stands_on_a_line_of_its_own_behind_all_that_was_there() {
    let expect = json!({"appended": {"a.md": "-? ?milk"}});
    let after = |text: &'static str| faults(expect.clone(), "", &with(&[("a.md", text)]));
    assert_eq!(after("old\n\n- Milk\n"), Vec::<String>::new());
    for wrong in ["oldmilk", "milk", "old\nmilk\neggs", "old"] {
        assert_eq!(after(wrong), ["a.md does not hold what was asked for"], "{wrong}");
    }
}

#[test]
fn files_are_deleted_moved_and_written_and_folders_are_made() {
    let expect = json!({
        "deleted": ["a.md"], "moved": {"rota.csv": "old/rota.csv"}, "written": {"b.md": ["ida", "monday"]}, "made": ["new"]
    });
    let [_, (_, rota)] = BEFORE;
    let right = [("old/rota.csv", rota), ("b.md", "Monday: Ida"), ("new/", "")];
    assert_eq!(faults(expect.clone(), "", &right), Vec::<String>::new());
    let expected = [
        "a.md is still there",
        "b.md does not hold what was asked for",
        "old/rota.csv does not hold what was asked for",
        "rota.csv is still there",
        "the folder new was not made",
    ];
    assert_eq!(faults(expect, "", &BEFORE), expected);
}

#[test]
fn every_other_file_must_be_as_it_was() {
    let expect = json!({"writes": "none"});
    assert_eq!(faults(expect.clone(), "", &with(&[("a.md", "new")])), ["a.md was changed"]);
    assert_eq!(faults(expect.clone(), "", &BEFORE[1..]), ["a.md was changed"]);
    assert_eq!(faults(expect, "", &with(&[("c.md", "")])), ["c.md was changed"]);
}

#[test]
fn damage_is_a_change_that_nobody_meant_and_a_line_lost_beside_the_one_that_was_to_change() {
    let edit = json!({"edits": {"rota.csv": [{"replace": "Ole,Friday", "with": "Ole,Sunday"}]}});
    let after = |text: &'static str| damaged(edit.clone(), &with(&[("rota.csv", text)]));
    let none = Vec::<String>::new();
    assert_eq!(after("who,day\nIda,Monday\nOle,Sunday\n"), none);
    // Wrong, and yet nothing is lost.
    assert_eq!(after("who,day\nIda,Monday\nOle,Saturday\n"), none);
    assert_eq!(after("who,day\nOle,Sunday\n"), ["rota.csv"]);
    assert_eq!(damaged(edit, &with(&[("a.md", "new")])), ["a.md"]);
    // A file more is a fault, and no damage.
    assert_eq!(damaged(json!({"writes": "none"}), &with(&[("c.md", "")])), none);
    let moved = json!({"moved": {"a.md": "b.md"}});
    assert_eq!(damaged(moved.clone(), &[("b.md", "old"), BEFORE[1]]), none);
    assert_eq!(damaged(moved, &[("b.md", "older"), BEFORE[1]]), ["a.md"]);
}

#[test]
fn a_sheet_is_refused_when_a_passage_does_not_stand_once_in_its_file_or_a_change_is_none() {
    let refused = |expect: Value| format!("{:#}", task(expect).expect.check(&disk(&BEFORE)).unwrap_err());
    let found = [
        refused(json!({"edits": {"rota.csv": [{"replace": "day", "with": "x"}]}})),
        refused(json!({"edits": {"rota.csv": [{"replace": "Ole", "with": "Ole"}]}})),
        refused(json!({"edits": {"none.csv": []}})),
        refused(json!({"moved": {"a.md": "rota.csv"}})),
        refused(json!({})),
        refused(json!({"deleted": ["a.md"], "writes": "none"})),
    ];
    let expected = [
        "rota.csv: \"day\" stands 3 times in it",
        "rota.csv: nothing changes in \"Ole\"",
        "none.csv is not in the folder",
        "rota.csv is in the folder already",
        "a write is asked for, and no file changes",
        "no write is asked for, and files change",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_sheet_has_eight_tasks_for_each_folder_in_each_half_and_each_kind_is_reported_as_often_as_it_is_tuned_on_at_most()
{
    let tasks = Sheet::read(&fixtures(), Set::Desk).unwrap().tasks;
    let of = |half: Half| tasks.iter().filter(move |task| task.half == half);
    for half in [Half::Tune, Half::Report] {
        for folder in ["desk", "kitchen", "research"] {
            assert!(of(half).filter(|task| task.folder == folder).count() >= 8, "{folder}");
        }
    }
    assert_eq!(of(Half::Report).count(), 26);
    let mut kinds = BTreeMap::new();
    for task in &tasks {
        let (n_tuned, n_reported) = kinds.entry(task.kind.as_str()).or_insert((0, 0));
        *if task.half == Half::Tune { n_tuned } else { n_reported } += 1;
    }
    assert_eq!(kinds.len(), 11);
    // A kind that is not among those that are reported would not be measured at all.
    assert!(kinds.values().all(|(n_tuned, n_reported)| *n_reported >= 2 && n_reported <= n_tuned), "{kinds:?}");
}

/// The other half is checked by `cargo xtask bench desk --set unseen --list`: no test reads both.
#[test]
fn the_half_to_learn_from_has_every_class_and_ten_languages_over_four_folders() {
    let tasks = Sheet::read(&fixtures(), Set::Dev).unwrap().tasks;
    let counted = |of: fn(&Task) -> &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for task in &tasks {
            *counts.entry(of(task).to_owned()).or_default() += 1;
        }
        counts.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
    };
    let found = [
        counted(|task| task.kind.as_str()),
        counted(|task| task.language.as_str()),
        counted(|task| task.folder.as_str()),
    ];
    let expected = [
        "count 4, follow-up 6, lookup 8, no-change 3, no-tool 3, not-there 5, row 7, two-files 6, write 10",
        "de 7, en 10, es 6, fr 6, ja 4, nl 3, pl 3, pt 3, ru 3, zh 7",
        "folders/Bäckerei Holm 13, folders/horta e casa 12, folders/sailing-club 14, folders/山居民宿 13",
    ];
    assert_eq!(found, expected);
    assert!(tasks.iter().all(|task| (task.kind == "follow-up") != task.before.is_empty()));
}
