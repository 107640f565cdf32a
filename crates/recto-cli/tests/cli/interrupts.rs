//! Ctrl-C on a terminal: it ends what is waited for, and no line that is typed afterwards is lost.

use super::{Place, text};
use recto_testkit::FakeModel;
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const CTRL_C: &str = "\u{3}";

const ASKS: &str = r#"
call write_file {"path":"list.md","content":"milk\n"}

model: Hello there.
"#;

/// The program on a terminal of its own.
struct OnTerminal {
    child: Child,
    keys: ChildStdin,
    shown: Receiver<Vec<u8>>,
    text: String,
}

impl OnTerminal {
    fn start(place: &Place, arguments: &str) -> Self {
        let recto = env!("CARGO_BIN_EXE_recto");
        let line = format!("{recto} --data {} {arguments}", place.data.path().display());
        let mut child = Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .env("RECTO_MODELS", place.data.path().join("none"))
            .env("RECTO_KEYCHAIN", "none")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (keys, mut out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, shown) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 1024];
            while let Ok(n @ 1..) = out.read(&mut bytes) {
                let _ = sender.send(bytes[..n].to_vec());
            }
        });
        Self { child, keys, shown, text: String::new() }
    }

    /// Waits until this is shown after what was waited for before.
    fn wait_for(&mut self, what: &str) {
        let started = Instant::now();
        loop {
            if let Some((_, after)) = self.text.split_once(what) {
                self.text = after.to_owned();
                return;
            }
            assert!(started.elapsed() < Duration::from_secs(20), "{what:?} is not in {:?}", self.text);
            if let Ok(bytes) = self.shown.recv_timeout(Duration::from_millis(100)) {
                self.text.push_str(&text(&bytes));
            }
        }
    }

    fn type_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Its exit code; the keyboard stays connected, as it does on a desk.
    fn ends(mut self) -> i32 {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap();
            }
            assert!(started.elapsed() < Duration::from_secs(10), "it goes on: {:?}", self.text);
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn models_m7_ctrl_c_at_the_question_about_a_write_ends_the_program_without_a_further_key() {
    let (place, fake) = (Place::new(), FakeModel::start(ASKS));
    let folder = place.folder.path().display();
    let mut terminal = OnTerminal::start(&place, &format!("ask 'Write it' --folder {folder} --model {}", fake.url()));
    terminal.wait_for("[y/N]");
    terminal.type_keys(CTRL_C);
    terminal.wait_for("stopped");
    assert_ne!(terminal.ends(), 0);
    assert!(!place.folder.path().join("list.md").exists());
}

#[test]
fn models_m7_in_a_chat_ctrl_c_stops_the_turn_keeps_the_next_line_and_then_ends_the_chat() {
    let (place, fake) = (Place::new(), FakeModel::start(ASKS));
    let folder = place.folder.path().display();
    let mut terminal = OnTerminal::start(&place, &format!("chat --folder {folder} --model {}", fake.url()));
    terminal.wait_for("> ");
    terminal.type_keys("Write it\n");
    terminal.wait_for("[y/N]");
    terminal.type_keys(CTRL_C);
    terminal.wait_for("stopped");
    terminal.wait_for("> ");
    terminal.type_keys("Hello?\n");
    terminal.wait_for("Hello there.");
    terminal.wait_for("> ");
    terminal.type_keys(CTRL_C);
    assert_eq!(terminal.ends(), 130);
    let last = &fake.chats()[1].body;
    assert!(text(last).contains("Hello?"), "the line after the given-up question is the next question");
}
