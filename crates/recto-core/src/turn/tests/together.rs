//! Several writes of one reply on one card.

use super::*;

fn told(script: &str) -> String {
    let mut play = Play::of(setup(Protocol::Native), "");
    play.told.clear();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        play.line(line);
    }
    play.told
}

const THREE: &str = r#"call write_file {"path":"a"} + write_file {"path":"b"} + write_file {"path":"c"}"#;

#[test]
fn permission_p9_three_writes_of_one_reply_are_asked_for_together_and_the_middle_one_can_be_denied() {
    let script = format!("{THREE}\nwrite a 1\nwrite b 2\nwrite c 3\nanswers yes no yes\ngives one\ngives three");
    expect_test::expect![[r#"
          call 1: write_file {"path":"a"}
          call 2: write_file {"path":"b"}
          call 3: write_file {"path":"c"}
        prepare c1 write_file {"path":"a"}
        prepare c2 write_file {"path":"b"}
        prepare c3 write_file {"path":"c"}
        ask together c1 a, c2 b, c3 c
          audit c1: allowed by person approved
        run c1 writing a
          audit c1: Done, 3 bytes
          fact c1: Done one
          audit c2: denied by person denied
          fact c2: Refused Refused: the user said no. Nothing was written to b. Do not try it again.
          audit c3: allowed by person approved
        run c3 writing c
          audit c3: Done, 5 bytes
          fact c3: Done three
          stale rounds 1
        send 2 work
    "#]]
    .assert_eq(&told(&script));
}

#[test]
fn permission_p9_a_second_write_to_the_same_file_is_frozen_after_the_first_was_made() {
    let script = r#"
        call write_file {"path":"a"} + write_file {"path":"a","more":1} + write_file {"path":"b"}
        write a 1
        write a 2
        yes
        gives one
        write a 2
        write b 3
        answers no yes
        gives two
    "#;
    let told = told(script);
    let asked: Vec<&str> = told.lines().filter(|line| line.starts_with("ask") || line.starts_with("run")).collect();
    assert_eq!(asked, ["ask c1 a", "run c1 writing a", "ask together c2 a, c3 b", "run c3 writing b"]);
}

#[test]
fn permission_p9_a_read_between_two_writes_is_done_between_them() {
    let script = r#"
        call write_file {"path":"a"} + read_file {"path":"a"} + write_file {"path":"b"}
        write a 1
        yes
        gives one
        read a
        gives 1
        write b 3
        no
    "#;
    let told = told(script);
    let done: Vec<&str> = told.lines().filter(|line| !line.starts_with(' ')).collect();
    let expected = [
        "prepare c1 write_file {\"path\":\"a\"}",
        "ask c1 a",
        "run c1 writing a",
        "prepare c2 read_file {\"path\":\"a\"}",
        "run c2",
        "prepare c3 write_file {\"path\":\"b\"}",
        "ask c3 b",
        "send 2 work",
    ];
    assert_eq!(done, expected);
}

#[test]
fn permission_p9_a_call_that_cannot_be_prepared_is_prepared_again_after_the_writes_before_it() {
    let script = r#"
        call write_file {"path":"a"} + write_file {"path":"b"} + write_file {"path":".git/x"}
        write a 1
        write b 2
        forbidden git keeps its own files
        answers yes yes
        gives one
        gives two
        forbidden git keeps its own files
    "#;
    let told = told(script);
    assert_eq!(told.matches("prepare c3").count(), 2, "{told}");
    assert_eq!(told.matches("audit c3: denied by rule place_is_forbidden").count(), 1, "{told}");
}

#[test]
fn permission_p5_stopping_the_turn_is_a_no_to_each_of_them() {
    let asked = format!("{THREE}\nwrite a 1\nwrite b 2\nwrite c 3\n");
    let while_asked = told(&format!("{asked}stop"));
    assert_eq!(while_asked.matches("denied by person withdrawn").count(), 3, "{while_asked}");
    assert_eq!(while_asked.matches(": Cancelled").count(), 3, "{while_asked}");
    // What was approved and had not begun is not carried out.
    let while_running = told(&format!("{asked}answers yes yes no\nstop"));
    expect_test::expect![[r#"
          audit c1: allowed by person approved
        run c1 writing a
          audit c1: Cancelled, the turn was stopped while this ran
          audit c2: denied by person withdrawn
          audit c3: denied by person withdrawn
          fact c1: Cancelled the user stopped the turn
          fact c2: Cancelled the user stopped the turn
          fact c3: Cancelled the user stopped the turn
        end Stopped: 
    "#]]
    .assert_eq(while_running.split_once("c3 c\n").unwrap().1);
    // While one is still being looked at, nobody was asked for any.
    let while_gathering = told(&format!("{THREE}\nwrite a 1\nstop"));
    assert!(!while_gathering.contains("audit"), "{while_gathering}");
    assert_eq!(while_gathering.matches(": Cancelled").count(), 3, "{while_gathering}");
}

#[test]
fn permission_p9_a_missing_answer_is_a_no() {
    let told = told(&format!("{THREE}\nwrite a 1\nwrite b 2\nwrite c 3\nanswers yes\ngives one"));
    assert_eq!(told.matches("denied by person withdrawn").count(), 2, "{told}");
}
