//! Which way the arrows point. The tables are the rule of ARCHITECTURE.md in a form that can fail: read them first.

#[path = "layers/source.rs"]
mod source;

use anyhow::{Result, anyhow};
use cargo_metadata::{Dependency, DependencyKind, MetadataCommand, Package};
use source::{Scope, faults};
use std::path::PathBuf;

const CORE: &str = "recto-core";
const ENGINE: &str = "recto-engine";
const APP: &str = "recto-app";
const TESTKIT: &str = "recto-testkit";

/// Who may be built on whom. An adapter (store, providers, local, tools, lab) never appears on the right of another.
const ARROWS: &[(&str, &[&str])] = &[
    (CORE, &[]),
    (ENGINE, &[CORE]),
    ("recto-store", &[ENGINE, CORE]),
    ("recto-providers", &[ENGINE, CORE]),
    ("recto-local", &[ENGINE, CORE]),
    ("recto-tools", &[ENGINE, CORE]),
    ("recto-lab", &[ENGINE, CORE]),
    (APP, &["recto-store", "recto-providers", "recto-local", "recto-tools", "recto-lab", ENGINE, CORE]),
    ("recto-cli", &[APP, ENGINE, CORE]),
    ("recto-window", &[APP, ENGINE, CORE]),
    (TESTKIT, &[]),
    ("recto-spec", &[]),
    ("xtask", &[]),
];

/// Whose tests may use more than the table above: the specification is told over the whole program.
const WHOLE_PROGRAM_IN_TESTS: &[&str] = &["recto-spec", "recto-cli", "recto-window"];

/// Libraries that one layer keeps to itself: a name, or the beginning of one before `*`.
const KEPT_TO_ITSELF: &[(&str, &[&str])] = &[
    ("tauri*", &["recto-window"]),
    ("rusqlite*", &["recto-store"]),
    ("llama-cpp-*", &["recto-local"]),
    ("minijinja*", &["recto-local"]),
    ("cap-*", &["recto-tools"]),
    ("reqwest", &["recto-providers", "recto-local"]),
    ("axum", &[TESTKIT]),
];

/// All that decisions are made with: values, their text forms, their hashes. Nothing that waits or reaches outside.
const CORE_IS_BUILT_ON: &[&str] =
    &["memchr", "serde", "serde_json", "sha2", "hmac", "thiserror", "unicode-normalization", "unicode-segmentation"];

/// Words that stand nowhere in the code of a folder, apart from the files that are named, and why not.
const NOT_SAID: &[Scope] = &[
    Scope {
        folder: "crates/recto-core/src",
        words: &[
            "std::fs",
            "std::net",
            "std::time",
            "std::env",
            "std::io",
            "std::process",
            "std::thread",
            "SystemTime",
            "Instant",
            "tokio",
            "rand",
            "uuid",
            "async",
            "await",
        ],
        but_in: &[],
        and_in_tests: false,
        because: "the core neither waits nor reaches outside: what changes comes in as an argument",
    },
    Scope {
        folder: "crates/recto-tools/src",
        words: &["std::fs", "ambient_authority", "canonicalize", "tokio::fs"],
        but_in: &["crates/recto-tools/src/door.rs", "crates/recto-tools/src/door/"],
        and_in_tests: false,
        because: "the door is the only way to the disk",
    },
    Scope {
        folder: "crates/recto-tools/src",
        words: &["std::process", "tokio::process", "Command"],
        but_in: &[],
        and_in_tests: false,
        because: "no tool starts a program",
    },
    Scope {
        folder: "ui/src",
        words: &["@tauri-apps", "__TAURI_INTERNALS__", "__TAURI__"],
        but_in: &["ui/src/ipc/"],
        and_in_tests: true,
        because: "only the ipc folder knows the window",
    },
    Scope {
        folder: "ui/src/view",
        words: &["../features/", "../parts/", "../state/", "../ipc/backend", "../ipc/tauri"],
        but_in: &[],
        and_in_tests: true,
        because: "a view function takes values and gives values",
    },
    Scope {
        folder: "ui/src/parts",
        words: &["../features/", "../state/", "../ipc/backend", "../ipc/tauri"],
        but_in: &[],
        and_in_tests: false,
        because: "a part is given what it shows",
    },
    Scope {
        folder: "ui/src/state",
        words: &["../features/", "../parts/", "../ipc/tauri"],
        but_in: &[],
        and_in_tests: true,
        because: "state knows the backend by its interface, and nothing that is drawn",
    },
    Scope {
        folder: "ui/src/features",
        words: &[
            "/ipc/tauri",
            "'../assistants/",
            "'../memories/",
            "'../models/",
            "'../conversation/",
            "'../library/",
            "'../list/",
            "'../palette/",
            "'../panel/",
            "'../settings/",
        ],
        but_in: &[],
        and_in_tests: false,
        because: "features meet in App.svelte only",
    },
    Scope {
        folder: "ui/src",
        words: &["{@html", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval", "new Function"],
        but_in: &[],
        and_in_tests: true,
        because: "text of a model or a file becomes nodes, never markup or code",
    },
];

#[test]
fn arrows_point_down_only() -> Result<()> {
    let mut wrong = Vec::new();
    for package in packages()? {
        let Some((_, below)) = ARROWS.iter().find(|(name, _)| *name == package.name.as_str()) else {
            wrong.push(format!("{}: {} has no line in the table of arrows", manifest(&package), package.name));
            continue;
        };
        for other in package.dependencies.iter().filter(|other| is_ours(&other.name)) {
            let is_for_tests = other.kind == DependencyKind::Development;
            let is_free =
                is_for_tests && (other.name == TESTKIT || WHOLE_PROGRAM_IN_TESTS.contains(&package.name.as_str()));
            if !is_free && !below.contains(&other.name.as_str()) {
                wrong.push(at(&package, other, "which is not below it"));
            }
        }
    }
    assert_eq!(wrong.join("\n"), "");
    Ok(())
}

#[test]
fn a_layer_keeps_its_library_to_itself() -> Result<()> {
    let mut wrong = Vec::new();
    for package in packages()? {
        for library in package.dependencies.iter().filter(|library| library.kind != DependencyKind::Development) {
            let row = KEPT_TO_ITSELF.iter().find(|(pattern, _)| matches(pattern, &library.name));
            if let Some((_, owners)) = row.filter(|(_, owners)| !owners.contains(&package.name.as_str())) {
                wrong.push(at(&package, library, &format!("which only {} may", owners.join(" and "))));
            }
        }
    }
    assert_eq!(wrong.join("\n"), "");
    Ok(())
}

#[test]
fn the_core_is_built_on_values_only() -> Result<()> {
    let all = packages()?;
    let core = all.iter().find(|package| package.name.as_str() == CORE).ok_or_else(|| anyhow!("no {CORE}"))?;
    let libraries = core.dependencies.iter().filter(|library| library.kind != DependencyKind::Development);
    let wrong: Vec<_> = libraries
        .filter(|library| !CORE_IS_BUILT_ON.contains(&library.name.as_str()))
        .map(|library| at(core, library, "which is not in the list of what decisions are made with"))
        .collect();
    assert_eq!(wrong.join("\n"), "");
    Ok(())
}

#[test]
fn words_that_would_open_another_way_stand_nowhere() -> Result<()> {
    let mut wrong = Vec::new();
    for scope in NOT_SAID {
        wrong.extend(faults(&root(), scope)?);
    }
    assert_eq!(wrong.join("\n"), "");
    Ok(())
}

/// The packages of the workspace, with what their manifests ask for.
fn packages() -> Result<Vec<Package>> {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec()?;
    Ok(metadata.packages)
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn is_ours(name: &str) -> bool {
    name.starts_with("recto-") || name == "xtask"
}

fn matches(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |beginning| name.starts_with(beginning))
}

/// A fault with its place: the line of the manifest that names the library.
fn at(package: &Package, library: &Dependency, why: &str) -> String {
    let text = std::fs::read_to_string(&package.manifest_path).unwrap_or_default();
    let line = text.lines().position(|line| line.starts_with(&library.name)).map_or(1, |index| index + 1);
    format!("{}:{line}: {} is built on {}, {why}", manifest(package), package.name, library.name)
}

fn manifest(package: &Package) -> String {
    let path = &package.manifest_path;
    let root = root().canonicalize().unwrap_or_default();
    path.strip_prefix(root.to_string_lossy().as_ref()).unwrap_or(path).to_string()
}
