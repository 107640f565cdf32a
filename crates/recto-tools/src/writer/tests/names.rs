//! Deleting, moving and making folders: bound to what was shown, and taken back where anything else is found.

use super::*;
use crate::change::{NoChange, freeze_append, freeze_delete, freeze_folder, freeze_move};
use recto_core::tool::ChangeFlag;

fn path(path: &str) -> RelativePath {
    RelativePath::read(path).expect("a path")
}

impl Scene {
    fn delete(&self, name: &str) -> Change {
        freeze_delete(&self.door, &path(name)).expect("a change")
    }

    fn carry(&self, from: &str, to: &str) -> Change {
        freeze_move(&self.door, &path(from), &path(to), to.ends_with('/')).expect("a change")
    }

    fn folder(&self, name: &str) -> Change {
        freeze_folder(&self.door, &path(name)).expect("a change")
    }

    /// What is there, without what stands under a temporary name at this moment.
    fn seen(&self) -> Vec<String> {
        self.tree().into_iter().filter(|line| !line.starts_with(".recto-")).collect()
    }
}

#[test]
fn permission_p3_a_file_is_deleted_with_nothing_left_over_and_is_shown_whole_before() {
    for renames in RENAMES {
        let scene = Scene::new(&[("list.md", "milk\nbread\n"), ("other.md", "x")]);
        let change = scene.delete("list.md");
        assert_eq!((change.line_counts(), change.before.clone()), ((0, 2), Some(state_of(b"milk\nbread\n"))));
        assert_eq!((change.after.clone(), change.flags.clone()), (None, vec![]));
        scene.write_with(renames, &change, |_| {}).expect("is deleted");
        assert_eq!(scene.tree(), ["other.md: x"]);
    }
}

#[test]
fn permission_p3_a_move_binds_both_ends_and_makes_the_folders_that_are_missing() {
    for renames in RENAMES {
        let scene = Scene::new(&[("plan.md", "plan\n")]);
        let change = scene.carry("plan.md", "archive/2026/plan.md");
        assert_eq!(change.target(), "plan.md → archive/2026/plan.md");
        assert_eq!(scene.write_with(renames, &change, |_| {}).expect("is moved").n_folders, 2);
        assert_eq!(scene.tree(), ["archive/", "archive/2026/", "archive/2026/plan.md: plan\n"]);
        // Into a folder, named as one or being one.
        for to in ["archive", "new/"] {
            let change = scene.carry("archive/2026/plan.md", to);
            assert_eq!(change.to, Some(format!("{}/plan.md", to.trim_end_matches('/'))));
        }
    }
}

#[test]
fn permission_p3_a_folder_is_made_with_those_above_it() {
    let scene = Scene::new(&[]);
    let written = scene.write(&scene.folder("a/b"), |_| {}).expect("is made");
    assert_eq!((written.n_folders, scene.tree()), (2, vec!["a/".to_owned(), "a/b/".to_owned()]));
    assert!(matches!(freeze_folder(&scene.door, &path("a/b")), Err(NoChange::Not(_))), "is there already");
}

#[test]
fn permission_p3_an_altered_change_of_names_is_not_made() {
    let scene = Scene::new(&[("a.md", "old\n"), ("b.md", "old\n")]);
    let (delete, carry, folder) = (scene.delete("a.md"), scene.carry("a.md", "c.md"), scene.folder("new"));
    let altered = [
        Change { path: "b.md".to_owned(), ..delete.clone() },
        Change { after: Some(state_of(b"old\n")), ..delete.clone() },
        Change { operation: Operation::Move, to: Some("c.md".to_owned()), ..delete },
        Change { to: Some("d.md".to_owned()), ..carry.clone() },
        Change { to: None, ..carry.clone() },
        Change { path: "b.md".to_owned(), ..carry.clone() },
        Change { after: Some(state_of(b"other\n")), ..carry.clone() },
        Change { operation: Operation::Delete, to: None, after: None, ..carry },
        Change { path: "other".to_owned(), ..folder },
    ];
    for change in altered {
        assert!(matches!(scene.write(&change, |_| {}), Err(WriteFault::NotFrozen)), "{change:?}");
    }
    // One that is bound, and shows no bytes although it has some.
    let nonsense = crate::change::bound(&scene.door, Change { bytes: b"x".to_vec(), ..scene.folder("new") });
    assert!(matches!(scene.write(&nonsense, |_| {}), Err(WriteFault::NotFrozen)));
    assert_eq!(scene.tree(), ["a.md: old\n", "b.md: old\n"]);
}

#[test]
fn permission_p4_a_file_that_changed_before_it_goes_stays_as_it_is_now() {
    for (what, mutate) in mutations() {
        for (moment, renames) in [None, Some(Step::Compared)].into_iter().flat_map(|at| RENAMES.map(|with| (at, with)))
        {
            for is_move in [false, true] {
                let scene = Scene::new(&[("list.md", "old\n")]);
                let change = if is_move { scene.carry("list.md", "new/list.md") } else { scene.delete("list.md") };
                if moment.is_none() {
                    mutate(&scene.path("list.md"));
                }
                let mut expected = scene.seen();
                let result = scene.write_with(renames, &change, |step| {
                    if Some(step) == moment {
                        mutate(&scene.path("list.md"));
                        expected = scene.seen();
                    }
                });
                let at = format!("{what} at {moment:?} with {renames:?}, move {is_move}");
                assert!(result.is_err(), "{at}: {result:?}");
                assert_eq!(scene.tree(), expected, "{at}");
            }
        }
    }
}

#[test]
fn permission_p4_a_name_that_was_taken_meanwhile_keeps_its_file_and_so_does_the_other() {
    // Somebody writes into the file that was taken aside, and somebody else takes its name.
    let scene = Scene::new(&[("list.md", "old\n")]);
    let change = scene.delete("list.md");
    let result = scene.write(&change, |step| {
        if step == Step::Swapped {
            let aside = scene.tree().into_iter().find(|line| line.starts_with(".recto-")).expect("is aside");
            fs::write(scene.path(aside.split(':').next().expect("a name")), "first\n").expect("writes");
            fs::write(scene.path("list.md"), "second\n").expect("writes");
        }
    });
    assert!(matches!(&result, Err(WriteFault::BothKept(kept)) if kept == "list.md.conflict-1"), "{result:?}");
    assert_eq!(scene.tree(), ["list.md.conflict-1: first\n", "list.md: second\n"]);

    // The same with a move: what arrived is not what was shown, and the old place is taken.
    let scene = Scene::new(&[("list.md", "old\n")]);
    let change = scene.carry("list.md", "new.md");
    let result = scene.write(&change, |step| {
        if step == Step::Swapped {
            fs::write(scene.path("new.md"), "first\n").expect("writes");
            fs::write(scene.path("list.md"), "second\n").expect("writes");
        }
    });
    assert!(matches!(&result, Err(WriteFault::BothKept(kept)) if kept == "new.md"), "{result:?}");
    assert_eq!(scene.tree(), ["list.md: second\n", "new.md: first\n"]);
}

#[test]
fn permission_p4_what_stands_in_the_new_place_is_never_replaced_by_a_move_or_a_folder() {
    for renames in RENAMES {
        for moment in [None, Some(Step::Compared)] {
            let scene = Scene::new(&[("a.md", "old\n")]);
            for change in [scene.carry("a.md", "b.md"), scene.folder("b.md")] {
                let take = || fs::write(scene.path("b.md"), "theirs\n").expect("writes");
                if moment.is_none() {
                    take();
                }
                let result = scene.write_with(renames, &change, |step| {
                    if Some(step) == moment {
                        take();
                    }
                });
                assert!(matches!(result, Err(WriteFault::Changed)), "{renames:?} {moment:?}: {result:?}");
                assert_eq!(scene.tree(), ["a.md: old\n", "b.md: theirs\n"]);
                fs::remove_file(scene.path("b.md")).expect("removes");
            }
        }
    }
}

#[test]
fn permission_p3_a_folder_that_is_moved_out_meanwhile_takes_no_change_along() {
    for make in [
        (|scene: &Scene| scene.delete("notes/list.md")) as fn(&Scene) -> Change,
        |scene| scene.carry("notes/list.md", "notes/new.md"),
        |scene| scene.carry("notes/list.md", "list.md"),
        |scene| scene.folder("notes/new"),
    ] {
        let outside = tempfile::tempdir().expect("a folder");
        let scene = Scene::new(&[("notes/list.md", "old\n")]);
        let change = make(&scene);
        let result = scene.write(&change, |step| {
            if step == Step::Compared {
                fs::rename(scene.path("notes"), outside.path().join("notes")).expect("moves");
            }
        });
        assert!(matches!(result, Err(WriteFault::Moved)), "{}: {result:?}", change.target());
        let mut moved = Vec::new();
        collect(outside.path(), outside.path(), &mut moved);
        assert_eq!(moved, ["notes/", "notes/list.md: old\n"], "{}", change.target());
        assert_eq!(scene.tree(), Vec::<String>::new(), "{}", change.target());
    }
}

#[test]
fn a_stop_before_the_change_leaves_everything_as_it_was() {
    let scene = Scene::new(&[("list.md", "old\n")]);
    for change in [scene.delete("list.md"), scene.carry("list.md", "a/b.md"), scene.folder("a/b")] {
        let watch = Watch::new(Duration::from_secs(10));
        let result = write_with(Renames::HERE, &scene.door, &change, &watch, &mut |step| {
            if step == Step::Compared {
                watch.stop();
            }
        });
        assert!(matches!(result, Err(WriteFault::Stopped)), "{result:?}");
        assert_eq!(scene.tree(), ["list.md: old\n"]);
    }
}

#[cfg(unix)]
#[test]
fn attack_t23_another_name_of_a_file_outside_keeps_its_content_whatever_is_done_to_the_one_inside() {
    let make: [fn(&Scene) -> Change; 3] = [
        |scene| freeze_append(&scene.door, &path("inside"), "more\n").expect("a change"),
        |scene| scene.delete("inside"),
        |scene| scene.carry("inside", "moved"),
    ];
    for make in make {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("precious"), "precious\nlines\n").expect("writes");
        let scene = Scene::new(&[]);
        fs::hard_link(outside.path().join("precious"), scene.path("inside")).expect("links");
        let change = make(&scene);
        assert!(change.flags.contains(&ChangeFlag::OtherNames), "{:?}", change.operation);
        scene.write(&change, |_| {}).expect("is made");
        let kept = fs::read_to_string(outside.path().join("precious")).expect("is there");
        assert_eq!(kept, "precious\nlines\n", "{:?}", change.operation);
    }
}

#[cfg(unix)]
#[test]
fn attack_t18_no_end_of_a_change_is_reached_through_a_link() {
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("list.md"), "outside\n").expect("writes");
    let scene = Scene::new(&[("list.md", "old\n")]);
    std::os::unix::fs::symlink(outside.path(), scene.path("out")).expect("links");
    std::os::unix::fs::symlink("list.md", scene.path("link.md")).expect("links");
    let door = &scene.door;
    let refused = [
        freeze_delete(door, &path("out/list.md")),
        freeze_delete(door, &path("link.md")),
        freeze_move(door, &path("out/list.md"), &path("mine.md"), false),
        freeze_move(door, &path("list.md"), &path("out/new.md"), false),
        freeze_move(door, &path("list.md"), &path("link.md"), false),
        freeze_folder(door, &path("out/new")),
        freeze_append(door, &path("link.md"), "more\n"),
    ];
    for (at, refused) in refused.into_iter().enumerate() {
        assert!(matches!(refused, Err(NoChange::Forbidden(_))), "{at}: {refused:?}");
    }
}

#[test]
fn attack_t25_moving_or_deleting_what_another_program_runs_is_flagged_at_either_end() {
    let scene =
        Scene::new(&[("notes.txt", "#!/bin/sh\n"), ("plain.txt", "x\n"), ("Makefile", "all:\n"), (".git/config", "x")]);
    let is_flagged = |change: &Change| change.flags.contains(&ChangeFlag::ExecutesLater);
    assert!(is_flagged(&scene.carry("plain.txt", "package.json")), "by its new name");
    assert!(is_flagged(&scene.carry("plain.txt", ".vscode/plain.txt")), "by its new folder");
    assert!(is_flagged(&scene.carry("notes.txt", "notes/notes.txt")), "by what it is");
    assert!(is_flagged(&scene.carry("Makefile", "old.txt")), "by its old name");
    assert!(is_flagged(&scene.delete("Makefile")) && is_flagged(&scene.folder(".github")));
    assert!(!is_flagged(&scene.carry("plain.txt", "other.txt")) && !is_flagged(&scene.delete("plain.txt")));
    let into_git = freeze_move(&scene.door, &path("plain.txt"), &path(".git/hooks/pre-commit"), false);
    assert!(matches!(into_git, Err(NoChange::Forbidden(_))), "{into_git:?}");
    assert!(matches!(freeze_delete(&scene.door, &path(".git/config")), Err(NoChange::Forbidden(_))));
    assert!(matches!(freeze_folder(&scene.door, &path(".git/hooks")), Err(NoChange::Forbidden(_))));
}

#[test]
fn permission_p6_no_new_place_has_a_name_that_another_platform_refuses_or_takes_for_another() {
    let scene = Scene::new(&[("plan.md", "x\n"), ("Notes/a.md", "x\n")]);
    for name in ["CON", "a:b", "notes", "dot.", "PLAN.MD"] {
        let moved = freeze_move(&scene.door, &path("plan.md"), &path(name), false);
        assert!(matches!(moved, Err(NoChange::Not(_))), "{name}: {moved:?}");
        let made = freeze_folder(&scene.door, &path(name));
        assert!(matches!(made, Err(NoChange::Not(_))), "{name}: {made:?}");
    }
}

#[test]
fn what_cannot_be_shown_line_by_line_is_flagged_and_what_is_too_large_is_left_to_the_user() {
    let scene = Scene::new(&[("long.txt", &"line\n".repeat(3_000))]);
    fs::write(scene.path("picture.png"), b"\x89PNG\r\n\x1a\n\0\0").expect("writes");
    fs::File::create(scene.path("large")).and_then(|file| file.set_len(MAX_BYTES + 1)).expect("is made");
    for name in ["long.txt", "picture.png"] {
        let change = scene.delete(name);
        assert_eq!((change.diff.len(), change.flags.as_slice()), (0, &[ChangeFlag::NotShown][..]), "{name}");
        scene.write(&change, |_| {}).expect("is deleted");
    }
    for refused in
        [freeze_delete(&scene.door, &path("large")), freeze_move(&scene.door, &path("large"), &path("b"), false)]
    {
        let Err(NoChange::Not(outcome)) = refused else { panic!("{refused:?}") };
        assert!(outcome.text.starts_with("`large` is larger than 16 MiB, so it is not "), "{}", outcome.text);
    }
    assert_eq!(scene.tree().len(), 1);
}

#[test]
fn folders_are_neither_deleted_nor_moved() {
    let scene = Scene::new(&[("notes/a.md", "x\n")]);
    for refused in [
        freeze_delete(&scene.door, &path("notes")),
        freeze_delete(&scene.door, &path(".")),
        freeze_move(&scene.door, &path("notes"), &path("other"), false),
    ] {
        assert!(matches!(refused, Err(NoChange::Not(_))), "{refused:?}");
    }
}

/// Which change the program of the next test is to die in.
const CRASH_WITH: &str = "RECTO_TEST_CRASH_WITH";

fn change_named(door: &Door, kind: &str) -> Change {
    match kind {
        "delete" => freeze_delete(door, &path("list.md")),
        "move" => freeze_move(door, &path("list.md"), &path("new/list.md"), false),
        _ => freeze_folder(door, &path("new")),
    }
    .expect("a change")
}

/// Not a test but the program that the next one starts: it dies in the middle of a change of names, and nothing is dropped.
#[test]
fn the_program_that_dies_while_it_changes_names() {
    let variables = (std::env::var(CRASH_AT), std::env::var(CRASH_IN), std::env::var(CRASH_WITH));
    let (Ok(moment), Ok(folder), Ok(kind)) = variables else { return };
    let door = Door::open(Path::new(&folder), &[]).expect("opens");
    let change = change_named(&door, &kind);
    // What it would have made is not its result: it does not come to its end.
    let _ = write_with(Renames::HERE, &door, &change, &Watch::new(Duration::from_secs(10)), &mut |step| {
        if format!("{step:?}") == moment {
            std::process::abort();
        }
    });
}

#[test]
fn permission_p7_after_a_crash_at_any_step_of_a_change_of_names_the_disk_tells_what_became_of_it() {
    use crate::leftovers::{Standing, UnfinishedWrite, tidy};
    let old: &[&str] = &["list.md: old\n"];
    for (kind, moment, standing, left) in [
        ("delete", Step::Compared, Standing::Old, old),
        // It was taken aside; what it held was kept before the change began, so it may go.
        ("delete", Step::Swapped, Standing::New, &[]),
        ("delete", Step::Settled, Standing::New, &[]),
        ("move", Step::Compared, Standing::Old, old),
        ("move", Step::Swapped, Standing::New, &["new/", "new/list.md: old\n"]),
        ("move", Step::Settled, Standing::New, &["new/", "new/list.md: old\n"]),
        ("folder", Step::Compared, Standing::Old, old),
        ("folder", Step::Swapped, Standing::New, &["list.md: old\n", "new/"]),
    ] {
        let scene = Scene::new(&[("list.md", "old\n")]);
        let change = change_named(&scene.door, kind);
        let died = std::process::Command::new(std::env::current_exe().expect("a program"))
            .args(["--exact", "writer::tests::names::the_program_that_dies_while_it_changes_names"])
            .env(CRASH_AT, format!("{moment:?}"))
            .env(CRASH_IN, scene.folder.path())
            .env(CRASH_WITH, kind)
            .output()
            .expect("starts");
        assert!(!died.status.success(), "{kind} {moment:?}");
        let hash = |state: &Option<recto_core::tool::FileState>| state.as_ref().map(|state| state.hash.clone());
        let unfinished =
            UnfinishedWrite { target: change.target(), before: hash(&change.before), after: hash(&change.after) };
        let found = tidy(&scene.door, &[unfinished], &Watch::new(Duration::from_secs(10)));
        assert_eq!((found.standings, found.left), (vec![standing], vec![]), "{kind} {moment:?}");
        assert_eq!(scene.tree(), left, "{kind} {moment:?}");
    }
}
