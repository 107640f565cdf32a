//! The loop of a turn against ports that only remember: what is recorded, in which order, and what is told.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by failing")]

mod fakes;

use expect_test::{Expect, expect};
use fakes::{Says, World};
use recto_core::turn::Ending;

/// Plays a turn and compares everything that was recorded, done and told, in its order.
async fn check(says: &[Says], log: Expect) -> World {
    let world = World::new(says);
    world.drive().await.unwrap();
    log.assert_eq(&world.log());
    world
}

const READ: Says = Says::Call("read_file", r#"{"path":"a"}"#);
const WRITE: Says = Says::Call("write_file", r#"{"path":"a"}"#);

#[tokio::test(start_paused = true)]
async fn store_s1_every_step_is_recorded_before_the_next_one_is_taken() {
    check(
        &[WRITE, Says::Text("READY"), Says::Text("Done.")],
        expect![[r#"
            record request 1 work
            tell request 1
            send
            record reply
            tell replied
            tell draft dropped
            record call 1 write_file
            tell call write_file
            prepare write_file
            record asked a
            ask a
            tell asked a
            record answered Approved
            tell answered Approved
            record audit decision
            tell permission write_file allowed
            run write_file
            record audit outcome
            record fact write_file
            tell called write_file
            record todo, stale 1
            record request 2 work
            tell request 2
            send
            tell draft READY
            record reply
            tell replied
            tell draft dropped
            tell composing 1
            record request 3 answer
            tell request 3
            send
            tell answer Done.
            record reply
            tell replied
            record end Answered
            tell ended Answered: Done.
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_recorded_does_not_happen() {
    let world = World::new(&[WRITE]);
    world.fail_at("audit decision");
    let error = world.drive().await.unwrap_err();
    assert_eq!(error.sentence, "the disk is full");
    let log = world.log();
    assert!(!log.contains("run write_file"), "{log}");
    let end = "record end Failed { sentence: \"the disk is full\" }\ntell ended Failed { sentence: \"the disk is full\" }: \n";
    assert!(log.ends_with(end), "{log}");
}

#[tokio::test(start_paused = true)]
async fn store_s4_the_end_of_a_turn_is_recorded_as_soon_as_the_record_takes_it_and_told_once() {
    let failed = "end Failed { sentence: \"the disk is full\" }";
    for n_failures in [0, 1, 4, 5] {
        let world = World::new(&[Says::Text("Hello.")]);
        world.fail_at("end Answered");
        for _ in 0..n_failures {
            world.fail_at(failed);
        }
        world.drive().await.unwrap_err();
        let log = world.log();
        // After the fifth try the record is left as it is; the answer that was to be recorded is told all the same.
        assert_eq!(log.matches(&format!("record {failed}\n")).count(), usize::from(n_failures < 5), "{log}");
        assert!(log.ends_with("tell ended Failed { sentence: \"the disk is full\" }: Hello.\n"), "{log}");
        assert_eq!(log.matches("tell ended").count(), 1, "{log}");
    }
}

#[tokio::test(start_paused = true)]
async fn models_m7_stop_is_seen_while_a_call_is_prepared() {
    let world = World::new(&[READ]);
    world.never_prepare();
    world.stop_after("prepare");
    let ended = tokio::time::timeout(std::time::Duration::from_secs(1), world.drive()).await.unwrap().unwrap();
    assert_eq!(ended.ending, Ending::Stopped);
}

#[tokio::test(start_paused = true)]
async fn store_s1_what_arrives_is_saved_at_least_once_a_second() {
    let world = World::new(&[Says::Slowly("one two three four five six seven eight")]);
    world.drive().await.unwrap();
    let log = world.log();
    // Eight words, one a second: each second's text is saved before the reply is whole.
    assert!(log.matches("record so far").count() >= 7, "{log}");
    assert!(log.contains("record so far one two three\n"), "{log}");
}

#[tokio::test(start_paused = true)]
async fn models_m7_stop_in_the_middle_of_a_reply_keeps_what_there_was_and_starts_nothing() {
    let world = World::new(&[READ, Says::Text("READY"), Says::Slowly("one two three four")]);
    world.stop_after("tell answer one");
    let ended = world.drive().await.unwrap();
    assert_eq!(ended.ending, Ending::Stopped);
    assert_eq!(ended.answer, "one ");
    let log = world.log();
    assert!(log.ends_with("record end Stopped\ntell ended Stopped: one \n"), "{log}");
}

#[tokio::test(start_paused = true)]
async fn models_m7_stop_while_a_question_is_open_is_a_no() {
    let world = World::new(&[WRITE]);
    world.stop_after("tell asked");
    let ended = world.drive().await.unwrap();
    assert_eq!(ended.ending, Ending::Stopped);
    let log = world.log();
    assert!(log.contains("record answered Withdrawn\n"), "{log}");
    assert!(!log.contains("run write_file"), "{log}");
}

#[tokio::test(start_paused = true)]
async fn answer_a9_text_of_the_work_is_told_as_a_draft_and_only_the_answer_as_the_answer() {
    let world = World::new(&[READ, Says::Text("I think it is make."), Says::Text("Make serve.")]);
    world.drive().await.unwrap();
    let answers: Vec<String> =
        world.log().lines().filter(|line| line.starts_with("tell answer")).map(str::to_owned).collect();
    assert_eq!(answers, ["tell answer Make serve."]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_the_model_is_recorded_and_ends_the_turn_with_its_sentence() {
    check(
        &[Says::Fails("Nothing answers at 127.0.0.1:1.")],
        expect![[r#"
            record request 1 work
            tell request 1
            send
            record reply, failed: Nothing answers at 127.0.0.1:1.
            tell replied
            record end Failed { sentence: "Nothing answers at 127.0.0.1:1." }
            tell ended Failed { sentence: "Nothing answers at 127.0.0.1:1." }: 
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_over_its_time_sends_no_further_work_request_and_answers_from_what_was_found() {
    let world = World::new(&[READ, Says::Text("It says x.")]);
    world.each_reply_takes(21 * 60 * 1000);
    let ended = world.drive().await.unwrap();
    let sentence = "the work was ended early, because the turn had used up its time".to_owned();
    assert_eq!(ended.ending, Ending::Limited { sentence });
    assert_eq!(ended.answer, "It says x.");
}

#[tokio::test(start_paused = true)]
async fn store_s3_the_recorded_pieces_are_the_bytes_that_were_sent() {
    let world = World::new(&[READ, Says::Text("READY"), Says::Text("x")]);
    world.drive().await.unwrap();
    assert_eq!(world.recorded_bytes(), world.sent_bytes());
    assert_eq!(world.sent_bytes().len(), 3);
}
