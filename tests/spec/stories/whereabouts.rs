//! “I am sure that I gave it that fact; why did the answer ignore it?”

use crate::world::World;
use recto_app::record::BundleScope;
use recto_app::{Elsewhere, EvidenceForm, OriginKind, Outcome, PageLanguage, compare, trace, write_evidence};
use recto_core::context::block::BlockKind;
use recto_core::difference::Kind;
use recto_core::request::Purpose;
use recto_core::turn::Ending;
use recto_core::whereabouts::{CompetitorKind, Level, Whereabouts};

/// Reads two long files; each of them is cut in the answer request.
const READS: &str = r#"
call read_file {"path":"timetable.txt"}

call read_file {"path":"winter.txt"}

model: READY

model: I cannot say.
"#;

async fn harbour() -> World {
    let world = World::new(READS, Vec::new()).await;
    let rows = |name: &str| -> String {
        (1..=4_000).map(|row| format!("{name} row {row}: the berth is free and nobody is waiting there\n")).collect()
    };
    let timetable = format!(
        "The ferry leaves at 9:40 from pier 3.\n{}The night ferry leaves at 23:15 from pier 7.\n",
        rows("summer")
    );
    std::fs::write(world.folder.path().join("timetable.txt"), timetable).unwrap();
    let winter = format!("The ferry leaves at 10:05 from pier 3.\n{}", rows("winter"));
    std::fs::write(world.folder.path().join("winter.txt"), winter).unwrap();
    world
}

#[tokio::test]
async fn assembly_e11_a_fact_that_was_cut_is_followed_to_the_place_where_it_was_cut() {
    let world = harbour().await;
    let told = world.ask("Which berths are free?").await;
    assert_eq!(told.ending, Ending::Answered);
    let record = world.app.record();
    let found = trace(record, told.turn.clone(), "The night ferry leaves at 23:15 from pier 7.").await.unwrap();
    let origins: Vec<(OriginKind, &str, Level)> =
        found.origins.iter().map(|origin| (origin.kind, origin.source.as_str(), origin.level)).collect();
    assert_eq!(origins, [(OriginKind::Result, "read_file timetable.txt", Level::Exact)]);
    let answer = found.requests.iter().find(|row| row.purpose == Purpose::Answer).unwrap();
    assert_eq!(answer.block.as_ref().map(|(kind, _)| *kind), Some(BlockKind::Fact));
    let Outcome::Found(Whereabouts::Cut { has_beginning: false, kept_lines, of_lines, line, .. }) = answer.outcome
    else {
        panic!("{:?}", answer.outcome)
    };
    assert!(kept_lines < line && line <= of_lines, "{kept_lines} {line} {of_lines}");
    // The first request knew nothing of it yet.
    assert_eq!(found.requests[0].outcome, Outcome::NotThere);
}

#[tokio::test]
async fn a_fact_that_never_entered_is_told_where_it_stands_instead() {
    let mut world =
        World::new("model: I do not know.\n\nmodel: The spare key is under the third pot.", Vec::new()).await;
    std::fs::write(world.folder.path().join("garden.md"), "Water on Mondays.\nThe tap opens to the left.\n").unwrap();
    let told = world.ask("Which way does the tap open?").await;
    world.conversation = world.app.create_conversation(None, None).await.unwrap();
    world.ask("Where is the spare key?").await;
    let record = world.app.record();
    let level = Level::Exact;
    let tap = trace(record, told.turn.clone(), "The tap opens to the left.").await.unwrap();
    assert_eq!((tap.origins, tap.requests.len()), (Vec::new(), 0));
    assert_eq!(tap.elsewhere, [Elsewhere::File { path: "garden.md".into(), line: 2, level }]);
    let key = trace(record, told.turn.clone(), "under the third pot").await.unwrap();
    let [Elsewhere::Conversation { title, kind: OriginKind::Answer, level: Level::Exact, .. }] = &key.elsewhere[..]
    else {
        panic!("{:?}", key.elsewhere)
    };
    assert_eq!(title.as_deref(), Some("Where is the spare key?"));
    // What did enter is told of where it entered and nowhere else.
    let way = trace(record, told.turn.clone(), "Which way does the tap open?").await.unwrap();
    assert_eq!((way.origins.len(), way.elsewhere), (1, Vec::new()));
    // A bundle names a folder of another computer; what lies in one of that name here is left alone.
    let path = world.data.path().join("one.recto");
    record.bundle(path.clone(), BundleScope::Turn(told.turn.clone()), &[], 0).await.unwrap();
    let bundle = recto_app::open_bundle(&path).unwrap();
    let tap = trace(&bundle, told.turn, "The tap opens to the left.").await.unwrap();
    assert_eq!(tap.elsewhere, []);
}

#[tokio::test]
async fn a_fact_that_was_given_whole_is_told_with_what_contradicts_it() {
    let world = harbour().await;
    let told = world.ask("Which berths are free?").await;
    let found = trace(world.app.record(), told.turn, "The ferry leaves at 9:40\nfrom pier 3.").await.unwrap();
    let answer = found.requests.iter().find(|row| row.purpose == Purpose::Answer).unwrap();
    let Outcome::Found(Whereabouts::Whole(place)) = &answer.outcome else { panic!("{:?}", answer.outcome) };
    assert_eq!(place.level, Level::Normalised);
    let other: Vec<&str> = found
        .competitors
        .iter()
        .filter(|(competitor, ..)| competitor.kind == CompetitorKind::OtherValue)
        .map(|(competitor, ..)| competitor.line.as_str())
        .collect();
    assert!(other.contains(&"The ferry leaves at 10:05 from pier 3."), "{other:?}");
}

#[tokio::test]
async fn from_work_to_answer_the_results_become_facts_and_evidence_of_it_reads_the_same_elsewhere() {
    let world = harbour().await;
    let told = world.ask("Which berths are free?").await;
    let record = world.app.record();
    let rows = record.requests(told.turn.clone()).await.unwrap();
    let ids = [rows[2].id.clone(), rows[3].id.clone()];
    let compared = compare(record, ids[0].clone(), ids[1].clone()).await.unwrap();
    let moved = compared.difference.blocks.iter().filter(|block| block.kind == Kind::Moved).count();
    assert!(moved >= 2, "{:?}", compared.difference.blocks);
    assert!(compared.difference.prefix.n_bytes > 0 && compared.difference.prefix.n_tokens_after > 0);

    let transport = record.transport(ids[1].clone()).await.unwrap().unwrap();
    assert!(transport.endpoint.unwrap().starts_with("http://127.0.0.1:"));
    assert!(String::from_utf8(transport.stream).unwrap().contains("[DONE]"));

    let file = world.data.path().join("evidence.recto");
    let scope = BundleScope::Turn(told.turn.clone());
    let redacted = ["pier 7".to_owned()];
    write_evidence(record, &file, scope.clone(), &redacted, EvidenceForm::Bundle).await.unwrap();
    let elsewhere = recto_app::open_bundle(&file).unwrap();
    let again = compare(&elsewhere, ids[0].clone(), ids[1].clone()).await.unwrap();
    assert_eq!(again.difference.blocks, compared.difference.blocks);
    let found = trace(&elsewhere, told.turn, "The night ferry leaves at 23:15 from [redacted 1].").await.unwrap();
    assert_eq!(found.origins.len(), 1, "{found:?}");

    let page = world.data.path().join("evidence.html");
    let form = EvidenceForm::Page(PageLanguage::Zh);
    write_evidence(record, &page, scope, &redacted, form).await.unwrap();
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("<html lang=\"zh-CN\">") && html.contains("Which berths are free?"));
    // A Chinese page names kinds and rules in Chinese.
    let words: String = html.split("<summary>").filter_map(|rest| rest.split("</summary>").next()).skip(1).collect();
    assert!(words.contains("指示 · 完整") && words.contains("事实 · read_file timetable.txt · 截断"), "{words}");
    assert!(!words.contains("instructions") && !words.contains("kept"), "{words}");
    assert!(!html.contains("pier 7") && !html.contains("<script"), "nothing redacted and nothing that runs");
    // A second one does not take its place.
    let again = write_evidence(record, &page, BundleScope::Turn(rows[0].turn.clone()), &[], form).await;
    assert!(again.unwrap_err().to_string().contains("there is a file already"));
}
