//! Writes, from the call to the disk.

use super::*;
use recto_core::text::ContentHash;

#[tokio::test]
async fn permission_p3_a_change_is_frozen_before_anyone_is_asked() {
    let desk = desk();
    let before = fs::read(desk.path("gauges.csv")).expect("is read");
    let change =
        desk.change("edit_file", json!({ "path": "./gauges.csv", "old_text": "4.7", "new_text": "4.8" })).await;
    let after = b"name,max\nnorth,3.1\nsouth,4.8\n";
    assert_eq!(change.path, "gauges.csv");
    assert_eq!(change.operation, Operation::Edit);
    assert_eq!(change.bytes, after);
    assert_eq!(change.line_counts(), (1, 1));
    assert_eq!(change.before.as_ref().map(|state| &state.hash), Some(&ContentHash::of(&before)));
    assert_eq!(change.after.map(|state| (state.hash, state.n_bytes)), Some((ContentHash::of(after), 29)));
    assert_eq!(change.flags, []);
    assert_eq!(fs::read(desk.path("gauges.csv")).expect("is read"), before, "nothing is written yet");
}

#[tokio::test]
async fn permission_p3_the_digest_differs_with_place_operation_before_and_after() {
    let desk = Desk::new(&[("a", b"1\n"), ("b", b"1\n")]);
    let other = Desk::new(&[("a", b"1\n")]);
    let write = |path: &str, content: &str| json!({ "path": path, "content": content });
    let mut digests = vec![
        desk.change("write_file", write("a", "2\n")).await.digest,
        desk.change("write_file", write("b", "2\n")).await.digest,
        desk.change("write_file", write("a", "3\n")).await.digest,
        desk.change("write_file", write("c", "2\n")).await.digest,
        desk.change("edit_file", json!({ "path": "a", "old_text": "1", "new_text": "2" })).await.digest,
        other.change("write_file", write("a", "2\n")).await.digest,
    ];
    let again = desk.change("write_file", write("./a", "2\n")).await.digest;
    assert_eq!(again, digests[0]);
    fs::write(desk.path("a"), "0\n").expect("writes");
    digests.push(desk.change("write_file", write("a", "2\n")).await.digest);
    let n_digests = digests.len();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), n_digests);
}

#[tokio::test]
async fn a_write_says_what_it_did() {
    let desk = desk();
    check(
        desk.run("write_file", json!({ "path": "new/list.md", "content": "milk\n" })).await,
        expect![[r#"
        Done (written, 5 bytes, 1 folder made)
        Wrote the new file `new/list.md` (5 bytes).
    "#]],
    );
    check(
        desk.run("write_file", json!({ "path": "new/list.md", "content": "bread\n" })).await,
        expect![[r#"
        Done (written, 6 bytes)
        Replaced the content of `new/list.md` (6 bytes).
    "#]],
    );
    let outcome =
        desk.run("edit_file", json!({ "path": "new/list.md", "old_text": "bread", "new_text": "rye bread" })).await;
    assert_eq!(outcome.written, Some(ContentHash::of(b"rye bread\n")));
    check(
        outcome,
        expect![[r#"
        Done (written, 10 bytes)
        Changed `new/list.md` (now 10 bytes).
    "#]],
    );
    assert_eq!(fs::read(desk.path("new/list.md")).expect("is read"), b"rye bread\n");
}

#[tokio::test]
async fn permission_p3_what_is_added_to_a_file_is_written_as_the_file_is_and_the_rest_stays_to_the_byte() {
    let gbk = encoding_rs::GBK.encode("牛奶，面包，鸡蛋，豆腐\r\n").0.into_owned();
    let gbk_after = encoding_rs::GBK.encode("牛奶，面包，鸡蛋，豆腐\r\n茶叶\r\n").0.into_owned();
    let utf16: Vec<u8> = [0xfeff].into_iter().chain("a\n".encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let utf16_after: Vec<u8> = [0xfeff].into_iter().chain("a\nb\n".encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for (before, added, after) in [
        (&b"milk\n"[..], "bread\n", &b"milk\nbread\n"[..]),
        (b"milk\n", "bread", b"milk\nbread\n"),
        (b"milk", "bread", b"milk\nbread"),
        (b"milk\r\n", "bread\neggs", b"milk\r\nbread\r\neggs\r\n"),
        (b"", "milk\n", b"milk\n"),
        (b"\xef\xbb\xbfmilk\n", "bread\n", b"\xef\xbb\xbfmilk\nbread\n"),
        (&gbk, "茶叶", &gbk_after),
        (&utf16, "b", &utf16_after),
    ] {
        let desk = Desk::new(&[("list.txt", before)]);
        let outcome = desk.run("append_file", json!({ "path": "list.txt", "content": added })).await;
        assert_eq!((outcome.status, outcome.written), (CallStatus::Done, Some(ContentHash::of(after))), "{before:?}");
        assert_eq!(fs::read(desk.path("list.txt")).expect("is read"), after, "{before:?}");
    }
}

#[tokio::test]
async fn what_does_not_fit_the_end_of_a_file_is_said_and_nothing_is_added() {
    let gbk = encoding_rs::GBK.encode("牛奶，面包，鸡蛋，豆腐\r\n").0.into_owned();
    let damaged = [&"潮位站的高度以米为单位。".repeat(3).into_bytes()[..], b"\xe6"].concat();
    let desk = Desk::new(&[("gbk.txt", &gbk), ("damaged.txt", &damaged)]);
    let append = |path: &str, content: &str| desk.run("append_file", json!({ "path": path, "content": content }));
    check(
        append("gbk.txt", "🦀").await,
        expect![[r#"
        Failed (not written)
        The file `gbk.txt` is written in GBK, which has no `🦀`. Leave that character out.
    "#]],
    );
    check(
        append("damaged.txt", "x").await,
        expect![[r#"
        Failed (not written)
        `damaged.txt` has bytes that do not fit its encoding, so nothing is added to it. Tell the user that the file is damaged.
    "#]],
    );
    check(
        append("gkb.txt", "x").await,
        expect![[r#"
        Failed (not written)
        There is no file `gkb.txt`. Did you mean `gbk.txt`?
    "#]],
    );
}

#[tokio::test]
async fn a_change_of_names_says_what_it_did() {
    let desk = desk();
    check(
        desk.run("append_file", json!({ "path": "gauges.csv", "content": "east,1.0" })).await,
        expect![[r#"
        Done (written, 38 bytes)
        Added to the end of `gauges.csv` (now 38 bytes).
    "#]],
    );
    check(
        desk.run("move_file", json!({ "path": "gauges.csv", "to": "data/" })).await,
        expect![[r#"
        Done (moved, 38 bytes, 1 folder made)
        Moved `gauges.csv` to `data/gauges.csv` (38 bytes).
    "#]],
    );
    check(
        desk.run("move_file", json!({ "path": "data/gauges.csv", "to": "README.md" })).await,
        expect![[r#"
        Failed (not done)
        `README.md` is there already, and nothing is replaced by a move. Choose another name.
    "#]],
    );
    check(
        desk.run("delete_file", json!({ "path": "data/gauges.csv" })).await,
        expect![[r#"
        Done (deleted, 38 bytes)
        Deleted `data/gauges.csv` (38 bytes).
    "#]],
    );
    check(
        desk.run("make_dir", json!({ "path": "data/old/" })).await,
        expect![[r#"
        Done (1 folder made)
        Made the folder `data/old`.
    "#]],
    );
    check(
        desk.run("make_dir", json!({ "path": "data" })).await,
        expect![[r#"
        Done (nothing to make)
        The folder `data` is there already. Nothing had to be made.
    "#]],
    );
    check(
        desk.run("delete_file", json!({ "path": "../gauges.csv" })).await,
        expect![[r#"
        Refused (forbidden)
        `../gauges.csv` lies outside the folder. Only paths inside the folder can be used, such as `README.md` or `notes/plan.md`.
    "#]],
    );
}

#[tokio::test]
async fn permission_p4_a_change_of_names_that_does_not_fit_the_disk_any_more_is_not_made() {
    let desk = desk();
    for (tool, arguments, expected) in [
        (
            "delete_file",
            r#"{"path":"gauges.csv"}"#,
            expect![[r#"
                Failed (not deleted, the file changed meanwhile)
                `gauges.csv` changed after the user was shown the change, so it was not deleted. Read it again with read_file, then make the change anew.
            "#]],
        ),
        (
            "move_file",
            r#"{"path":"gauges.csv","to":"b.csv"}"#,
            expect![[r#"
                Failed (not moved, the file changed meanwhile)
                `gauges.csv` or its new place changed after the user was shown the change, so nothing was moved. List the folders with list_dir, then make the change anew.
            "#]],
        ),
    ] {
        let call = call(tool, arguments);
        let Prepared::Ready(action) = desk.workspace.prepare(&call).await else { panic!("not ready") };
        fs::write(desk.path("gauges.csv"), format!("theirs, before {tool}\n")).expect("writes");
        check(desk.workspace.run(&call, action.change.as_ref(), Stop::new().1).await, expected);
        assert!(desk.path("gauges.csv").exists() && !desk.path("b.csv").exists());
    }
}

#[tokio::test]
async fn a_write_that_changes_nothing_is_not_asked_about() {
    let desk = desk();
    for arguments in [
        ("write_file", json!({ "path": "gauges.csv", "content": "name,max\nnorth,3.1\nsouth,4.7\n" })),
        ("edit_file", json!({ "path": "gauges.csv", "old_text": "north", "new_text": "north" })),
    ] {
        let Prepared::Not(outcome) = desk.prepare(arguments.0, arguments.1).await else { panic!("is asked about") };
        check(
            outcome,
            expect![[r#"
            Done (nothing to write)
            `gauges.csv` already has exactly this content. Nothing had to be written.
        "#]],
        );
    }
}

#[tokio::test]
async fn permission_p4_a_file_that_changed_while_the_prompt_was_open_is_left_alone() {
    let desk = desk();
    let call = call("write_file", r#"{"path":"gauges.csv","content":"name\n"}"#);
    let Prepared::Ready(action) = desk.workspace.prepare(&call).await else { panic!("not ready") };
    fs::write(desk.path("gauges.csv"), "theirs\n").expect("writes");
    check(
        desk.workspace.run(&call, action.change.as_ref(), Stop::new().1).await,
        expect![[r#"
        Failed (not written, the file changed meanwhile)
        `gauges.csv` changed after the user was shown the change, so nothing was written. Read it again with read_file, then make the change anew.
    "#]],
    );
    assert_eq!(fs::read(desk.path("gauges.csv")).expect("is read"), b"theirs\n");
}

#[tokio::test]
async fn permission_p2_a_write_without_an_approved_change_writes_nothing() {
    let desk = desk();
    let call = call("write_file", r#"{"path":"x.md","content":"x"}"#);
    let outcome = desk.workspace.run(&call, None, Stop::new().1).await;
    assert_eq!((outcome.status, outcome.written), (CallStatus::Failed, None));
    assert!(!desk.path("x.md").exists());
}

#[tokio::test]
async fn a_stopped_turn_writes_nothing() {
    let desk = desk();
    let call = call("write_file", r#"{"path":"x.md","content":"x"}"#);
    let Prepared::Ready(action) = desk.workspace.prepare(&call).await else { panic!("not ready") };
    let (switch, stop) = Stop::new();
    switch.send(true).expect("is heard");
    let outcome = desk.workspace.run(&call, action.change.as_ref(), stop).await;
    assert_eq!(outcome.status, CallStatus::Cancelled);
    assert!(!desk.path("x.md").exists());
}

#[tokio::test]
async fn encoding_mark_and_line_ends_of_a_file_stay() {
    let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
    let utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let chinese = "潮位站的高度以米为单位。\r\n第二行：水位上升。\r\n";
    let desk = Desk::new(&[
        ("gbk.txt", &gbk(chinese)),
        ("crlf.txt", b"one\r\ntwo\r\n"),
        ("mark.txt", b"\xef\xbb\xbfone\ntwo\n"),
        ("utf16.txt", &utf16("\u{feff}one\r\ntwo\r\n")),
        ("mixed.txt", b"one\r\ntwo\nthree"),
    ]);
    let edit = |path: &str, old: &str, new: &str| json!({ "path": path, "old_text": old, "new_text": new });
    for (path, old, new, bytes) in [
        (
            "gbk.txt",
            "第二行：水位上升。\n",
            "第二行：水位下降。\n第三行。\n",
            gbk("潮位站的高度以米为单位。\r\n第二行：水位下降。\r\n第三行。\r\n"),
        ),
        ("crlf.txt", "one\ntwo", "1\n2", b"1\r\n2\r\n".to_vec()),
        ("mark.txt", "one", "1", b"\xef\xbb\xbf1\ntwo\n".to_vec()),
        ("utf16.txt", "one\n", "潮\n", utf16("\u{feff}潮\r\ntwo\r\n")),
        ("mixed.txt", "three", "3", b"one\r\ntwo\n3".to_vec()),
    ] {
        let outcome = desk.run("edit_file", edit(path, old, new)).await;
        assert_eq!(outcome.status, CallStatus::Done, "{path}: {}", outcome.text);
        assert_eq!(fs::read(desk.path(path)).expect("is read"), bytes, "{path}");
    }
    for (path, bytes) in [
        ("gbk.txt", gbk("新的内容\r\n在这里\r\n")),
        ("crlf.txt", "新的内容\r\n在这里\r\n".as_bytes().to_vec()),
        ("mark.txt", "\u{feff}新的内容\n在这里\n".as_bytes().to_vec()),
        ("utf16.txt", utf16("\u{feff}新的内容\r\n在这里\r\n")),
    ] {
        desk.run("write_file", json!({ "path": path, "content": "新的内容\n在这里\n" })).await;
        assert_eq!(fs::read(desk.path(path)).expect("is read"), bytes, "{path}");
    }
}

#[tokio::test]
async fn a_character_that_the_file_cannot_hold_is_an_error_that_says_so() {
    let latin = encoding_rs::WINDOWS_1252.encode("Le café était fermé, déjà; où aller à présent?\n").0.into_owned();
    let desk = Desk::new(&[("cafe.txt", &latin)]);
    check(
        desk.run("edit_file", json!({ "path": "cafe.txt", "old_text": "fermé", "new_text": "关门" })).await,
        expect![[r#"
        Failed (not written)
        The file `cafe.txt` is written in windows-1252, which has no `关`. Leave that character out.
    "#]],
    );
    assert_eq!(fs::read(desk.path("cafe.txt")).expect("is read"), latin);
}

#[tokio::test]
async fn what_is_no_text_is_not_replaced_and_what_is_damaged_is_not_edited() {
    let mut damaged = "潮位站的高度以米为单位。潮位站的高度以米为单位。\nend\n".as_bytes().to_vec();
    damaged.insert(3, 0xff);
    let desk = Desk::new(&[("picture.png", b"\x89PNG\0\0"), ("damaged.txt", &damaged)]);
    check(
        desk.run("write_file", json!({ "path": "picture.png", "content": "x" })).await,
        expect![[r#"
        Failed (not written)
        `picture.png` is not a text file, so it is not replaced. Write to another name.
    "#]],
    );
    check(
        desk.run("edit_file", json!({ "path": "damaged.txt", "old_text": "end", "new_text": "End" })).await,
        expect![[r#"
        Failed (not written)
        `damaged.txt` has bytes that do not fit its encoding, and an edit would change them. Tell the user that the file is damaged.
    "#]],
    );
}

#[tokio::test]
async fn permission_p3_the_flags_say_what_a_person_should_know() {
    use ChangeFlag::{ExecutesLater, HiddenCharacters, Large, ReplacesMost};
    let desk = desk();
    let large = "x".repeat(1_100_000);
    for (path, content, flags) in [
        ("list.md", "milk\n", vec![]),
        ("Makefile", "all:\n", vec![ExecutesLater]),
        ("sub/.envrc", "x\n", vec![ExecutesLater]),
        ("notes.txt", "#!/bin/sh\n", vec![ExecutesLater]),
        ("list.md", "milk\u{202e}\n", vec![HiddenCharacters]),
        ("list.md", "a\r\nb\r\n", vec![]),
        ("list.md", "a\rb\n", vec![HiddenCharacters]),
        ("gauges.csv", "name\n", vec![ReplacesMost]),
        ("README.md", "# Gauges\n\nRun with `make run`.\nVerify with `make test`.\n", vec![]),
        ("list.md", large.as_str(), vec![Large]),
    ] {
        let change = desk.change("write_file", json!({ "path": path, "content": content })).await;
        assert_eq!(change.flags, flags, "{path}");
    }
    for name in ["HEAD", "objects/x", "refs/x"] {
        let path = desk.path("bare").join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, "").expect("writes");
    }
    let change = desk.change("write_file", json!({ "path": "bare/hooks/post-merge", "content": "x\n" })).await;
    assert_eq!(change.flags, [ExecutesLater], "git's own layout under another name");
}

#[tokio::test]
async fn permission_p3_a_change_too_long_to_look_at_is_refused_and_a_shorter_one_is_counted_in_full() {
    let text = |n_lines: usize, word: &str| -> String { (0..n_lines).map(|n| format!("{word} {n}\n")).collect() };
    let desk = Desk::new(&[("long.txt", text(2_500, "old").as_bytes()), ("short.txt", text(900, "old").as_bytes())]);
    let write = |path: &str, content: String| json!({ "path": path, "content": content });
    check(
        desk.run("write_file", write("long.txt", text(2_500, "new"))).await,
        expect![[r#"
        Failed (not written)
        The change to `long.txt` is 5000 lines long, and the user can look at 2000 at a time, so nothing was written. Change the lines that matter with edit_file, a part at a time.
    "#]],
    );
    check(
        desk.run("edit_file", json!({ "path": "long.txt", "old_text": text(2_400, "old"), "new_text": "" })).await,
        expect![[r#"
        Failed (not written)
        The change to `long.txt` is 2403 lines long, and the user can look at 2000 at a time, so nothing was written. Make it in smaller parts, each with its own edit_file.
    "#]],
    );
    check(
        desk.run("write_file", write("new.txt", text(12_000, "new"))).await,
        expect![[r#"
        Failed (not written)
        The change to `new.txt` is 12000 lines long, and the user can look at 10000 at a time, so nothing was written. Write the first part of it with write_file, then add the other parts with edit_file.
    "#]],
    );
    let change = desk.change("write_file", write("short.txt", text(1_000, "new"))).await;
    assert_eq!((change.line_counts(), change.flags), ((1_000, 900), vec![ChangeFlag::ReplacesMost]));
    let change = desk.change("write_file", write("new.txt", text(9_000, "new"))).await;
    assert_eq!((change.line_counts(), change.flags), ((9_000, 0), vec![]));
    // The old lines come first in the difference; that no longer makes the new ones vanish from a long one.
    let added = text(1_900, "more");
    let change = desk.change("write_file", write("long.txt", text(2_500, "old") + &added)).await;
    assert_eq!((change.line_counts(), change.flags), ((1_900, 0), vec![]));
}
