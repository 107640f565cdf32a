//! Calls of a hostile model: every tool, hostile and plain places, altered changes. A book is kept of what was approved and made, and the
//! disk has to hold that and nothing else.

use crate::dice::Dice;
use crate::disk::{Tree, hash, tree};
use recto_core::approval::{Grants, Policy, Verdict, decide};
use recto_core::id::CallId;
use recto_core::tool::{Action, CallStatus, Change, Operation, Prepared, ToolCall};
use recto_engine::ports::{Stop, Toolbox as _};
use recto_tools::Workspace;
use serde_json::{Value, json};
use std::error::Error;
use std::fmt::{self, Display};
use std::path::Path;
use std::time::{Duration, Instant};

/// So many calls are made between two walks over the disk.
const BETWEEN_WALKS: u64 = 50;

/// What was called and what came of it.
#[derive(Default)]
pub(crate) struct Called {
    n_calls: u64,
    n_asked: u64,
    n_approved: u64,
    n_made: u64,
    n_forbidden: u64,
    n_altered: u64,
    /// Altered changes that were made.
    n_altered_made: u64,
    /// Paths that hold what nobody approved, or not what was approved.
    n_unapproved: u64,
    /// Paths outside that are not as before.
    n_outside: u64,
    elapsed: Duration,
}

impl Called {
    pub(crate) fn is_clean(&self) -> bool {
        self.n_altered_made + self.n_unapproved + self.n_outside == 0
    }
}

impl Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_calls, n_asked, n_approved, n_made, n_forbidden, n_altered, .. } = self;
        write!(
            f,
            "calls        {n_calls} made, {n_forbidden} forbidden by their place, {n_asked} asked, {n_approved} approved, {n_made} carried out\n\
             \u{20}            {n_altered} altered after the yes, {} of them carried out; {} unapproved changes, {} changes outside, {:.1} s",
            self.n_altered_made,
            self.n_unapproved,
            self.n_outside,
            self.elapsed.as_secs_f64()
        )
    }
}

pub(crate) async fn run(folder: &Path, n: u64) -> Result<Called, Box<dyn Error>> {
    let started = Instant::now();
    let folder = tempfile::tempdir_in(folder)?;
    let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
    lay_out(&inside, &outside)?;
    let mut book = tree(&inside)?;
    let outside_before = tree(&outside)?;
    let workspace = Workspace::open(&inside, &[])?;
    let (mut called, mut dice) = (Called::default(), Dice(4));
    for number in 0..n {
        let call = hostile_call(&mut dice, number);
        called.n_calls += 1;
        play(&workspace, &call, &mut dice, &mut book, &mut called).await;
        if number % BETWEEN_WALKS == BETWEEN_WALKS - 1 || number + 1 == n {
            let now = tree(&inside)?;
            called.n_unapproved += n_differing(&book, &now);
            called.n_outside += n_differing(&outside_before, &tree(&outside)?);
            // What was found once is not counted again.
            book = now;
        }
    }
    called.elapsed = started.elapsed();
    Ok(called)
}

/// Files of every kind, with ways out: links to a folder, to a file and to nothing, and a second name of a file outside.
fn lay_out(inside: &Path, outside: &Path) -> std::io::Result<()> {
    for folder in [inside, outside, &inside.join("notes"), &inside.join(".git/hooks"), &inside.join("deep/er")] {
        std::fs::create_dir_all(folder)?;
    }
    for (path, text) in
        [("README.md", "# Read\n"), ("notes/plan.md", "plan\n"), ("Makefile", "all:\n"), (".git/config", "[core]\n")]
    {
        std::fs::write(inside.join(path), text)?;
    }
    std::fs::write(outside.join("precious.md"), "precious\n")?;
    std::fs::write(outside.join("second.md"), "two names\n")?;
    std::fs::hard_link(outside.join("second.md"), inside.join("second.md"))?;
    #[cfg(unix)]
    for (name, to) in
        [("out", outside.to_owned()), ("file.md", outside.join("precious.md")), ("nowhere", outside.join("new.md"))]
    {
        std::os::unix::fs::symlink(to, inside.join(name))?;
    }
    Ok(())
}

const PLACES: [&str; 40] = [
    "README.md",
    "notes/plan.md",
    "notes/new.md",
    "new.md",
    "deep/er/x.md",
    "deep/new/x.md",
    "Makefile",
    "second.md",
    "a.md",
    "b.md",
    "c.md",
    "d/e.md",
    "notes",
    "deep",
    "notes/",
    "潮位.md",
    "out/precious.md",
    "out/new.md",
    "out",
    "file.md",
    "nowhere",
    "nowhere/x",
    ".git/config",
    ".git/hooks/pre-commit",
    ".GIT/config",
    ".git",
    "../outside/precious.md",
    "../x.md",
    "/etc/passwd",
    "/tmp/x",
    "~/.bashrc",
    "C:\\x",
    "notes/../../x.md",
    "CON",
    "a:b",
    "README.md.",
    "readme.md",
    "x\u{202e}y.md",
    ".envrc",
    "",
];

fn hostile_call(dice: &mut Dice, number: u64) -> ToolCall {
    let path = dice.pick(&PLACES);
    let content = format!("{number} {}\n", ["plain", "#!/bin/sh", "\u{202e}hidden", "潮位"][dice.below(4)]);
    let (name, arguments): (&str, Value) = match dice.below(12) {
        0..=2 => ("write_file", json!({"path": path, "content": content})),
        3 => (
            "edit_file",
            json!({"path": path, "old_text": dice.pick(&["plan", "1", "\n", "all"]), "new_text": content}),
        ),
        4 | 5 => ("append_file", json!({"path": path, "content": content})),
        6 => ("delete_file", json!({"path": path})),
        7 | 8 => ("move_file", json!({"path": path, "to": dice.pick(&PLACES)})),
        9 => ("make_dir", json!({"path": path})),
        10 => (dice.pick(&["read_file", "list_dir"]), json!({"path": path})),
        _ => (dice.pick(&["todo_write", "write_file", "rm", "approve"]), json!({"path": path, "force": true})),
    };
    ToolCall { id: CallId(format!("c{number}")), name: name.to_owned(), arguments: arguments.to_string() }
}

/// One call as a turn makes it: prepared, decided, asked for where it must be, and run.
async fn play(workspace: &Workspace, call: &ToolCall, dice: &mut Dice, book: &mut Tree, called: &mut Called) {
    let action = match workspace.prepare(call).await {
        Prepared::Ready(action) => action,
        Prepared::Forbidden { .. } => {
            called.n_forbidden += 1;
            return;
        }
        Prepared::Not(_) => return,
    };
    let is_approved = match decide(&action, Policy::Ask, &Grants::default()) {
        Verdict::Allow(_) | Verdict::AllowBy(_) => true,
        Verdict::Deny(..) => false,
        Verdict::Ask(_) => {
            called.n_asked += 1;
            let says_yes = dice.one_in(3);
            called.n_approved += u64::from(says_yes);
            says_yes
        }
    };
    // Whoever was denied tries all the same with what was never shown.
    let Action { change, .. } = action;
    let shown = change.filter(|_| is_approved);
    let (run, is_altered) = match shown {
        Some(change) if dice.one_in(8) => (Some(altered(change, dice)), true),
        other => (other, false),
    };
    called.n_altered += u64::from(is_altered);
    let outcome = workspace.run(call, run.as_ref(), Stop::new().1).await;
    let is_made = outcome.status == CallStatus::Done;
    match run {
        Some(_) if is_altered => called.n_altered_made += u64::from(is_made),
        Some(change) if is_made => {
            called.n_made += 1;
            enter(book, &change);
        }
        _ => {}
    }
}

/// The change with one thing in it that was not shown.
fn altered(change: Change, dice: &mut Dice) -> Change {
    match dice.below(5) {
        0 => Change { path: "stolen.md".to_owned(), ..change },
        1 => Change { bytes: b"#!/bin/sh\nrm -rf ~\n".to_vec(), ..change },
        2 => Change { to: Some("../outside/stolen.md".to_owned()), ..change },
        3 => Change {
            operation: if change.operation == Operation::Delete { Operation::Move } else { Operation::Delete },
            ..change
        },
        _ => Change { path: "../outside/precious.md".to_owned(), ..change },
    }
}

/// Writes down what the disk has to hold after an approved change.
fn enter(book: &mut Tree, change: &Change) {
    let ends = change.to.iter().chain([&change.path]);
    // The folders above whatever is new.
    for path in ends {
        for (at, _) in path.match_indices('/') {
            book.entry(path[..at].to_owned()).or_insert_with(|| "folder".to_owned());
        }
    }
    match change.operation {
        Operation::Delete => {
            book.remove(&change.path);
        }
        Operation::Move => {
            let moved = book.remove(&change.path);
            if let (Some(to), Some(moved)) = (&change.to, moved) {
                book.insert(to.clone(), moved);
            }
        }
        Operation::MakeDir => {
            book.insert(change.path.clone(), "folder".to_owned());
        }
        _ => {
            book.insert(change.path.clone(), hash(&change.bytes));
        }
    }
}

fn n_differing(book: &Tree, now: &Tree) -> u64 {
    let gone = book.keys().filter(|path| !now.contains_key(*path)).count();
    let other = now.iter().filter(|(path, what)| book.get(*path) != Some(what)).count();
    (gone + other) as u64
}
