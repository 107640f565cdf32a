//! What is far too large for the window: each ends well, and is said to the model and to the person.

use crate::world::{Told, World};
use recto_app::AssistantDraft;
use recto_core::context::plan::{PlannedBlock, Verdict};
use recto_core::id::TurnId;
use recto_core::turn::Ending;

const READS: &str = "props 4096\n\ncall read_file {\"path\":\"FILE\"}\n\nmodel: READY\n\nmodel: There are many.\n";

async fn reading(file: &str, content: &str, question: &str) -> (World, Told) {
    let world = World::new(&READS.replace("FILE", file), Vec::new()).await;
    std::fs::write(world.folder.path().join(file), content).unwrap();
    let told = world.ask(question).await;
    assert_eq!((told.ending.clone(), told.answer.as_str()), (Ending::Answered, "There are many."));
    world.fake.assert_clean();
    (world, told)
}

/// The rows of a request of the turn, from 1.
async fn rows(world: &World, turn: &TurnId, number: usize) -> Vec<PlannedBlock> {
    let request = world.app.record().requests(turn.clone()).await.unwrap().remove(number - 1);
    world.app.record().request(request.id).await.unwrap().plan.rows
}

fn find<'a>(rows: &'a [PlannedBlock], id: &str) -> &'a PlannedBlock {
    rows.iter().find(|row| row.block.id.as_str() == id).unwrap()
}

#[tokio::test]
async fn a_csv_of_ten_thousand_rows_is_cut_between_rows_and_both_are_told_while_the_record_has_it_whole() {
    let mut csv = "id,city,metres\n".to_owned();
    csv.extend((0..10_000).map(|number| format!("g{number},Grove,{}.5\n", number % 7)));
    let (world, told) = reading("gauges.csv", &csv, "How many gauges are in Grove?").await;
    let answer = rows(&world, &told.turn, 3).await;
    let fact = answer.iter().find(|row| row.block.id.as_str().starts_with("fact/")).unwrap();
    let Verdict::Cut { kept_lines, of_lines } = fact.verdict else { panic!("{:?}", fact.verdict) };
    let placed = fact.placed.clone().unwrap();
    assert!(placed.contains("id,city,metres\ng0,Grove,0.5\n"), "the table keeps its header");
    assert!(placed.ends_with(&format!("[cut: lines 1–{kept_lines} of {of_lines}]\n")), "{placed}");
    let last_row = placed.lines().rev().nth(1).unwrap();
    assert!(csv.lines().any(|row| row == last_row), "no row is split: {last_row}");
    let notice = find(&answer, "cuts").placed.clone().unwrap();
    assert!(notice.contains(&format!("gauges.csv: lines 1–{kept_lines} of {of_lines}")), "{notice}");
    let calls = world.app.record().calls(told.turn.clone()).await.unwrap();
    let whole = &calls[0].fact.as_ref().unwrap().outcome.text;
    assert!(whole.contains("\ng9999,Grove,3.5"), "what the tool gave is whole in the record");
}

#[tokio::test]
async fn a_file_of_three_megabytes_poisons_nothing() {
    let text: String =
        (0..70_000).map(|number| format!("The gauge stood at {number} metres that morning.\n")).collect();
    assert!(text.len() > 2_800_000);
    let (world, told) = reading("log.txt", &text, "Where did the gauge stand?").await;
    for number in [2, 3] {
        let request = world.app.record().requests(told.turn.clone()).await.unwrap().remove(number - 1);
        assert!(request.n_tokens < 4_096, "request {number}: {}", request.n_tokens);
    }
    let world_after = world.ask("And now?").await;
    assert_eq!(world_after.ending, Ending::Answered, "the next turn is like the first");
}

#[tokio::test]
async fn assembly_e8_a_question_of_200_kb_is_told_at_the_turn_and_kept_whole() {
    let world = World::new("props 4096\n\nwhen work:\nmodel: It is long.\nthen repeat\n", Vec::new()).await;
    let question = format!("Which line is odd?\n{}Say which.", "all the same here\n".repeat(11_000));
    let told = world.ask(&question).await;
    assert_eq!(told.ending, Ending::Answered);
    let row = world.app.record().turn(told.turn.clone()).await.unwrap();
    assert_eq!(row.question, question);
    let (n_tokens, of) = row.shortened.question.unwrap();
    assert!(n_tokens < 3_072 && of > 40_000, "{n_tokens} of {of}");
    let sent = find(&rows(&world, &told.turn, 1).await, "question").placed.clone().unwrap();
    assert!(sent.starts_with("Which line is odd?\n") && sent.ends_with("Say which."));
    assert!(sent.contains("tokens are shown; the middle is left out]"));
    // The long question is history now; the next turn has room all the same, and says what became of it.
    let next = world.ask("And now?").await;
    assert_eq!(next.ending, Ending::Answered);
    let shortened = world.app.record().turn(next.turn).await.unwrap().shortened;
    assert!(
        shortened.n_folded == 1 || !world.app.summary_versions(world.conversation.clone()).await.unwrap().is_empty()
    );
}

#[tokio::test]
async fn assembly_e6_with_instructions_longer_than_the_window_nothing_is_sent_and_each_size_is_said() {
    let world = World::new("props 4096\n\nwhen work:\nmodel: Yes.\nthen repeat\n", Vec::new()).await;
    let instructions = "Be careful with every word. ".repeat(2_000);
    let draft = AssistantDraft { name: "Careful".into(), instructions, ..AssistantDraft::default() };
    let assistant = world.app.create_assistant(draft).await.unwrap();
    world.app.choose_assistant(world.conversation.clone(), Some(assistant)).await.unwrap();
    let told = world.ask("Are you there?").await;
    let Ending::Failed { sentence } = told.ending else { panic!("{:?}", told.ending) };
    assert!(sentence.contains("window of 4096 tokens. Never left out: instructions: 1"), "{sentence}");
    assert!(sentence.contains("kept free for the reply: 1024"), "{sentence}");
    assert!(world.fake.chats().is_empty());
    // The question is not lost, and another assistant answers it.
    world.app.choose_assistant(world.conversation.clone(), None).await.unwrap();
    assert_eq!(world.ask("Are you there?").await.ending, Ending::Answered);
}
