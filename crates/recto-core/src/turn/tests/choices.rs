//! What a small model may choose at each moment of a turn.

use super::{Play, setup};
use crate::request::Protocol;
use crate::tool::Places;
use crate::turn::Setup;

#[test]
fn models_m5_a_step_offers_ready_only_when_something_was_done_and_not_right_after_a_failure() {
    let offered = |script: &str| {
        let question = "Plan it, then write the file.".to_owned();
        let play = Play::of(Setup { question, ..setup(Protocol::Structured) }, script);
        let step = play.requests.last().unwrap().envelope.step.clone().unwrap();
        let names: Vec<String> = step["anyOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|choice| choice["properties"]["name"]["const"].as_str().unwrap().to_owned())
            .collect();
        names.join(" ")
    };
    let step = |name: &str| format!("step {{\"name\":\"{name}\",\"arguments\":{{\"path\":\"{name}\"}}}}\nread a\n");
    assert_eq!(offered(""), "answer list_dir read_file todo_write write_file");
    assert_eq!(offered(&format!("{}gives x", step("read_file"))), "READY list_dir read_file todo_write write_file");
    assert_eq!(offered(&format!("{}gives x", step("list_dir"))), "READY read_file todo_write write_file");
    let failed = format!("{}fails no", step("read_file"));
    assert_eq!(offered(&failed), "list_dir read_file todo_write write_file");
    assert_eq!(
        offered(&format!("{failed}\n{}fails no", step("list_dir"))),
        "READY read_file todo_write write_file",
        "two failures in a row leave a way out"
    );
}

#[test]
fn models_m5_a_file_that_the_question_names_and_that_is_not_there_can_be_asked_for_and_its_absence_ends_the_work() {
    let places = Places { files: vec!["data/sites.csv".into()], folders: vec![".".into()] };
    let question = "Read budget.csv and tell me the total.".to_owned();
    let offered = |script: &str| {
        let play = Play::of(
            Setup { question: question.clone(), places: places.clone(), ..setup(Protocol::Structured) },
            script,
        );
        let step = play.requests.last().unwrap().envelope.step.clone().unwrap();
        let choices = step["anyOf"].as_array().unwrap().clone();
        let of = |choice: &serde_json::Value| {
            let name = choice["properties"]["name"]["const"].as_str().unwrap().to_owned();
            match choice.pointer("/properties/arguments/properties/path/enum") {
                Some(paths) if name == "read_file" => format!("{name} {paths}"),
                _ => name,
            }
        };
        choices.iter().map(of).collect::<Vec<String>>().join(" ")
    };
    assert_eq!(offered(""), r#"answer list_dir read_file ["budget.csv","data/sites.csv"]"#);
    let missing =
        "step {\"name\":\"read_file\",\"arguments\":{\"path\":\"budget.csv\"}}\nread a\nfails There is no file.";
    assert_eq!(offered(missing), r#"READY list_dir read_file ["data/sites.csv"]"#);
}

#[test]
fn models_m5_a_question_that_asks_for_no_change_and_no_plan_is_not_offered_one() {
    let step = Play::of(setup(Protocol::Structured), "").requests[0].envelope.step.clone().unwrap().to_string();
    assert!(step.contains("read_file") && !step.contains("write_file") && !step.contains("todo_write"), "{step}");
}

#[test]
fn models_m5_a_small_model_cannot_go_in_circles() {
    let question = "Set up a TODO list, then read a.md and b.md.".to_owned();
    let places = Places { files: vec!["a.md".into(), "b.md".into()], folders: vec![".".into()] };
    let started = || Setup { question: question.clone(), places: places.clone(), ..setup(Protocol::Structured) };
    let offered = |script: &str| {
        let play = Play::of(started(), script);
        let step = play.requests.last().unwrap().envelope.step.clone().unwrap();
        let names: Vec<&str> = step["anyOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|choice| choice["properties"]["name"]["const"].as_str().unwrap())
            .collect();
        names.join(" ")
    };
    let list = r#"step {"name":"todo_write","arguments":{"todos":[{"content":"a","status":"pending"}]}}"#;
    assert_eq!(offered(""), "todo_write", "a question that names the list begins with it");
    assert_eq!(offered(list), "list_dir read_file", "the list is not offered again before something was found");
    let read = "step {\"name\":\"read_file\",\"arguments\":{\"path\":\"a.md\"}}\nread a.md\ngives one";
    assert_eq!(offered(&format!("{list}\n{read}")), "list_dir read_file", "a file that the question names is unread");
    let both = format!("{list}\n{read}\n{}", read.replace("a.md", "b.md"));
    assert_eq!(offered(&both), "READY", "the files that the question names are read, so the work is done");
}

#[test]
fn models_m5_a_file_that_holds_what_the_question_speaks_of_ends_the_looking() {
    let question = "What is the threshold for alerts?".to_owned();
    let offered = |text: &str| {
        let script = format!("step {{\"name\":\"read_file\",\"arguments\":{{\"path\":\"a\"}}}}\nread a\ngives {text}");
        let play = Play::of(Setup { question: question.clone(), ..setup(Protocol::Structured) }, &script);
        play.requests.last().unwrap().envelope.step.clone().unwrap().to_string()
    };
    assert!(!offered("The threshold for an alert is 4.2 metres.").contains("read_file"));
    assert!(offered("The boat is blue.").contains("read_file"));
}

#[test]
fn models_m5_the_work_goes_on_while_nothing_that_was_read_speaks_of_what_was_asked() {
    let question = "What is the threshold for alerts?".to_owned();
    let files = ["a", "b", "c", "d"].map(|name| format!("{name}.md")).to_vec();
    let places = Places { files, folders: vec![".".into()] };
    let may_end = |texts: &[&str]| {
        let steps = texts.iter().zip(&places.files).map(|(text, path)| {
            format!(
                "step {{\"name\":\"read_file\",\"arguments\":{{\"path\":\"{path}\"}}}}\nread {path}\ngives {text}\n"
            )
        });
        let setup = Setup { question: question.clone(), places: places.clone(), ..setup(Protocol::Structured) };
        let play = Play::of(setup, &steps.collect::<String>());
        play.requests.last().unwrap().envelope.step.clone().unwrap().to_string().contains("READY")
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
    let files = ["a", "b", "c"].map(|name| format!("{name}.md")).to_vec();
    let places = Places { files, folders: vec![".".into()] };
    let offered = |question: &str, script: &str| {
        let setup = Setup {
            question: question.to_owned(),
            places: places.clone(),
            fitting: vec!["b.md".into()],
            ..setup(Protocol::Structured)
        };
        Play::of(setup, script).requests.last().unwrap().envelope.step.clone().unwrap().to_string()
    };
    let question = "What is the threshold for alerts?";
    assert!(offered(question, "").contains(r#""enum":["b.md"]"#));
    let read = "step {\"name\":\"read_file\",\"arguments\":{\"path\":\"b.md\"}}\nread b.md\ngives The boat is blue.";
    assert!(!offered(question, read).contains("read_file"), "no other file says more of what was asked");
    assert!(offered(question, read).contains("READY"), "it fits by its name alone, and there is a way out");
    assert!(offered("Compare the thresholds of all alerts.", "").contains(r#""enum":["a.md","b.md","c.md"]"#));
    assert!(offered("What is the threshold in c.md?", "").contains(r#""enum":["c.md"]"#), "what it names comes first");
}

#[test]
fn models_m5_a_search_that_found_something_leaves_the_files_that_it_found() {
    let question = "Search the files for cardamom. Which recipe needs it?".to_owned();
    let files = ["bread.md", "pudding.md", "soup.md"].map(str::to_owned).to_vec();
    let places = Places { files, folders: vec![".".into()] };
    let offered = |found: &str| {
        let step = r#"{"name":"search_text","arguments":{"pattern":"cardamom","path":"."}}"#;
        let script = format!("step {step}\nread cardamom\ngives {found}");
        let mut setup = Setup { question: question.clone(), places: places.clone(), ..setup(Protocol::Structured) };
        setup.tools.push(super::tool("search_text", crate::tool::Effect::Read));
        Play::of(setup, &script).requests.last().unwrap().envelope.step.clone().unwrap().to_string()
    };
    assert!(offered("pudding.md:8: - 4 pods of cardamom").contains(r#""enum":["pudding.md"]"#));
    assert!(offered("No line matches.").contains(r#""enum":["bread.md","pudding.md","soup.md"]"#));
}
