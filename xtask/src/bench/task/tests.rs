use super::{Half, Task, read};
use crate::bench::disk::Files;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures"))
}

fn files(all: &[(&str, &str)]) -> Files {
    all.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
}

fn faults(expect: Value, answer: &str, after: &[(&str, &str)]) -> Vec<String> {
    let task = json!({"id": "t", "folder": "desk", "kind": "k", "half": "tune", "question": "?", "expect": expect});
    let task: Task = serde_json::from_value(task).unwrap();
    task.faults(answer, &files(&[("a.md", "old")]), &files(after)).unwrap()
}

#[test]
fn an_answer_is_right_when_it_says_all_and_any_and_none_whatever_the_case() {
    let expect = json!({"all": ["make serve", "127"], "any": ["one", "two"], "none": ["four"], "writes": "none"});
    let same = &[("a.md", "old")];
    assert_eq!(faults(expect.clone(), "Make SERVE on 127.0.0.1, two", same), Vec::<String>::new());
    let wrong = vec!["the answer lacks /127/", "the answer lacks any of /one/ /two/", "the answer says /four/"];
    assert_eq!(faults(expect, "make serve, four", same), wrong);
}

#[test]
fn a_written_file_is_compared_to_its_last_visible_character() {
    let expect = json!({"files": {"b.md": "milk"}});
    assert_eq!(faults(expect.clone(), "", &[("a.md", "old"), ("b.md", "milk\n")]), Vec::<String>::new());
    assert_eq!(
        faults(expect.clone(), "", &[("a.md", "old"), ("b.md", "Milk")]),
        ["b.md does not hold what was asked for"]
    );
    assert_eq!(faults(expect, "", &[("a.md", "old")]), ["b.md does not hold what was asked for"]);
}

#[test]
fn every_other_file_must_be_as_it_was() {
    let expect = json!({"writes": "none"});
    assert_eq!(faults(expect.clone(), "", &[("a.md", "new")]), ["a.md was changed"]);
    assert_eq!(faults(expect.clone(), "", &[]), ["a.md was changed"]);
    assert_eq!(faults(expect, "", &[("a.md", "old"), ("c.md", "")]), ["c.md was changed"]);
}

#[test]
fn the_sheet_has_eight_tasks_for_each_folder_in_each_half_and_each_kind_is_reported_as_often_as_it_is_tuned_on_at_most()
{
    let tasks = read(&fixtures()).unwrap();
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
