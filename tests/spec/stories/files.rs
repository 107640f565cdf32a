//! Reading and writing the user's files.

use crate::world::{Does, World};
use expect_test::expect;
use recto_core::approval::Answer;
use recto_core::turn::Ending;

const WRITES: &str = r#"
call write_file {"path":"list.md","content":"- milk\n- bread\n- eggs\n"}

model: READY

model: Done as you decided.
"#;

const README: &str = "README.md: \"Run it with `make serve`.\\n编写 🦀 \\\"quoted\\\"\\n\"\n";

#[tokio::test]
async fn permission_p3_an_approved_write_writes_exactly_the_bytes_that_were_shown() {
    let world = World::new(WRITES, vec![Does::Says(Answer::Approved)]).await;
    let told = world.ask("Write a shopping list with three items to list.md").await;
    assert_eq!((told.ending, told.answer.as_str()), (Ending::Answered, "Done as you decided."));
    assert_eq!(*world.person.asked.lock().unwrap(), ["list.md +3 -0"]);
    assert_eq!(world.disk(), format!("{README}list.md: \"- milk\\n- bread\\n- eggs\\n\"\n"));
    expect![[r#"
        write_file list.md: allowed by person approved
        write_file list.md: done, written, 22 bytes
    "#]]
    .assert_eq(&world.audit().await);
    world.fake.assert_clean();
}

#[tokio::test]
async fn permission_p8_a_denied_write_leaves_no_file_and_is_audited_and_the_turn_goes_on() {
    let world = World::new(WRITES, vec![Does::Says(Answer::Denied)]).await;
    let told = world.ask("Write a shopping list with three items to list.md").await;
    assert_eq!(told.ending, Ending::Answered);
    assert_eq!(world.disk(), README);
    assert_eq!(world.audit().await, "write_file list.md: denied by person denied\n");
    let answer_request = String::from_utf8(world.fake.chats()[2].body.clone()).unwrap();
    assert!(answer_request.contains("refused by the user: not done"), "{answer_request}");
    world.fake.assert_clean();
}

#[tokio::test]
async fn permission_p5_with_nobody_to_ask_a_write_counts_as_denied() {
    let world = World::new(WRITES, Vec::new()).await;
    world.ask("Write it").await;
    assert_eq!(world.disk(), README);
    assert_eq!(world.audit().await, "write_file list.md: denied by person nobody_to_ask\n");
}

#[tokio::test]
async fn a_person_who_allows_no_writes_is_asked_for_none() {
    let world = World::new(WRITES, vec![Does::Says(Answer::Approved)]).await;
    world.ask_refusing_writes("Write it").await;
    assert_eq!(world.disk(), README);
    assert!(world.person.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn permission_p4_a_file_that_changed_while_the_question_was_open_is_not_overwritten() {
    let script = r#"
call write_file {"path":"README.md","content":"mine\n"}

model: READY

model: It was not written.
"#;
    let world = World::new(script, Vec::new()).await;
    let readme = world.folder.path().join("README.md");
    world.person.expect(Does::WaitsWhile(readme, "theirs\n"));
    world.ask("Replace the README").await;
    assert_eq!(world.disk(), "README.md: \"theirs\\n\"\n");
    let audit = world.audit().await;
    assert!(
        audit.starts_with("write_file README.md: allowed by person approved\nwrite_file README.md: failed, "),
        "{audit}"
    );
}

#[tokio::test]
async fn permission_p6_git_and_places_outside_are_refused_without_a_question() {
    let script = r#"
call write_file {"path":".git/hooks/pre-commit","content":"x"}
call write_file {"path":"../out.txt","content":"x"}
call read_file {"path":"/etc/passwd"}

model: READY

model: Refused.
"#;
    let world = World::new(script, vec![Does::Says(Answer::Approved), Does::Says(Answer::Approved)]).await;
    world.ask("Do it").await;
    assert_eq!(world.disk(), README);
    assert!(world.person.asked.lock().unwrap().is_empty());
    let audit = world.audit().await;
    assert_eq!(audit.matches("denied by rule place_is_forbidden").count(), 3, "{audit}");
    world.fake.assert_clean();
}
