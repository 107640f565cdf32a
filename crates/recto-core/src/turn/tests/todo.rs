//! The list of the work within a turn, and the reminder.

use super::{Play, setup};
use crate::approval::Policy;
use crate::prompt;
use crate::request::{Protocol, RequestMessage};
use crate::turn::{Setup, Turn};
use expect_test::expect;

const LIST: &str = "call todo_write {\"todos\":[{\"content\":\" look \",\"status\":\"in_progress\"}]}\n";

/// A round with a tool that is not the list.
fn stale(number: usize) -> String {
    format!("call read_file {{\"path\":\"{number}\"}}\nread {number}\ngives {number}\n")
}

fn stale_rounds(n: usize) -> String {
    (1..=n).map(stale).collect()
}

/// The numbers of the requests that carry the reminder.
fn reminded(play: &Play) -> Vec<usize> {
    (1..=play.requests.len()).filter(|number| play.requests[number - 1].has_reminder).collect()
}

fn whole(play: &Play, number: usize) -> String {
    play.request(number).messages.iter().map(RequestMessage::text).collect()
}

#[test]
fn todo_t3_t5_a_list_replaces_the_one_before_and_comes_back_as_its_snapshot() {
    let play = Play::of(setup(Protocol::Native), &format!("{LIST}call todo_write {{\"todos\":[]}}"));
    expect![[r#"
        send 1 work
          call 1: todo_write {"todos":[{"content":" look ","status":"in_progress"}]}
          audit c1: allowed by rule todo_write_is_exempt
          list v1: {"todos":[{"content":"look","status":"in_progress"}]} (1 changes)
          audit c1: Done, the list was written
          fact c1: Done {"todos":[{"content":"look","status":"in_progress"}]}
          stale rounds 0
        send 2 work
          call 2: todo_write {"todos":[]}
          audit c2: allowed by rule todo_write_is_exempt
          list v2: {"todos":[]} (1 changes)
          audit c2: Done, the list was written
          fact c2: Done {"todos":[]}
          stale rounds 0
        send 3 work
    "#]]
    .assert_eq(&play.told);
    assert_eq!(
        play.request(2).messages.last().unwrap().text(),
        r#"{"todos":[{"content":"look","status":"in_progress"}]}"#
    );
}

#[test]
fn todo_t4_a_rejected_call_leaves_the_very_same_list_and_says_so() {
    let mut play = Play::of(setup(Protocol::Native), LIST);
    let (list, version) = (play.turn.todo().list.clone(), play.turn.todo().version);
    play.line(r#"call todo_write {"todos":[{"content":"","status":"DONE"}]}"#);
    assert!(std::sync::Arc::ptr_eq(&list, &play.turn.todo().list));
    assert_eq!(version, play.turn.todo().version);
    assert_eq!(
        play.request(3).messages.last().unwrap().text(),
        "invalid_arguments: todos[0]: `content` is empty; todos[0]: `status` must be `pending`, `in_progress` or `done`, not \
         `DONE`. The list was not changed."
    );
}

#[test]
fn todo_t6_two_sessions_never_see_each_others_list_or_reminder() {
    let one = Play::of(setup(Protocol::Native), &format!("{LIST}{}", stale_rounds(2)));
    let other = Turn::new(setup(Protocol::Native));
    assert_eq!(other.todo().list.items.len(), 0);
    assert_eq!(other.todo().stale.n_rounds(), 0);
    assert_eq!(one.turn.todo().stale.n_rounds(), 2);
    let branch =
        Play::of(Setup { todo: one.turn.todo().clone(), ..setup(Protocol::Native) }, "call todo_write {\"todos\":[]}");
    assert_eq!(branch.turn.todo().list.items.len(), 0);
    assert_eq!(one.turn.todo().list.items.len(), 1, "a branch has its own copy");
}

#[test]
fn todo_t7_two_lists_in_one_message_are_applied_in_order_and_each_gets_its_result() {
    let call = |word: &str| format!("todo_write {{\"todos\":[{{\"content\":\"{word}\",\"status\":\"pending\"}}]}}");
    let broken = "todo_write {\"todos\":7}";
    let play = Play::of(setup(Protocol::Native), &format!("call {} + {} + {broken}", call("a"), call("b")));
    let results: Vec<String> = play.request(2).messages[3..].iter().map(RequestMessage::text).collect();
    assert_eq!(
        results,
        [
            r#"{"todos":[{"content":"a","status":"pending"}]}"#,
            r#"{"todos":[{"content":"b","status":"pending"}]}"#,
            "invalid_arguments: `todos` must be an array, not a number. The list was not changed."
        ]
    );
    assert_eq!(play.turn.todo().list.items[0].content, "b");
}

#[test]
fn todo_t8_a_list_is_never_asked_for_and_its_decision_is_audited_whatever_the_policy() {
    for policy in [Policy::Ask, Policy::Never, Policy::Always] {
        let play = Play::of(Setup { policy, ..setup(Protocol::Native) }, LIST);
        assert!(!play.told.contains("ask "));
        assert!(play.told.contains("audit c1: allowed by rule todo_write_is_exempt"));
    }
}

#[test]
fn reminder_r1_three_calls_in_one_message_are_one_stale_round() {
    let three = "call read_file {\"path\":\"1\"} + read_file {\"path\":\"2\"} + read_file {\"path\":\"3\"}\n\
                 read 1\ngives 1\nread 2\ngives 2\nread 3\ngives 3";
    assert_eq!(Play::of(setup(Protocol::Native), three).turn.todo().stale.n_rounds(), 1);
}

#[test]
fn reminder_r2_a_successful_list_sets_the_counter_to_zero_and_a_rejected_one_does_not() {
    let play = Play::of(setup(Protocol::Native), &format!("{}{LIST}", stale_rounds(2)));
    assert_eq!(play.turn.todo().stale.n_rounds(), 0);
    let play = Play::of(setup(Protocol::Native), &format!("{}call todo_write {{}}", stale_rounds(2)));
    assert_eq!(reminded(&play), [4]);
}

#[test]
fn reminder_r3_request_four_carries_it_after_three_stale_rounds_and_request_seven_again() {
    assert_eq!(reminded(&Play::of(setup(Protocol::Native), &stale_rounds(6))), [4, 7]);
}

#[test]
fn reminder_r4_it_is_the_last_thing_in_that_request_and_lives_nowhere_else() {
    let play = Play::of(setup(Protocol::Native), &format!("{}say READY", stale_rounds(5)));
    let last = play.request(4).messages.last().unwrap().clone();
    assert_eq!((last.role.as_str(), last.text().as_str()), ("system", prompt::reminder()));
    for number in (1..=play.requests.len()).filter(|number| *number != 4) {
        assert!(!whole(&play, number).contains("Keep the TODO list current"), "request {number}");
    }
    let mut plain = setup(Protocol::Native);
    plain.profile.takes_trailing_system = false;
    let play = Play::of(plain, &stale_rounds(3));
    let last = play.request(4).messages.last().unwrap().clone();
    assert_eq!((last.role.as_str(), last.text()), ("tool", format!("3\n\n{}", prompt::reminder())));
}

#[test]
fn reminder_r5_a_reminder_that_was_not_delivered_is_carried_by_the_next_request() {
    let play = Play::of(setup(Protocol::Native), &format!("{}breaks Nothing answers.", stale_rounds(3)));
    assert!(
        play.told.ends_with("  stale rounds 3\nend Failed { sentence: \"Nothing answers.\" }: \n"),
        "{}",
        play.told
    );
    let next = Play::of(Setup { todo: play.turn.todo().clone(), ..setup(Protocol::Native) }, "");
    assert_eq!(reminded(&next), [1]);
    assert!(whole(&next, 1).ends_with(prompt::reminder()));
}

#[test]
fn reminder_r6_without_its_bytes_it_is_the_request_that_would_have_been_sent_otherwise() {
    let reminded_in_four = Play::of(setup(Protocol::Native), &stale_rounds(3));
    let mut early = setup(Protocol::Native);
    early.todo.stale = crate::reminder::StaleCounter::at(2);
    let reminded_in_two = Play::of(early, &stale_rounds(3));
    assert_eq!((reminded(&reminded_in_four), reminded(&reminded_in_two)), (vec![4], vec![2]));
    let mut stripped = reminded_in_four.request(4);
    stripped.messages.pop();
    stripped.marks.reminder = None;
    assert_eq!(stripped, reminded_in_two.request(4));
}

#[test]
fn reminder_r7_no_answer_request_carries_it() {
    let play = Play::of(setup(Protocol::Native), &format!("{}say READY", stale_rounds(3)));
    let play_answer: String = play.answer_request().messages.iter().map(RequestMessage::text).collect();
    assert!(!play_answer.contains("Keep the TODO list current"));
    let direct = Play::of(setup(Protocol::Native), &format!("{}say READY", stale_rounds(2)));
    assert_eq!(reminded(&direct), Vec::<usize>::new());
}

#[test]
fn reminder_r8_system_message_and_tools_are_the_same_before_and_after_any_number_of_lists() {
    let play = Play::of(setup(Protocol::Native), &LIST.repeat(4));
    for number in 2..=play.requests.len() {
        assert_eq!(play.request(1).messages[0], play.request(number).messages[0]);
        assert_eq!(play.request(1).tools, play.request(number).tools);
    }
    let text = play.request(1).messages[0].text();
    assert!(text.contains("It takes the whole list every time") && text.contains("Call it when"));
}
