//! What is refused, whoever asks.

use super::*;

async fn forbidden(desk: &Desk, tool: &str, arguments: Value) -> String {
    match desk.prepare(tool, arguments).await {
        Prepared::Forbidden { reason } => reason,
        other => panic!("not forbidden: {other:?}"),
    }
}

#[tokio::test]
async fn permission_p2_everything_outside_the_workspace_is_refused() {
    let desk = desk();
    for path in ["/etc/passwd", "../x", "notes/../../x", "~/x", "C:\\x", "\\\\server\\x", "file:///x"] {
        for (tool, arguments) in [
            ("read_file", json!({ "path": path })),
            ("list_dir", json!({ "path": path })),
            ("search_text", json!({ "pattern": "x", "path": path })),
            ("write_file", json!({ "path": path, "content": "x" })),
            ("edit_file", json!({ "path": path, "old_text": "x", "new_text": "y" })),
        ] {
            let reason = forbidden(&desk, tool, arguments).await;
            assert!(reason.contains("lies outside the folder"), "{tool} {path}: {reason}");
        }
    }
}

#[tokio::test]
async fn permission_p6_nothing_is_written_into_git() {
    let desk = desk();
    for path in [
        ".git/hooks/post-merge",
        ".GIT/config",
        "sub/.git/config",
        ".git",
        ".g\u{131}t/config",
        "git~1/config",
        ".git./x",
    ] {
        let reason = forbidden(&desk, "write_file", json!({ "path": path, "content": "x" })).await;
        assert_eq!(reason, "`.git` belongs to git: nothing is written there. Choose another place.", "{path}");
    }
    assert_eq!(desk.run("read_file", json!({ "path": ".git/config" })).await.text, "tide\n");
}

#[tokio::test]
async fn permission_p6_a_new_name_is_one_that_every_platform_takes() {
    let desk = desk();
    for path in ["con.md", "a:b", "notes/what?.md", "end.", "new/nul.txt"] {
        let Prepared::Not(outcome) = desk.prepare("write_file", json!({ "path": path, "content": "x" })).await else {
            panic!("taken: {path}")
        };
        assert!(
            outcome.status.is_failure() && outcome.text.contains("cannot be the name of a new file"),
            "{}",
            outcome.text
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn names_that_exist_and_another_platform_refuses_can_be_read_and_changed() {
    let desk = Desk::new(&[("a:b.md", b"old\n")]);
    assert_eq!(desk.run("read_file", json!({ "path": "a:b.md" })).await.text, "old\n");
    assert_eq!(desk.run("write_file", json!({ "path": "a:b.md", "content": "new\n" })).await.status, CallStatus::Done);
}

#[tokio::test]
async fn permission_p6_a_twin_of_a_name_that_is_there_is_not_created() {
    let desk = Desk::new(&[("README.md", b"x\n"), ("Program Files/a", b"x\n"), ("e\u{301}te\u{301}/a", b"x\n")]);
    for (path, twin) in [
        ("readme.md", "README.md"),
        ("ＲＥＡＤＭＥ.md", "README.md"),
        ("PROGRA~1/a", "Program Files"),
        ("program files/b", "Program Files"),
        ("\u{e9}t\u{e9}/a", "e\u{301}te\u{301}"),
    ] {
        let Prepared::Not(outcome) = desk.prepare("write_file", json!({ "path": path, "content": "x" })).await else {
            panic!("taken: {path}")
        };
        assert!(outcome.text.starts_with(&format!("`{twin}` is there already")), "{path}: {}", outcome.text);
    }
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    fn linked() -> (Desk, TempDir) {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("secret.md"), "secret\n").expect("writes");
        let desk = Desk::new(&[("notes/a.md", b"inside\n")]);
        symlink(outside.path(), desk.path("out")).expect("links");
        symlink(outside.path().join("secret.md"), desk.path("secret.md")).expect("links");
        symlink(outside.path().join("not there"), desk.path("dangling")).expect("links");
        symlink("../../../../../../../../etc", desk.path("etc")).expect("links");
        symlink("notes", desk.path("same")).expect("links");
        symlink("notes/a.md", desk.path("a.md")).expect("links");
        symlink("loop", desk.path("loop")).expect("links");
        for number in 0..41 {
            let next = if number == 40 { "out".to_owned() } else { format!("chain{}", number + 1) };
            symlink(next, desk.path(&format!("chain{number}"))).expect("links");
        }
        (desk, outside)
    }

    #[tokio::test]
    async fn permission_p6_no_link_leads_a_read_outside() {
        let (desk, _outside) = linked();
        for path in [
            "out/secret.md",
            "secret.md",
            "etc/passwd",
            "out",
            "dangling",
            "chain0/secret.md",
            "chain40/secret.md",
            "loop",
        ] {
            for (tool, arguments) in [
                ("read_file", json!({ "path": path })),
                ("list_dir", json!({ "path": path })),
                ("search_text", json!({ "pattern": "secret", "path": path })),
            ] {
                let outcome = desk.run(tool, arguments).await;
                assert!(
                    matches!(outcome.status, CallStatus::Refused | CallStatus::Failed),
                    "{tool} {path}: {outcome:?}"
                );
                assert!(
                    !outcome.text.contains("secret\n") && !outcome.text.contains("root:"),
                    "{tool} {path}: {outcome:?}"
                );
            }
        }
        let reason = forbidden(&desk, "read_file", json!({ "path": "out/secret.md" })).await;
        assert_eq!(
            reason,
            "`out/secret.md` is a link that leads outside the folder, so it is not opened. Use files inside the folder."
        );
        let outcome = desk.run("search_text", json!({ "pattern": "secret" })).await;
        assert_eq!(outcome.note, "no match");
    }

    #[tokio::test]
    async fn a_link_that_stays_inside_may_be_read() {
        let (desk, _outside) = linked();
        assert_eq!(desk.run("read_file", json!({ "path": "same/a.md" })).await.text, "inside\n");
        assert_eq!(desk.run("read_file", json!({ "path": "a.md" })).await.text, "inside\n");
    }

    #[tokio::test]
    async fn permission_p6_nothing_is_written_through_a_link() {
        let (desk, outside) = linked();
        for path in [
            "out/new.md",
            "out/secret.md",
            "secret.md",
            "dangling",
            "same/a.md",
            "same/new.md",
            "a.md",
            "loop",
            "chain0/x",
            "etc/x",
        ] {
            let reason = forbidden(&desk, "write_file", json!({ "path": path, "content": "x" })).await;
            assert!(reason.contains("nothing is written through links"), "{path}: {reason}");
        }
        assert_eq!(fs::read_to_string(outside.path().join("secret.md")).expect("is read"), "secret\n");
        assert_eq!(fs::read_dir(outside.path()).expect("is read").count(), 1);
        assert_eq!(fs::read_to_string(desk.path("notes/a.md")).expect("is read"), "inside\n");
    }

    #[tokio::test]
    async fn a_list_shows_links_as_links_and_places_leave_them_out() {
        let desk = Desk::new(&[("a.md", b"x\n")]);
        symlink("a.md", desk.path("b.md")).expect("links");
        assert_eq!(desk.run("list_dir", json!({ "path": "." })).await.text, "a.md (2 bytes)\nb.md (a link)\n");
        assert_eq!(desk.workspace.places().await.files, ["a.md"]);
    }
}

#[cfg(target_os = "linux")]
mod special {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    #[tokio::test]
    async fn permission_p6_a_pipe_or_socket_is_refused_and_nobody_waits_for_it() {
        let desk = desk();
        mknodat(CWD, desk.path("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a pipe");
        let _socket = std::os::unix::net::UnixListener::bind(desk.path("socket")).expect("a socket");
        for path in ["pipe", "socket"] {
            for (tool, arguments) in [
                ("read_file", json!({ "path": path })),
                ("search_text", json!({ "pattern": "x", "path": path })),
                ("write_file", json!({ "path": path, "content": "x" })),
                ("edit_file", json!({ "path": path, "old_text": "x", "new_text": "y" })),
            ] {
                let outcome = desk.run(tool, arguments).await;
                assert!(outcome.text.contains("no ordinary file"), "{tool} {path}: {outcome:?}");
            }
        }
        assert_eq!(desk.run("search_text", json!({ "pattern": "tide" })).await.note, "2 matches in 2 files");
    }

    #[tokio::test]
    async fn a_name_that_is_not_unicode_or_has_a_line_end_is_shown_and_handled() {
        let desk = Desk::new(&[("ok.md", b"tide\n"), ("two\nlines", b"tide\n")]);
        fs::write(desk.path("").join(OsStr::from_bytes(b"bad\xff.md")), "tide\n").expect("writes");
        fs::write(desk.path(&"x".repeat(255)), "tide\n").expect("writes");
        let listed = desk.run("list_dir", json!({ "path": "." })).await.text;
        let lines: Vec<&str> = listed.lines().collect();
        assert_eq!(
            lines,
            [
                "bad\\xff.md (its name is not Unicode, so it cannot be used here)",
                "ok.md (5 bytes)",
                "two\\u{a}lines (its name has invisible characters, so it cannot be used here)",
                &format!("{} (5 bytes)", "x".repeat(255)),
            ]
        );
        assert_eq!(desk.workspace.places().await.files, ["ok.md", &"x".repeat(255)]);
        assert_eq!(desk.run("search_text", json!({ "pattern": "tide" })).await.note, "2 matches in 2 files");
        assert_eq!(desk.run("read_file", json!({ "path": "x".repeat(255) })).await.text, "tide\n");
    }
}

#[tokio::test]
async fn permission_p2_a_workspace_that_is_moved_away_or_replaced_stops_its_tools() {
    let outer = tempfile::tempdir().expect("a folder");
    let place = outer.path().join("ws");
    fs::create_dir(&place).expect("a folder");
    fs::write(place.join("a.md"), "mine\n").expect("writes");
    let workspace = Workspace::open(&place, &[]).expect("opens");
    fs::rename(&place, outer.path().join("elsewhere")).expect("moves");
    fs::create_dir(&place).expect("a folder");
    fs::write(place.join("a.md"), "another\n").expect("writes");
    let desk = Desk { folder: outer, workspace };
    for (tool, arguments) in [
        ("read_file", json!({ "path": "a.md" })),
        ("list_dir", json!({ "path": "." })),
        ("write_file", json!({ "path": "a.md", "content": "x" })),
    ] {
        let outcome = desk.run(tool, arguments).await;
        assert_eq!(outcome.status, CallStatus::Failed, "{tool}");
        assert!(outcome.text.contains("is no longer where it was"), "{tool}: {}", outcome.text);
    }
}

#[test]
fn permission_p2_a_folder_that_cannot_be_the_workspace_is_refused_in_one_sentence() {
    let outer = tempfile::tempdir().expect("a folder");
    let outer_path = outer.path().canonicalize().expect("a path");
    let at = |path: &str| outer_path.join(path);
    for folder in ["data", "data/inner", "home/sub", "data-evil"] {
        fs::create_dir_all(at(folder)).expect("a folder");
    }
    fs::write(at("file"), "").expect("writes");
    let own = [at("data"), at("home/not yet/data")];
    let open = |folder: &str| {
        Workspace::open(&at(folder), &own)
            .map(|_| ())
            .map_err(|error| error.to_string().replace(&format!("{}/", outer_path.display()), ""))
    };
    assert_eq!(open("nothing"), Err("There is no folder `nothing`. Choose a folder that exists.".to_owned()));
    assert_eq!(open("file"), Err("`file` is not a folder. Choose the folder it lies in.".to_owned()));
    assert_eq!(
        open("data"),
        Err("`data` belongs to Recto's own data. Choose a folder with your own files.".to_owned())
    );
    assert_eq!(
        open("data/inner"),
        Err("`data/inner` belongs to Recto's own data. Choose a folder with your own files.".to_owned())
    );
    assert_eq!(open("home"), Err("`home` contains Recto's own data. Choose a folder further down.".to_owned()));
    assert!(open("").is_err_and(|sentence| sentence.contains("contains Recto's own data")));
    assert!(Workspace::open(Path::new("/"), &own).is_err());
    assert_eq!(open("home/sub"), Ok(()));
    assert_eq!(open("data-evil"), Ok(()), "a name that only begins alike is another folder");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(at("data"), at("link")).expect("links");
        assert!(open("link").is_err_and(|sentence| sentence.contains("own data")), "by another name");
    }
}
