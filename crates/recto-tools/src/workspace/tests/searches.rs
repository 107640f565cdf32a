//! `search_text` on a folder.

use super::*;

#[tokio::test]
async fn a_search_gives_path_line_and_text() {
    let desk = desk();
    check(
        desk.run("search_text", json!({ "pattern": "tide" })).await,
        expect![[r#"
        Done (2 matches in 2 files)
        notes/day one.md:1: The tide was high.
        notes/deep/plan.md:1: Tide tables first.
    "#]],
    );
    check(
        desk.run("search_text", json!({ "pattern": "Tide", "path": "notes" })).await,
        expect![[r#"
        Done (1 match in 1 file)
        notes/deep/plan.md:1: Tide tables first.
    "#]],
    );
    check(
        desk.run("search_text", json!({ "pattern": "^south,", "path": "gauges.csv" })).await,
        expect![[r#"
        Done (1 match in 1 file)
        gauges.csv:3: south,4.7
    "#]],
    );
    check(
        desk.run("search_text", json!({ "pattern": "`make (" })).await,
        expect![[r#"
        Done (no match)
        No line contains ``make (`; 5 files searched. Hidden files, files named in .gitignore and files that are no text are not searched. Try another or a shorter word.
    "#]],
    );
    check(
        desk.run("search_text", json!({ "pattern": "x", "path": "picture.png" })).await,
        expect![[r#"
        Failed (not searched)
        `picture.png` is not a text file, so it cannot be searched.
    "#]],
    );
}

#[tokio::test]
async fn a_pattern_that_finds_nothing_as_an_expression_is_taken_as_text() {
    let desk = Desk::new(&[("a.md", b"depth 3.1 (m)\ncall f(x)\n")]);
    for (pattern, line) in [("3.1 (m)", "a.md:1: depth 3.1 (m)"), ("f(x", "a.md:2: call f(x)"), ("F\\(X", "No line")] {
        let outcome = desk.run("search_text", json!({ "pattern": pattern })).await;
        assert!(outcome.text.starts_with(line), "{pattern}: {}", outcome.text);
    }
}

#[tokio::test]
async fn a_search_with_many_matches_is_cut_and_says_so() {
    let text: String = (0..500).map(|n| format!("{}tide {n}{}\n", "x".repeat(1_000), "y".repeat(1_000))).collect();
    let desk = Desk::new(&[("a.txt", text.as_bytes())]);
    let outcome = desk.run("search_text", json!({ "pattern": "tide" })).await;
    assert_eq!(outcome.note, "500 matches in 1 file");
    assert_eq!(outcome.text.lines().count(), 201);
    assert!(outcome.text.lines().all(|line| line.len() < 400));
    assert!(outcome.text.lines().take(200).all(|line| line.contains("tide")));
    assert!(
        outcome.text.ends_with("(300 more lines match and are not shown. Search for more words, or in one folder.)")
    );
}

#[tokio::test]
async fn a_large_file_in_another_encoding_is_searched_as_well() {
    let line = "潮位站的高度以米为单位。\r\n";
    let text = line.repeat((9 << 20) / 26) + "水位下降。\r\n";
    let gbk = encoding_rs::GBK.encode(&text).0.into_owned();
    assert!(gbk.len() > 8 << 20);
    let utf16: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let desk = Desk::new(&[("gbk.txt", &gbk), ("utf16.txt", &utf16), ("utf8.txt", text.as_bytes())]);
    let number = text.lines().count();
    let outcome = desk.run("search_text", json!({ "pattern": "下降" })).await;
    let found = |name: &str| format!("{name}:{number}: 水位下降。\n");
    assert_eq!(outcome.text, [found("gbk.txt"), found("utf16.txt"), found("utf8.txt")].concat());
}

#[tokio::test]
async fn a_large_file_that_changes_its_encoding_is_said_to_be_searched_in_part() {
    let mut bytes = b"a line of plain text\n".repeat((9 << 20) / 21);
    bytes.extend_from_slice(&encoding_rs::GBK.encode("水位下降。\n").0);
    let whole = "潮位站的高度以米为单位。\n".repeat((9 << 20) / 37);
    let desk = Desk::new(&[("mixed.txt", &bytes), ("whole.txt", whole.as_bytes())]);
    let outcome = desk.run("search_text", json!({ "pattern": "下降" })).await;
    assert!(
        outcome.text.ends_with("\n(1 large file may hold it in another encoding, which was not searched.)"),
        "{}",
        outcome.text
    );
    let outcome = desk.run("search_text", json!({ "pattern": "no such line" })).await;
    assert!(!outcome.text.contains("encoding"), "{}", outcome.text);
}

#[tokio::test]
async fn a_search_passes_over_what_gitignore_names() {
    let desk = Desk::new(&[("a.md", b"tide\n"), ("built/b.md", b"tide\n"), (".gitignore", b"built/\n")]);
    check(
        desk.run("search_text", json!({ "pattern": "tide" })).await,
        expect![[r#"
        Done (1 match in 1 file)
        a.md:1: tide
    "#]],
    );
    check(
        desk.run("search_text", json!({ "pattern": "tide", "path": "built" })).await,
        expect![[r#"
        Done (1 match in 1 file)
        built/b.md:1: tide
    "#]],
    );
}

#[test]
fn a_stop_ends_a_search_at_once() {
    let desk = desk();
    let call = call("search_text", r#"{"pattern":"tide"}"#);
    // The one thread for such work is held, so the search is under way and cannot come to its end by itself.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().max_blocking_threads(1).build();
    runtime.expect("a runtime").block_on(async {
        let (release, held) = std::sync::mpsc::channel::<()>();
        let holding = tokio::task::spawn_blocking(move || held.recv().is_ok());
        let (switch, stop) = Stop::new();
        let (outcome, ()) = tokio::join!(biased; desk.workspace.run(&call, None, stop), async {
            switch.send(true).expect("the search is waited for");
        });
        assert_eq!(outcome.status, CallStatus::Cancelled);
        drop(release);
        assert!(!holding.await.expect("ends"));
    });
    // And the search itself goes no further than the file it is at.
    let watch = Watch::new(READ_LIMIT);
    watch.stop();
    let door = desk.workspace.door.as_ref().expect("a folder");
    let outcome = search_text(door, "tide", &RelativePath::root(), &watch);
    assert!(outcome.text.ends_with("(The search ended early; not every file was searched. Search in one folder.)"));
    assert_eq!(outcome.note, "no match");
}
