//! Every call into the system that a change makes fails once: the old file stays as it was or the new one is there, nothing is left over, and
//! the reason is said. The errors are put in by `strace`, from outside. Each call fails with one of five errors in turn, and with each of the
//! five where `RECTO_TEST_EVERY_ERROR` is set.

use super::*;
use crate::change::{freeze_delete, freeze_folder, freeze_move};
use crate::workspace::of_write;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Where the program of this test is to make its changes.
const CHANGES_IN: &str = "RECTO_TEST_CHANGES_IN";
/// The socket over which it is told what to do.
const TOLD_BY: &str = "RECTO_TEST_TOLD_BY";
const ERRORS: [&str; 5] = ["ENOSPC", "EACCES", "EROFS", "EIO", "EMFILE"];
/// What the program looks at right before a change.
const BEGINS: &str = "/recto-begins";
/// What the program says begins so, because the test's own frame speaks as well.
const SAYS: &str = "recto: ";
/// The calls that have to do with files. Those that this system does not know are left out.
#[rustfmt::skip]
const CALLS: [&str; 32] = [
    "open", "openat", "openat2", "stat", "lstat", "fstat", "newfstatat", "statx", "readlink", "readlinkat", "read", "pread64",
    "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat",
    "rmdir", "link", "linkat", "getdents64", "fchmod", "fchown", "fcntl", "lseek", "close",
];

/// A kind of change.
type Kind = (&'static str, fn(&Door) -> Change);

fn path(path: &str) -> RelativePath {
    RelativePath::read(path).expect("a path")
}

const KINDS: [Kind; 5] = [
    ("create", |door| freeze_write(door, &path("a/b/new.md"), "new\n").expect("a change")),
    ("overwrite", |door| freeze_write(door, &path("notes/list.md"), "new\n").expect("a change")),
    ("delete", |door| freeze_delete(door, &path("notes/list.md")).expect("a change")),
    ("move", |door| freeze_move(door, &path("notes/list.md"), &path("a/list.md"), false).expect("a change")),
    ("folder", |door| freeze_folder(door, &path("a/b")).expect("a change")),
];

/// Not a test but the program that the next one starts: it makes the changes that it is told, one by one, each after a second word.
#[test]
fn the_program_whose_calls_fail() {
    let Ok(folder) = std::env::var(CHANGES_IN) else { return };
    let say = |what: &str| writeln!(std::io::stdout().lock(), "\n{SAYS}{what}").expect("says it");
    // What is heard over a socket is heard by a call that none of the changes makes, so waiting for a word is never taken for one of them.
    let words = UnixStream::connect(std::env::var(TOLD_BY).expect("a socket")).expect("connects");
    let mut words = BufReader::new(words).lines().map(|line| line.expect("a word"));
    let thread = fs::read_link("/proc/thread-self").expect("a thread");
    say(thread.file_name().and_then(|name| name.to_str()).expect("a number"));
    while let Some(name) = words.next() {
        let door = Door::open(Path::new(&folder), &[]).expect("opens");
        let (_, freeze) = KINDS.into_iter().find(|(kind, _)| *kind == name).expect("a kind");
        let change = freeze(&door);
        say("ready");
        words.next().expect("the second word");
        // Nothing is there; it is seen from outside that the change begins.
        let _ = fs::metadata(BEGINS);
        let written = write(&door, &change, &Watch::new(Duration::from_secs(10)));
        let outcome = of_write(&door, &change, written);
        say(&format!("{:?} {}", outcome.status, outcome.text.replace('\n', " ")));
    }
}

/// The running program.
struct Program {
    child: Child,
    words: UnixStream,
    lines: BufReader<ChildStdout>,
    thread: String,
}

impl Program {
    fn start(folder: &Path, socket: &Path) -> Self {
        let listener = UnixListener::bind(socket).expect("listens");
        let mut child = Command::new(std::env::current_exe().expect("a program"))
            .args(["--exact", "writer::tests::faults::the_program_whose_calls_fail", "--nocapture"])
            .env(CHANGES_IN, folder)
            .env(TOLD_BY, socket)
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let (words, _) = listener.accept().expect("is called");
        let lines = BufReader::new(child.stdout.take().expect("is piped"));
        let mut program = Self { child, words, lines, thread: String::new() };
        program.thread = program.hear();
        program
    }

    fn tell(&mut self, word: &str) {
        writeln!(self.words, "{word}").expect("is told");
    }

    fn hear(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.lines.read_line(&mut line).expect("is heard"), 0, "the program died");
            if let Some(said) = line.trim_end().strip_prefix(SAYS) {
                return said.to_owned();
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It is gone either way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Watches the program while it makes one change, and fails the calls that it is told to. What the program says of it, and the calls that
/// were seen; `None` where this system lets nobody watch.
fn watched(program: &mut Program, kind: &str, options: &[String], log: &Path) -> Option<(String, Vec<String>)> {
    program.tell(kind);
    assert_eq!(program.hear(), "ready");
    let known: Vec<String> = CALLS.iter().map(|call| format!("?{call}")).collect();
    let mut strace = Command::new("strace")
        .args(["-p", &program.thread, "-o"])
        .arg(log)
        .arg("-e")
        .arg(format!("trace={}", known.join(",")))
        .args(options)
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut errors = BufReader::new(strace.stderr.take().expect("is piped"));
    let mut first = String::new();
    errors.read_line(&mut first).expect("is read");
    let is_watching = first.contains("attached");
    program.tell("go");
    let said = program.hear();
    if is_watching {
        // It lets go of the program and writes its log to the end.
        let stopped = Command::new("kill").args(["-INT", &strace.id().to_string()]).status().expect("is stopped");
        assert!(stopped.success());
    }
    strace.wait().expect("ends");
    if !is_watching {
        return None;
    }
    let log = fs::read_to_string(log).expect("a log");
    Some((said, log.lines().map(str::to_owned).collect()))
}

/// The calls of the change itself, each with its number among those of its name.
fn own_calls(log: &[String]) -> Vec<(String, usize)> {
    let mut n_made: BTreeMap<String, usize> = BTreeMap::new();
    let (mut own, mut is_own) = (Vec::new(), false);
    for (name, rest) in log.iter().filter_map(|line| line.split_once('(')) {
        let n = n_made.entry(name.to_owned()).or_default();
        *n += 1;
        if name == "write" && rest.starts_with("1,") {
            break;
        }
        if is_own {
            own.push((name.to_owned(), *n));
        }
        is_own |= rest.contains(BEGINS);
    }
    own
}

fn lay_out(folder: &Path) {
    for entry in fs::read_dir(folder).expect("is read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("removes");
    }
    fs::create_dir(folder.join("notes")).expect("a folder");
    fs::write(folder.join("notes/list.md"), "old\n").expect("a file");
}

fn tree(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    collect(folder, folder, &mut lines);
    lines.sort();
    lines
}

#[test]
fn permission_p3_every_call_of_a_change_may_fail_once_with_the_old_file_intact_and_nothing_left_over() {
    let (scene, logs) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let log = logs.path().join("log");
    let is_whole = std::env::var_os("RECTO_TEST_EVERY_ERROR").is_some();
    lay_out(scene.path());
    let before = tree(scene.path());
    let mut program = Program::start(scene.path(), &logs.path().join("socket"));
    let (mut n_failed_calls, mut wrong) = (0, Vec::new());
    for (kind, _) in KINDS {
        lay_out(scene.path());
        let Some((said, seen)) = watched(&mut program, kind, &[], &log) else {
            eprintln!("skipped: strace is not there, or may not watch another program here");
            return;
        };
        assert!(said.starts_with("Done "), "{kind}: {said}");
        let after = tree(scene.path());
        let calls = own_calls(&seen);
        assert!(calls.len() > 10, "{kind}: {seen:?}");
        for (call, number) in calls {
            let errors: &[&str] = if is_whole { &ERRORS } else { &[ERRORS[n_failed_calls % ERRORS.len()]] };
            for error in errors {
                lay_out(scene.path());
                let inject = ["-e".to_owned(), format!("inject={call}:error={error}:when={number}")];
                let (said, seen) = watched(&mut program, kind, &inject, &log).expect("could be watched before");
                let failed = seen.iter().filter(|line| line.starts_with(&format!("{call}("))).nth(number - 1);
                assert!(failed.is_some_and(|line| line.contains("(INJECTED)")), "{kind}: {call} {number}: {seen:?}");
                n_failed_calls += 1;
                let now = tree(scene.path());
                let is_right = match said.strip_prefix("Done ") {
                    Some(_) => now == after,
                    None => now == before && said.starts_with("Failed ") && said.ends_with('.'),
                };
                if !is_right {
                    wrong.push(format!("{kind}: {call} {number} with {error}: {said}: {now:?}"));
                }
            }
        }
    }
    eprintln!("{n_failed_calls} calls failed, one at a time");
    assert!(wrong.is_empty(), "{} of {n_failed_calls}:\n{}", wrong.len(), wrong.join("\n"));
}
