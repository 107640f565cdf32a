//! A conversation that outgrows the window of its model.

use crate::world::World;
use recto_app::NextQuestion;
use recto_app::record::SummaryRow;
use recto_core::context::summary::Author;
use recto_core::id::TurnId;
use recto_core::request::Purpose;
use recto_core::turn::Ending;
use recto_engine::ports::Stop;
use std::time::Duration;

/// A model with a small window, that answers every question with a number, and writes notes as `notes` says.
fn small_model(notes: &str) -> String {
    let filler = "The pier was wet and the wind came from the west all day long. ".repeat(6);
    format!(
        "props 4096\n\nwhen work:\nmodel: It was 4.2 metres. {filler}\nthen repeat\n\nwhen any asks \"Write the notes anew\":\n{notes}\nthen repeat\n"
    )
}

/// Asks until the summary has a version, at most so often; gives its versions and the turns so far.
async fn ask_until_folded(world: &World, rounds: usize) -> (Vec<SummaryRow>, Vec<TurnId>) {
    let mut turns = Vec::new();
    for number in 1..=rounds {
        let told = world.ask(&format!("What was measured on day {number}? Never round it.")).await;
        assert_eq!(told.ending, Ending::Answered);
        turns.push(told.turn);
        // Nobody waits for a summary that is written ahead; a test has to.
        for _ in 0..20 {
            let versions = world.app.summary_versions(world.conversation.clone()).await.unwrap();
            if !versions.is_empty() {
                return (versions, turns);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    panic!("{rounds} turns were not too many for the window");
}

async fn purposes(world: &World, turn: &TurnId) -> Vec<Purpose> {
    world.app.record().requests(turn.clone()).await.unwrap().iter().map(|row| row.purpose).collect()
}

#[tokio::test]
async fn assembly_e9_a_model_writes_the_summary_before_the_turn_that_needs_the_room() {
    let world = World::new(&small_model("model: The gauge was measured day by day."), Vec::new()).await;
    let (versions, turns) = ask_until_folded(&world, 60).await;
    let [version] = versions.as_slice() else { panic!("one version: {versions:?}") };
    assert_eq!((version.summary.version, version.summary.author), (1, Author::Model));
    assert_eq!(version.summary.prose, "The gauge was measured day by day.");
    assert!(version.summary.marks.contains(&"4.2".to_owned()), "{:?}", version.summary.marks);
    assert_eq!(version.summary.forbidden, ["Never round it."]);
    let last = turns.last().unwrap();
    assert_eq!(purposes(&world, last).await, [Purpose::Work, Purpose::Summary]);
    let entered: Vec<TurnId> = version.entered.iter().map(|(turn, _)| turn.clone()).collect();
    assert_eq!(entered, turns[..entered.len()], "the oldest, in their order");

    // The next turn begins with it, and with the exchanges that it does not stand for.
    let next = world.ask("And today?").await.turn;
    let request = world.app.record().requests(next.clone()).await.unwrap().remove(0);
    let plan = world.app.record().request(request.id).await.unwrap().plan;
    let summary = plan.rows.iter().find(|row| row.block.id.as_str() == "summary").unwrap();
    assert!(summary.placed.as_ref().unwrap().ends_with(&version.summary.text()));
    let history = plan.rows.iter().filter(|row| row.block.id.as_str().ends_with("/question"));
    assert_eq!(history.count(), turns.len() - entered.len());
    assert_eq!(world.app.record().turn(next).await.unwrap().shortened.n_folded, 0);
    world.fake.assert_clean();
}

#[tokio::test]
async fn assembly_e9_where_the_model_babbles_or_fails_the_fold_by_rule_stands_in_and_says_so() {
    for notes in ["model: Yes.\n| Yes.\n| Yes.\n| Yes.", "status 500", "model: "] {
        let world = World::new(&small_model(notes), Vec::new()).await;
        let (versions, turns) = ask_until_folded(&world, 60).await;
        assert_eq!((versions.len(), versions[0].summary.author), (1, Author::Rule), "{notes}");
        let text = versions[0].summary.text();
        assert!(text.starts_with("(Taken by rule from ") && text.contains("It was 4.2 metres."), "{text}");
        let turn = world.app.record().turn(turns.last().unwrap().clone()).await.unwrap();
        assert_eq!(turn.shortened.n_folded as usize, versions[0].entered.len(), "it is said at the turn");
        assert_eq!(turn.shortened.version, 1);
    }
}

#[tokio::test]
async fn assembly_e9_a_new_question_does_not_wait_for_a_summary() {
    let world = World::new(&small_model("stall headers"), Vec::new()).await;
    let (versions, turns) = ask_until_folded(&world, 60).await;
    assert_eq!(versions[0].summary.author, Author::Rule);
    let before = &turns[turns.len() - 2];
    assert_eq!(purposes(&world, before).await, [Purpose::Work, Purpose::Summary], "one was begun");
}

#[tokio::test]
async fn a_summary_that_the_person_wrote_is_what_the_next_request_holds_and_another_branch_keeps_its_own() {
    let world = World::new(&small_model("status 500"), Vec::new()).await;
    let (versions, turns) = ask_until_folded(&world, 60).await;
    world.app.edit_summary(world.conversation.clone(), "Only the gauge matters.").await.unwrap();
    let next = world.ask("And today?").await.turn;
    let first = |turn: TurnId| {
        let record = world.app.record().clone();
        async move {
            let request = record.requests(turn).await.unwrap().remove(0);
            record.wire(request.id).await.unwrap().bytes()
        }
    };
    let wire = first(next).await;
    assert!(wire.contains("Only the gauge matters.") && wire.contains("Never round it."), "{wire}");
    let after = turns[turns.len() - 2].clone();
    let options = recto_app::TurnOptions { after: Some(after), ..world.options() };
    let branch = world.ask_with("And on that day?", options).await.turn;
    let wire = first(branch).await;
    assert!(!wire.contains("Only the gauge matters."), "{wire}");
    assert_eq!(versions[0].summary.version, 1);
}

#[tokio::test]
async fn a_preview_sends_nothing_and_says_what_would_not_fit() {
    let world = World::new(&small_model("status 500"), Vec::new()).await;
    for number in 1..=3 {
        world.ask(&format!("What was measured on day {number}?")).await;
    }
    let n_sent = world.fake.chats().len();
    let preview = |window| {
        let options = world.options();
        let conversation = Some(world.conversation.clone());
        let next = NextQuestion { conversation, text: "And today?".into(), options, chosen: None, window };
        let (_switch, stop) = Stop::new();
        async { world.app.preview(next, stop).await.unwrap() }
    };
    let whole = preview(None).await;
    assert_eq!((whole.model_window, whole.profile.window), (4_096, 4_096));
    assert!(whole.outcome.unwrap().folded.is_none());
    let small = preview(Some(2_700)).await;
    let small = small.outcome.unwrap();
    let folded = small.folded.unwrap();
    assert!(!folded.exchanges.is_empty() && small.plan.n_tokens + small.plan.budget.reserve <= 2_700);
    let none = preview(Some(300)).await;
    let sentence = none.outcome.unwrap_err().to_string();
    assert!(sentence.contains("does not fit into the model's window of 300 tokens"), "{sentence}");
    assert_eq!(world.fake.chats().len(), n_sent);
    assert!(world.app.summary_versions(world.conversation.clone()).await.unwrap().is_empty(), "nothing is recorded");
}
