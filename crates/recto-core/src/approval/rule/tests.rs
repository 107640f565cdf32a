//! What a rule covers, against an oracle that reads a path in another way.

use super::*;
use crate::approval::{Grants, Policy, Verdict, decide};
use crate::text::ContentHash;
use crate::tool::{Change, ChangeFlag, FileState};
use proptest::prelude::*;
use std::path::Path;

const FLAGS: [ChangeFlag; 5] = [
    ChangeFlag::ExecutesLater,
    ChangeFlag::HiddenCharacters,
    ChangeFlag::OtherNames,
    ChangeFlag::ReplacesMost,
    ChangeFlag::Large,
];

fn write(path: &str, operation: Operation, folder: Option<&str>, n_bytes: u64) -> Action {
    let state = FileState { hash: ContentHash::of(b"x"), n_bytes };
    let change = Change {
        path: path.into(),
        to: None,
        operation,
        before: None,
        after: Some(state),
        bytes: Vec::new(),
        diff: Vec::new(),
        flags: Vec::new(),
        digest: ContentHash::of(path.as_bytes()),
    };
    Action {
        identity: ToolIdentity::BuiltIn,
        effect: Effect::Write,
        target: path.into(),
        change: Some(change),
        folder: folder.map(|folder| FolderIdentity(folder.into())),
    }
}

fn rule_of(action: &Action) -> Option<SessionRule> {
    Some(SessionRule::new(RuleId("ru_1".into()), RuleScope::of(action)?))
}

#[test]
fn permission_p2_a_rule_covers_its_way_of_writing_its_folder_and_its_ending_and_nothing_else() {
    let rule = rule_of(&write("notes/a.md", Operation::Create, Some("7"), 3)).unwrap();
    assert_eq!(rule.scope.to_string(), "files ending in .md in notes, written whole");
    let covers = |path: &str, operation, folder| rule.covers(&write(path, operation, folder, 3));
    assert!(covers("notes/b.md", Operation::Create, Some("7")));
    assert!(covers("notes/b.md", Operation::Overwrite, Some("7")));
    assert!(covers("renamed/b.md", Operation::Overwrite, Some("7")), "a folder is the same by any name");
    assert!(!covers("notes/b.md", Operation::Edit, Some("7")));
    assert!(!covers("notes/b.md", Operation::Create, Some("8")), "another folder has taken the name");
    assert!(!covers("notes/b.md", Operation::Create, None));
    for other in
        ["notes/b.MD", "notes/b.mdx", "notes/b.md.txt", "notes/bmd", "notes/.md", "notes/b.md ", "notes/b.md\n"]
    {
        assert!(!covers(other, Operation::Create, Some("7")), "{other:?}");
    }
}

#[test]
fn permission_p2_a_rule_is_offered_for_plain_writes_only() {
    let plain = write("a.md", Operation::Create, Some("7"), 3);
    assert!(RuleScope::of(&plain).is_some());
    for operation in [Operation::Remember, Operation::Forget] {
        assert_eq!(RuleScope::of(&write("a.md", operation, Some("7"), 3)), None);
    }
    for flag in FLAGS {
        let mut flagged = plain.clone();
        flagged.change.as_mut().unwrap().flags.push(flag);
        assert_eq!(RuleScope::of(&flagged), None, "{flag:?}");
        assert!(!rule_of(&plain).unwrap().covers(&flagged), "{flag:?}");
    }
    for identity in [ToolIdentity::External, ToolIdentity::Remember, ToolIdentity::Forget, ToolIdentity::TodoWrite] {
        assert_eq!(RuleScope::of(&Action { identity, ..plain.clone() }), None);
    }
    assert_eq!(RuleScope::of(&Action { change: None, ..plain }), None);
}

#[test]
fn permission_p2_a_rule_ends_with_the_fiftieth_write_and_before_more_than_five_mebibytes() {
    let action = write("a.md", Operation::Create, Some("7"), 1024 * 1024);
    let rule = rule_of(&action).unwrap();
    let after = |n_files, n_bytes| SessionRule { n_files, n_bytes, ..rule.clone() };
    assert!(after(49, 4 * 1024 * 1024).covers(&action));
    assert!(!after(50, 0).covers(&action));
    assert!(!after(1, 4 * 1024 * 1024 + 1).covers(&action));
    assert!(!after(1, u64::MAX).covers(&action));
}

/// A path as a disk has it: some folders and a name, among them names that were made to be read wrongly.
fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        "[a-c]{1,2}\\.(md|MD|txt|m d|md\\.txt)",
        Just("a.md".to_owned()),
        Just(".md".to_owned()),
        Just("a.md.".to_owned()),
        Just("a..md".to_owned()),
        Just("md".to_owned()),
        Just("a.md\n".to_owned()),
        Just("a.ｍｄ".to_owned()),
        Just("a.m\u{200b}d".to_owned()),
        Just("a.abcdefghijklmnopq".to_owned()),
    ];
    (prop::collection::vec("[a-c]{1,2}(\\.md)?", 0..3), name).prop_map(|(mut parts, name)| {
        parts.push(name);
        parts.join("/")
    })
}

fn any_action() -> impl Strategy<Value = Action> {
    let operation = prop::sample::select(vec![
        Operation::Create,
        Operation::Overwrite,
        Operation::Edit,
        Operation::Append,
        Operation::Delete,
        Operation::Move,
        Operation::MakeDir,
        Operation::Remember,
        Operation::Forget,
    ]);
    let identity = prop_oneof![
        8 => Just(ToolIdentity::BuiltIn),
        1 => Just(ToolIdentity::External),
        1 => Just(ToolIdentity::DeleteFile),
        1 => Just(ToolIdentity::Remember),
    ];
    let folder = prop_oneof![1 => Just(None), 8 => (0u8..3).prop_map(|n| Some(n.to_string()))];
    let flags = prop_oneof![4 => Just(Vec::new()), 1 => prop::sample::subsequence(FLAGS.to_vec(), 1..3)];
    (path(), operation, identity, folder, flags, 0u64..3_000_000).prop_map(
        |(path, operation, identity, folder, flags, n_bytes)| {
            let mut action = write(&path, operation, folder.as_deref(), n_bytes);
            action.identity = identity;
            action.change.as_mut().unwrap().flags = flags;
            action
        },
    )
}

/// Whether a yes to `first` may stand for `second`, read with the standard library's idea of a path.
fn contains(first: &Action, second: &Action) -> bool {
    let seen = |action: &Action| {
        let change = action.change.as_ref()?;
        let ending = Path::new(&change.path).extension()?.to_str()?.to_owned();
        let is_usual = !ending.is_empty()
            && ending.len() < 17
            && ending.chars().all(|c| matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9'));
        let way = match change.operation {
            Operation::Create | Operation::Overwrite => "write_file",
            Operation::Edit => "edit_file",
            _ => return None,
        };
        let is_ours = action.identity == ToolIdentity::BuiltIn && change.flags.is_empty() && is_usual;
        is_ours.then_some((way, action.folder.as_ref()?.0.clone(), ending))
    };
    seen(first).is_some_and(|first| Some(first) == seen(second))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Both ways, so that a rule that covers nothing does not pass.
    #[test]
    fn permission_p1_a_rule_covers_what_the_oracle_contains(first in any_action(), second in any_action()) {
        let covers = rule_of(&first).is_some_and(|rule| rule.covers(&second));
        prop_assert_eq!(covers, contains(&first, &second));
        // Used upon what it was made of, it covers it.
        prop_assert_eq!(rule_of(&first).is_some_and(|rule| rule.covers(&first)), contains(&first, &first));
    }

    #[test]
    fn permission_p1_nothing_is_allowed_by_a_rule_where_writes_are_refused(first in any_action(), second in any_action()) {
        let rules: Vec<SessionRule> = rule_of(&first).into_iter().collect();
        let grants = Grants { may_remember: false, rules };
        let verdict = decide(&second, Policy::Never, &grants);
        prop_assert!(matches!(verdict, Verdict::Deny(..)));
        let by_rule = matches!(decide(&second, Policy::Ask, &grants), Verdict::AllowBy(_));
        prop_assert_eq!(by_rule, contains(&first, &second));
    }
}
