//! `todo_write` is never asked for, and need not be: a program that the system lets nowhere but to Recto's own data writes the list five hundred
//! times without a question and without being stopped at anything; ten thousand times where `RECTO_TEST_EVERY_PLAN` is set.

use crate::keys::TestKeychain;
use async_trait::async_trait;
use landlock::{
    ABI, Access as _, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus,
};
use recto_app::{App, ModelId, OpenOptions, TurnOptions};
use recto_core::approval::Answer;
use recto_core::tool::CallStatus;
use recto_engine::ports::{Approver, Question, Stop};
use recto_testkit::FakeModel;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CALLS: usize = 50;

fn n_turns() -> usize {
    if std::env::var_os("RECTO_TEST_EVERY_PLAN").is_some() { 200 } else { 10 }
}

/// Set for the program that the test starts.
const IS_SHUT_IN: &str = "RECTO_TEST_IS_SHUT_IN";
/// What it looks at when it begins to plan; nothing is there.
const BEGINS: &str = "/recto-begins";
const ENDS: &str = "/recto-ends";
/// Where the allocator of the system looks by itself now and then; what it does not find there it does without.
const ALLOCATOR: [&str; 2] = ["/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu/online"];
/// What it says begins so, because the test's own frame speaks as well.
const SAYS: &str = "recto: ";

/// Counts how often it is asked.
#[derive(Default)]
struct Counting(AtomicUsize);

#[async_trait]
impl Approver for Counting {
    async fn ask(&self, _question: &Question, _stop: Stop) -> Answer {
        self.0.fetch_add(1, Ordering::Relaxed);
        Answer::Denied
    }
}

/// Lets this thread, and those that it starts, reach nothing but what is below `folder`. Whether the system can do that.
fn shut_in(folder: &Path) -> bool {
    let all = AccessFs::from_all(ABI::V5);
    let rules = Ruleset::default().handle_access(all).unwrap().create().unwrap();
    let rules = rules.add_rule(PathBeneath::new(PathFd::new(folder).unwrap(), all)).unwrap();
    rules.restrict_self().unwrap().ruleset != RulesetStatus::NotEnforced
}

/// Replies with many calls each, and an end to each turn.
fn script() -> String {
    let mut script = String::new();
    for turn in 0..n_turns() {
        for call in 0..CALLS {
            let todos =
                serde_json::json!({"todos": [{"content": format!("step {call} of {turn}"), "status": "pending"}]});
            writeln!(script, "call todo_write {todos}").unwrap();
        }
        script.push_str("\nmodel: READY\n\nmodel: The plan stands.\n\n");
    }
    script
}

/// Not a test but the program that the next one starts.
#[test]
fn the_program_that_is_shut_in() {
    if std::env::var_os(IS_SHUT_IN).is_none() {
        return;
    }
    let (data, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(outside.path().join("list.md"), "milk\n").unwrap();
    let fake = FakeModel::start(&script());
    let say = |what: &str| writeln!(std::io::stdout().lock(), "\n{SAYS}{what}").unwrap();
    if !shut_in(data.path()) {
        return say("cannot be shut in");
    }
    let refused = std::fs::read(outside.path().join("list.md")).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
    // On this thread, so that all that is started here is shut in as well.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let asked = Arc::new(Counting::default());
        let options = OpenOptions {
            data: Some(data.path().to_owned()),
            models: Some(data.path().join("no-models")),
            model: None,
            approver: Some(asked.clone()),
            keychain: Some(Arc::new(TestKeychain::default())),
        };
        let app = App::open(options).unwrap();
        let mut n_done = 0;
        for turn in 0..n_turns() {
            if turn == 1 {
                // The first turn loads what the program needs once: the time zone, the names of hosts.
                let _ = std::fs::metadata(BEGINS);
            }
            let conversation = app.create_conversation(None, None).await.unwrap();
            let options = TurnOptions { model: Some(ModelId(fake.url())), ..TurnOptions::default() };
            let turn = app.start_turn(conversation, "Plan it".into(), options).await.unwrap();
            if let Some(mut watching) = app.watch_turn(&turn) {
                while watching.coming.recv().await.is_some() {}
            }
            let calls = app.record().calls(turn).await.unwrap();
            let is_done = |status| status == CallStatus::Done;
            n_done +=
                calls.iter().filter(|call| call.fact.as_ref().is_some_and(|fact| is_done(fact.outcome.status))).count();
        }
        let _ = std::fs::metadata(ENDS);
        let verdict = app.record().verify_audit().await.unwrap();
        say(&format!("{n_done} done, {} asked, chain {:?}", asked.0.load(Ordering::Relaxed), verdict.first_bad));
    });
}

#[test]
fn todo_t8_the_list_is_written_with_nothing_but_recto_s_own_data_in_reach_and_nobody_asked() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let program = std::env::current_exe().unwrap();
    let arguments = ["--exact", "exemption::the_program_that_is_shut_in", "--nocapture"];
    let watches = Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success());
    let mut command = if watches {
        let mut strace = Command::new("strace");
        strace.args(["-f", "--seccomp-bpf", "-e", "trace=%file", "-o"]).arg(&log).arg(program);
        strace
    } else {
        Command::new(program)
    };
    let output = command.args(arguments).env(IS_SHUT_IN, "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = said.lines().find_map(|line| line.strip_prefix(SAYS)).unwrap_or_default();
    if told == "cannot be shut in" {
        eprintln!("skipped: this system cannot shut a program in (Landlock)");
        return;
    }
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(told, format!("{} done, 0 asked, chain None", n_turns() * CALLS), "{said}\n{shown}");
    if watches {
        let log = std::fs::read_to_string(&log).unwrap();
        let planning = log.split_once(BEGINS).and_then(|(_, rest)| rest.split_once(ENDS)).unwrap().0;
        let is_denied = |line: &&str| line.contains(" EACCES ") || line.contains(" EPERM ");
        // A call that was broken off in the log by another thread's says where it looked in its first half.
        let first_half = |line: &str| {
            let thread = line.split(' ').next().unwrap_or_default();
            let before = planning.split_once(line).map(|(before, _)| before).unwrap_or_default();
            before.lines().rev().find(|other| other.starts_with(thread)).unwrap_or_default().to_owned()
        };
        let looked = |line: &str| if line.contains("resumed>") { first_half(line) } else { line.to_owned() };
        let is_of_program = |line: &String| !ALLOCATOR.iter().any(|path| line.contains(path));
        let denied: Vec<String> = planning.lines().filter(is_denied).map(looked).filter(is_of_program).collect();
        assert!(denied.is_empty(), "{denied:#?}");
    }
}
