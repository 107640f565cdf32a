use super::*;
use crate::change::{freeze_edit, freeze_write};
#[cfg(target_os = "linux")]
use crate::door::Identity;
use recto_core::text::ContentHash;
use recto_core::tool::Operation;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

#[cfg(target_os = "linux")]
mod faults;
mod names;

/// What this system offers, and what every system does.
const RENAMES: [Renames; 2] = [Renames::HERE, Renames::Plain];

struct Scene {
    folder: TempDir,
    door: Door,
}

impl Scene {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        let door = Door::open(folder.path(), &[]).expect("opens");
        Self { folder, door }
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join(path)
    }

    fn freeze(&self, path: &str, content: &str) -> Change {
        freeze_write(&self.door, &RelativePath::read(path).expect("a path"), content).expect("a change")
    }

    fn write(&self, change: &Change, at: impl FnMut(Step)) -> Result<Written, WriteFault> {
        self.write_with(Renames::HERE, change, at)
    }

    fn write_with(&self, renames: Renames, change: &Change, mut at: impl FnMut(Step)) -> Result<Written, WriteFault> {
        write_with(renames, &self.door, change, &Watch::new(Duration::from_secs(10)), &mut at)
    }

    /// Every file with its content, and every folder with a `/`: nothing may be left over.
    fn tree(&self) -> Vec<String> {
        let mut lines = Vec::new();
        collect(self.folder.path(), self.folder.path(), &mut lines);
        lines.sort();
        lines
    }
}

fn collect(root: &Path, folder: &Path, lines: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("is read") {
        let path = entry.expect("an entry").path();
        let name = path.strip_prefix(root).expect("below the root").display().to_string();
        let file_type = path.symlink_metadata().expect("is there").file_type();
        if file_type.is_symlink() {
            lines.push(format!("{name} -> {}", fs::read_link(&path).expect("a link").display()));
        } else if file_type.is_dir() {
            lines.push(format!("{name}/"));
            collect(root, &path, lines);
        } else {
            lines.push(format!("{name}: {}", String::from_utf8_lossy(&fs::read(&path).expect("is read"))));
        }
    }
}

#[test]
fn permission_p3_a_new_file_has_exactly_the_frozen_bytes() {
    let scene = Scene::new(&[]);
    let change = scene.freeze("a/b/list.md", "milk\n");
    assert_eq!(scene.tree(), Vec::<String>::new(), "freezing changes nothing");
    assert_eq!(
        scene.write(&change, |_| {}).expect("is written"),
        Written { n_folders: 2, is_exchanged: true, remarks: vec![] }
    );
    assert_eq!(scene.tree(), ["a/", "a/b/", "a/b/list.md: milk\n"]);
}

#[test]
fn permission_p3_an_old_file_is_replaced_and_nothing_is_left_over() {
    for renames in RENAMES {
        let scene = Scene::new(&[("list.md", "old\n")]);
        let change = scene.freeze("list.md", "new\n");
        let written = scene.write_with(renames, &change, |_| {}).expect("is written");
        assert_eq!(written, Written { n_folders: 0, is_exchanged: renames == Renames::HERE, remarks: vec![] });
        assert_eq!(scene.tree(), ["list.md: new\n"]);
        let created = scene.freeze("new.md", "new\n");
        scene.write_with(renames, &created, |_| {}).expect("is written");
        assert_eq!(scene.tree(), ["list.md: new\n", "new.md: new\n"]);
    }
}

#[test]
fn permission_p3_a_changed_change_is_not_written() {
    let scene = Scene::new(&[("list.md", "old\n"), ("other.md", "other\n")]);
    let frozen = scene.freeze("list.md", "new\n");
    let other_root = Scene::new(&[("list.md", "old\n")]);
    let (bytes, after) = (b"evil\n".to_vec(), Some(state_of(b"evil\n")));
    let altered = [
        ("bytes", Change { bytes: bytes.clone(), ..frozen.clone() }),
        ("path", Change { path: "other.md".to_owned(), ..frozen.clone() }),
        ("after", Change { after: after.clone(), ..frozen.clone() }),
        ("before", Change { before: None, ..frozen.clone() }),
        ("operation", Change { operation: Operation::Edit, ..frozen.clone() }),
        ("bytes and after", Change { bytes, after, ..frozen.clone() }),
    ];
    for (what, change) in altered {
        assert!(matches!(scene.write(&change, |_| {}), Err(WriteFault::NotFrozen)), "{what}");
    }
    assert!(matches!(other_root.write(&frozen, |_| {}), Err(WriteFault::NotFrozen)), "another folder");
    assert_eq!(scene.tree(), ["list.md: old\n", "other.md: other\n"]);
}

/// What somebody else does to the file, with its name.
type Mutation = (&'static str, fn(&Path));

/// Everything that can happen to a file between the moment it was shown and the moment it is written.
fn mutations() -> Vec<Mutation> {
    vec![
        ("written in place", |path| fs::write(path, "theirs\n").expect("writes")),
        ("replaced", |path| {
            fs::write(path.with_file_name("theirs"), "theirs\n").expect("writes");
            fs::rename(path.with_file_name("theirs"), path).expect("renames");
        }),
        ("removed", |path| fs::remove_file(path).expect("removes")),
        ("made a folder", |path| {
            fs::remove_file(path).expect("removes");
            fs::create_dir(path).expect("makes");
        }),
        #[cfg(unix)]
        ("made a link", |path| {
            fs::remove_file(path).expect("removes");
            std::os::unix::fs::symlink("elsewhere", path).expect("links");
        }),
    ]
}

#[test]
fn permission_p4_a_file_that_changed_at_any_moment_before_the_swap_is_left_as_it_is_now() {
    let moments = [None, Some(Step::Compared), Some(Step::Staged)];
    for (what, mutate) in mutations() {
        for (moment, renames) in moments.into_iter().flat_map(|moment| RENAMES.map(|renames| (moment, renames))) {
            let scene = Scene::new(&[("list.md", "old\n")]);
            let change = scene.freeze("list.md", "new\n");
            if moment.is_none() {
                mutate(&scene.path("list.md"));
            }
            let mut expected = None;
            let result = scene.write_with(renames, &change, |step| {
                if Some(step) == moment {
                    mutate(&scene.path("list.md"));
                    expected =
                        Some(scene.tree().into_iter().filter(|line| !line.starts_with(".recto-")).collect::<Vec<_>>());
                }
            });
            assert!(result.is_err(), "{what} at {moment:?} with {renames:?}");
            let now = scene.tree();
            assert!(
                !now.iter().any(|line| line.contains("new") || line.contains(".recto-")),
                "{what} at {moment:?} with {renames:?}: {now:?}"
            );
            if let Some(expected) = expected {
                assert_eq!(now, expected, "{what} at {moment:?} with {renames:?}");
            }
        }
    }
}

#[test]
fn permission_p4_a_file_that_somebody_created_first_is_theirs() {
    let moments = [Step::Compared, Step::Staged];
    for (moment, renames) in moments.into_iter().flat_map(|moment| RENAMES.map(|renames| (moment, renames))) {
        let scene = Scene::new(&[]);
        let change = scene.freeze("list.md", "new\n");
        let result = scene.write_with(renames, &change, |step| {
            if step == moment {
                fs::write(scene.path("list.md"), "theirs\n").expect("writes");
            }
        });
        assert!(matches!(result, Err(WriteFault::Changed)), "{moment:?}: {result:?}");
        assert_eq!(scene.tree(), ["list.md: theirs\n"], "{moment:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn permission_p4_a_file_that_changes_twice_keeps_both_versions() {
    let replace = |scene: &Scene, text: &str| {
        fs::write(scene.path("theirs"), text).expect("writes");
        fs::rename(scene.path("theirs"), scene.path("list.md")).expect("renames");
    };
    let scene = Scene::new(&[("list.md", "old\n")]);
    let change = scene.freeze("list.md", "new\n");
    let result = scene.write(&change, |step| match step {
        Step::Compared => {}
        Step::Staged => replace(&scene, "first\n"),
        Step::Swapped => replace(&scene, "second\n"),
        Step::Settled => panic!("is not written"),
    });
    assert!(matches!(&result, Err(WriteFault::BothKept(kept)) if kept == "list.md.conflict-1"), "{result:?}");
    assert_eq!(scene.tree(), ["list.md.conflict-1: first\n", "list.md: second\n"]);

    // The same with a program that writes into the new file while it stands there.
    let scene = Scene::new(&[("list.md", "old\n")]);
    let change = scene.freeze("list.md", "new\n");
    let result = scene.write(&change, |step| match step {
        Step::Compared => {}
        Step::Staged => replace(&scene, "first\n"),
        Step::Swapped => fs::write(scene.path("list.md"), "second\n").expect("writes"),
        Step::Settled => panic!("is not written"),
    });
    assert!(matches!(&result, Err(WriteFault::BothKept(_))), "{result:?}");
    assert_eq!(scene.tree(), ["list.md.conflict-1: first\n", "list.md: second\n"]);
}

#[test]
fn what_somebody_writes_after_the_swap_stays() {
    let scene = Scene::new(&[("list.md", "old\n")]);
    let change = scene.freeze("list.md", "new\n");
    let replace_after = |step| {
        if step == Step::Swapped {
            fs::write(scene.path("theirs"), "theirs\n").expect("writes");
            fs::rename(scene.path("theirs"), scene.path("list.md")).expect("renames");
        }
    };
    scene.write(&change, replace_after).expect("was written before");
    assert_eq!(scene.tree(), ["list.md: theirs\n"]);
}

#[test]
fn permission_p3_a_folder_that_is_moved_out_meanwhile_does_not_take_the_file_along() {
    for before in [None, Some("old\n")] {
        let outside = tempfile::tempdir().expect("a folder");
        let scene = Scene::new(&before.map(|text| ("notes/list.md", text)).into_iter().collect::<Vec<_>>());
        fs::create_dir_all(scene.path("notes")).expect("a folder");
        let change = scene.freeze("notes/list.md", "new\n");
        let result = scene.write(&change, |step| {
            if step == Step::Staged {
                fs::rename(scene.path("notes"), outside.path().join("notes")).expect("moves");
            }
        });
        assert!(matches!(result, Err(WriteFault::Moved)), "{result:?}");
        let mut moved = Vec::new();
        collect(outside.path(), outside.path(), &mut moved);
        let expected: Vec<String> =
            ["notes/".to_owned()].into_iter().chain(before.map(|text| format!("notes/list.md: {text}"))).collect();
        assert_eq!(moved, expected);
        assert_eq!(scene.tree(), Vec::<String>::new());
    }
}

#[test]
fn a_stop_before_the_swap_writes_nothing_and_takes_its_folders_back() {
    let scene = Scene::new(&[]);
    let change = scene.freeze("a/b/list.md", "new\n");
    let watch = Watch::new(Duration::from_secs(10));
    let result = write_with(Renames::HERE, &scene.door, &change, &watch, &mut |step| {
        if step == Step::Staged {
            watch.stop();
        }
    });
    assert!(matches!(result, Err(WriteFault::Stopped)));
    assert_eq!(scene.tree(), Vec::<String>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn permission_p7_a_write_that_happened_is_one_whatever_goes_wrong_afterwards() {
    let scene = Scene::new(&[("list.md", "old\n")]);
    let change = scene.freeze("list.md", "new\n");
    let written = scene.write(&change, |step| {
        if step == Step::Settled {
            let is_left = |name: &str| name.starts_with(".recto-");
            let left = scene.tree().into_iter().find(|line| is_left(line)).expect("the old file");
            fs::remove_file(scene.path(left.split(':').next().expect("a name"))).expect("removes");
        }
    });
    let remarks = vec!["the old file may still be beside it under a temporary name"];
    assert_eq!(written.expect("is written"), Written { n_folders: 0, is_exchanged: true, remarks });
    assert_eq!(scene.tree(), ["list.md: new\n"]);
}

#[test]
fn a_write_that_has_begun_can_no_longer_be_stopped_and_one_that_was_stopped_does_not_begin() {
    let scene = Scene::new(&[("list.md", "old\n")]);
    let change = scene.freeze("list.md", "new\n");
    let watch = Watch::new(Duration::from_secs(10));
    let mut is_stopped = true;
    let written = write_with(Renames::HERE, &scene.door, &change, &watch, &mut |step| {
        if step == Step::Settled {
            is_stopped = watch.stop();
        }
    });
    assert!(written.is_ok() && !is_stopped);
    assert!(watch.commit() && !watch.is_stopped());
    let watch = Watch::new(Duration::from_secs(10));
    assert!(watch.stop() && watch.stop() && !watch.commit());
}

/// Where the program of the next test is to die, and in which folder.
const CRASH_AT: &str = "RECTO_TEST_CRASH_AT";
const CRASH_IN: &str = "RECTO_TEST_CRASH_IN";

/// Not a test but the program that the next one starts: it dies in the middle of a write, and nothing is dropped.
#[test]
fn the_program_that_dies_while_it_writes() {
    let (Ok(moment), Ok(folder)) = (std::env::var(CRASH_AT), std::env::var(CRASH_IN)) else { return };
    let door = Door::open(Path::new(&folder), &[]).expect("opens");
    let change = freeze_write(&door, &RelativePath::read("list.md").expect("a path"), "new\n").expect("a change");
    // What it would have written is not its result: it does not come to its end.
    let _ = write_with(Renames::HERE, &door, &change, &Watch::new(Duration::from_secs(10)), &mut |step| {
        if format!("{step:?}") == moment {
            std::process::abort();
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn permission_p2_a_crash_at_any_step_leaves_an_old_or_a_new_file_and_what_it_leaves_beside_is_tidied() {
    use crate::leftovers::{Standing, UnfinishedWrite, tidy};
    for (moment, text, n_left, standing) in [
        (Step::Compared, "old\n", 0, Standing::Old),
        (Step::Staged, "old\n", 1, Standing::Old),
        (Step::Swapped, "new\n", 1, Standing::New),
        (Step::Settled, "new\n", 1, Standing::New),
    ] {
        let scene = Scene::new(&[("list.md", "old\n")]);
        let died = std::process::Command::new(std::env::current_exe().expect("a program"))
            .args(["--exact", "writer::tests::the_program_that_dies_while_it_writes"])
            .env(CRASH_AT, format!("{moment:?}"))
            .env(CRASH_IN, scene.folder.path())
            .output()
            .expect("starts");
        assert!(!died.status.success(), "{moment:?}");
        assert_eq!(fs::read_to_string(scene.path("list.md")).expect("is there"), text, "{moment:?}");
        assert_eq!(scene.tree().len(), 1 + n_left, "{moment:?}: {:?}", scene.tree());
        let write = UnfinishedWrite {
            target: "list.md".to_owned(),
            before: Some(ContentHash::of(b"old\n")),
            after: Some(ContentHash::of(b"new\n")),
        };
        let found = tidy(&scene.door, &[write], &Watch::new(Duration::from_secs(10)));
        assert_eq!((found.standings, found.removed.len(), found.left), (vec![standing], n_left, vec![]), "{moment:?}");
        assert_eq!(scene.tree(), [format!("list.md: {text}")], "{moment:?}");
    }
}

#[test]
fn a_file_that_has_become_very_long_is_not_read_to_its_end() {
    // Nothing of it is on the disk; reading it would take minutes and all memory.
    const VERY_LONG: u64 = 1 << 36;
    let lengthen = |path: &Path| {
        fs::OpenOptions::new().write(true).open(path).expect("opens").set_len(VERY_LONG).expect("is lengthened");
    };
    for moment in [None, Some(Step::Staged)] {
        let scene = Scene::new(&[("list.md", "old\n")]);
        let change = scene.freeze("list.md", "new\n");
        if moment.is_none() {
            lengthen(&scene.path("list.md"));
        }
        let result = scene.write(&change, |step| {
            if Some(step) == moment {
                lengthen(&scene.path("list.md"));
            }
        });
        assert!(matches!(result, Err(WriteFault::Changed)), "{moment:?}: {result:?}");
        assert_eq!(fs::metadata(scene.path("list.md")).expect("is there").len(), VERY_LONG);
    }
    // One that grows while it is read.
    let scene = Scene::new(&[("list.md", "old\n")]);
    let (file, metadata) = scene.door.open_file(&RelativePath::read("list.md").expect("a path")).expect("opens");
    lengthen(&scene.path("list.md"));
    assert_eq!(state_of_file(file, &metadata).expect("is read").n_bytes, 5);
}

#[cfg(unix)]
#[test]
fn the_mode_is_kept_and_a_new_file_is_never_executable() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new(&[("run", "#!/bin/sh\n"), ("secret.txt", "old\n"), ("suid", "x\n")]);
    let set = |path: &str, mode| fs::set_permissions(scene.path(path), fs::Permissions::from_mode(mode)).expect("sets");
    let mode = |path: &str| fs::metadata(scene.path(path)).expect("is there").permissions().mode() & 0o7777;
    set("run", 0o755);
    set("secret.txt", 0o640);
    set("suid", 0o4755);
    for path in ["run", "secret.txt", "suid", "new.sh"] {
        scene.write(&scene.freeze(path, "#!/bin/sh\necho\n"), |_| {}).expect("is written");
    }
    assert_eq!([mode("run"), mode("secret.txt"), mode("suid")], [0o755, 0o640, 0o755]);
    assert_eq!(mode("new.sh") & 0o111, 0);
}

#[cfg(unix)]
#[test]
fn permission_p3_another_name_of_the_file_keeps_the_old_content() {
    use recto_core::tool::ChangeFlag;
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("precious"), "precious\nlines\n").expect("writes");
    let scene = Scene::new(&[]);
    fs::hard_link(outside.path().join("precious"), scene.path("inside")).expect("links");
    let overwrite = scene.freeze("inside", "replaced\n");
    assert!(overwrite.flags.contains(&ChangeFlag::OtherNames));
    scene.write(&overwrite, |_| {}).expect("is written");
    assert_eq!(fs::read_to_string(outside.path().join("precious")).expect("is there"), "precious\nlines\n");

    fs::remove_file(scene.path("inside")).expect("removes");
    fs::hard_link(outside.path().join("precious"), scene.path("inside")).expect("links");
    let edit =
        freeze_edit(&scene.door, &RelativePath::read("inside").expect("a path"), "lines", "words").expect("a change");
    assert!(edit.flags.contains(&ChangeFlag::OtherNames));
    scene.write(&edit, |_| {}).expect("is written");
    assert_eq!(fs::read_to_string(scene.path("inside")).expect("is there"), "precious\nwords\n");
    assert_eq!(fs::read_to_string(outside.path().join("precious")).expect("is there"), "precious\nlines\n");
}

#[cfg(target_os = "linux")]
#[test]
fn permission_p6_no_write_escapes_while_a_folder_and_a_link_are_swapped() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::sync::atomic::{AtomicBool, Ordering};
    let outside = tempfile::tempdir().expect("a folder");
    let scene = Scene::new(&[("inside/list.md", "old\n")]);
    std::os::unix::fs::symlink(outside.path(), scene.path("link")).expect("links");
    fs::write(outside.path().join("list.md"), "old\n").expect("writes");
    let is_over = AtomicBool::new(false);
    let outside_identity = Identity::of_folder_at(outside.path()).expect("a folder");
    let (mut n_opened, mut n_refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                renameat_with(CWD, scene.path("inside"), CWD, scene.path("link"), RenameFlags::EXCHANGE)
                    .expect("swaps");
            }
        });
        let path = RelativePath::read("inside/list.md").expect("a path");
        for attempt in 0..20_000 {
            match scene.door.parent_of(&path) {
                Ok(parent) => {
                    n_opened += 1;
                    let opened = Identity::of(&parent.dir.dir_metadata().expect("is open"));
                    assert_ne!(opened, outside_identity);
                }
                Err(_) => n_refused += 1,
            }
            // A few go all the way to the disk, which costs a flush each; the others only walk.
            if attempt % 40 != 0 {
                continue;
            }
            let Ok(change) = freeze_write(&scene.door, &path, &format!("new {attempt}\n")) else { continue };
            // An error is as good as a write here; only an escape is not.
            let _ = scene.write(&change, |_| {});
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(n_opened > 0 && n_refused > 0, "the race was no race: {n_opened} {n_refused}");
    assert_eq!(fs::read_to_string(outside.path().join("list.md")).expect("is there"), "old\n");
    let mut names = Vec::new();
    collect(outside.path(), outside.path(), &mut names);
    assert_eq!(names, ["list.md: old\n"]);
}

#[cfg(target_os = "linux")]
#[test]
fn permission_p6_no_read_escapes_while_a_folder_and_a_link_are_swapped() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::sync::atomic::{AtomicBool, Ordering};
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("list.md"), "outside").expect("writes");
    let scene = Scene::new(&[("inside/list.md", "inside")]);
    std::os::unix::fs::symlink(outside.path(), scene.path("link")).expect("links");
    let is_over = AtomicBool::new(false);
    let (mut n_read, mut n_refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                renameat_with(CWD, scene.path("inside"), CWD, scene.path("link"), RenameFlags::EXCHANGE)
                    .expect("swaps");
            }
        });
        let path = RelativePath::read("inside/list.md").expect("a path");
        for _ in 0..20_000 {
            match scene.door.read(&path, 100) {
                Ok((bytes, _)) => {
                    assert_eq!(bytes, b"inside");
                    n_read += 1;
                }
                Err(_) => n_refused += 1,
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(n_read > 0 && n_refused > 0, "the race was no race: {n_read} {n_refused}");
}
