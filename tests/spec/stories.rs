//! Stories over the whole program without a window: the real record, the real tools, the real HTTP model against a server that
//! plays a script. What a story expects is text: the trail, the disk, the audit log.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by failing")]

#[path = "stories/changes.rs"]
mod changes;
#[path = "stories/checkups.rs"]
mod checkups;
#[path = "stories/connections.rs"]
mod connections;
#[path = "stories/dialects.rs"]
mod dialects;
#[path = "stories/downloads.rs"]
mod downloads;
#[cfg(target_os = "linux")]
#[path = "stories/exemption.rs"]
mod exemption;
#[path = "stories/files.rs"]
mod files;
#[path = "stories/folding.rs"]
mod folding;
#[path = "stories/keys.rs"]
mod keys;
#[path = "stories/library.rs"]
mod library;
#[path = "stories/memories.rs"]
mod memories;
#[path = "stories/permissions.rs"]
mod permissions;
#[path = "stories/requests.rs"]
mod requests;
#[path = "stories/rules.rs"]
mod rules;
#[path = "stories/seals.rs"]
mod seals;
#[path = "stories/servers.rs"]
mod servers;
#[path = "stories/sizes.rs"]
mod sizes;
#[path = "stories/together.rs"]
mod together;
#[path = "stories/trouble.rs"]
mod trouble;
#[path = "stories/watcher.rs"]
mod watcher;
#[path = "stories/whereabouts.rs"]
mod whereabouts;
#[path = "stories/world.rs"]
mod world;
