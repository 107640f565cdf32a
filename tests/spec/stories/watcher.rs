//! Somebody who knows nothing of the program looks at the disk after every turn of a hostile model: whatever changed has one approved and
//! finished call in the audit log whose hash is that of the file, and nothing else changed.

use crate::world::{Does, World};
use recto_app::record::AuditFilter;
use recto_core::approval::Answer;
use recto_core::audit::AuditEvent;
use recto_core::id::TurnId;
use recto_core::text::ContentHash;
use recto_core::tool::{BOTH_ENDS, CallStatus};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

const TURNS: u64 = 24;
const CALLS: u64 = 12;

/// Every file with the hash of its content. Folders are not looked at: one that is made holds nothing.
type Files = BTreeMap<String, ContentHash>;

fn files(root: &Path, folder: &Path, found: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(root, &path, found);
        } else {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            found.insert(name, ContentHash::of(&std::fs::read(&path).unwrap()));
        }
    }
}

fn now(root: &Path) -> Files {
    let mut found = Files::new();
    files(root, root, &mut found);
    found
}

/// A number below `n` that looks like chance and is the same in every run.
fn dice(seed: u64, n: usize) -> usize {
    let mixed = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (seed >> 7)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed ^ (mixed >> 29)) % n as u64) as usize
}

const PATHS: [&str; 14] = [
    "a.md",
    "b.md",
    "c/d.md",
    "c/e.md",
    "README.md",
    "Makefile",
    "../out.md",
    ".git/config",
    "/etc/passwd",
    "c",
    "x/y/z.md",
    "f.md",
    "CON",
    "g.md",
];

fn call(seed: u64) -> String {
    let path = PATHS[dice(seed, PATHS.len())];
    let to = PATHS[dice(seed + 1, PATHS.len())];
    match dice(seed + 2, 7) {
        0..=2 => format!(r#"call write_file {{"path":"{path}","content":"text {seed}\n"}}"#),
        3 => format!(r#"call append_file {{"path":"{path}","content":"more {seed}"}}"#),
        4 => format!(r#"call delete_file {{"path":"{path}"}}"#),
        5 => format!(r#"call move_file {{"path":"{path}","to":"{to}"}}"#),
        _ => format!(r#"call make_dir {{"path":"folder {seed}"}}"#),
    }
}

/// What the audit log says has become of each path in a turn: the last hash that was written there, or `None` where it went.
async fn audited(world: &World, turn: TurnId) -> HashMap<String, Option<ContentHash>> {
    let filter = AuditFilter { conversation: None, turn: Some(turn) };
    let mut rows = world.app.record().audit(filter, None, 1_000).await.unwrap();
    rows.reverse();
    let (mut allowed, mut left) = (BTreeSet::new(), HashMap::new());
    for row in rows {
        let entry = row.entry;
        match entry.event {
            AuditEvent::Decision { is_allowed: true, decider, after, .. } => {
                assert_eq!(decider, "person approved", "{}", entry.target);
                assert!(allowed.insert(entry.call), "one decision a call: {}", entry.target);
                // A move leaves its first end, a deletion its only one; whether it did is said by the outcome.
                left.insert(format!("pending {}", entry.target), after);
            }
            AuditEvent::Decision { .. } => {}
            AuditEvent::Outcome { status, written, .. } => {
                assert!(allowed.contains(&entry.call), "an outcome follows its decision: {}", entry.target);
                let after = left.remove(&format!("pending {}", entry.target)).unwrap();
                if status != CallStatus::Done {
                    continue;
                }
                assert_eq!(written, after, "what was written is what was decided on: {}", entry.target);
                match entry.target.split_once(BOTH_ENDS) {
                    Some((from, to)) => {
                        left.insert(from.to_owned(), None);
                        left.insert(to.to_owned(), written);
                    }
                    None => {
                        left.insert(entry.target, written);
                    }
                }
            }
        }
    }
    left
}

#[tokio::test]
async fn attack_t15_whatever_changes_on_the_disk_has_its_approved_call_in_the_audit_log() {
    let mut script = String::new();
    for turn in 0..TURNS {
        for number in 0..CALLS {
            script.push_str(&call(turn * 1_000 + number * 7));
            script.push('\n');
        }
        script.push_str("\nmodel: READY\n\nmodel: Done.\n\n");
    }
    let mut world = World::new(&script, Vec::new()).await;
    for number in 0..TURNS * CALLS {
        let answer = [Answer::Approved, Answer::Approved, Answer::Denied, Answer::TimedOut][dice(number + 3, 4)];
        world.person.expect(Does::Says(answer));
    }
    let (mut n_changed, mut before) = (0, now(world.folder.path()));
    for turn in 0..TURNS {
        // A conversation of its own for each, so that nothing is folded in between.
        let folder = Some(world.folder.path().display().to_string());
        world.conversation = world.app.create_conversation(folder, None).await.unwrap();
        let told = world.ask("Do it").await;
        let (after, said) = (now(world.folder.path()), audited(&world, told.turn).await);
        let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for path in paths {
            if before.get(path) != after.get(path) {
                n_changed += 1;
                assert_eq!(said.get(path), Some(&after.get(path).cloned()), "turn {turn}: {path} has no approved call");
            }
        }
        before = after;
    }
    assert!(n_changed > 20, "the model changed nothing: {n_changed}");
    assert!(!world.folder.path().join("../out.md").exists());
    world.fake.assert_clean();
}
