//! Adding to a file, deleting it, moving it, and making a folder: asked for, made as shown, and undone.

use crate::world::{Does, World};
use expect_test::{Expect, expect};
use recto_core::approval::Answer;
use recto_core::turn::Ending;
use std::path::Path;

/// A model that makes one call and answers.
fn calls(call: &str) -> String {
    format!("call {call}\n\nmodel: READY\n\nmodel: Done as you decided.\n")
}

async fn world(call: &str, answer: Answer) -> World {
    let world = World::new(&calls(call), vec![Does::Says(answer)]).await;
    std::fs::write(world.folder.path().join("list.md"), "- milk\r\n- bread\r\n").unwrap();
    world
}

/// Every file with its content and every folder, but for the README that is always there.
fn tree(folder: &Path) -> String {
    let mut lines = Vec::new();
    collect(folder, folder, &mut lines);
    lines.sort();
    lines.retain(|line| !line.starts_with("README.md"));
    lines.join("\n")
}

fn collect(root: &Path, folder: &Path, lines: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if path.is_dir() {
            lines.push(format!("{name}/"));
            collect(root, &path, lines);
        } else {
            lines.push(format!("{name}: {:?}", std::fs::read_to_string(&path).unwrap()));
        }
    }
}

const UNTOUCHED: &str = r#"list.md: "- milk\r\n- bread\r\n""#;

/// Asks for a change that is denied, then for the same one that is approved, and undoes it where that is possible.
async fn check(question: &str, call: &str, asked: &str, left: &str, undone: Option<&str>, audit: Expect) {
    let denied = world(call, Answer::Denied).await;
    assert_eq!(denied.ask(question).await.ending, Ending::Answered);
    assert_eq!(tree(denied.folder.path()), UNTOUCHED, "what is denied is not done");
    assert!(denied.app.replaced_files().await.unwrap().is_empty(), "what was not done cannot be undone");
    let answer_request = String::from_utf8(denied.fake.chats()[2].body.clone()).unwrap();
    assert!(answer_request.contains("refused by the user: not done"), "{answer_request}");
    denied.fake.assert_clean();

    let approved = world(call, Answer::Approved).await;
    let told = approved.ask(question).await;
    assert_eq!((told.ending, told.answer.as_str()), (Ending::Answered, "Done as you decided."));
    assert_eq!(*approved.person.asked.lock().unwrap(), [asked]);
    assert_eq!(tree(approved.folder.path()), left);
    let kept = approved.app.replaced_files().await.unwrap();
    match undone {
        None => assert!(kept.is_empty(), "{kept:?}"),
        Some(undone) => {
            approved.app.undo(kept[0].id).await.unwrap();
            assert_eq!(tree(approved.folder.path()), undone);
            assert!(approved.app.replaced_files().await.unwrap().is_empty(), "what is undone is undone once");
        }
    }
    audit.assert_eq(&approved.audit().await);
    assert_eq!(approved.app.record().verify_audit().await.unwrap().first_bad, None);
    approved.fake.assert_clean();
}

#[tokio::test]
async fn permission_p3_what_is_added_to_a_file_has_its_line_ends_and_can_be_undone() {
    check(
        "Append eggs to list.md",
        r#"append_file {"path":"list.md","content":"- eggs"}"#,
        "list.md +1 -0",
        r#"list.md: "- milk\r\n- bread\r\n- eggs\r\n""#,
        Some(UNTOUCHED),
        expect![[r#"
            append_file list.md: allowed by person approved
            append_file list.md: done, written, 25 bytes
            undo list.md: allowed by person undid
            undo list.md: done, written, 17 bytes
        "#]],
    )
    .await;
}

#[tokio::test]
async fn permission_p3_a_deleted_file_is_gone_and_comes_back_to_the_byte() {
    check(
        "Delete list.md",
        r#"delete_file {"path":"list.md"}"#,
        "list.md +0 -2",
        "",
        Some(UNTOUCHED),
        expect![[r#"
            delete_file list.md: allowed by person approved
            delete_file list.md: done, deleted, 17 bytes
            undo list.md: allowed by person undid
            undo list.md: done, written, 17 bytes
        "#]],
    )
    .await;
}

#[tokio::test]
async fn permission_p3_a_moved_file_is_in_its_new_place_only_and_goes_back() {
    check(
        "Move list.md to old/2026/",
        r#"move_file {"path":"list.md","to":"old/2026/"}"#,
        "list.md → old/2026/list.md +0 -0",
        "old/\nold/2026/\nold/2026/list.md: \"- milk\\r\\n- bread\\r\\n\"",
        Some("list.md: \"- milk\\r\\n- bread\\r\\n\"\nold/\nold/2026/"),
        expect![[r#"
            move_file list.md → old/2026/list.md: allowed by person approved
            move_file list.md → old/2026/list.md: done, moved, 17 bytes, 2 folders made
            undo list.md → old/2026/list.md: allowed by person undid
            undo list.md → old/2026/list.md: done, moved, 17 bytes
        "#]],
    )
    .await;
}

#[tokio::test]
async fn permission_p3_a_folder_is_made_where_there_is_nothing() {
    check(
        "Create a new folder called old",
        r#"make_dir {"path":"old"}"#,
        "old +0 -0",
        "list.md: \"- milk\\r\\n- bread\\r\\n\"\nold/",
        None,
        expect![[r#"
            make_dir old: allowed by person approved
            make_dir old: done, 1 folder made
        "#]],
    )
    .await;
}

#[tokio::test]
async fn permission_p4_a_created_file_is_undone_only_while_it_is_what_was_written() {
    let call = r#"write_file {"path":"new.md","content":"milk\n"}"#;
    for (is_changed, left) in [(false, ""), (true, "\nnew.md: \"mine\\n\"")] {
        let world = world(call, Answer::Approved).await;
        world.ask("Write a list to new.md").await;
        let file = world.folder.path().join("new.md");
        if is_changed {
            std::fs::write(&file, "mine\n").unwrap();
        }
        let id = world.app.replaced_files().await.unwrap()[0].id;
        let undone = world.app.undo(id).await;
        assert_eq!(undone.is_err(), is_changed, "{undone:?}");
        assert_eq!(tree(world.folder.path()), format!("{UNTOUCHED}{left}"));
    }
}

#[tokio::test]
async fn permission_p4_a_deletion_is_not_undone_over_another_file() {
    let world = world(r#"delete_file {"path":"list.md"}"#, Answer::Approved).await;
    world.ask("Delete list.md").await;
    std::fs::write(world.folder.path().join("list.md"), "mine\n").unwrap();
    let id = world.app.replaced_files().await.unwrap()[0].id;
    let error = world.app.undo(id).await.unwrap_err().to_string();
    assert!(error.contains("There is another file at `list.md` now"), "{error}");
    assert_eq!(tree(world.folder.path()), "list.md: \"mine\\n\"");
    // Once that one is out of the way, it is.
    std::fs::remove_file(world.folder.path().join("list.md")).unwrap();
    world.app.undo(id).await.unwrap();
    assert_eq!(tree(world.folder.path()), UNTOUCHED);
}

#[tokio::test]
async fn permission_p4_a_file_that_changed_while_its_deletion_was_asked_for_stays() {
    let world = World::new(&calls(r#"delete_file {"path":"list.md"}"#), Vec::new()).await;
    let file = world.folder.path().join("list.md");
    std::fs::write(&file, "- milk\n").unwrap();
    world.person.expect(Does::WaitsWhile(file, "theirs\n"));
    world.ask("Delete list.md").await;
    assert_eq!(tree(world.folder.path()), "list.md: \"theirs\\n\"");
    assert!(world.app.replaced_files().await.unwrap().is_empty());
    let audit = world.audit().await;
    assert!(audit.contains("delete_file list.md: failed, "), "{audit}");
}

#[tokio::test]
async fn permission_p6_neither_end_of_a_change_lies_outside_or_in_git() {
    let script = r#"
call move_file {"path":"README.md","to":"../README.md"}
call move_file {"path":"README.md","to":".git/hooks/post-commit"}
call delete_file {"path":"/etc/passwd"}
call make_dir {"path":".git/hooks"}
call append_file {"path":"../out.txt","content":"x"}

model: READY

model: Refused.
"#;
    let world = World::new(script, Vec::new()).await;
    let before = world.disk();
    world.ask("Do it").await;
    assert_eq!(world.disk(), before);
    assert!(world.person.asked.lock().unwrap().is_empty());
    let audit = world.audit().await;
    assert_eq!(audit.matches("denied by rule place_is_forbidden").count(), 5, "{audit}");
    world.fake.assert_clean();
}

#[tokio::test]
async fn models_m5_a_small_model_is_told_of_these_tools_only_where_the_question_asks_for_them() {
    const TOOLS: [&str; 4] = ["append_file", "delete_file", "move_file", "make_dir"];
    for (question, expected) in [
        ("What is in list.md?", &[][..]),
        ("Write three items to new.md", &[]),
        ("Remove the milk from list.md", &[]),
        ("Append eggs to list.md", &["append_file"]),
        ("请删除 list.md", &["delete_file"]),
        ("Move list.md to old/list.md", &["move_file"]),
        ("新建一个文件夹 old", &["make_dir"]),
    ] {
        let script = "model: {\"name\":\"READY\"}\n\nmodel: No.\n\nmodel: No.\n\nmodel: No.\n";
        let world = World::new(script, Vec::new()).await;
        std::fs::write(world.folder.path().join("list.md"), "- milk\n").unwrap();
        world.ask_structured(question).await;
        let body = String::from_utf8(world.fake.chats()[0].body.clone()).unwrap();
        let told: Vec<&str> = TOOLS.into_iter().filter(|tool| body.contains(&format!("- {tool}("))).collect();
        let offered: Vec<&str> =
            TOOLS.into_iter().filter(|tool| body.contains(&format!(r#""const":"{tool}""#))).collect();
        assert_eq!((told.as_slice(), offered.as_slice()), (expected, expected), "{question}: {body}");
    }
}

#[tokio::test]
async fn models_m5_a_small_model_deletes_what_it_was_asked_to_and_goes_on_to_the_answer() {
    let script = r#"
model: {"name":"delete_file","arguments":{"path":"list.md"}}

model: {"name":"READY"}

model: It is gone.
"#;
    let world = World::new(script, vec![Does::Says(Answer::Approved)]).await;
    std::fs::write(world.folder.path().join("list.md"), "- milk\n").unwrap();
    let told = world.ask_structured("Delete list.md").await;
    assert_eq!((told.ending, told.answer.as_str()), (Ending::Answered, "It is gone."));
    assert_eq!(tree(world.folder.path()), "");
    world.fake.assert_clean();
}
