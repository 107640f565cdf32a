//! Adding to, deleting and moving files: offered to a small model only where the question asks for it, and told instead of looked for.

use super::{Play, setup};
use crate::request::Protocol;
use crate::tool::{Effect, PathChoice, Places, ToolDefinition, ToolIdentity};
use crate::turn::Setup;
use serde_json::json;

fn with_whole_files(protocol: Protocol, question: &str) -> Setup {
    let mut setup = Setup { question: question.into(), ..setup(protocol) };
    setup.places = Places { files: vec!["README.md".into(), "old.md".into()], folders: vec![".".into()] };
    for (identity, name) in [
        (ToolIdentity::AppendFile, "append_file"),
        (ToolIdentity::DeleteFile, "delete_file"),
        (ToolIdentity::MoveFile, "move_file"),
        (ToolIdentity::MakeDir, "make_dir"),
    ] {
        setup.tools.push(ToolDefinition {
            identity,
            name: name.into(),
            description: format!("Does {name}."),
            parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
            effect: Effect::Write,
            paths: vec![("path".into(), PathChoice::File)],
            repeats: true,
        });
    }
    setup
}

const DELETE: &str = r#"call delete_file {"path":"old.md"}
    write old.md x
"#;

fn answer(protocol: Protocol, question: &str, script: &str) -> String {
    let play = Play::of(with_whole_files(protocol, question), script);
    play.answer_request().messages.last().unwrap().text()
}

#[test]
fn answer_a10_what_was_done_to_a_file_is_said_and_not_looked_for() {
    let done = format!("{DELETE}yes\ngives Deleted `old.md` (1 byte).\n");
    let alone = answer(Protocol::Native, "Delete old.md", &format!("{done}say READY"));
    assert!(alone.contains("Begin the answer with: I deleted old.md.\nSay that in one sentence."), "{alone}");
    assert!(!alone.contains("did not find it"), "{alone}");
    let chinese = answer(Protocol::Native, "请删除 old.md", &format!("{done}say READY"));
    assert!(chinese.contains("请以这句话开头： 我已删除 old.md。\n只说这一句"), "{chinese}");
    let read = "call read_file {\"path\":\"a\"}\nread a\ngives The mast is blue.\n";
    let both = answer(Protocol::Native, "Delete old.md and read a", &format!("{done}{read}say READY"));
    assert!(both.contains("I deleted old.md.\nWrite the answer in a few sentences"), "{both}");
    let refused = answer(Protocol::Native, "Delete old.md", &format!("{DELETE}no\nsay READY"));
    assert!(refused.contains("You said no, so nothing was done to old.md."), "{refused}");
    assert!(!refused.contains("I deleted"), "{refused}");
}

#[test]
fn a_folder_may_be_looked_at_again_after_a_file_of_it_went() {
    let look = "call list_dir {\"path\":\".\"}\nread .\ngives old.md\n";
    let again = "call list_dir {\"path\":\".\"}\n";
    let told = |script: String| Play::of(with_whole_files(Protocol::Native, "Delete old.md"), &script).told;
    let twice = told(format!("{look}{again}"));
    assert!(!twice.contains("prepare c2"), "nothing changed in between: {twice}");
    let gone = told(format!("{look}{DELETE}yes\ngives Deleted.\n{again}"));
    assert!(gone.contains("prepare c3"), "{gone}");
}

#[test]
fn models_m5_the_system_message_of_an_ordinary_question_does_not_tell_of_these_tools() {
    let system = |question: &str| {
        let play = Play::of(with_whole_files(Protocol::Structured, question), "");
        play.request(1).messages[0].text()
    };
    let without = |question: &str| {
        let setup = Setup { question: question.into(), ..setup(Protocol::Structured) };
        Play::of(setup, "").request(1).messages[0].text()
    };
    for question in ["How do I run the project?", "Write a list to list.md", "把端口改成 8080"] {
        assert_eq!(system(question), without(question), "{question}");
    }
    assert!(system("Delete old.md").contains("- delete_file(path): Does delete_file."));
    assert!(!system("Delete old.md").contains("move_file"));
}
