//! Several writes of one reply, asked for together.

use crate::world::{Does, World};
use expect_test::expect;
use recto_app::{Pending, Said};
use recto_core::approval::Answer;
use recto_core::id::ApprovalId;
use recto_core::text::ContentHash;
use recto_core::tool::{Change, FileState, Operation};
use recto_engine::ports::{Approver as _, Question, Stop};
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;

#[tokio::test]
async fn permission_p9_three_writes_of_one_reply_are_decided_each_by_itself_and_bound_to_what_was_shown() {
    let script = r#"
call write_file {"path":"one.md","content":"1\n"}
call write_file {"path":"two.md","content":"2\n"}
call write_file {"path":"README.md","content":"mine\n"}

model: READY

model: Done.
"#;
    let world = World::new(script, Vec::new()).await;
    let readme = world.folder.path().join("README.md");
    world.person.expect(Does::Says(Answer::Approved));
    world.person.expect(Does::Says(Answer::Denied));
    // The third changes while the card is open, so its yes holds for nothing.
    world.person.expect(Does::WaitsWhile(readme, "theirs\n"));
    let told = world.ask("Write three files").await;
    assert_eq!(*world.person.asked.lock().unwrap(), ["one.md +1 -0", "two.md +1 -0", "README.md +1 -2"]);
    assert_eq!(world.disk(), "README.md: \"theirs\\n\"\none.md: \"1\\n\"\n");
    expect![[r#"
        write_file one.md: allowed by person approved
        write_file one.md: done, written, 2 bytes
        write_file two.md: denied by person denied
        write_file README.md: allowed by person approved
        write_file README.md: failed, not written, the file changed meanwhile
    "#]]
    .assert_eq(&world.audit().await);
    let answers: Vec<_> =
        world.app.record().approvals(told.turn).await.unwrap().into_iter().map(|row| row.answer).collect();
    assert_eq!(answers, [Some(Answer::Approved), Some(Answer::Denied), Some(Answer::Approved)]);
    world.fake.assert_clean();
}

fn question(id: &str) -> Question {
    let state = FileState { hash: ContentHash::of(id.as_bytes()), n_bytes: 1 };
    Question {
        id: id.into(),
        conversation: "cv_1".into(),
        turn: "tn_1".into(),
        call: "c1".into(),
        tool: "write_file".into(),
        change: Change {
            path: id.into(),
            to: None,
            operation: Operation::Create,
            before: None,
            after: Some(state),
            bytes: id.as_bytes().to_vec(),
            diff: Vec::new(),
            flags: Vec::new(),
            digest: ContentHash::of(id.as_bytes()),
        },
        offer: None,
        n_together: 3,
    }
}

/// The window answers `said`, one after the other, then the turn is stopped or nobody comes any more.
async fn asked(said: &[(&str, Said)], is_stopped: bool) -> Vec<(usize, Answer)> {
    let pending = Pending::default();
    let questions = ["ap_1", "ap_2", "ap_3"].map(question);
    let (switch, stop) = Stop::new();
    let (sender, mut answers) = unbounded_channel();
    let window = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        for (id, said) in said {
            let id = ApprovalId::from(*id);
            pending.answer(&id, *said).unwrap();
            assert!(pending.answer(&id, Said::Yes).is_err(), "a question is answered once");
        }
        if is_stopped {
            switch.send(true).unwrap();
        }
    };
    tokio::join!(biased; pending.ask_all(&questions, stop, sender), window);
    let mut given = Vec::new();
    while let Some(answer) = answers.recv().await {
        given.push(answer);
    }
    assert!(pending.answer(&"ap_1".into(), Said::Yes).is_err(), "no question stays open");
    given
}

#[tokio::test(start_paused = true)]
async fn permission_p9_the_window_answers_several_questions_in_any_order() {
    let all = [("ap_3", Said::Yes), ("ap_1", Said::No), ("ap_2", Said::Yes)];
    let given = asked(&all, false).await;
    assert_eq!(given, [(2, Answer::Approved), (0, Answer::Denied), (1, Answer::Approved)]);
}

#[tokio::test(start_paused = true)]
async fn permission_p5_what_is_still_open_when_time_is_up_or_the_turn_stops_is_denied() {
    let one = [("ap_2", Said::Yes)];
    let late = asked(&one, false).await;
    assert_eq!(late, [(1, Answer::Approved), (0, Answer::TimedOut), (2, Answer::TimedOut)]);
    let stopped = asked(&one, true).await;
    assert_eq!(stopped[1..], [(0, Answer::Withdrawn), (2, Answer::Withdrawn)]);
}
