//! A real Secret Service: GNOME's keyring on a session bus of its own, with a folder of its own, gone when the test is.

#![cfg(target_os = "linux")]

use super::{LOOKS, Place, text};
use recto_testkit::FakeModel;
use std::process::{Command, Stdio};

const KEY: &str = "sk-canary-0123456789abcdef";

/// Each line of it is another process, as when a person starts the program again.
const SESSION: &str = r#"
printf 'a password' | gnome-keyring-daemon --unlock --components=secrets > /dev/null 2>&1 || exit 70
printf '%s\n' "$KEY" | "$RECTO" --data "$DATA" models key set "$SERVER" || exit 71
"$RECTO" --data "$DATA" ask 'How do I run it?' --folder "$FOLDER" --model "$SERVER" 2> /dev/null || exit 72
"$RECTO" --data "$DATA" audit --verify || exit 73
"$RECTO" --data "$DATA" models key clear "$SERVER" || exit 74
"$RECTO" --data "$DATA" models key set "$SERVER" < /dev/null && exit 75
exit 0
"#;

fn is_there(program: &str) -> bool {
    let status = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that was left out says so")]
fn attack_t45_a_real_secret_service_keeps_the_key_of_a_server_and_seals_the_audit_log() {
    if !is_there("dbus-run-session") || !is_there("gnome-keyring-daemon") {
        eprintln!("left out: this test needs dbus-run-session and gnome-keyring-daemon");
        return;
    }
    let (place, fake) = (Place::new(), FakeModel::start(&format!("offers a\n{LOOKS}")));
    let home = tempfile::tempdir().unwrap();
    let output = Command::new("dbus-run-session")
        .args(["--", "sh", "-c", SESSION])
        .env("RECTO", env!("CARGO_BIN_EXE_recto"))
        .env("KEY", KEY)
        .env("SERVER", fake.url())
        .env("DATA", place.data.path())
        .env("FOLDER", place.folder.path())
        .env("RECTO_MODELS", place.data.path().join("none"))
        .env("HOME", home.path())
        .env("XDG_RUNTIME_DIR", home.path())
        .env("XDG_DATA_HOME", home.path().join("data"))
        .env_remove("RECTO_KEYCHAIN")
        .env_remove("RECTO_API_KEY")
        .env_remove("DISPLAY")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (said, noise) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}\n{noise}");
    assert!(said.contains("Run make serve."), "{said}\n{noise}");
    // The key came out of the keychain in a later process, and the log's own key too.
    let chats = fake.chats();
    let bearers: Vec<Option<&str>> = chats.iter().map(|chat| chat.header("authorization")).collect();
    assert_eq!(bearers, vec![Some(format!("Bearer {KEY}").as_str()); 4]);
    assert!(said.contains("4 rows, the chain is whole; sealed from row 1 on\n"), "{said}\n{noise}");
    assert!(!said.contains(KEY) && !noise.contains(KEY));
}
