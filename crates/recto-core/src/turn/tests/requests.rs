//! What the two kinds of request are made of.

use super::{Play, setup};
use crate::context::block::{BlockKind, Role};
use crate::context::plan::Verdict;
use crate::conversation::Exchange;
use crate::request::{ModelRequest, Part, Protocol, Purpose};
use crate::todo::{TodoList, TodoState};
use crate::turn::{Ending, Setup};
use expect_test::expect;
use std::sync::Arc;

const LOOKED: &str = "call read_file {\"path\":\"a\"}\nread a\ngives 3 < 4 & \"quoted\"\\nline two\n";

fn exchange(number: u32) -> Exchange {
    Exchange {
        turn: format!("tn_{number}").as_str().into(),
        question: format!("question {number}"),
        answer: format!("answer {number}"),
    }
}

fn with_history(n: u32) -> Setup {
    Setup { history: (1..=n).map(exchange).collect(), ..setup(Protocol::Native) }
}

fn roles(request: &ModelRequest) -> String {
    let words: Vec<&str> = request.messages.iter().map(|message| message.role.as_str()).collect();
    words.join(" ")
}

#[test]
fn assembly_e1_one_system_message_first_then_history_then_the_question() {
    let play = Play::of(with_history(2), LOOKED);
    assert_eq!(roles(&play.request(1)), "system user assistant user assistant user");
    assert_eq!(play.request(1).messages.last().unwrap().text(), "How do I run it?");
    assert_eq!(roles(&play.request(2)), "system user assistant user assistant user assistant tool");
}

#[test]
fn assembly_e2_the_parts_of_the_system_message_come_in_their_order_and_an_empty_one_leaves_nothing() {
    let knowing = |knowledge: &str, instructions: &str| {
        let setup = Setup { instructions: instructions.into(), knowledge: knowledge.into(), ..setup(Protocol::Native) };
        Play::of(setup, "").request(1).messages[0].text()
    };
    let rules = crate::prompt::native();
    let language = crate::prompt::language_auto();
    assert_eq!(
        knowing("The boat is blue.", "Be brief."),
        format!("Be brief.\n\n{rules}\n\n# Always keep in mind\n\nThe boat is blue.\n\n{language}")
    );
    assert_eq!(knowing("", "Be brief."), format!("Be brief.\n\n{rules}\n\n{language}"));
    assert_eq!(knowing("  \n", ""), format!("{rules}\n\n{language}"));
}

#[test]
fn assembly_e11_every_block_has_one_verdict_and_the_kept_ones_tile_the_messages() {
    let play = Play::of(with_history(3), &format!("{LOOKED}say READY"));
    for number in 1..=play.requests.len() {
        let plan = &play.requests[number - 1].plan;
        let request = play.request(number);
        let mut ids: Vec<&str> = plan.rows.iter().map(|row| row.block.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), plan.rows.len(), "ids are unique in request {number}");
        let placed: String = plan.rows.iter().filter_map(|row| row.placed.clone()).collect();
        let sent: String = request
            .messages
            .iter()
            .flat_map(|message| &message.parts)
            .map(|part| match part {
                Part::Text { text, .. } | Part::Call { arguments: text, .. } | Part::Thought { json: text, .. } => {
                    text.as_str()
                }
            })
            .collect();
        assert_eq!(placed, sent);
        for row in &plan.rows {
            assert_eq!(row.placed.is_none(), matches!(row.verdict, Verdict::Dropped { .. }), "{:?}", row.block.id);
        }
    }
}

#[test]
fn assembly_e13_the_same_state_gives_the_same_system_message_and_tools_at_any_time() {
    let (first, second) = (Play::of(with_history(1), ""), Play::of(with_history(1), ""));
    assert_eq!(first.request(1), second.request(1));
    let names: Vec<String> = first.request(1).tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["list_dir", "read_file", "todo_write", "write_file"]);
}

#[test]
fn assembly_e14_within_a_turn_each_request_is_a_prefix_of_the_next() {
    let script = "call read_file {\"path\":\"a\"}\nread a\ngives one\ncall read_file {\"path\":\"b\"}\nread b\ngives two\n\
                  call list_dir {}\nread .\ngives x\ncall read_file {\"path\":\"c\"}\nread c\ngives three";
    let play = Play::of(with_history(1), script);
    assert_eq!(play.requests.len(), 5);
    for number in 1..play.requests.len() {
        let (this, next) = (play.request(number), play.request(number + 1));
        let without_reminder = this.messages.len() - usize::from(play.requests[number - 1].has_reminder);
        assert_eq!(this.messages[..without_reminder], next.messages[..without_reminder], "request {number}");
        assert_eq!(this.tools, next.tools);
    }
}

#[test]
fn assembly_e15_results_that_outgrow_the_window_become_one_line_and_stay_facts() {
    let mut small = with_history(6);
    small.profile.window = 1_600;
    small.limits.step_tokens = 100;
    small.limits.answer_tokens = 100;
    let text = "a line of some length that is in the file\\n".repeat(20);
    let read = |name: &str| format!("call read_file {{\"path\":\"{name}\"}}\nread {name}\ngives {name}: {text}");
    let script = ["a", "b", "c", "d", "e"].map(read).join("\n");
    let play = Play::of(small.clone(), &script);
    let last = play.requests.last().unwrap();
    let stubbed: Vec<&str> = last
        .plan
        .rows
        .iter()
        .filter(|row| matches!(row.verdict, Verdict::Cut { kept_lines: 0, .. }))
        .map(|row| row.block.id.as_str())
        .collect();
    assert_eq!(stubbed, ["result/c1", "result/c2", "result/c3"]);
    let told = play.request(play.requests.len());
    let stub = "[The result of read_file {\"path\":\"a\"} (843 bytes) was left out here for want of room. It is kept for the answer.]";
    assert!(told.messages.iter().any(|message| message.text() == stub));
    // What stood before the question in the first request stands there still.
    let n_head = play.request(1).messages.len();
    assert_eq!(play.request(1).messages[..n_head], told.messages[..n_head]);
    // It may be asked for again, and the answer request has it whole.
    let again = Play::of(small.clone(), &format!("{script}\ncall read_file {{\"path\":\"a\"}}"));
    assert!(!again.told.contains("You have made this very call already"), "{}", again.told);
    small.profile.window = 8_192;
    let answer = Play::of(small, &format!("{script}\nsay READY")).answer_request();
    assert!(answer.messages[1].text().contains(&format!("a: {}", text.replace("\\n", "\n"))));
}

#[test]
fn assembly_e14_what_is_dropped_is_decided_once_in_a_turn() {
    let mut small = with_history(60);
    small.profile.window = 1_400;
    small.limits.step_tokens = 100;
    let script =
        "call read_file {\"path\":\"a\"}\nread a\ngives one\ncall read_file {\"path\":\"b\"}\nread b\ngives two";
    let play = Play::of(small, script);
    let dropped = |number: usize| {
        let rows = play.requests[number - 1].plan.rows.iter();
        rows.filter(|row| matches!(row.verdict, Verdict::Dropped { order, .. } if order > 0)).count()
    };
    assert!(dropped(1) > 0, "not all fits");
    assert_eq!((dropped(1), dropped(1)), (dropped(2), dropped(3)));
    let n_head = play.request(1).messages.len();
    assert_eq!(play.request(1).messages, play.request(3).messages[..n_head]);
    let plan = &play.requests[0].plan;
    assert!(
        plan.n_tokens <= plan.budget.fold_to,
        "down to the fold target: {} of {}",
        plan.n_tokens,
        plan.budget.fold_to
    );
}

#[test]
fn assembly_e9_the_exchanges_that_are_dropped_are_exactly_those_in_the_summary_before_the_request_goes_out() {
    for window in [1_200, 1_300, 1_500, 2_000, 2_600] {
        let mut small = with_history(60);
        small.profile.window = window;
        small.limits.step_tokens = 100;
        let play = Play::of(small, "");
        let plan = &play.requests[0].plan;
        let system = play.request(1).messages[0].text();
        let (summary, exchanges) = play.folded.map(|folded| (folded.summary, folded.exchanges)).unwrap_or_default();
        let told = system.split_once("# Earlier in this conversation, in short\n\n").map_or("", |(_, rest)| rest);
        assert_eq!(told, summary.text());
        for number in 1..=60 {
            let id = format!("history/tn_{number}/question");
            let is_sent = plan.rows.iter().any(|row| row.block.id.as_str() == id && row.placed.is_some());
            let turn = crate::id::TurnId(format!("tn_{number}"));
            let n_folded = exchanges.iter().filter(|other| **other == turn).count();
            assert_eq!(n_folded, usize::from(!is_sent), "window {window}, exchange {number}: {system}");
        }
        assert_eq!(summary.until.as_ref(), exchanges.last());
        assert!(plan.n_tokens <= plan.budget.room());
    }
    assert!(!Play::of(with_history(3), "").request(1).messages[0].text().contains("in short"), "all fits");
}

#[test]
fn assembly_e8_a_pasted_question_of_200_kb_is_cut_in_both_requests_and_leaves_room_for_the_facts() {
    let pasted: String = (0..20_000).map(|number| format!("row {number:05}\n")).collect();
    let question = format!("Which row is odd?\n{pasted}Say which.");
    let script = "call read_file {\"path\":\"a\"}\nread a\ngives the fact that was found\nsay READY";
    let play = Play::of(Setup { question: question.clone(), ..setup(Protocol::Native) }, script);
    for (number, request) in [(1, play.request(1)), (3, play.answer_request())] {
        let text = request.messages.last().unwrap().text();
        assert!(
            text.contains("Which row is odd?\nrow 00000\n") && text.ends_with("row 19999\nSay which."),
            "request {number}"
        );
        assert!(text.contains(" tokens are shown; the middle is left out]"), "request {number}");
        let plan = &play.requests[number - 1].plan;
        assert!(plan.n_tokens <= plan.budget.room());
    }
    assert!(play.answer_request().messages[1].text().contains("the fact that was found"));
}

#[test]
fn assembly_e16_an_unfinished_list_enters_the_question_once_and_never_the_system_message() {
    let list = TodoList::read(r#"{"todos":[{"content":"编写 README","status":"pending"}]}"#).unwrap();
    let todo = TodoState { list: Arc::new(list.clone()), ..TodoState::default() };
    let play = Play::of(Setup { todo, ..setup(Protocol::Native) }, LOOKED);
    let snapshot = list.snapshot();
    for number in [1, 2] {
        let request = play.request(number);
        assert_eq!(
            request.messages[1].text(),
            format!("How do I run it?\n\nYour unfinished TODO list from earlier:\n{snapshot}")
        );
        let whole: String = request.messages.iter().map(crate::request::RequestMessage::text).collect();
        assert_eq!(whole.matches(&snapshot).count(), 1);
    }
    let done = TodoList::read(r#"{"todos":[{"content":"a","status":"done"}]}"#).unwrap();
    let todo = TodoState { list: Arc::new(done), ..TodoState::default() };
    let play = Play::of(Setup { todo, ..setup(Protocol::Native) }, "");
    assert_eq!(play.request(1).messages[1].text(), "How do I run it?");
}

#[test]
fn assembly_e17_an_assistants_arguments_go_back_byte_for_byte() {
    let odd = r#"{ "path" :  "a\u00e4.md" }"#;
    let play = Play::of(setup(Protocol::Native), &format!("call read_file {odd}\nread a\ngives x"));
    let request = play.request(2);
    let sent = request.messages[2].parts.iter().find_map(|part| match part {
        Part::Call { arguments, .. } => Some(arguments.as_str()),
        Part::Text { .. } | Part::Thought { .. } => None,
    });
    assert_eq!(sent, Some(odd));
    let step = r#"{"name": "read_file",   "arguments": {"path":"a"}}"#;
    let play = Play::of(setup(Protocol::Structured), &format!("step {step}\nread a\ngives x"));
    assert_eq!(play.request(2).messages[2].text(), step);
}

#[test]
fn assembly_e15_a_single_result_is_cut_to_its_share_and_says_so_while_the_fact_stays_whole() {
    let mut small = setup(Protocol::Native);
    small.profile.window = 4_096;
    let rows: String = (1..=900).map(|n| format!("row {n}\\n")).collect();
    let play = Play::of(small, &format!("call read_file {{\"path\":\"a\"}}\nread a\ngives {rows}\nsay READY"));
    let result = play.requests[1].plan.rows.last().unwrap();
    let Verdict::Cut { kept_lines, of_lines } = result.verdict else { panic!("not cut") };
    assert_eq!(of_lines, 900);
    let placed = result.placed.as_ref().unwrap();
    assert!(placed.ends_with(&format!("row {kept_lines}\n[cut: lines 1–{kept_lines} of 900]\n")), "{placed}");
    assert!(result.block.text.contains("row 900"), "the record keeps it whole");
}

#[test]
fn answer_a1_text_without_a_tool_is_the_answer_and_there_is_no_second_request() {
    let play = Play::of(setup(Protocol::Native), "say Four.");
    assert_eq!(play.ending, Some((Ending::Answered, "Four.".into())));
    assert_eq!(play.requests.len(), 1);
    let play = Play::of(setup(Protocol::Structured), r#"step {"name":"answer","arguments":{"text":"Four."}}"#);
    assert_eq!(play.ending, Some((Ending::Answered, "Four.".into())));
    assert_eq!(play.requests.len(), 1);
}

#[test]
fn answer_a1_after_a_tool_the_answer_comes_from_a_request_without_tool_traffic() {
    let play = Play::of(setup(Protocol::Native), &format!("{LOOKED}say I think it is make serve.\nsay Make serve."));
    assert_eq!(play.ending, Some((Ending::Answered, "Make serve.".into())));
    let request = play.answer_request();
    assert_eq!(roles(&request), "system user");
    assert!(!request.may_call);
    let whole = request.messages[1].text();
    assert!(!whole.contains("I think it is"), "the draft is thrown away");
    assert!(request.messages.iter().flat_map(|m| &m.parts).all(|part| matches!(part, Part::Text { .. })));
}

#[test]
fn answer_a2_the_message_holds_context_list_facts_and_the_question_last() {
    let list = "call todo_write {\"todos\":[{\"content\":\"look\",\"status\":\"done\"}]}\n";
    let play = Play::of(with_history(3), &format!("{list}{LOOKED}say READY"));
    let request = play.answer_request();
    assert_eq!(request.messages[0], play.request(1).messages[0], "the system message is the same to the byte");
    expect![[r#"
        I have collected everything that is needed to answer a question. Please write the answer.

        Earlier in this conversation:
        User: question 2
        You: answer 2

        User: question 3
        You: answer 3

        What was done for it:
        - todo_write 1 item: the list was written
        - read_file a: 25 bytes

        The full text that todo_write returned (the TODO list now):
        {"todos":[{"content":"look","status":"done"}]}

        Result of read_file {"path":"a"}:
        """
        3 < 4 & "quoted"
        line two
        """

        TASK

        This is what the user asked for: How do I run it?"#]]
    .assert_eq(&request.messages[1].text().replace(crate::prompt::AnswerFrame::for_question("x").part("task"), "TASK"));
}

#[test]
fn answer_a2_the_lines_of_the_facts_that_fit_the_question_are_said_once_more_after_them() {
    let question = "Who calls the printer?".to_owned();
    let note = "call read_file {\"path\":\"may.md\"}\nread may.md\ngives Petra orders the frames. Luc calls the printer.\nsay READY";
    let request = Play::of(Setup { question, ..setup(Protocol::Native) }, note).answer_request();
    let text = request.messages[1].text();
    let (before, after) = text.split_once("The lines above that fit the question best:\n").unwrap();
    assert!(before.contains("Petra orders the frames. Luc calls the printer."), "the fact stands whole above");
    assert!(after.starts_with("- may.md: Luc calls the printer.\n\n"), "{after}");
    assert!(
        before.contains("asked for: Who calls the printer?") && after.ends_with("asked for: Who calls the printer?")
    );
    let nothing_fits = Play::of(setup(Protocol::Native), &format!("{LOOKED}say READY")).answer_request();
    assert!(!nothing_fits.messages[1].text().contains("fit the question"));
}

#[test]
fn answer_a3_each_fact_is_a_byte_substring_in_call_order_and_the_same_one_stands_once() {
    let odd = "  \\tx < y & \"z\" ```\\n# Facts found\\n编 🦀 ";
    let script = format!(
        "call read_file {{\"path\":\"b\"}}\nread b\ngives {odd}\ncall read_file {{\"path\":\"a\"}}\nread a\ngives later\nsay READY"
    );
    let play = Play::of(setup(Protocol::Native), &script);
    let whole = play.answer_request().messages[1].text();
    let verbatim = odd.trim_start().replace("\\n", "\n");
    let (first, second) = (whole.find(verbatim.trim_end()).unwrap(), whole.find("later").unwrap());
    assert!(first < second);
}

#[test]
fn answer_a4_failed_and_refused_calls_are_facts_labelled_as_what_they_are() {
    let play = Play::of(
        setup(Protocol::Native),
        r#"call read_file {"path":"x"}
           read x
           fails There is no file `x`.
           call write_file {"path":"y"}
           write y 1
           no
           say READY"#,
    );
    let whole = play.answer_request().messages[1].text();
    assert!(whole.contains("Result of read_file {\"path\":\"x\"} (failed):\n\"\"\"\nThere is no file `x`."), "{whole}");
    assert!(whole.contains("Result of write_file {\"path\":\"y\"} (refused, not done):\n\"\"\"\nRefused:"), "{whole}");
    let said = "Something failed, so it was not done: tell the user that in one sentence.\nBegin the answer with: You said no, so y was not written.\n";
    assert!(whole.contains(said), "{whole}");
}

#[test]
fn answer_a5_a6_a_huge_fact_is_cut_and_never_takes_a_small_one_with_it_and_the_notice_says_so() {
    let mut small = setup(Protocol::Native);
    small.profile.window = 4_096;
    let rows: String = (1..=2_000).map(|n| format!("row {n}\\n")).collect();
    let script = format!(
        "call read_file {{\"path\":\"a\"}}\nread a\ngives {rows}\ncall read_file {{\"path\":\"b\"}}\nread b\ngives the small one\nsay READY"
    );
    let play = Play::of(small, &script);
    let sent = play.requests.last().unwrap();
    let whole = play.answer_request().messages[1].text();
    assert!(whole.contains("the small one"));
    let cut = sent.plan.rows.iter().find_map(|row| match (row.block.kind, row.verdict) {
        (BlockKind::Fact, Verdict::Cut { kept_lines, of_lines }) => Some((kept_lines, of_lines)),
        _ => None,
    });
    let (kept, of) = cut.unwrap();
    assert!(whole.contains(&format!("[cut: lines 1–{kept} of {of}]")));
    let notice = crate::prompt::AnswerFrame::for_question("x").part("cut");
    assert!(whole.contains(&format!("{notice}\n- read_file a: lines 1–{kept} of {of}\n")), "{whole}");
    assert!(sent.plan.n_tokens + sent.plan.budget.reserve <= sent.plan.budget.window);
}

#[test]
fn answer_a6_without_a_cut_there_is_no_notice() {
    let play = Play::of(setup(Protocol::Native), &format!("{LOOKED}say READY"));
    let notice = crate::prompt::AnswerFrame::for_question("x").part("cut");
    assert!(!play.answer_request().messages[1].text().contains(notice));
}

#[test]
fn answer_a7_a_tool_call_in_the_answer_is_asked_again_once_without_tools_and_then_shown_as_a_failure() {
    let again = format!("{LOOKED}say READY\ncall read_file {{\"path\":\"b\"}}\n");
    let play = Play::of(setup(Protocol::Native), &format!("{again}say Make serve."));
    assert_eq!(play.ending, Some((Ending::Answered, "Make serve.".into())));
    assert_eq!(play.told.matches("run ").count(), 1, "the call in the answer never ran");
    let answers: Vec<&crate::turn::Outgoing> =
        play.requests.iter().filter(|sent| sent.plan.purpose == Purpose::Answer).collect();
    assert_eq!(answers.len(), 2);
    assert!(!answers[0].envelope.tools.is_empty() && answers[1].envelope.tools.is_empty());

    let play = Play::of(setup(Protocol::Native), &format!("{again}call read_file {{\"path\":\"b\"}}"));
    assert!(matches!(play.ending, Some((Ending::Failed { .. }, ref answer)) if answer.is_empty()), "{:?}", play.ending);
}

#[test]
fn answer_a8_later_turns_hold_the_question_and_the_answer_and_nothing_of_the_way_there() {
    let play = Play::of(with_history(1), "");
    let history: Vec<(Role, String)> =
        play.request(1).messages[1..3].iter().map(|message| (message.role, message.text())).collect();
    assert_eq!(history, [(Role::User, "question 1".into()), (Role::Assistant, "answer 1".into())]);
}

#[test]
fn answer_a10_what_was_done_precedes_the_facts_and_the_word_ready_ends_the_work() {
    for ready in ["say READY", "say  READY. "] {
        let play = Play::of(setup(Protocol::Native), &format!("{LOOKED}{ready}"));
        let whole = play.answer_request().messages[1].text();
        assert!(whole.find("What was done for it").unwrap() < whole.find("Result of").unwrap());
    }
    let play = Play::of(
        setup(Protocol::Structured),
        "step {\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\nread a\ngives x\nstep {\"name\":\"READY\"}",
    );
    assert_eq!(play.requests.last().unwrap().plan.purpose, Purpose::Answer);
    assert!(crate::prompt::native().contains("READY") && crate::prompt::structured().contains("READY"));
}

#[test]
fn models_m5_a_step_that_was_cut_off_goes_back_and_a_model_that_cannot_do_it_is_not_asked_for_ever() {
    let cut = "cut {\"name\":\"write_file\",\"arguments\":{\"pa\n";
    let play = Play::of(setup(Protocol::Structured), cut);
    assert_eq!(
        play.request(2).messages.last().unwrap().text(),
        "invalid_arguments: that step was cut off at its length limit. Make it shorter."
    );
    let play = Play::of(setup(Protocol::Structured), &cut.repeat(3));
    assert!(matches!(play.ending, Some((Ending::Failed { .. }, _))));
}

#[test]
fn an_answer_that_was_wrapped_into_a_step_and_cut_off_stays_as_the_text_that_was_seen() {
    let half = r#"{"name":"answer","arguments":{"text":"Hello, the sea"#;
    let play = Play::of(setup(Protocol::Structured), &format!("cut {half}"));
    let length = Ending::Limited { sentence: "the answer reached its length limit and ends early".into() };
    assert_eq!(play.ending, Some((length.clone(), "Hello, the sea".into())));
    let step = r#"step {"name":"read_file","arguments":{"path":"a"}}"#;
    let found = format!("{step}\nread a\ngives x\nstep {{\"name\":\"READY\"}}");
    let play = Play::of(setup(Protocol::Structured), &format!("{found}\ncut {half}"));
    assert_eq!(play.ending, Some((length, "Hello, the sea".into())));
    let play = Play::of(setup(Protocol::Structured), &format!("{found}\nstop {half}"));
    assert_eq!(play.ending, Some((Ending::Stopped, "Hello, the sea".into())));
}

#[test]
fn models_m8_reasoning_never_enters_a_later_request() {
    let mut play = Play::of(setup(Protocol::Native), "");
    let calls = super::native_calls("read_file {\"path\":\"a\"}");
    let reply = crate::reply::Reply { reasoning: "the user wants".into(), calls, ..crate::reply::Reply::default() };
    play.feed(crate::turn::Input::Replied(reply));
    play.line("read a");
    play.line("gives x");
    play.line("say READY");
    for number in 1..=play.requests.len() {
        assert!(!format!("{:?}", play.request(number)).contains("the user wants"));
    }
}
