//! Rules that a person makes on an approval card.

use crate::world::{Does, World};
use expect_test::expect;
use recto_core::approval::{Answer, RuleEnd, RuleId};
use recto_core::turn::Ending;

/// Five writes one after the other, of which the third and the fourth are of another kind.
const FIVE: &str = r##"
call write_file {"path":"one.md","content":"1\n"}

call write_file {"path":"two.md","content":"2\n"}

call write_file {"path":"three.txt","content":"3\n"}

call write_file {"path":"Makefile","content":"all:\n"}

call edit_file {"path":"two.md","old_text":"2","new_text":"two"}

model: READY

model: Done.
"##;

fn says(answers: &[Answer]) -> Vec<Does> {
    answers.iter().copied().map(Does::Says).collect()
}

/// The names of rules are drawn anew in each run.
fn named(world: &World, audit: &str) -> String {
    let rules = world.app.rules();
    rules
        .iter()
        .rev()
        .enumerate()
        .fold(audit.to_owned(), |text, (at, row)| text.replace(&row.rule.id.0, &format!("R{}", at + 1)))
}

#[tokio::test]
async fn permission_p2_a_rule_covers_its_own_kind_and_everything_else_is_still_asked_for() {
    let answers = [Answer::ApprovedWithRule, Answer::Denied, Answer::Denied, Answer::Denied];
    let world = World::new(FIVE, says(&answers)).await;
    assert_eq!(world.ask("Write five files").await.ending, Ending::Answered);
    let asked = world.person.asked.lock().unwrap().clone();
    assert_eq!(asked, ["one.md +1 -0", "three.txt +1 -0", "Makefile +1 -0", "two.md +1 -1"]);
    expect![[r#"
        write_file one.md: allowed by person approved_with_rule
        write_file one.md: done, written, 2 bytes
        write_file two.md: allowed by rule R1
        write_file two.md: done, written, 2 bytes
        write_file three.txt: denied by person denied
        write_file Makefile: denied by person denied
        edit_file two.md: denied by person denied
    "#]]
    .assert_eq(&named(&world, &world.audit().await));
    let rules = world.app.rules();
    assert_eq!((rules.len(), rules[0].matched.clone(), rules[0].ended), (1, vec!["two.md".to_owned()], None));
    world.fake.assert_clean();
}

/// Two turns of a conversation, each writing a file of the same kind.
const TWO_TURNS: &str = r#"
call write_file {"path":"one.md","content":"1\n"}

model: READY

model: One.

call write_file {"path":"two.md","content":"2\n"}

model: READY

model: Two.
"#;

#[tokio::test]
async fn permission_p2_a_rule_lasts_to_the_next_turn_and_not_into_another_conversation() {
    let mut world = World::new(&TWO_TURNS.repeat(2), says(&[Answer::ApprovedWithRule])).await;
    world.ask("One").await;
    world.ask("Two").await;
    assert_eq!(*world.person.asked.lock().unwrap(), ["one.md +1 -0"]);
    let folder = world.folder.path().display().to_string();
    world.conversation = world.app.create_conversation(Some(folder), None).await.unwrap();
    std::fs::remove_file(world.folder.path().join("one.md")).unwrap();
    world.ask("One again, elsewhere").await;
    // Nobody was there to say yes.
    assert_eq!(*world.person.asked.lock().unwrap(), ["one.md +1 -0", "one.md +1 -0"]);
}

#[tokio::test]
async fn permission_p2_a_rule_is_gone_after_a_restart_and_when_it_was_stopped() {
    let world = World::new(&TWO_TURNS.repeat(2), says(&[Answer::ApprovedWithRule])).await;
    world.ask("One").await;
    let rule = world.app.rules()[0].rule.id.clone();
    world.app.stop_rule(&RuleId("ru_other".into()));
    assert_eq!(world.app.rules()[0].ended, None);
    world.app.stop_rule(&rule);
    assert_eq!(world.app.rules()[0].ended, Some(RuleEnd::Stopped));
    world.ask("Two").await;
    assert_eq!(*world.person.asked.lock().unwrap(), ["one.md +1 -0", "two.md +1 -0"]);
    assert!(!world.folder.path().join("two.md").exists());
    let world = world.restart().await;
    assert_eq!(world.app.rules(), []);
}

#[tokio::test]
async fn permission_p2_another_folder_under_the_old_name_is_asked_for() {
    let script = TWO_TURNS.replace("one.md", "notes/one.md").replace("two.md", "notes/two.md");
    let world = World::new(&script, says(&[Answer::ApprovedWithRule, Answer::Denied])).await;
    let notes = world.folder.path().join("notes");
    std::fs::create_dir(&notes).unwrap();
    world.ask("One").await;
    std::fs::rename(&notes, world.folder.path().join("old")).unwrap();
    std::fs::create_dir(&notes).unwrap();
    world.ask("Two").await;
    assert_eq!(*world.person.asked.lock().unwrap(), ["notes/one.md +1 -0", "notes/two.md +1 -0"]);
    assert!(!notes.join("two.md").exists());
}

#[tokio::test]
async fn permission_p2_a_rule_is_offered_only_where_the_folder_is_there_and_nothing_is_flagged() {
    let script = r#"
call write_file {"path":"new/one.md","content":"1\n"}

call write_file {"path":"new/two.md","content":"2\n"}

model: READY

model: Done.
"#;
    let world = World::new(script, says(&[Answer::ApprovedWithRule, Answer::ApprovedWithRule])).await;
    world.ask("Write").await;
    // The first made the folder, so no rule could be made of it; the second makes one.
    assert_eq!(world.person.asked.lock().unwrap().len(), 2);
    assert_eq!(world.app.rules().len(), 1);
    let audit = named(&world, &world.audit().await);
    assert!(audit.starts_with("write_file new/one.md: allowed by person approved\n"), "{audit}");
}
