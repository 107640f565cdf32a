use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<String, PathFault> {
    RelativePath::read_on(text, Platform::Linux).map(|path| path.text())
}

#[test]
fn a_path_as_a_weak_model_writes_it_is_accepted() {
    for (written, meant) in [
        ("README.md", "README.md"),
        ("./README.md", "README.md"),
        ("notes/", "notes"),
        ("./notes//plan.md", "notes/plan.md"),
        ("notes/./plan.md/", "notes/plan.md"),
        (".", "."),
        ("./", "."),
        ("././.", "."),
        ("潮位/第一天.txt", "潮位/第一天.txt"),
        ("a b/c d.md", "a b/c d.md"),
        ("-dash", "-dash"),
        (".hidden", ".hidden"),
        ("..hidden", "..hidden"),
        ("a..b", "a..b"),
        ("x~", "x~"),
        ("~x", "~x"),
    ] {
        assert_eq!(read(written).as_deref(), Ok(meant), "{written:?}");
    }
}

/// Names whose every use below must be refused: `(text, what for)`.
fn outside() -> Vec<String> {
    let mut all: Vec<String> = [
        "/",
        "//",
        "/etc/passwd",
        "//server/share",
        "///x",
        "/.",
        "/..",
        "~",
        "~/",
        "~/.ssh/id_rsa",
        "~\\x",
        "\\",
        "\\x",
        "\\\\server\\share",
        "\\\\?\\C:\\x",
        "\\\\.\\COM1",
        "\\\\.\\pipe\\x",
        "./~",
        "././C:",
        "./\\x",
        "\\??\\C:\\x",
        "C:",
        "C:\\",
        "C:/",
        "C:\\Windows",
        "Z:/x",
        "c:..\\x",
        "file:///etc/passwd",
        "file://x",
        "http://x/y",
        "smb://x/y",
        "FILE:///x",
    ]
    .map(str::to_owned)
    .into();
    let ups = ["..", ".. ", "..  ", "...", "....", ".. :x", "..:$DATA"];
    for up in ups {
        for (before, after) in [
            ("", ""),
            ("", "/"),
            ("", "/x"),
            ("./", ""),
            ("a/", ""),
            ("a/", "/b"),
            ("a/b/", "/../c"),
            ("a\\", ""),
            ("a\\", "\\b"),
            ("", "\\x"),
            ("a/b\\", "/c"),
            ("./././", "/x"),
            ("a//", "//b"),
            (".git/", "/x"),
        ] {
            all.push(format!("{before}{up}{after}"));
        }
    }
    all
}

#[test]
fn permission_p6_a_path_that_leads_outside_on_any_platform_is_refused_on_every_one() {
    let all = outside();
    assert!(all.len() > 120);
    for text in all {
        for platform in [Platform::Linux, Platform::Windows] {
            let fault = RelativePath::read_on(&text, platform).expect_err(&text);
            assert!(matches!(fault, PathFault::Outside(_)) && fault.is_forbidden(), "{text:?}: {fault}");
        }
    }
}

#[test]
fn permission_p6_invisible_and_control_characters_are_refused_anywhere_in_a_path() {
    let hidden = [
        0x0, 0x1, 0x7, 0x8, 0x9, 0xa, 0xd, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9f, 0xad, 0x34f, 0x61c, 0x115f, 0x1160,
        0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060,
        0x2061, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069, 0x206a, 0x206f, 0x3164, 0xfeff, 0xffa0, 0xfff9, 0xfffb,
        0xe0001, 0xe0020, 0xe0041, 0xe007f,
    ];
    for number in hidden {
        let character = char::from_u32(number).expect("a character");
        for text in [
            format!("{character}"),
            format!("a{character}b"),
            format!("{character}README.md"),
            format!("README.md{character}"),
            format!("notes/{character}/x"),
            format!(".g{character}it/config"),
        ] {
            let fault = read(&text).expect_err(&text);
            assert!(matches!(fault, PathFault::Hidden(_)), "{number:x}: {fault}");
            assert!(!fault.to_string().chars().any(is_hidden), "the sentence shows it: {fault:?}");
        }
    }
}

#[test]
fn permission_p6_names_that_another_platform_refuses_are_never_created() {
    let mut names: Vec<String> = Vec::new();
    let mut devices: Vec<String> =
        ["CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$"].map(str::to_owned).into();
    for port in ["COM", "LPT"] {
        devices.extend("0123456789¹²³".chars().map(|digit| format!("{port}{digit}")));
    }
    for device in devices {
        for name in [device.clone(), device.to_lowercase()] {
            for ending in ["", ".txt", ".tar.gz", ".", " ", "  .txt", ":", ":stream", ". .", " . "] {
                names.push(format!("{name}{ending}"));
            }
        }
    }
    for character in [':', '\\', '<', '>', '"', '|', '?', '*'] {
        names.extend([
            format!("a{character}b"),
            format!("{character}"),
            format!("a{character}"),
            format!("{character}.md"),
        ]);
    }
    for end in [".", "..", " ", "  ", " .", ". "] {
        names.extend([format!("a{end}"), format!("a.md{end}")]);
    }
    names.extend(["a\u{fe0f}".to_owned(), "README\u{e0100}.md".to_owned(), "a::$DATA".to_owned()]);
    assert!(names.len() > 600);
    for name in names {
        let fault = check_new_name(&name).expect_err(&name);
        assert!(matches!(fault, PathFault::NotPortable { .. }), "{name:?}: {fault}");
        let on_windows = RelativePath::read_on(&format!("folder/{name}"), Platform::Windows);
        assert!(on_windows.is_err(), "{name:?} is read on Windows");
    }
}

#[test]
fn ordinary_names_may_be_created() {
    for name in [
        "README.md",
        "a",
        "plan 2.md",
        "潮位.csv",
        "été.txt",
        "CONSOLE.md",
        "com.txt",
        "COM10",
        "LPT",
        "nul1",
        "aux-list.md",
        ".hidden",
        "a.b.c",
        "[x] (y) {z} & ' ! # $ % @ ^ + = , ;",
        "-dash",
        "x~1y",
        "❤.md",
    ] {
        assert_eq!(check_new_name(name), Ok(()), "{name:?}");
    }
}

#[test]
fn permission_p6_git_is_known_by_every_twin_of_its_name() {
    for name in [
        ".git",
        ".GIT",
        ".Git",
        ".gIt",
        ".g\u{131}t",
        ".G\u{130}T",
        ".git.",
        ".git..",
        ".git ",
        ".git. .",
        "\u{ff0e}git",
        ".\u{ff47}it",
        ".\u{ff27}\u{ff29}\u{ff34}",
        ".git::$INDEX_ALLOCATION",
        ".git:x",
        "git~1",
        "GIT~1",
        "Git~2",
        ".gi\u{2074}".trim_end_matches('\u{2074}'),
        ".\u{1d420}it",
        ".g\u{2139}t",
        ".gi\u{200d}t",
        ".g\u{fe0f}it",
    ] {
        // One of the list is no twin and shows that the list is not simply all names.
        assert_eq!(is_git(name), name != ".gi", "{name:?} folds to {:?}", folded(name));
    }
    for name in [".gitignore", ".github", "git", "a.git", ".git2", "gitter~1", ".gitt"] {
        assert!(!is_git(name), "{name:?}");
    }
    assert!(RelativePath::read("a/.GiT/hooks/x").expect("is a path").is_in_git());
}

#[test]
fn names_that_may_be_one_file_somewhere_fold_to_one() {
    for (a, b) in [
        ("README.md", "readme.MD"),
        ("e\u{301}t\u{e9}", "\u{e9}te\u{301}"),
        ("ﬁle", "file"),
        ("stra\u{df}e", "STRASSE"),
        ("\u{212a}", "k"),
        ("\u{17f}um", "sum"),
        ("Ω", "\u{2126}"),
        ("a.", "a"),
        ("ａ", "a"),
        ("\u{131}", "I"),
    ] {
        assert_eq!(folded(a), folded(b), "{a:?} {b:?}");
    }
    assert_ne!(folded("plan.md"), folded("plan2.md"));
    assert!(is_short_name_of("PROGRA~1", "Program Files"));
    assert!(is_short_name_of("readme~1.md", "Read Me First.md"));
    assert!(!is_short_name_of("notes~1", "other"));
    assert!(!is_short_name_of("notes", "notes"));
}

#[test]
fn a_path_has_a_greatest_length() {
    assert_eq!(read(""), Err(PathFault::Empty));
    assert_eq!(read(&"x".repeat(255)).map(|path| path.len()), Ok(255));
    assert_eq!(read(&"x".repeat(256)), Err(PathFault::TooLong));
    assert_eq!(read(&"潮".repeat(86)), Err(PathFault::TooLong));
    assert_eq!(read(&vec!["x"; 40].join("/")).map(|path| path.len()), Ok(79));
    assert_eq!(read(&vec!["x"; 41].join("/")), Err(PathFault::TooLong));
    assert_eq!(read(&"x/".repeat(3_000)), Err(PathFault::TooLong));
}

/// Text made of the pieces that attacks are made of.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(".".to_owned()),
        Just("..".to_owned()),
        Just("/".to_owned()),
        Just("\\".to_owned()),
        Just("~".to_owned()),
        Just(":".to_owned()),
        Just(" ".to_owned()),
        Just(".git".to_owned()),
        Just("C:".to_owned()),
        Just("\0".to_owned()),
        Just("\u{202e}".to_owned()),
        Just("\u{2024}".to_owned()),
        Just("\u{ff0e}".to_owned()),
        Just("CON".to_owned()),
        "[a-c]{1,3}",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// The oracle is the standard library: what it makes of the path must be names only, whatever was written.
    #[test]
    fn permission_p6_whatever_is_read_is_names_only(text in hostile()) {
        for platform in [Platform::Linux, Platform::Windows] {
            if let Ok(path) = RelativePath::read_on(&text, platform) {
                for name in path.names() {
                    prop_assert!(!name.is_empty() && name != "." && name != ".." && name.len() <= 255, "{:?}", name);
                    prop_assert!(!name.contains(['/', '\0']) && !name.chars().any(char::is_control), "{:?}", name);
                }
                let joined = std::path::Path::new("/ws").join(path.text());
                prop_assert!(joined.starts_with("/ws"));
                let are_plain = joined.components().skip(1).all(|part| matches!(part, std::path::Component::Normal(_)));
                prop_assert!(are_plain, "{:?}", joined);
            }
        }
    }

    #[test]
    fn reading_a_path_again_gives_the_same_path(text in hostile()) {
        if let Ok(path) = RelativePath::read(&text) {
            prop_assert_eq!(RelativePath::read(&path.text()), Ok(path));
        }
    }

    #[test]
    fn folding_is_stable_and_knows_no_case(text in "[a-zA-Z.éÉßıİΩ潮ﬁ ]{1,12}") {
        let once = folded(&text);
        prop_assert_eq!(&folded(&once), &once);
        prop_assert_eq!(folded(&text.to_uppercase()), folded(&text.to_lowercase()));
    }
}
