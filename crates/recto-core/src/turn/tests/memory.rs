//! Remembering and forgetting: asked for like a write, offered to a small model only where the question asks for it.

use super::{Play, setup};
use crate::approval::{Grants, Policy};
use crate::context::system::Scored;
use crate::request::Protocol;
use crate::tool::{Effect, PathChoice, Places, ToolDefinition, ToolIdentity};
use crate::turn::Setup;
use expect_test::expect;
use serde_json::{Value, json};

fn memory_tool(identity: ToolIdentity, name: &str) -> ToolDefinition {
    ToolDefinition {
        identity,
        name: name.into(),
        description: format!("Does {name}."),
        parameters: json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}),
        effect: Effect::Write,
        paths: Vec::<(String, PathChoice)>::new(),
        repeats: true,
    }
}

fn with_memory(protocol: Protocol, question: &str) -> Setup {
    let mut setup = Setup { question: question.into(), ..setup(protocol) };
    setup.places = Places { files: vec!["README.md".into()], folders: vec![".".into()] };
    setup.tools.push(memory_tool(ToolIdentity::Remember, "remember"));
    setup.tools.push(memory_tool(ToolIdentity::Forget, "forget"));
    let tea = Scored { id: "me_1".into(), source: String::new(), text: "Likes tea.".into(), score: 1.0 };
    setup.memories.push(tea);
    setup
}

const REMEMBER: &str = r#"call remember {"text":"Prefers metric units."}
    keep Prefers metric units.
"#;

#[test]
fn permission_p2_a_sentence_is_remembered_only_after_a_yes_and_the_turn_is_answered_from_the_fact() {
    let question = "Remember that I prefer metric units.";
    let script = format!("{REMEMBER}yes\ngives Remembered.\nsay READY\nsay It is noted.");
    let play = Play::of(with_memory(Protocol::Native, question), &script);
    expect![[r#"
        send 1 work
          call 1: remember {"text":"Prefers metric units."}
        prepare c1 remember {"text":"Prefers metric units."}
        ask c1 memories
          audit c1: allowed by person approved
        run c1 writing memories
          audit c1: Done, 11 bytes
          fact c1: Done Remembered.
          stale rounds 1
        send 2 work
          composing from 1 facts
        send 3 answer
        end Answered: It is noted.
    "#]]
    .assert_eq(&play.told);
}

#[test]
fn answer_a10_what_was_remembered_is_said_and_not_looked_for() {
    let question = "Remember that I prefer metric units.";
    let asked = |protocol, script: &str| {
        let play = Play::of(with_memory(protocol, question), script);
        play.answer_request().messages.last().unwrap().text()
    };
    let alone = asked(Protocol::Native, &format!("{REMEMBER}yes\ngives Remembered.\nsay READY"));
    assert!(alone.contains("Begin the answer with: I will remember that.\nSay it in one sentence"), "{alone}");
    assert!(!alone.contains("did not find it"), "{alone}");
    let read = "call read_file {\"path\":\"a\"}\nread a\ngives The mast is blue.\n";
    let both = asked(Protocol::Native, &format!("{REMEMBER}yes\ngives Remembered.\n{read}say READY"));
    assert!(both.contains("I will remember that.\nWrite the answer in a few sentences"), "{both}");
    let refused = asked(Protocol::Native, &format!("{REMEMBER}no\nsay READY"));
    assert!(!refused.contains("I will remember that."), "{refused}");
}

#[test]
fn permission_p8_a_no_changes_nothing_and_the_answer_says_so_without_speaking_of_a_file() {
    let question = "Remember that I prefer metric units.";
    let play = Play::of(with_memory(Protocol::Native, question), &format!("{REMEMBER}no\nsay READY\nsay Fine."));
    assert_eq!(
        play.request(2).messages.last().unwrap().text(),
        "Refused: the user said no. Nothing was changed in the memories. Do not try it again."
    );
    let answer = play.answer_request().messages.last().unwrap().text();
    assert!(answer.contains("You said no, so nothing was changed in what is remembered."), "{answer}");
}

#[test]
fn permission_p1_what_was_allowed_once_and_for_all_is_not_asked_and_a_session_without_writes_refuses_it() {
    let granted = |policy| {
        let grants = Grants { may_remember: true, ..Grants::default() };
        let setup = Setup { policy, grants, ..with_memory(Protocol::Native, "Remember that I prefer metric units.") };
        Play::of(setup, REMEMBER).told
    };
    let told = granted(Policy::Ask);
    assert!(told.contains("audit c1: allowed by rule remembering_allowed_by_person\nrun c1"), "{told}");
    assert!(!told.contains("ask c1"), "{told}");
    let told = granted(Policy::Never);
    assert!(told.contains("audit c1: denied by rule writes_refused_by_person"), "{told}");
}

/// The choices of the last request, `forget` with the sentences that it may name.
fn offered(question: &str, script: &str) -> String {
    let play = Play::of(with_memory(Protocol::Structured, question), script);
    let step = play.requests.last().unwrap().envelope.step.clone().unwrap();
    let choice = |choice: &Value| {
        let name = choice["properties"]["name"]["const"].as_str().unwrap().to_owned();
        match choice.pointer("/properties/arguments/properties/text/enum") {
            Some(texts) => format!("{name} {texts}"),
            None => name,
        }
    };
    step["anyOf"].as_array().unwrap().iter().map(choice).collect::<Vec<String>>().join(" ")
}

#[test]
fn models_m5_remembering_is_a_step_only_where_the_question_asks_for_it() {
    assert_eq!(offered("How do I run the project?", ""), "answer list_dir read_file");
    assert_eq!(offered("What do you remember about me?", ""), "answer list_dir read_file");
    assert_eq!(offered("Remember that I prefer metric units.", ""), "remember");
    assert_eq!(offered("记住我喜欢用公制单位", ""), "remember");
    assert_eq!(offered("Forget that I like tea", ""), r#"forget ["Likes tea."]"#);
    assert_eq!(
        offered("Read README.md and remember the port", ""),
        "list_dir read_file remember",
        "a question that speaks of a file may begin with it"
    );
}

#[test]
fn models_m5_what_was_remembered_or_refused_is_not_offered_again() {
    let question = "Remember that I prefer metric units.";
    let step = "step {\"name\":\"remember\",\"arguments\":{\"text\":\"Prefers metric units.\"}}\nkeep Prefers\n";
    assert_eq!(offered(question, &format!("{step}yes\ngives done")), "READY");
    assert_eq!(offered(question, &format!("{step}no")), "READY");
    assert!(
        offered(question, &format!("{step}yes\nfails no")).contains("remember"),
        "after a failure it may try again"
    );
}

#[test]
fn models_m5_a_small_model_is_told_of_remembering_only_where_the_question_asks_for_it() {
    let told = |protocol, question: &str| {
        let play = Play::of(with_memory(protocol, question), "");
        let request = play.request(1);
        let in_words = request.messages[0].text();
        let names: Vec<&str> = ["remember", "forget"]
            .into_iter()
            .filter(|name| {
                in_words.contains(&format!("\n- {name}(")) || request.tools.iter().any(|tool| tool.name == *name)
            })
            .collect();
        names.join(" ")
    };
    assert_eq!(told(Protocol::Structured, "How do I run it?"), "");
    assert_eq!(told(Protocol::Structured, "Remember that I prefer metric units."), "remember");
    assert_eq!(told(Protocol::Structured, "忘掉我喜欢茶。"), "forget");
    assert_eq!(told(Protocol::Native, "How do I run it?"), "remember forget");
}
