//! `kill -9` at random moments of a turn: the record always opens, and what was acknowledged is there.

use super::{Place, text};
use recto_testkit::FakeModel;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Duration;

const N_KILLS: u64 = 100;

/// A turn that takes about a third of a second, with tools, a write, and a streamed answer.
const TURN: &str = r#"
call todo_write {"todos":[{"content":"look","status":"in_progress"}]}
delay 10

call read_file {"path":"README.md"}
delay 10

call write_file {"path":"list.md","content":"milk\n"}
delay 10

model: READY
delay 10

model: Run it with make serve, then look at the page that opens, and stop it again with one key.
chunk 60
delay 8
"#;

/// A small generator, so that a failing moment can be played again.
fn moment_ms(kill: u64) -> u64 {
    let mixed = kill.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 31)) % 450
}

/// The questions whose first request was told, which is after they were committed.
fn run_and_kill(place: &Place, kill: u64) -> Option<String> {
    let fake = FakeModel::start(TURN);
    let question = format!("Question {kill}?");
    let folder = place.folder.path().display().to_string();
    let mut child = place
        .recto(&["ask", &question, "--json", "--approve", "always", "--folder", &folder, "--model", &fake.url()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        BufReader::new(out).lines().map_while(Result::ok).any(|line| line.contains("\"type\":\"request\""))
    });
    std::thread::sleep(Duration::from_millis(moment_ms(kill)));
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap().then_some(question)
}

#[test]
fn store_s1_after_kill_at_any_moment_the_record_opens_and_nothing_acknowledged_is_lost() {
    let place = Place::new();
    let acknowledged: Vec<String> = (0..N_KILLS).filter_map(|kill| run_and_kill(&place, kill)).collect();
    assert!(acknowledged.len() > 20, "most moments are after the question was committed: {}", acknowledged.len());
    let listed = place.recto(&["conversations"]).output().unwrap();
    assert!(listed.status.success(), "{}", text(&listed.stderr));
    let listed = text(&listed.stdout);
    for question in &acknowledged {
        assert!(listed.contains(question.as_str()), "{question} was acknowledged and is lost");
    }
    let verdict = text(&place.recto(&["audit", "--verify"]).output().unwrap().stdout);
    assert!(verdict.contains("the chain is whole;"), "{verdict}");
    let shown = place.recto(&["show", "last"]).output().unwrap();
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    // A file is there whole or not at all.
    if let Ok(list) = std::fs::read_to_string(place.folder.path().join("list.md")) {
        assert_eq!(list, "milk\n");
    }
    let names: Vec<String> = std::fs::read_dir(place.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name != "README.md" && name != "list.md")
        .collect();
    println!("{} of {N_KILLS} kills after the question was committed; left over: {names:?}", acknowledged.len());
}
