//! Every policy with every kind of action and every answer: what happens on the disk and what the audit log says, as one table.

use crate::world::{Does, World};
use expect_test::expect;
use recto_app::TurnOptions;
use recto_core::approval::{Answer, Policy};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const ACTIONS: [(&str, &str); 12] = [
    ("read", r#"read_file {"path":"list.md"}"#),
    ("plan", r#"todo_write {"todos":[{"content":"Tea","status":"pending"}]}"#),
    ("create", r#"write_file {"path":"new.md","content":"tea\n"}"#),
    ("replace", r#"write_file {"path":"list.md","content":"tea\n"}"#),
    ("edit", r#"edit_file {"path":"list.md","old_text":"milk","new_text":"tea"}"#),
    ("append", r#"append_file {"path":"list.md","content":"tea"}"#),
    ("delete", r#"delete_file {"path":"list.md"}"#),
    ("move", r#"move_file {"path":"list.md","to":"new.md"}"#),
    ("folder", r#"make_dir {"path":"old"}"#),
    ("flagged", r#"append_file {"path":"Makefile","content":"tea:"}"#),
    ("outside", r#"delete_file {"path":"../list.md"}"#),
    ("remember", r#"remember {"text":"Likes tea."}"#),
];

const CASES: [(&str, Policy, Option<Answer>); 7] = [
    ("ask, yes", Policy::Ask, Some(Answer::Approved)),
    ("ask, no", Policy::Ask, Some(Answer::Denied)),
    ("ask, too late", Policy::Ask, Some(Answer::TimedOut)),
    ("ask, withdrawn", Policy::Ask, Some(Answer::Withdrawn)),
    ("ask, nobody there", Policy::Ask, None),
    ("never", Policy::Never, Some(Answer::Approved)),
    ("always", Policy::Always, Some(Answer::Denied)),
];

/// Every path with its content; a folder has none.
fn files(folder: &Path) -> BTreeMap<String, Option<String>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).ok()))
        .collect()
}

/// What is new, gone or another one, in the order of the names.
fn difference(before: &BTreeMap<String, Option<String>>, now: &BTreeMap<String, Option<String>>) -> String {
    let mut told = Vec::new();
    for name in before.keys().chain(now.keys().filter(|name| !before.contains_key(*name))) {
        match (before.get(name), now.get(name)) {
            (Some(old), Some(new)) if old == new => {}
            (Some(_), Some(_)) => told.push(format!("{name} changed")),
            (Some(_), None) => told.push(format!("{name} gone")),
            (None, _) => told.push(format!("{name} new")),
        }
    }
    if told.is_empty() { "as before".to_owned() } else { told.join(", ") }
}

async fn row(call: &str, policy: Policy, answer: Option<Answer>) -> String {
    let script = format!("call {call}\n\nmodel: READY\n\nmodel: Done.\n");
    let world = World::new(&script, answer.map(Does::Says).into_iter().collect()).await;
    for (name, text) in [("list.md", "milk\n"), ("Makefile", "all:\n")] {
        std::fs::write(world.folder.path().join(name), text).unwrap();
    }
    let before = files(world.folder.path());
    world.ask_with("Do it", TurnOptions { policy, ..world.options() }).await;
    let is_asked = !world.person.asked.lock().unwrap().is_empty();
    let n_remembered = world.app.record().memories().await.unwrap().len();
    let mut disk = difference(&before, &files(world.folder.path()));
    if n_remembered > 0 {
        disk.push_str(", 1 memory");
    }
    let audit: Vec<String> =
        world.audit().await.lines().filter_map(|line| Some(line.split_once(": ")?.1.to_owned())).collect();
    assert_eq!(world.app.record().verify_audit().await.unwrap().first_bad, None);
    format!("{} | {disk} | {}", if is_asked { "asked" } else { "not asked" }, audit.join("; "))
}

#[tokio::test]
async fn permission_p2_every_policy_with_every_action_and_every_answer() {
    let mut table = String::new();
    for (action, call) in ACTIONS {
        for (case, policy, answer) in CASES {
            writeln!(table, "{action:<8} | {case:<17} | {}", row(call, policy, answer).await).unwrap();
        }
    }
    expect![[r#"
        read     | ask, yes          | not asked | as before | allowed by rule reads_are_allowed; done, 1 line
        read     | ask, no           | not asked | as before | allowed by rule reads_are_allowed; done, 1 line
        read     | ask, too late     | not asked | as before | allowed by rule reads_are_allowed; done, 1 line
        read     | ask, withdrawn    | not asked | as before | allowed by rule reads_are_allowed; done, 1 line
        read     | ask, nobody there | not asked | as before | allowed by rule reads_are_allowed; done, 1 line
        read     | never             | not asked | as before | allowed by rule reads_are_allowed; done, 1 line
        read     | always            | not asked | as before | allowed by rule reads_are_allowed; done, 1 line
        plan     | ask, yes          | not asked | as before | allowed by rule todo_write_is_exempt; done, the list was written
        plan     | ask, no           | not asked | as before | allowed by rule todo_write_is_exempt; done, the list was written
        plan     | ask, too late     | not asked | as before | allowed by rule todo_write_is_exempt; done, the list was written
        plan     | ask, withdrawn    | not asked | as before | allowed by rule todo_write_is_exempt; done, the list was written
        plan     | ask, nobody there | not asked | as before | allowed by rule todo_write_is_exempt; done, the list was written
        plan     | never             | not asked | as before | allowed by rule todo_write_is_exempt; done, the list was written
        plan     | always            | not asked | as before | allowed by rule todo_write_is_exempt; done, the list was written
        create   | ask, yes          | asked | new.md new | allowed by person approved; done, written, 4 bytes
        create   | ask, no           | asked | as before | denied by person denied
        create   | ask, too late     | asked | as before | denied by person timed_out
        create   | ask, withdrawn    | asked | as before | denied by person withdrawn
        create   | ask, nobody there | asked | as before | denied by person nobody_to_ask
        create   | never             | not asked | as before | denied by rule writes_refused_by_person
        create   | always            | not asked | new.md new | allowed by rule writes_allowed_by_person; done, written, 4 bytes
        replace  | ask, yes          | asked | list.md changed | allowed by person approved; done, written, 4 bytes
        replace  | ask, no           | asked | as before | denied by person denied
        replace  | ask, too late     | asked | as before | denied by person timed_out
        replace  | ask, withdrawn    | asked | as before | denied by person withdrawn
        replace  | ask, nobody there | asked | as before | denied by person nobody_to_ask
        replace  | never             | not asked | as before | denied by rule writes_refused_by_person
        replace  | always            | not asked | list.md changed | allowed by rule writes_allowed_by_person; done, written, 4 bytes
        edit     | ask, yes          | asked | list.md changed | allowed by person approved; done, written, 4 bytes
        edit     | ask, no           | asked | as before | denied by person denied
        edit     | ask, too late     | asked | as before | denied by person timed_out
        edit     | ask, withdrawn    | asked | as before | denied by person withdrawn
        edit     | ask, nobody there | asked | as before | denied by person nobody_to_ask
        edit     | never             | not asked | as before | denied by rule writes_refused_by_person
        edit     | always            | not asked | list.md changed | allowed by rule writes_allowed_by_person; done, written, 4 bytes
        append   | ask, yes          | asked | list.md changed | allowed by person approved; done, written, 9 bytes
        append   | ask, no           | asked | as before | denied by person denied
        append   | ask, too late     | asked | as before | denied by person timed_out
        append   | ask, withdrawn    | asked | as before | denied by person withdrawn
        append   | ask, nobody there | asked | as before | denied by person nobody_to_ask
        append   | never             | not asked | as before | denied by rule writes_refused_by_person
        append   | always            | not asked | list.md changed | allowed by rule writes_allowed_by_person; done, written, 9 bytes
        delete   | ask, yes          | asked | list.md gone | allowed by person approved; done, deleted, 5 bytes
        delete   | ask, no           | asked | as before | denied by person denied
        delete   | ask, too late     | asked | as before | denied by person timed_out
        delete   | ask, withdrawn    | asked | as before | denied by person withdrawn
        delete   | ask, nobody there | asked | as before | denied by person nobody_to_ask
        delete   | never             | not asked | as before | denied by rule writes_refused_by_person
        delete   | always            | not asked | list.md gone | allowed by rule writes_allowed_by_person; done, deleted, 5 bytes
        move     | ask, yes          | asked | list.md gone, new.md new | allowed by person approved; done, moved, 5 bytes
        move     | ask, no           | asked | as before | denied by person denied
        move     | ask, too late     | asked | as before | denied by person timed_out
        move     | ask, withdrawn    | asked | as before | denied by person withdrawn
        move     | ask, nobody there | asked | as before | denied by person nobody_to_ask
        move     | never             | not asked | as before | denied by rule writes_refused_by_person
        move     | always            | not asked | list.md gone, new.md new | allowed by rule writes_allowed_by_person; done, moved, 5 bytes
        folder   | ask, yes          | asked | old new | allowed by person approved; done, 1 folder made
        folder   | ask, no           | asked | as before | denied by person denied
        folder   | ask, too late     | asked | as before | denied by person timed_out
        folder   | ask, withdrawn    | asked | as before | denied by person withdrawn
        folder   | ask, nobody there | asked | as before | denied by person nobody_to_ask
        folder   | never             | not asked | as before | denied by rule writes_refused_by_person
        folder   | always            | not asked | old new | allowed by rule writes_allowed_by_person; done, 1 folder made
        flagged  | ask, yes          | asked | Makefile changed | allowed by person approved; done, written, 10 bytes
        flagged  | ask, no           | asked | as before | denied by person denied
        flagged  | ask, too late     | asked | as before | denied by person timed_out
        flagged  | ask, withdrawn    | asked | as before | denied by person withdrawn
        flagged  | ask, nobody there | asked | as before | denied by person nobody_to_ask
        flagged  | never             | not asked | as before | denied by rule writes_refused_by_person
        flagged  | always            | asked | as before | denied by person denied
        outside  | ask, yes          | not asked | as before | denied by rule place_is_forbidden
        outside  | ask, no           | not asked | as before | denied by rule place_is_forbidden
        outside  | ask, too late     | not asked | as before | denied by rule place_is_forbidden
        outside  | ask, withdrawn    | not asked | as before | denied by rule place_is_forbidden
        outside  | ask, nobody there | not asked | as before | denied by rule place_is_forbidden
        outside  | never             | not asked | as before | denied by rule place_is_forbidden
        outside  | always            | not asked | as before | denied by rule place_is_forbidden
        remember | ask, yes          | asked | as before, 1 memory | allowed by person approved; done, remembered
        remember | ask, no           | asked | as before | denied by person denied
        remember | ask, too late     | asked | as before | denied by person timed_out
        remember | ask, withdrawn    | asked | as before | denied by person withdrawn
        remember | ask, nobody there | asked | as before | denied by person nobody_to_ask
        remember | never             | not asked | as before | denied by rule writes_refused_by_person
        remember | always            | not asked | as before, 1 memory | allowed by rule writes_allowed_by_person; done, remembered
    "#]].assert_eq(&table);
}
