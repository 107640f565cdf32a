use super::*;
use crate::context::plan::{ByCharacters, Verdict};
use crate::request::{AnswerTools, Exactness, ModelRequest, Protocol};
use expect_test::expect;

fn profile(window: u32) -> ModelProfile {
    ModelProfile {
        name: "script".into(),
        window,
        protocol: Protocol::Structured,
        takes_trailing_system: true,
        answer_tools: AnswerTools::Omit,
        exactness: Exactness::Estimate,
    }
}

fn exchange(number: u32, question: &str, answer: &str) -> Exchange {
    Exchange { turn: format!("tn_{number}").as_str().into(), question: question.into(), answer: answer.into() }
}

fn trip() -> Vec<Exchange> {
    vec![
        exchange(3, "When does the train leave? Do not book anything.", "At 9:40 from track 3. Ask Ms Dahl."),
        exchange(4, "And back?", "At 18:05."),
    ]
}

fn reply(text: &str) -> Reply {
    Reply { text: text.into(), finish: Finish::Stop, ..Reply::default() }
}

#[test]
fn assembly_e9_a_model_is_given_the_notes_so_far_and_the_exchanges_that_leave() {
    let before = Summary { version: 1, n_exchanges: 2, prose: "They plan a trip.".into(), ..Summary::default() };
    let exchanges = trip();
    let entering = Entering { summary: &before, exchanges: &exchanges, limit: 600 };
    let (plan, envelope) = entering.request(&profile(4_096), &ByCharacters).unwrap();
    let request = ModelRequest::from_plan(&plan, envelope);
    let text: Vec<String> = request.messages.iter().map(crate::request::RequestMessage::text).collect();
    expect![[r#"
        You keep notes of a conversation. You write plain sentences, never a list of rules, and you add nothing of your own.
        ===
        Notes so far:
        (Taken by rule from 2 earlier exchanges; their own words are kept in the record.)
        They plan a trip.

        Then the user asked:
        When does the train leave? Do not book anything.
        The answer was:
        At 9:40 from track 3. Ask Ms Dahl.

        Then the user asked:
        And back?
        The answer was:
        At 18:05.

        Write the notes anew, so that they also cover what was asked and answered last. Say what was wanted, what was found and what was decided, in at most eight short sentences, in the language of the conversation. Put what belongs together into one sentence and do not copy the answers. Keep names, numbers and file names exactly. Write only the notes."#]]
    .assert_eq(&text.join("\n===\n"));
    assert!(request.tools.is_empty());
    expect![[r#"{"type":"object","properties":{"notes":{"type":"array","items":{"type":"string","minLength":1,"maxLength":90},"minItems":1,"maxItems":8}},"required":["notes"],"additionalProperties":false}"#]].assert_eq(&request.step.unwrap().to_string());
    let native = ModelProfile { protocol: Protocol::Native, ..profile(4_096) };
    assert_eq!(entering.request(&native, &ByCharacters).unwrap().1.step, None);
}

#[test]
fn assembly_e9_notes_under_the_schema_are_taken_a_line_each() {
    let exchanges = trip();
    let entering = Entering { summary: &Summary::default(), exchanges: &exchanges, limit: 600 };
    let text = r#"{"notes": ["The user asked for trains.", " ", "One leaves at 9:40."]}"#;
    let written = entering.written(&reply(text), &ByCharacters).unwrap();
    assert_eq!(written.prose, "The user asked for trains.\nOne leaves at 9:40.");
    // A note that filled its limit is taken up to its last whole sentence.
    let full = format!("A train leaves at 9:40. {}", "The one after it leaves from track 1".repeat(4));
    let text = serde_json::json!({"notes": [full.chars().take(90).collect::<String>(), "x".repeat(90)]}).to_string();
    assert_eq!(entering.written(&reply(&text), &ByCharacters).unwrap().prose, "A train leaves at 9:40.");
    let nothing = serde_json::json!({"notes": ["x".repeat(90)]}).to_string();
    assert_eq!(entering.written(&reply(&nothing), &ByCharacters).unwrap_err(), "it holds no text");
}

#[test]
fn assembly_e9_the_summary_call_cannot_overflow_itself() {
    let long: Vec<Exchange> = (0..80).map(|n| exchange(n, "What now?\n", &format!("line {n}\n").repeat(200))).collect();
    for window in [1_024, 2_048, 8_192] {
        let entering = Entering { summary: &Summary::default(), exchanges: &long, limit: window / 7 };
        let (plan, _) = entering.request(&profile(window), &ByCharacters).unwrap();
        assert!(plan.n_tokens + plan.budget.reserve <= window);
        assert!(plan.rows.iter().any(|row| matches!(row.verdict, Verdict::Cut { .. })));
    }
}

#[test]
fn assembly_e9_what_the_prose_loses_of_numbers_names_and_orders_stands_beside_it_word_for_word() {
    let before = Summary {
        version: 2,
        n_exchanges: 2,
        prose: "Room B-04 was chosen.".into(),
        forbidden: vec!["Never call after 20:00.".into()],
        ..Summary::default()
    };
    let exchanges = trip();
    let entering = Entering { summary: &before, exchanges: &exchanges, limit: 600 };
    let written = entering.written(&reply("The user asked for trains; one leaves at 9:40.\n"), &ByCharacters).unwrap();
    expect![[r#"
        (Written by a model about 4 earlier exchanges; their own words are kept in the record.)
        The user asked for trains; one leaves at 9:40.
        Numbers, names and paths: B-04, 3, Ms, Dahl, 18:05
        The user said:
        - “Never call after 20:00.”
        - “Do not book anything.”"#]]
    .assert_eq(&written.text());
    assert_eq!((written.version, written.until), (3, Some("tn_4".into())));
    let small = Entering { limit: 50, ..entering };
    let written = small.written(&reply("Trains."), &ByCharacters).unwrap();
    assert!(ByCharacters.count(&written.text()) <= 50 && written.marks.is_empty(), "{}", written.text());
    assert!(written.forbidden.contains(&"Do not book anything.".to_owned()), "what was forbidden goes last");
}

#[test]
fn assembly_e9_a_reply_that_is_no_summary_is_not_taken() {
    let exchanges = trip();
    let entering = Entering { summary: &Summary::default(), exchanges: &exchanges, limit: 100 };
    let why = |reply: &Reply| entering.written(reply, &ByCharacters).unwrap_err();
    assert_eq!(why(&reply("  \n")), "it holds no text");
    assert_eq!(why(&reply(&"word ".repeat(200))), "it is longer than its share");
    assert_eq!(why(&Reply { finish: Finish::Length, ..reply("They spoke of") }), "it is longer than its share");
    assert_eq!(why(&reply("Trains.\nTrains.\nTrains.")), "it repeats itself");
}
