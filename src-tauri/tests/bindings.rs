//! The TypeScript of the window, and the permissions of its page, are those of the list of commands.

use serde_json::Value;
use std::fs;
use std::path::Path;

fn here(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn the_generated_typescript_is_current() {
    let path = here("../ui/src/ipc/generated/types.ts");
    let wanted = recto_window::bindings::typescript();
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == wanted, "stale; run UPDATE_BINDINGS=1 cargo test -p recto-window");
}

#[test]
fn the_page_may_call_the_listed_commands_and_nothing_of_the_system() {
    let capability: Value = serde_json::from_str(&fs::read_to_string(here("capabilities/main.json")).unwrap()).unwrap();
    let allowed: Vec<&str> =
        capability["permissions"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let wanted: Vec<String> = recto_window::bindings::command_names()
        .iter()
        .map(|name| format!("allow-{}", name.replace('_', "-")))
        .collect();
    assert_eq!(allowed, wanted);
    assert_eq!(capability["windows"], serde_json::json!(["main"]));
    assert_eq!(capability.get("remote"), None);
}

#[test]
fn the_policy_of_the_page_has_no_exceptions() {
    let config: Value = serde_json::from_str(&fs::read_to_string(here("tauri.conf.json")).unwrap()).unwrap();
    let security = &config["app"]["security"];
    let policy: Vec<String> = security["csp"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(directive, sources)| format!("{directive} {}", sources.as_str().unwrap()))
        .collect();
    assert_eq!(
        policy.join("; "),
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; \
         connect-src ipc: http://ipc.localhost; frame-src 'none'; worker-src 'none'; object-src 'none'; media-src 'none'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    assert_eq!(security["freezePrototype"], true);
    assert_eq!(security["assetProtocol"]["enable"], false);
    assert_eq!(config["app"]["withGlobalTauri"], false);
    assert_eq!(config["build"]["frontendDist"], "../ui/dist");
}
