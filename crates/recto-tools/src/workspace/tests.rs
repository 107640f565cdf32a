use super::*;
use expect_test::{Expect, expect};
use recto_core::id::CallId;
use recto_core::tool::{ChangeFlag, Operation};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

mod refusals;
mod searches;
mod writes;

/// A folder with a workspace on it.
pub(super) struct Desk {
    pub(super) folder: TempDir,
    pub(super) workspace: Workspace,
}

impl Desk {
    pub(super) fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, bytes) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, bytes).expect("a file");
        }
        let workspace = Workspace::open(folder.path(), &[]).expect("opens");
        Self { folder, workspace }
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(super) async fn prepare(&self, tool: &str, arguments: Value) -> Prepared {
        self.workspace.prepare(&call(tool, &arguments.to_string())).await
    }

    /// Prepares and runs, as a turn does when everything is allowed.
    pub(super) async fn run(&self, tool: &str, arguments: Value) -> CallOutcome {
        let call = call(tool, &arguments.to_string());
        match self.workspace.prepare(&call).await {
            Prepared::Ready(action) => self.workspace.run(&call, action.change.as_ref(), Stop::new().1).await,
            Prepared::Not(outcome) => outcome,
            Prepared::Forbidden { reason } => CallOutcome::new(CallStatus::Refused, reason, "forbidden"),
        }
    }

    pub(super) async fn change(&self, tool: &str, arguments: Value) -> Change {
        match self.prepare(tool, arguments).await {
            Prepared::Ready(Action { change: Some(change), .. }) => change,
            other => panic!("no change: {other:?}"),
        }
    }
}

pub(super) fn call(tool: &str, arguments: &str) -> ToolCall {
    ToolCall { id: CallId::from("c1"), name: tool.to_owned(), arguments: arguments.to_owned() }
}

/// Status, note and text of an outcome, as text.
#[expect(clippy::needless_pass_by_value, reason = "an expectation is written at the call")]
pub(super) fn check(outcome: CallOutcome, expected: Expect) {
    expected.assert_eq(&format!("{:?} ({})\n{}\n", outcome.status, outcome.note, outcome.text.trim_end()));
}

fn desk() -> Desk {
    Desk::new(&[
        ("README.md", b"# Gauges\n\nRun with `make run`.\nVerify with `make check`.\n"),
        ("gauges.csv", b"name,max\nnorth,3.1\nsouth,4.7\n"),
        ("notes/day one.md", b"The tide was high.\nNo wind.\n"),
        ("notes/deep/plan.md", b"Tide tables first.\n"),
        ("empty.txt", b""),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0"),
        (".hidden/secret.md", b"tide\n"),
        (".git/config", b"tide\n"),
    ])
}

#[tokio::test]
async fn a_folder_is_listed_with_paths_that_can_be_used() {
    let desk = desk();
    check(
        desk.run("list_dir", json!({ "path": "." })).await,
        expect![[r#"
        Done (7 entries)
        .git/
        .hidden/
        README.md (57 bytes)
        empty.txt (0 bytes)
        gauges.csv (29 bytes)
        notes/
        picture.png (11 bytes)
    "#]],
    );
    check(
        desk.run("list_dir", json!({ "path": "./notes/" })).await,
        expect![[r#"
        Done (2 entries)
        notes/day one.md (28 bytes)
        notes/deep/
    "#]],
    );
    fs::create_dir(desk.path("void")).expect("a folder");
    check(
        desk.run("list_dir", json!({ "path": "void" })).await,
        expect![[r#"
        Done (empty folder)
        The folder `void` is empty.
    "#]],
    );
}

#[tokio::test]
async fn a_file_is_read_whole_or_by_lines() {
    let desk = desk();
    check(
        desk.run("read_file", json!({ "path": "gauges.csv" })).await,
        expect![[r#"
        Done (3 lines)
        name,max
        north,3.1
        south,4.7
    "#]],
    );
    check(
        desk.run("read_file", json!({ "path": "gauges.csv", "start_line": 2, "end_line": 2 })).await,
        expect![[r#"
        Done (1 line)
        [lines 2 to 2 of 3]
        north,3.1
    "#]],
    );
    check(
        desk.run("read_file", json!({ "path": "gauges.csv", "start_line": 3, "end_line": null })).await,
        expect![[r#"
        Done (1 line)
        [lines 3 to 3 of 3]
        south,4.7
    "#]],
    );
    check(
        desk.run("read_file", json!({ "path": "gauges.csv", "end_line": 99 })).await,
        expect![[r#"
        Done (3 lines)
        name,max
        north,3.1
        south,4.7
    "#]],
    );
    check(
        desk.run("read_file", json!({ "path": "gauges.csv", "start_line": 9 })).await,
        expect![[r#"
        Failed (not read)
        `gauges.csv` has only 3 lines. Ask for lines from 1 to 3.
    "#]],
    );
    check(
        desk.run("read_file", json!({ "path": "gauges.csv", "start_line": 3, "end_line": 2 })).await,
        expect![[r#"
        Failed (not read)
        Line 3 comes after line 2. `start_line` must not be greater than `end_line`.
    "#]],
    );
    check(
        desk.run("read_file", json!({ "path": "empty.txt" })).await,
        expect![[r#"
        Done (empty file)
        The file `empty.txt` is empty.
    "#]],
    );
    check(
        desk.run("read_file", json!({ "path": "picture.png" })).await,
        expect![[r#"
        Failed (not read)
        `picture.png` is not a text file (11 bytes), so it cannot be read here.
    "#]],
    );
}

#[tokio::test]
async fn a_file_in_another_encoding_is_read_and_its_encoding_is_said() {
    let gbk = encoding_rs::GBK.encode("潮位站的高度以米为单位。\r\n第二行。\r\n").0.into_owned();
    let desk = Desk::new(&[("tide.txt", &gbk)]);
    check(
        desk.run("read_file", json!({ "path": "tide.txt" })).await,
        expect![[r#"
        Done (2 lines)
        [encoding GBK]
        潮位站的高度以米为单位。
        第二行。
    "#]],
    );
    check(
        desk.run("search_text", json!({ "pattern": "高度" })).await,
        expect![[r#"
        Done (1 match in 1 file)
        tide.txt:1: 潮位站的高度以米为单位。
    "#]],
    );
}

#[tokio::test]
async fn a_result_larger_than_the_cap_says_where_to_go_on() {
    let text: String = (1..=300_000).map(|n| format!("line {n}\n")).collect();
    let desk = Desk::new(&[("large.txt", text.as_bytes())]);
    let outcome = desk.run("read_file", json!({ "path": "large.txt" })).await;
    let head = outcome.text.lines().next().expect("a line");
    let last =
        outcome.text.lines().last().expect("a line").trim_start_matches("line ").parse::<u64>().expect("a number");
    assert_eq!(
        head,
        format!("[lines 1 to {last} of 300000, cut at 2097152 bytes; go on with start_line {}]", last + 1)
    );
    let rest = desk.run("read_file", json!({ "path": "large.txt", "start_line": last + 1 })).await;
    assert!(rest.text.ends_with("line 300000\n"));
}

#[tokio::test]
async fn a_long_path_is_given_whole_wherever_it_is_told() {
    let folder = ["a folder with quite a long name"; 6].join("/");
    let path = format!("{folder}/tide.md");
    assert!(path.len() > 120);
    let desk = Desk::new(&[(&path, b"tide\n")]);
    let outcome = desk.run("search_text", json!({ "pattern": "tide" })).await;
    assert_eq!(outcome.text, format!("{path}:1: tide\n"));
    let Prepared::Ready(action) = desk.prepare("read_file", json!({ "path": path })).await else { panic!("not ready") };
    assert_eq!(action.target, path);
    assert!(desk.workspace.places().await.files.contains(&action.target), "a fact is compared with what is there");
    let outcome = desk.run("read_file", json!({ "path": "tide.md" })).await;
    assert_eq!(outcome.text, format!("There is no file `tide.md`. Did you mean `{path}`?"));
    let outcome = desk.run("read_file", json!({ "path": format!("{folder}/xyzzy") })).await;
    assert_eq!(outcome.text, format!("There is no file `{folder}/xyzzy`. The files in `{folder}` are: `{path}`."));
    let written = desk.run("write_file", json!({ "path": path, "content": "low\n" })).await;
    assert_eq!(written.text, format!("Replaced the content of `{path}` (4 bytes)."));
}

#[tokio::test]
async fn an_error_names_the_next_right_step() {
    let desk = desk();
    for (tool, arguments, expected) in [
        ("list_dir", json!({ "path": "gauges.csv" }), expect!["`gauges.csv` is a file. Read it with read_file."]),
        ("read_file", json!({ "path": "notes" }), expect!["`notes` is a folder. List it with list_dir."]),
        (
            "read_file",
            json!({ "path": "plan.md" }),
            expect!["There is no file `plan.md`. Did you mean `notes/deep/plan.md`?"],
        ),
        (
            "read_file",
            json!({ "path": "notes\\day one.md" }),
            expect!["There is no file `notes\\day one.md`. Did you mean `notes/day one.md`?"],
        ),
        (
            "read_file",
            json!({ "path": "readme.txt" }),
            expect!["There is no file `readme.txt`. Did you mean `README.md`?"],
        ),
        (
            "read_file",
            json!({ "path": "gauge.csv" }),
            expect!["There is no file `gauge.csv`. Did you mean `gauges.csv`?"],
        ),
        (
            "read_file",
            json!({ "path": "notes/xyzzy" }),
            expect!["There is no file `notes/xyzzy`. The files in `notes` are: `notes/day one.md` or `notes/deep/`."],
        ),
        (
            "read_file",
            json!({ "path": "gauges.csv/north" }),
            expect!["`gauges.csv` is a file, so there is nothing inside it. Read it with read_file."],
        ),
        ("list_dir", json!({ "path": "note" }), expect!["There is no folder `note`. Did you mean `notes`?"]),
        (
            "list_dir",
            json!({ "path": "zzz" }),
            expect![
                "There is no folder `zzz`. The files here are: `.hidden/`, `README.md`, `empty.txt`, `gauges.csv`, `notes/`, `picture.png`."
            ],
        ),
        (
            "search_text",
            json!({ "pattern": "x", "path": "reame.md" }),
            expect!["There is no file or folder `reame.md`. Did you mean `README.md`?"],
        ),
        (
            "edit_file",
            json!({ "path": "plans.md", "old_text": "a", "new_text": "b" }),
            expect!["There is no file `plans.md`. Did you mean `notes/deep/plan.md`?"],
        ),
        (
            "write_file",
            json!({ "path": "new/", "content": "x" }),
            expect!["`new/` names a folder. Name a file inside it."],
        ),
        (
            "write_file",
            json!({ "path": "notes", "content": "x" }),
            expect!["`notes` is a folder. Name a file inside it, such as `notes/notes.md`."],
        ),
    ] {
        let outcome = desk.run(tool, arguments).await;
        assert!(outcome.status.is_failure(), "{outcome:?}");
        expected.assert_eq(&outcome.text);
    }
}

#[tokio::test]
async fn invalid_arguments_name_the_field_and_what_is_expected() {
    let desk = desk();
    for (tool, arguments, expected) in [
        (
            "read_file",
            "{}",
            expect![[
                r#"`path` is missing. read_file takes {"path": string, "start_line": integer (optional), "end_line": integer (optional)}."#
            ]],
        ),
        (
            "read_file",
            r#"{"path": 3}"#,
            expect![[
                r#"`path` must be of type string, not number. read_file takes {"path": string, "start_line": integer (optional), "end_line": integer (optional)}."#
            ]],
        ),
        (
            "read_file",
            r#"{"path": "a", "start_line": 0}"#,
            expect![[
                r#"`start_line` must be at least 1. read_file takes {"path": string, "start_line": integer (optional), "end_line": integer (optional)}."#
            ]],
        ),
        (
            "list_dir",
            r#"{"path": ".", "depth": 2}"#,
            expect![[r#"`depth` is not known. list_dir takes {"path": string}."#]],
        ),
        ("list_dir", r#"{"path": ""}"#, expect![[r#"`path` must not be empty. list_dir takes {"path": string}."#]]),
        (
            "search_text",
            r#"{"pattern": null}"#,
            expect![[
                r#"`pattern` must be of type string, not null. search_text takes {"pattern": string, "path": string (optional)}."#
            ]],
        ),
        ("list_dir", "[1]", expect![[r#"The arguments must be one JSON object. list_dir takes {"path": string}."#]]),
        (
            "list_dir",
            r#"{"path": "."#,
            expect![[
                r#"The arguments are not JSON: EOF while parsing a string at line 1 column 11. list_dir takes {"path": string}."#
            ]],
        ),
        (
            "rm",
            "{}",
            expect![
                "There is no tool `rm`. The file tools are `append_file`, `delete_file`, `edit_file`, `list_dir`, `make_dir`, `move_file`, `read_file`, `search_text`, `write_file`."
            ],
        ),
    ] {
        let Prepared::Not(outcome) = desk.workspace.prepare(&call(tool, arguments)).await else { panic!("was taken") };
        assert_eq!(outcome.status, CallStatus::InvalidArguments);
        expected.assert_eq(&outcome.text);
    }
}

#[tokio::test]
async fn places_are_what_is_there_now_while_the_list_is_short() {
    let desk = desk();
    let places = desk.workspace.places().await;
    assert_eq!(
        places.files,
        [
            "README.md",
            "empty.txt",
            "gauges.csv",
            "notes/day one.md",
            "notes/deep/plan.md",
            "picture.png",
            ".hidden/secret.md"
        ]
    );
    assert_eq!(places.folders, [".", "notes", "notes/deep", ".hidden"]);
    for number in 0..60 {
        fs::write(desk.path(&format!("f{number}")), "").expect("writes");
    }
    assert_eq!(desk.workspace.places().await, Places { files: Vec::new(), folders: places.folders });
}

#[tokio::test]
async fn hidden_files_are_places_too_but_not_what_git_keeps_or_ignores() {
    let desk = Desk::new(&[
        (".env", b"KEY=1\n"),
        (".gitignore", b".env\nbuilt/\n*.log\n"),
        (".git/config", b"x"),
        ("a.md", b"x"),
        ("a.log", b"x"),
        ("built/b.md", b"x"),
        ("sub/.editorconfig", b"x"),
    ]);
    let places = desk.workspace.places().await;
    assert_eq!(places.files, ["a.md", ".env", ".gitignore", "sub/.editorconfig"]);
    assert_eq!(places.folders, [".", "sub"]);
}

#[tokio::test]
async fn without_a_folder_no_tool_is_offered() {
    let none = Workspace::none();
    assert_eq!(none.tools(), Vec::new());
    assert_eq!(none.places().await, Places::default());
    assert_eq!(none.place(), None);
    let Prepared::Not(outcome) = none.prepare(&call("read_file", r#"{"path":"a"}"#)).await else { panic!("was taken") };
    assert_eq!(outcome.text, "There is no tool `read_file`. No folder is chosen, so there are no file tools.");
}

#[test]
fn the_tools_are_sorted_and_say_which_arguments_are_paths() {
    let desk = desk();
    let lines: Vec<String> = desk
        .workspace
        .tools()
        .into_iter()
        .map(|tool| format!("{} {:?} {}\n", tool.name, tool.paths, if tool.repeats { "repeats" } else { "once" }))
        .collect();
    expect![[r#"
        append_file [("path", File)] repeats
        delete_file [("path", File)] repeats
        edit_file [("path", File)] repeats
        list_dir [("path", Folder)] once
        make_dir [] repeats
        move_file [("path", File)] repeats
        read_file [("path", File)] repeats
        search_text [("path", Folder)] repeats
        write_file [] repeats
    "#]]
    .assert_eq(&lines.concat());
}

#[tokio::test]
async fn a_tool_that_breaks_inside_is_a_result() {
    let watch = Watch::new(READ_LIMIT);
    let end = off_thread::<()>(READ_LIMIT, &watch, None, || panic!("the fault of this test")).await;
    check(
        end.expect_err("broke").outcome("read_file"),
        expect![[r#"
        Failed (internal error)
        `read_file` failed (internal error). Try another way, or tell the user.
    "#]],
    );
    assert!(watch.is_over());
}

#[tokio::test]
async fn a_tool_that_hangs_is_given_up() {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let watch = Watch::new(READ_LIMIT);
    let end = off_thread(Duration::from_millis(5), &watch, None, move || held.recv().is_ok()).await;
    assert_eq!(end, Err(End::TookTooLong));
    assert!(watch.is_stopped());
    drop(release);
}

#[tokio::test]
async fn permission_p7_a_write_that_has_begun_is_waited_for_past_every_limit() {
    let (limit, watch) = (Duration::from_millis(5), Watch::new(WRITE_LIMIT));
    let (release, held) = std::sync::mpsc::channel::<()>();
    let (switch, stop) = Stop::new();
    assert!(watch.commit());
    let (ended, ()) = tokio::join!(off_thread_to_its_end(limit, &watch, stop, move || held.recv().is_ok()), async {
        tokio::time::sleep(limit * 10).await;
        switch.send(true).expect("is waited for");
        tokio::time::sleep(limit * 2).await;
        release.send(()).expect("still works");
    });
    assert_eq!(ended, Ok(true));
}

#[tokio::test]
async fn permission_p7_a_write_that_is_given_up_never_begins() {
    let (limit, watch) = (Duration::from_millis(5), Watch::new(WRITE_LIMIT));
    let (release, held) = std::sync::mpsc::channel::<()>();
    let ended = off_thread_to_its_end(limit, &watch, Stop::new().1, move || held.recv().is_ok()).await;
    assert_eq!(ended, Err(End::TookTooLong));
    assert!(!watch.commit());
    drop(release);
}

#[tokio::test]
async fn what_a_dying_program_left_is_looked_at_through_the_folder() {
    use crate::{Leftovers, Standing, UnfinishedWrite};
    use recto_core::text::ContentHash;
    let left = "notes/.recto-0123456789abcdef.tmp";
    let desk = Desk::new(&[("notes/list.md", b"new"), (left, b"old"), ("other/.recto-0123456789abcdef.tmp", b"old")]);
    let write = |path: &str| UnfinishedWrite {
        target: path.to_owned(),
        before: Some(ContentHash::of(b"old")),
        after: Some(ContentHash::of(b"new")),
    };
    let found = desk.workspace.tidy_after(vec![write("notes/list.md"), write("../outside.md")]).await;
    let expected = Leftovers {
        standings: vec![Standing::New, Standing::Unknown],
        removed: vec![left.to_owned()],
        left: Vec::new(),
    };
    assert_eq!(found, Some(expected));
    assert!(!desk.path(left).exists() && desk.path("other/.recto-0123456789abcdef.tmp").exists());
    assert_eq!(Workspace::none().tidy_after(vec![write("a")]).await, None);
}
