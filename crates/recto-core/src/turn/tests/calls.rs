//! What happens to a call: prepared, decided, asked for, run, told.

use super::{Play, setup};
use crate::approval::Policy;
use crate::request::Protocol;
use crate::turn::{Ending, Limits, Setup};
use expect_test::{Expect, expect};

fn check(setup: Setup, script: &str, told: Expect) -> Play {
    let play = Play::of(setup, script);
    told.assert_eq(&play.told);
    play
}

#[test]
fn a_read_is_allowed_by_rule_and_recorded_before_and_after() {
    check(
        setup(Protocol::Native),
        r#"call read_file {"path":"README.md"}
           read README.md
           gives make serve
           say READY
           say Run make serve."#,
        expect![[r#"
            send 1 work
              call 1: read_file {"path":"README.md"}
            prepare c1 read_file {"path":"README.md"}
              audit c1: allowed by rule reads_are_allowed
            run c1
              audit c1: Done, 10 bytes
              fact c1: Done make serve
              stale rounds 1
            send 2 work
              composing from 1 facts
            send 3 answer
            end Answered: Run make serve.
        "#]],
    );
}

#[test]
fn permission_p8_a_denied_write_goes_back_to_the_model_as_a_result_and_the_turn_goes_on() {
    let play = check(
        setup(Protocol::Native),
        r#"call write_file {"path":"list.md"}
           write list.md milk
           no
           say READY
           say You said no, so nothing was written."#,
        expect![[r#"
            send 1 work
              call 1: write_file {"path":"list.md"}
            prepare c1 write_file {"path":"list.md"}
            ask c1 list.md
              audit c1: denied by person denied
              fact c1: Refused Refused: the user said no. Nothing was written to list.md. Do not try it again.
              stale rounds 1
            send 2 work
              composing from 1 facts
            send 3 answer
            end Answered: You said no, so nothing was written.
        "#]],
    );
    assert_eq!(
        play.request(2).messages.last().unwrap().text(),
        "Refused: the user said no. Nothing was written to list.md. Do not try it again."
    );
}

#[test]
fn permission_p2_a_write_runs_only_after_the_person_said_yes() {
    check(
        setup(Protocol::Native),
        r#"call write_file {"path":"list.md"}
           write list.md milk
           yes
           gives written"#,
        expect![[r#"
            send 1 work
              call 1: write_file {"path":"list.md"}
            prepare c1 write_file {"path":"list.md"}
            ask c1 list.md
              audit c1: allowed by person approved
            run c1 writing list.md
              audit c1: Done, 7 bytes
              fact c1: Done written
              stale rounds 1
            send 2 work
        "#]],
    );
}

#[test]
fn a_session_in_which_the_person_allows_no_writes_asks_for_none() {
    check(
        Setup { policy: Policy::Never, ..setup(Protocol::Native) },
        r#"call write_file {"path":"list.md"}
           write list.md milk"#,
        expect![[r#"
            send 1 work
              call 1: write_file {"path":"list.md"}
            prepare c1 write_file {"path":"list.md"}
              audit c1: denied by rule writes_refused_by_person
              fact c1: Refused Refused: the user allows no writes in this session. Do not try again; answer without it.
              stale rounds 1
            send 2 work
        "#]],
    );
}

#[test]
fn models_m5_malformed_arguments_go_back_as_invalid_arguments() {
    let play = check(
        setup(Protocol::Native),
        r#"call read_file {"pa
           invalid invalid_arguments: not JSON"#,
        expect![[r#"
            send 1 work
              call 1: read_file {"pa
            prepare c1 read_file {"pa
              fact c1: InvalidArguments invalid_arguments: not JSON
              stale rounds 1
            send 2 work
        "#]],
    );
    assert!(play.ending.is_none());
}

#[test]
fn fault_f31_a_tool_that_is_not_offered_is_refused_with_the_names_of_those_that_are() {
    check(
        setup(Protocol::Native),
        "call shell {}",
        expect![[r#"
            send 1 work
              call 1: shell {}
              fact c1: Failed There is no tool `shell`. The tools are: list_dir, read_file, todo_write, write_file.
              stale rounds 1
            send 2 work
        "#]],
    );
}

#[test]
fn a_forbidden_place_is_denied_by_rule_and_audited() {
    check(
        setup(Protocol::Native),
        r#"call write_file {"path":".git/config"}
           forbidden `.git` is never written to"#,
        expect![[r#"
            send 1 work
              call 1: write_file {"path":".git/config"}
            prepare c1 write_file {"path":".git/config"}
              audit c1: denied by rule place_is_forbidden
              fact c1: Refused Refused: `.git` is never written to.
              stale rounds 1
            send 2 work
        "#]],
    );
}

#[test]
fn the_same_call_is_not_run_again_and_a_model_that_insists_is_ended_with_what_was_found() {
    let again = "call read_file {\"path\":\"a\"}\n";
    let play =
        Play::of(setup(Protocol::Native), &format!("{again}read a\ngives one\n{again}{again}{again}say It says one."));
    assert_eq!(play.told.matches("run c1").count(), 1);
    assert_eq!(play.told.matches("prepare").count(), 1);
    let sentence = "the work was ended early, because the model kept making the same call".to_owned();
    assert_eq!(play.ending, Some((Ending::Limited { sentence }, "It says one.".into())));
}

#[test]
fn permission_p8_a_person_who_said_no_is_not_asked_about_the_very_same_call_again() {
    let again = "call write_file {\"path\":\"a\"}\n";
    let play = Play::of(setup(Protocol::Native), &format!("{again}write a 1\nno\n{again}"));
    assert_eq!(play.told.matches("ask c").count(), 1);
    assert_eq!(
        play.request(3).messages.last().unwrap().text(),
        "This very call was refused already and is not asked for again. Go on without it."
    );
}

#[test]
fn a_file_may_be_read_again_after_something_was_written() {
    let mut written = setup(Protocol::Native);
    written.policy = Policy::Always;
    let mut play = Play::of(
        written,
        "call read_file {\"path\":\"a\"}\nread a\ngives one\ncall write_file {\"path\":\"a\"}\nwrite a two",
    );
    play.feed(crate::turn::Input::Ran {
        outcome: crate::tool::CallOutcome {
            written: Some(crate::text::ContentHash::of(b"two")),
            ..crate::tool::CallOutcome::new(crate::tool::CallStatus::Done, "written", "written")
        },
        places: crate::tool::Places::default(),
    });
    play.line(r#"call read_file {"path":"a"}"#);
    assert!(play.told.ends_with("prepare c3 read_file {\"path\":\"a\"}\n"), "{}", play.told);
}

#[test]
fn a_turn_without_end_is_ended_after_its_rounds_with_an_answer_from_what_was_found() {
    let limits = Limits { n_rounds: 2, ..Limits::default() };
    let play = Play::of(
        Setup { limits, ..setup(Protocol::Native) },
        r#"call read_file {"path":"a"}
           read a
           gives one
           call read_file {"path":"b"}
           read b
           gives two
           say One and two."#,
    );
    let sentence = "the work was ended early, because 2 rounds of tools had been made".to_owned();
    assert_eq!(play.ending, Some((Ending::Limited { sentence: sentence.clone() }, "One and two.".into())));
    assert!(play.answer_request().messages[1].text().contains(&sentence));
}

#[test]
fn a_turn_that_used_up_its_time_before_anything_was_found_says_so() {
    let play = Play::of(setup(Protocol::Native), "late");
    let sentence = "the work was ended early, because the turn had used up its time".to_owned();
    assert_eq!(play.ending, Some((Ending::Limited { sentence }, String::new())));
}

#[test]
fn models_m7_stop_while_a_question_is_open_withdraws_it_and_starts_no_further_tool() {
    check(
        setup(Protocol::Native),
        r#"call write_file {"path":"a"} + read_file {"path":"b"}
           write a 1
           stop"#,
        expect![[r#"
            send 1 work
              call 1: write_file {"path":"a"}
              call 2: read_file {"path":"b"}
            prepare c1 write_file {"path":"a"}
            ask c1 a
              audit c1: denied by person withdrawn
              fact c1: Cancelled the user stopped the turn
              fact c2: Cancelled the user stopped the turn
            end Stopped: 
        "#]],
    );
}

#[test]
fn stop_while_the_answer_is_written_keeps_what_there_was() {
    let play =
        Play::of(setup(Protocol::Native), "call read_file {\"path\":\"a\"}\nread a\ngives one\nsay READY\nstop It sa");
    assert_eq!(play.ending, Some((Ending::Stopped, "It sa".into())));
}

#[test]
fn answer_a9_stop_while_working_never_shows_text_of_the_work_as_an_answer() {
    let play =
        Play::of(setup(Protocol::Native), "call read_file {\"path\":\"a\"}\nread a\ngives one\nstop Let me look");
    assert_eq!(play.ending, Some((Ending::Stopped, String::new())));
}
