//! The command line as a person and a script use it, against a server that plays a script.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by failing")]

mod interrupts;
mod keychain;
mod kill;

use expect_test::expect;
use recto_testkit::FakeModel;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const LOOKS: &str = r#"
call todo_write {"todos":[{"content":"look","status":"in_progress"}]}
usage read=2100 reused=0 written=9

call read_file {"path":"README.md"}
usage read=2150 reused=2100 written=9

model: READY
usage read=2200 reused=2150 written=2

model: Run make serve.
usage read=2120 reused=2080 written=5
"#;

const WRITES: &str = r#"
call write_file {"path":"list.md","content":"milk\n"}

model: READY

model: Done as you decided.
"#;

struct Place {
    folder: tempfile::TempDir,
    data: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), data: tempfile::tempdir().unwrap() };
        std::fs::write(place.folder.path().join("README.md"), "make serve\n").unwrap();
        place
    }

    fn recto(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
        command.arg("--data").arg(self.data.path()).args(arguments).stdin(Stdio::null());
        command.env("RECTO_MODELS", self.data.path().join("none")).env("RECTO_KEYCHAIN", "none");
        command
    }

    fn ask(&self, fake: &FakeModel, more: &[&str]) -> Output {
        let url = fake.url();
        let folder = self.folder.path().display().to_string();
        let mut arguments = vec!["ask", "How do I run it?", "--folder", &folder, "--model", &url];
        arguments.extend(more);
        self.recto(&arguments).output().unwrap()
    }
}

#[test]
fn the_library_is_added_to_listed_searched_and_emptied() {
    let place = Place::new();
    let folder = place.folder.path().canonicalize().unwrap().display().to_string();
    std::fs::write(place.folder.path().join("scan.pdf"), "no pdf").unwrap();
    let run = |arguments: &[&str]| {
        let output = place.recto(arguments).output().unwrap();
        format!("{}{}", text(&output.stdout), text(&output.stderr)).replace(&folder, "FOLDER")
    };
    let mut said = String::new();
    for arguments in [
        &["library", "add", folder.as_str()][..],
        &["library", "list"],
        &["library", "search", "Which serve target does make have?"],
        &["library", "add", "/nowhere/at/all"],
        &["library", "remove", "/nowhere/at/all"],
        &["library", "remove", folder.as_str()],
        &["library", "list"],
    ] {
        let shown: Vec<String> = arguments.iter().map(|word| word.replace(&folder, "FOLDER")).collect();
        said.push_str(&format!("> {}\n{}", shown.join(" "), run(arguments)));
    }
    expect![[r#"
        > library add FOLDER
        FOLDER: 1 document, 1 could not be read
        > library list
        FOLDER  1 document, 1 passage, 11 B
        could not be read:
            scan.pdf (in FOLDER): the file is damaged, or not what its name says
        > library search Which serve target does make have?
        (0.13) p1 README.md, line 1
            make serve
        > library add /nowhere/at/all
        recto: cannot add /nowhere/at/all: There is no folder `/nowhere/at/all`. Choose a folder that exists.
        > library remove /nowhere/at/all
        recto: /nowhere/at/all is not in the library; `recto library list` prints what is
        > library remove FOLDER
        > library list
    "#]]
    .assert_eq(&said);
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_answer_is_on_stdout_and_the_trail_on_stderr() {
    let (place, fake) = (Place::new(), FakeModel::start(LOOKS));
    let output = place.ask(&fake, &[]);
    assert_eq!(text(&output.stdout), "Run make serve.\n");
    assert!(output.status.success());
    // Sizes are estimates over the prompts, which are tuned; everything else is compared.
    let trail: String = text(&output.stderr)
        .lines()
        .map(|line| match line.split_once("): ") {
            Some((request, rest)) if line.starts_with("[Hook] request") => {
                let (_, rest) = rest.split_once(", ").unwrap();
                format!("{request}), {rest}\n")
            }
            _ => format!("{line}\n"),
        })
        .collect();
    expect![[r#"
        [Hook] request 1 (work), stale rounds 0, reminder no
        [Hook] read 2100 tokens (0 reused, 2100 evaluated), wrote 9
        [Permission] todo_write 1 item: write, allowed by rule todo_write_is_exempt
        [Todo] ▸ look
        [Tool] todo_write 1 item: the list was written
        [Hook] request 2 (work), stale rounds 0, reminder no
        [Hook] read 2150 tokens (2100 reused, 50 evaluated), wrote 9
        [Permission] read_file README.md: read, allowed by rule reads_are_allowed
        [Tool] read_file README.md: 1 line
        [Hook] request 3 (work), stale rounds 1, reminder no
        [Hook] read 2200 tokens (2150 reused, 50 evaluated), wrote 2
        [Answer] written from 1 facts
        [Hook] request 4 (answer), stale rounds 1, reminder no
        [Hook] read 2120 tokens (2080 reused, 40 evaluated), wrote 5
    "#]]
    .assert_eq(&trail);
    fake.assert_clean();
}

#[test]
fn json_is_one_object_a_line_and_ends_with_the_answer() {
    let (place, fake) = (Place::new(), FakeModel::start(LOOKS));
    let output = place.ask(&fake, &["--json"]);
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(
        types,
        [
            "request",
            "replied",
            "permission",
            "todo",
            "tool",
            "request",
            "replied",
            "permission",
            "tool",
            "request",
            "replied",
            "composing",
            "request",
            "replied",
            "ended"
        ]
    );
    assert_eq!(lines[14]["answer"], "Run make serve.");
    assert_eq!(lines[3]["snapshot"], r#"{"todos":[{"content":"look","status":"in_progress"}]}"#);
}

#[test]
fn show_prints_the_request_behind_the_answer_and_raw_the_bytes_that_were_sent() {
    let (place, fake) = (Place::new(), FakeModel::start(LOOKS));
    place.ask(&fake, &[]);
    let shown = text(&place.recto(&["show", "last"]).output().unwrap().stdout);
    assert!(shown.contains("== request 4 (answer) to fake: ~"), "{shown}");
    assert!(shown.contains("-- fact · read_file README.md · kept · ~"), "{shown}");
    let raw = text(&place.recto(&["show", "last", "--raw"]).output().unwrap().stdout);
    let bodies: Vec<&str> = raw.lines().filter(|line| line.starts_with('{')).collect();
    let sent: Vec<String> = fake.chats().iter().map(|chat| text(&chat.body)).collect();
    assert_eq!(bodies, sent);
}

#[test]
fn where_diff_and_bundle_say_what_the_inspector_says() {
    let place = Place::new();
    let fake = FakeModel::start(LOOKS);
    assert!(place.ask(&fake, &[]).status.success());
    let run = |arguments: &[&str]| {
        let output = place.recto(arguments).output().unwrap();
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    };
    let found = run(&["where", "make serve"]);
    assert!(found.contains("in a result of turn 1 (read_file README.md), word for word"), "{found}");
    assert!(found.contains("4 answer   whole in"), "{found}");
    assert!(run(&["where", "nothing like it"]).contains("no question, answer, result, memory or passage"));

    let differs = run(&["diff", "last/3", "last/4"]);
    assert!(differs.starts_with("from work 3 ("), "{differs}");
    assert!(differs.contains("the model reused 2080 tokens and read 40"), "{differs}");
    assert!(run(&["diff", "last/1", "last/9"]).contains("has no request 9"));

    let curl = run(&["show", "last", "--curl"]);
    assert!(curl.contains("curl -N 'http://127.0.0.1:") && curl.contains("\"stream\":true"), "{curl}");
    assert!(run(&["show", "last", "--reply"]).contains("data: [DONE]"));

    let file = place.data.path().join("evidence.recto").display().to_string();
    let told = run(&["bundle", &file, "--redact", "serve"]);
    assert!(told.contains("1 turns, something redacted in"), "{told}");
    let elsewhere = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
        let output = command.arg("--bundle").arg(&file).args(arguments).stdin(Stdio::null()).output().unwrap();
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    };
    assert!(elsewhere(&["show", "last"]).contains("answer: Run make [redacted 1]."));
    assert!(elsewhere(&["ask", "Why?"]).contains("can only be looked into"));
    let page = place.data.path().join("evidence.html").display().to_string();
    assert!(run(&["bundle", &page, "--page", "--language", "zh"]).contains("evidence.html"));
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("本轮的请求：4 个") && html.contains("How do I run it?"), "{html}");
}

#[test]
fn permission_p7_the_audit_log_is_printed_and_its_chain_is_checked() {
    let (place, fake) = (Place::new(), FakeModel::start(LOOKS));
    place.ask(&fake, &[]);
    let log = text(&place.recto(&["audit"]).output().unwrap().stdout);
    let said: Vec<&str> =
        log.lines().map(|line| line.split_once("todo_write ").or(line.split_once("read_file ")).unwrap().1).collect();
    assert_eq!(
        said,
        [
            "1 item  allowed by rule todo_write_is_exempt",
            "1 item  done: the list was written",
            "README.md  allowed by rule reads_are_allowed",
            "README.md  done: 1 line",
        ]
    );
    let verdict = place.recto(&["audit", "--verify"]).output().unwrap();
    assert_eq!(
        text(&verdict.stdout),
        "4 rows, the chain is whole; seals not checked: the keychain of this system cannot be used: there is none, or it is locked\n"
    );
    assert!(verdict.status.success());
}

#[test]
fn permission_p7_the_audit_log_leaves_as_a_file_that_is_checked_without_the_record() {
    let (place, elsewhere, fake) = (Place::new(), Place::new(), FakeModel::start(LOOKS));
    place.ask(&fake, &[]);
    let file = place.folder.path().join("audit.jsonl");
    let name = file.display().to_string();
    let exported = place.recto(&["audit", "--export", &name]).output().unwrap();
    assert!(exported.status.success(), "{}", text(&exported.stderr));
    // Another machine has no such record.
    let verify = || {
        let output = elsewhere.recto(&["audit", "--verify", &name]).output().unwrap();
        (output.status.success(), text(&output.stdout).to_owned())
    };
    let whole = text(&exported.stdout).to_owned();
    assert!(whole.starts_with("4 rows, head sha256:"), "{whole}");
    assert_eq!(verify(), (true, whole));

    let again = place.recto(&["audit", "--export", &name]).output().unwrap();
    assert!(text(&again.stderr).contains("a file is there already and is not replaced"), "{}", text(&again.stderr));

    let lines = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, lines.replace("README.md", "README.mb")).unwrap();
    assert_eq!(verify(), (false, "the export is not whole: line 4 was altered\n".to_owned()));
    std::fs::write(&file, b"\xff\xfe").unwrap();
    let damaged =
        (false, "the export is not whole: the file does not begin as an export of the audit log does\n".to_owned());
    assert_eq!(verify(), damaged);
}

#[test]
fn a_write_without_a_terminal_is_denied_and_approve_always_allows_it() {
    let place = Place::new();
    place.ask(&FakeModel::start(WRITES), &[]);
    assert!(!place.folder.path().join("list.md").exists());
    place.ask(&FakeModel::start(WRITES), &["--approve", "always"]);
    assert_eq!(std::fs::read_to_string(place.folder.path().join("list.md")).unwrap(), "milk\n");
}

#[test]
fn permission_p7_a_replaced_file_is_put_back_and_the_audit_log_says_so() {
    let place = Place::new();
    let file = place.folder.path().join("list.md");
    let undo = |arguments: &[&str]| {
        let output = place.recto(&[&["undo"], arguments].concat()).output().unwrap();
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    };
    std::fs::write(&file, "bread\r\n").unwrap();
    place.ask(&FakeModel::start(WRITES), &[]);
    assert_eq!(undo(&["last"]), "recto: there is no change to undo\n", "a denied write is none");

    place.ask(&FakeModel::start(WRITES), &["--approve", "always"]);
    assert_eq!(std::fs::read(&file).unwrap(), b"milk\r\n");
    let folder = place.folder.path().canonicalize().unwrap();
    assert_eq!(undo(&[]), format!("    1  overwrite  list.md  in {}\n", folder.display()));
    assert_eq!(undo(&["last"]), "list.md is as it was before\n");
    assert_eq!(std::fs::read(&file).unwrap(), b"bread\r\n");
    assert_eq!(undo(&["1"]), "recto: there is no such write to undo; writes can be undone for seven days\n");

    place.ask(&FakeModel::start(WRITES), &["--approve", "always"]);
    std::fs::write(&file, "mine\n").unwrap();
    let left = undo(&["last"]);
    assert!(left.starts_with("recto: `list.md` was changed after Recto wrote it, so it was left as it is."), "{left}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine\n");

    let log = text(&place.recto(&["audit"]).output().unwrap().stdout).to_owned();
    let said: Vec<&str> = log.lines().filter_map(|line| line.split_once("undo list.md  ")).map(|line| line.1).collect();
    assert_eq!(said, ["allowed by person undid", "done: written, 7 bytes"]);
    assert!(place.recto(&["audit", "--verify"]).output().unwrap().status.success());
}

/// Asks on a terminal of its own and types `answer`.
fn ask_on_a_terminal(place: &Place, answer: &str) -> String {
    let fake = FakeModel::start(WRITES);
    let line = format!(
        "{} --data {} ask 'Write it' --folder {} --model {}",
        env!("CARGO_BIN_EXE_recto"),
        place.data.path().display(),
        place.folder.path().display(),
        fake.url()
    );
    let mut child = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write as _;
    child.stdin.take().unwrap().write_all(format!("{answer}\n").as_bytes()).unwrap();
    text(&child.wait_with_output().unwrap().stdout)
}

#[test]
fn permission_p3_on_a_terminal_the_difference_is_shown_and_only_y_is_a_yes() {
    let place = Place::new();
    let list: &Path = &place.folder.path().join("list.md");
    let shown = ask_on_a_terminal(&place, "");
    assert!(shown.contains("write_file asks to create list.md (new → 5 bytes, +1 −0)"), "{shown}");
    assert!(shown.contains("+ milk"), "{shown}");
    assert!(!list.exists());
    ask_on_a_terminal(&place, "y");
    assert_eq!(std::fs::read_to_string(list).unwrap(), "milk\n");
}

#[test]
fn a_failure_is_one_sentence_and_a_failing_exit_code() {
    let place = Place::new();
    let output = place.recto(&["ask", "Hello", "--model", "nobody"]).output().unwrap();
    assert!(!output.status.success());
    assert_eq!(
        text(&output.stderr),
        "[Answer] failed: there is no model called nobody here; `recto models` lists those that are\n"
    );
}

const TAKES_BACK: &str = r#"
call read_file {"path":"README.md"}

model: READY

model: Let me look again.
call read_file {"path":"README.md"}

model: Run make serve.
"#;

#[test]
fn answer_a7_text_that_is_taken_back_does_not_stand_on_stdout() {
    let (place, fake) = (Place::new(), FakeModel::start(TAKES_BACK));
    let output = place.ask(&fake, &[]);
    assert_eq!(text(&output.stdout), "Run make serve.\n", "{}", text(&output.stderr));
    assert_eq!(fake.chats().len(), 4);
}

#[test]
fn attack_the_key_goes_to_the_server_that_it_is_for_and_to_no_other() {
    let place = Place::new();
    for (is_for, gets) in [(None, true), (Some("api.example.com"), false), (Some("127.0.0.1"), true)] {
        let fake = FakeModel::start("model: Hello.\n");
        let mut command = place.recto(&["ask", "Hello", "--model", &fake.url()]);
        command.env("RECTO_API_KEY", "sk-canary-9").env_remove("RECTO_API_KEY_FOR");
        if let Some(host) = is_for {
            command.env("RECTO_API_KEY_FOR", host);
        }
        assert!(command.output().unwrap().status.success());
        let requests = fake.requests();
        assert!(requests.iter().all(|request| request.header("authorization").is_some() == gets), "{is_for:?}");
    }
}

#[test]
fn memories_the_profile_and_assistants_can_be_changed_from_the_command_line() {
    let place = Place::new();
    let run = |arguments: &[&str]| {
        let output = place.recto(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let id = run(&["memories", "add", " Likes\n tea. "]);
    run(&["memories", "add", "Has a dog."]);
    run(&["memories", "pin", id.trim()]);
    let shown = run(&["memories"]).replace(id.trim(), "ID");
    assert!(shown.starts_with("* ID  Likes tea.  (typed by you)\n  me_"), "{shown}");
    run(&["memories", "forget", id.trim()]);
    assert_eq!(run(&["memories"]).lines().count(), 1);
    run(&["profile", "set", "I live in Oslo."]);
    assert_eq!(run(&["profile"]), "I live in Oslo.\n");
    run(&["assistants", "create", "Skipper", "--instructions", "Answer like a sailor.", "--tools", "reading"]);
    run(&["assistants", "know", "skipper", place.folder.path().join("README.md").to_str().unwrap()]);
    let shown = run(&["assistants", "show", "Skipper"]);
    assert!(shown.contains("tools: reading\n") && shown.contains("Answer like a sailor.\n"), "{shown}");
    let fake = FakeModel::start("model: Ahoy.\n");
    let output = place.ask(&fake, &["--assistant", "Skipper"]);
    assert_eq!(text(&output.stdout), "Ahoy.\n");
    let sent = text(&fake.chats()[0].body);
    for given in ["Answer like a sailor.", "make serve", "I live in Oslo."] {
        assert!(sent.contains(given), "{given}: {sent}");
    }
    let nobody = place.ask(&fake, &["--assistant", "Nobody"]);
    assert!(text(&nobody.stderr).contains("there is no assistant Nobody; `recto assistants` lists them"));
}

#[test]
fn models_m4_an_answer_to_a_request_that_was_shortened_is_marked_on_the_command_line() {
    let place = Place::new();
    let fake = FakeModel::start(
        "model: I do not know.\nusage read=100 written=5\n\nmodel: Nor now.\nusage read=100 written=5",
    );
    let said = place.ask(&fake, &[]);
    assert_eq!(String::from_utf8_lossy(&said.stdout), "I do not know.\n");
    let trail = String::from_utf8_lossy(&said.stderr);
    assert!(trail.contains("[Answer] !! the server read 100 of about "), "{trail}");
    let as_json = place.ask(&fake, &["--json"]);
    let lines = String::from_utf8_lossy(&as_json.stdout);
    let mark = lines.lines().find(|line| line.contains("read_less")).unwrap();
    assert!(mark.starts_with(r#"{"type":"read_less","read":100,"sent":"#), "{mark}");
}
