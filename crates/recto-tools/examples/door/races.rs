//! Changes that are prepared and made while somebody else exchanges names as fast as the system allows.

use crate::disk::{Tree, hash, tree};
use recto_core::id::CallId;
use recto_core::tool::{Action, CallStatus, Prepared, ToolCall};
use recto_engine::ports::{Stop, Toolbox as _};
use recto_tools::Workspace;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use std::fmt::{self, Display};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What was tried and what came of it.
#[derive(Default)]
pub(crate) struct Raced {
    n_tried: u64,
    n_made: u64,
    n_exchanges: u64,
    /// Tries after which something outside was not as before.
    n_escaped: u64,
    /// Tries after which a file that was not shown was gone.
    n_lost: u64,
    /// Tries that left a temporary file.
    n_left: u64,
    elapsed: Duration,
    /// The same for a program that looks where a path leads and then opens it: how often, and how often that went out.
    naive: (u64, u64),
}

impl Raced {
    pub(crate) fn is_clean(&self) -> bool {
        self.n_escaped + self.n_lost + self.n_left == 0
    }
}

impl Display for Raced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_tried, n_made, n_exchanges, n_escaped, n_lost, n_left, elapsed, naive } = self;
        write!(
            f,
            "races        {n_tried} tried, {n_made} made, {n_exchanges} exchanges meanwhile, {n_escaped} escaped, \
             {n_lost} files lost that were not shown, {n_left} temporary files left, {:.1} s",
            elapsed.as_secs_f64()
        )?;
        write!(f, "\n             for comparison, a check and then an open: {} tried, {} escaped", naive.0, naive.1)
    }
}

/// What is exchanged with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    FolderAndLink,
    FileAndLink,
    FileAndFile,
}

const OLD: &[u8] = b"old\n";
const THEIRS: &[u8] = b"theirs\n";
const PRECIOUS: &[u8] = b"precious\n";

struct Ground {
    _folder: tempfile::TempDir,
    inside: PathBuf,
    outside: PathBuf,
    kind: Kind,
    outside_before: Tree,
}

impl Ground {
    fn new(folder: &Path, kind: Kind) -> io::Result<Self> {
        let folder = tempfile::tempdir_in(folder)?;
        let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
        std::fs::create_dir(&inside)?;
        std::fs::create_dir(&outside)?;
        std::fs::write(outside.join("list.md"), PRECIOUS)?;
        let outside_before = tree(&outside)?;
        let ground = Self { _folder: folder, inside, outside, kind, outside_before };
        ground.reset()?;
        Ok(ground)
    }

    /// The two names that are exchanged; the first one leads to the file that is to be changed.
    fn names(&self) -> [PathBuf; 2] {
        let names = match self.kind {
            Kind::FolderAndLink => ["notes", "link"],
            Kind::FileAndLink | Kind::FileAndFile => ["list.md", "other.md"],
        };
        names.map(|name| self.inside.join(name))
    }

    fn path(&self) -> &'static str {
        if self.kind == Kind::FolderAndLink { "notes/list.md" } else { "list.md" }
    }

    /// Everything inside as it was at first. The folder itself stays, because it is held open.
    fn reset(&self) -> io::Result<()> {
        for entry in std::fs::read_dir(&self.inside)? {
            let path = entry?.path();
            let is_folder = path.symlink_metadata()?.is_dir();
            if is_folder { std::fs::remove_dir_all(path)? } else { std::fs::remove_file(path)? }
        }
        let [one, other] = self.names();
        match self.kind {
            Kind::FolderAndLink => {
                std::fs::create_dir(&one)?;
                std::fs::write(one.join("list.md"), OLD)?;
                symlink(&self.outside, other)
            }
            Kind::FileAndLink => {
                std::fs::write(&one, OLD)?;
                symlink(self.outside.join("list.md"), other)
            }
            Kind::FileAndFile => std::fs::write(&one, OLD).and_then(|()| std::fs::write(other, THEIRS)),
        }
    }
}

/// Tries `n` changes, a third of them against each kind of exchange.
pub(crate) async fn run(folder: &Path, n: u64) -> Result<Raced, Box<dyn std::error::Error>> {
    let started = Instant::now();
    let mut raced = Raced::default();
    for (at, kind) in [Kind::FolderAndLink, Kind::FileAndLink, Kind::FileAndFile].into_iter().enumerate() {
        let share = n / 3 + u64::from((at as u64) < n % 3);
        race(&Ground::new(folder, kind)?, share, Way::Door, &mut raced).await?;
    }
    raced.elapsed = started.elapsed();
    // Shows that the race is one, and that an escape would be seen.
    let mut naive = Raced::default();
    race(&Ground::new(folder, Kind::FolderAndLink)?, n / 10, Way::CheckThenOpen, &mut naive).await?;
    raced.naive = (naive.n_tried, naive.n_escaped);
    Ok(raced)
}

/// How a change is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Door,
    CheckThenOpen,
}

/// What the other one is asked to do, and whether it does it.
#[derive(Default)]
struct Signals {
    may_go: AtomicBool,
    is_idle: AtomicBool,
    is_over: AtomicBool,
    n_exchanges: AtomicU64,
}

/// Exchanges the two names while it may.
fn exchange(names: &[PathBuf; 2], signals: &Signals) {
    while !signals.is_over.load(Ordering::Acquire) {
        if !signals.may_go.load(Ordering::Acquire) {
            signals.is_idle.store(true, Ordering::Release);
            std::thread::yield_now();
            continue;
        }
        signals.is_idle.store(false, Ordering::Release);
        // One of the names may be gone for a moment, because the change takes it aside.
        if renameat_with(CWD, &names[0], CWD, &names[1], RenameFlags::EXCHANGE).is_ok() {
            signals.n_exchanges.fetch_add(1, Ordering::Relaxed);
        }
    }
}

async fn race(ground: &Ground, n: u64, way: Way, raced: &mut Raced) -> Result<(), Box<dyn std::error::Error>> {
    let signals = std::sync::Arc::new(Signals::default());
    let other = {
        let (signals, names) = (std::sync::Arc::clone(&signals), ground.names());
        std::thread::spawn(move || exchange(&names, &signals))
    };
    let workspace = Workspace::open(&ground.inside, &[])?;
    for number in 0..n {
        signals.is_idle.store(false, Ordering::Release);
        signals.may_go.store(true, Ordering::Release);
        let tried = match way {
            Way::Door => attempt(&workspace, ground.path(), number).await,
            Way::CheckThenOpen => attempt_naively(&ground.inside, ground.path()),
        };
        signals.may_go.store(false, Ordering::Release);
        while !signals.is_idle.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        raced.n_tried += 1;
        raced.n_made += u64::from(tried.is_made);
        judge(ground, &tried, raced)?;
        ground.reset()?;
    }
    signals.is_over.store(true, Ordering::Release);
    other.join().map_err(|_| "the other one broke")?;
    raced.n_exchanges += signals.n_exchanges.load(Ordering::Relaxed);
    Ok(())
}

struct Tried {
    is_made: bool,
    /// Hash of the file that was shown; `None` where it did not come to that.
    shown: Option<String>,
}

/// One change, prepared and made: a write, an addition, a deletion or a move, in turn.
async fn attempt(workspace: &Workspace, path: &str, number: u64) -> Tried {
    let content = format!("new {number}\n");
    let (name, arguments) = match number % 4 {
        0 => ("write_file", json!({"path": path, "content": content})),
        1 => ("append_file", json!({"path": path, "content": content})),
        2 => ("delete_file", json!({"path": path})),
        _ => ("move_file", json!({"path": path, "to": format!("{path}.moved")})),
    };
    let call = ToolCall { id: CallId::from("c1"), name: name.to_owned(), arguments: arguments.to_string() };
    let Prepared::Ready(Action { change: Some(change), .. }) = workspace.prepare(&call).await else {
        return Tried { is_made: false, shown: None };
    };
    let shown = change.before.as_ref().map(|state| state.hash.as_str().to_owned());
    let outcome = workspace.run(&call, Some(&change), Stop::new().1).await;
    Tried { is_made: outcome.status == CallStatus::Done, shown }
}

/// What a program without a door does: it looks where the path leads, and then opens it.
fn attempt_naively(inside: &Path, path: &str) -> Tried {
    let place = inside.join(path);
    let is_inside = place.canonicalize().is_ok_and(|real| real.starts_with(inside));
    let is_made = is_inside && std::fs::write(&place, b"new\n").is_ok();
    Tried { is_made, shown: None }
}

fn judge(ground: &Ground, tried: &Tried, raced: &mut Raced) -> io::Result<()> {
    if tree(&ground.outside)? != ground.outside_before {
        raced.n_escaped += 1;
        std::fs::write(ground.outside.join("list.md"), PRECIOUS)?;
    }
    let now = tree(&ground.inside)?;
    raced.n_left += u64::from(now.keys().any(|name| name.contains(".recto-")));
    // Whatever was not shown has to be there still, and so has what was shown if nothing was made.
    let mut wanted = vec![hash(OLD)];
    if ground.kind == Kind::FileAndFile {
        wanted.push(hash(THEIRS));
    }
    if tried.is_made {
        wanted.retain(|hash| Some(hash) != tried.shown.as_ref());
    }
    let is_there = |hash: &String| now.values().any(|there| there == hash);
    raced.n_lost += u64::from(!wanted.iter().all(is_there));
    Ok(())
}
