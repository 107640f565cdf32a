//! Rules that the person made on a card.

use super::*;
use crate::approval::{MAX_FILES, RuleId, RuleScope, SessionRule};
use crate::tool::FolderIdentity;

/// A write into a folder that is there.
fn write(path: &str, content: &str) -> Action {
    Action { folder: Some(FolderIdentity("workspace".into())), ..action(Effect::Write, path, Some(content)) }
}

fn rule() -> SessionRule {
    let scope = RuleScope::of(&write("a.md", "x")).unwrap();
    SessionRule::new(RuleId("ru_1".into()), scope)
}

/// A turn in which a model writes two files, and what was ordered from the first decision on.
fn two_writes(before_second: Option<SessionRule>, second_ends: &str) -> String {
    let mut play = Play::of(setup(Protocol::Native), "call write_file {\"path\":\"a.md\"}");
    play.told.clear();
    play.feed(Input::Prepared(Prepared::Ready(write("a.md", "x"))));
    play.feed(Input::AnsweredWithRule(rule()));
    play.line("gives ok");
    play.line("call write_file {\"path\":\"b.md\"}");
    play.feed(Input::Rules(before_second.into_iter().collect()));
    play.feed(Input::Prepared(Prepared::Ready(write("b.md", "yy"))));
    if play.told.contains("run c2") {
        play.line(second_ends);
    }
    play.told
}

#[test]
fn permission_p7_a_yes_with_a_rule_and_each_use_of_it_are_decisions_that_name_it() {
    expect_test::expect![[r#"
        ask c1 a.md, may be a rule
          audit c1: allowed by person approved_with_rule (ru_1: files ending in .md in ., written whole)
        run c1 writing a.md
          audit c1: Done, 2 bytes
          fact c1: Done ok
          stale rounds 1
        send 2 work
          call 2: write_file {"path":"b.md"}
        prepare c2 write_file {"path":"b.md"}
          audit c2: allowed by rule ru_1 (files ending in .md in ., written whole)
          rule ru_1 used for b.md, 2 bytes
        run c2 writing b.md
          audit c2: Done, 2 bytes
          fact c2: Done ok
          stale rounds 2
        send 3 work
    "#]]
    .assert_eq(&two_writes(Some(rule()), "gives ok"));
}

#[test]
fn permission_p2_a_rule_that_was_stopped_or_is_used_up_is_asked_past() {
    for gone in [None, Some(SessionRule { n_files: MAX_FILES, ..rule() })] {
        let told = two_writes(gone, "gives ok");
        assert!(told.ends_with("prepare c2 write_file {\"path\":\"b.md\"}\nask c2 b.md, may be a rule\n"), "{told}");
    }
}

#[test]
fn permission_p2_the_first_write_of_a_rule_that_fails_ends_it() {
    let told = two_writes(Some(rule()), "fails the disk is full");
    assert!(told.contains("  audit c2: Failed, 16 bytes\n  rule ru_1 ends: Failed\n"), "{told}");
}
