//! What a small model may choose at each moment of a turn.

use super::{Play, setup, tool};
use crate::context::system::Scored;
use crate::request::Protocol;
use crate::tool::{Effect, PathChoice, Places, ToolDefinition};
use crate::turn::Setup;
use serde_json::Value;

/// A question in a folder with these files.
fn asked(question: &str, files: &[&str]) -> Setup {
    let files = files.iter().map(|&file| file.to_owned()).collect();
    let places = Places { files, folders: vec![".".into()] };
    Setup { question: question.to_owned(), places, ..setup(Protocol::Structured) }
}

/// The choices of the last request of a script, with the files that may be read where they are named.
fn offered(setup: &Setup, script: &str) -> String {
    let play = Play::of(setup.clone(), script);
    let step = play.requests.last().unwrap().envelope.step.clone().unwrap();
    let choice = |choice: &Value| {
        let name = choice["properties"]["name"]["const"].as_str().unwrap().to_owned();
        match choice.pointer("/properties/arguments/properties/path/enum") {
            Some(paths) if name == "read_file" => format!("{name} {paths}"),
            _ => match choice.pointer("/properties/arguments/properties/passage") {
                Some(passage) => format!("{name} {}", passage["enum"]),
                None => name,
            },
        }
    };
    step["anyOf"].as_array().unwrap().iter().map(choice).collect::<Vec<String>>().join(" ")
}

/// A step that calls a tool with a path, and what comes of it.
fn step(name: &str, path: &str, outcome: &str) -> String {
    format!("step {{\"name\":\"{name}\",\"arguments\":{{\"path\":\"{path}\"}}}}\nread {path}\n{outcome}\n")
}

#[test]
fn models_m5_a_step_offers_ready_only_when_something_was_done_and_not_right_after_a_failure() {
    let setup = asked("Plan it, then write the file.", &[]);
    assert_eq!(offered(&setup, ""), "answer list_dir read_file todo_write write_file");
    let read = step("read_file", "a", "gives x");
    assert_eq!(offered(&setup, &read), "READY list_dir read_file todo_write write_file");
    let listed = step("list_dir", "a", "gives x");
    assert_eq!(offered(&setup, &listed), "READY read_file todo_write write_file", "not the same tool again");
    let failed = step("read_file", "a", "fails no");
    assert_eq!(offered(&setup, &failed), "list_dir read_file todo_write write_file");
    let twice = failed + &step("list_dir", "b", "fails no");
    assert_eq!(offered(&setup, &twice), "READY read_file todo_write write_file", "two failures leave a way out");
}

#[test]
fn models_m5_a_file_that_the_question_names_and_that_is_not_there_can_be_asked_for_and_its_absence_ends_the_work() {
    let setup = asked("Read budget.csv and tell me the total.", &["data/sites.csv"]);
    assert_eq!(offered(&setup, ""), r#"answer list_dir read_file ["budget.csv","data/sites.csv"]"#);
    let missing = step("read_file", "budget.csv", "fails There is no file.");
    assert_eq!(offered(&setup, &missing), r#"READY list_dir read_file ["data/sites.csv"]"#);
}

#[test]
fn models_m5_a_question_that_asks_for_no_change_and_no_plan_is_not_offered_one() {
    assert_eq!(offered(&setup(Protocol::Structured), ""), "answer list_dir read_file");
}

#[test]
fn models_m5_a_small_model_cannot_go_in_circles() {
    let setup = asked("Set up a TODO list, then read a.md and b.md.", &["a.md", "b.md"]);
    let list =
        "step {\"name\":\"todo_write\",\"arguments\":{\"todos\":[{\"content\":\"a\",\"status\":\"pending\"}]}}\n";
    assert_eq!(offered(&setup, ""), "todo_write", "a question that names the list begins with it");
    assert_eq!(offered(&setup, list), r#"list_dir read_file ["a.md","b.md"]"#, "the list is not offered again");
    let one = format!("{list}{}", step("read_file", "a.md", "gives one"));
    assert_eq!(offered(&setup, &one), r#"list_dir read_file ["b.md"]"#, "a file that the question names is unread");
    let both = one + &step("read_file", "b.md", "gives two");
    assert_eq!(offered(&setup, &both), "READY", "the files that the question names are read, so the work is done");
}

#[test]
fn models_m5_a_file_that_holds_what_the_question_speaks_of_ends_the_looking() {
    let setup = asked("What is the threshold for alerts?", &["a.md", "b.md"]);
    let read = |text: &str| step("read_file", "a.md", &format!("gives {text}"));
    assert_eq!(offered(&setup, &read("The threshold for an alert is 4.2 metres.")), "READY");
    assert_eq!(offered(&setup, &read("The threshold is old.")), r#"READY list_dir read_file ["b.md"]"#);
}

#[test]
fn models_m5_the_work_goes_on_while_nothing_that_was_read_speaks_of_what_was_asked() {
    let files = ["a.md", "b.md", "c.md", "d.md"];
    let setup = asked("What is the threshold for alerts?", &files);
    let may_end = |texts: &[&str]| {
        let steps = texts.iter().zip(files).map(|(text, path)| step("read_file", path, &format!("gives {text}")));
        offered(&setup, &steps.collect::<String>()).contains("READY")
    };
    assert!(!may_end(&["The boat is blue."]));
    assert!(!may_end(&["The boat is blue.", "The sea is, too."]));
    assert!(may_end(&["The boat is blue.", "The threshold was raised."]));
    assert!(
        may_end(&["The boat is blue.", "The sea is, too.", "So is the sky."]),
        "after a few files there is a way out"
    );
}

#[test]
fn models_m5_the_files_that_hold_the_words_of_the_question_are_offered_before_the_others() {
    let files = ["a.md", "b.md", "c.md"];
    let fitting = |question| Setup { fitting: vec!["b.md".into()], ..asked(question, &files) };
    let setup = fitting("What is the threshold for alerts?");
    assert_eq!(offered(&setup, ""), r#"answer list_dir read_file ["b.md"]"#);
    // It fits by its name alone, and there is a way out all the same: no other file says more of what was asked.
    assert_eq!(offered(&setup, &step("read_file", "b.md", "gives The boat is blue.")), "READY");
    let several = fitting("Compare the thresholds of all alerts.");
    assert_eq!(offered(&several, ""), r#"answer list_dir read_file ["a.md","b.md","c.md"]"#);
    let named = fitting("What is the threshold in c.md?");
    assert_eq!(offered(&named, ""), r#"list_dir read_file ["c.md"]"#, "what it names comes first");
}

#[test]
fn models_m5_a_search_that_found_something_leaves_the_files_that_it_found() {
    let question = "Search the files for cardamom. Which recipe needs it?";
    let mut setup = asked(question, &["bread.md", "pudding.md", "soup.md"]);
    setup.tools.push(tool("search_text", Effect::Read));
    let found = step("search_text", ".", "gives pudding.md:8: - 4 pods of cardamom");
    assert_eq!(offered(&setup, &found), r#"READY list_dir read_file ["pudding.md"] search_text"#);
    let nothing = step("search_text", ".", "gives No line matches.");
    let all = r#"READY list_dir read_file ["bread.md","pudding.md","soup.md"] search_text"#;
    assert_eq!(offered(&setup, &nothing), all);
}

#[test]
fn models_m5_after_a_no_nothing_is_left_to_do_but_to_say_so() {
    let setup = asked("Write a shopping list to list.md", &["a.md"]);
    let write = "step {\"name\":\"write_file\",\"arguments\":{\"path\":\"list.md\"}}\nwrite list.md milk\n";
    assert_eq!(offered(&setup, &format!("{write}no")), "READY");
    assert!(
        offered(&setup, &format!("{write}yes\ngives done")).contains("read_file"),
        "after a yes the work may go on"
    );
}

#[test]
fn models_m5_a_passage_is_offered_only_by_a_name_that_was_given() {
    let passage = |text: &str| Scored { id: "p3".into(), source: "p3 a.md".into(), text: text.into(), score: 0.5 };
    let properties = |name: &str| serde_json::json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    let search = ToolDefinition {
        parameters: properties("query"),
        paths: Vec::new(),
        repeats: false,
        ..tool("search_library", Effect::Read)
    };
    let read = ToolDefinition {
        parameters: properties("passage"),
        paths: vec![("passage".into(), PathChoice::Passage)],
        ..tool("read_passage", Effect::Read)
    };
    let mut setup = Setup { tools: vec![search, read], ..asked("Where is the tide gauge?", &[]) };
    assert_eq!(offered(&setup, ""), "answer search_library");
    let found = step("search_library", "x", "gives [p12] tide.md, line 4 (0.40)");
    assert_eq!(offered(&setup, &found), r#"READY read_passage ["p12"]"#);
    setup.passages = vec![passage("The gauge is at the pier.")];
    assert_eq!(offered(&setup, ""), r#"answer read_passage ["p3"] search_library"#);
    let read = "step {\"name\":\"read_passage\",\"arguments\":{\"passage\":\"p3\"}}\nread passage p3\ngives p3 a.md:\\nThe boats are red.";
    assert_eq!(offered(&setup, read), "READY search_library", "not once more");
    assert_eq!(offered(&setup, &found), r#"READY read_passage ["p3","p12"]"#);
}
