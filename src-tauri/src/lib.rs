//! The desktop shell: a window, the commands of the page in it, and the events of turns. It knows Tauri and decides nothing.

mod commands;
mod evidence;
mod folders;
mod library;
mod models;
mod notify;
mod pump;
mod watch;
mod window;
mod wishes;

pub mod bindings;
pub mod view;

use clap::Parser;
use recto_app::{App, OpenOptions};
use recto_core::text::ContentHash;
use std::path::{Path, PathBuf};
use tauri::{AppHandle, Manager as _, RunEvent};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogKind};

/// How the window is started.
#[derive(Clone, Debug, Parser)]
#[command(name = "recto-window", version, about = "The window of Recto")]
pub struct Options {
    /// The folder that holds the record; the user's own data folder otherwise.
    #[arg(long, env = "RECTO_DATA")]
    pub data: Option<PathBuf>,
    /// A file of evidence to look into, instead of the own record.
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    pub bundle: Option<PathBuf>,
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// There is no display, or the system's web view cannot be started.
pub fn run(options: Options) -> anyhow::Result<()> {
    let single = tauri_plugin_single_instance::Builder::new()
        .callback(|handle, _, _| window::show_again(handle))
        .dbus_id(instance(options.bundle.as_deref().or(options.data.as_deref())))
        .build();
    let app = tauri::Builder::default()
        .plugin(single)
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .invoke_handler(commands::handler())
        .setup(move |tauri| {
            let opened = match &options.bundle {
                Some(file) => App::open_to_look(file),
                None => App::open(OpenOptions { data: options.data, ..OpenOptions::default() }),
            };
            match opened {
                Ok(app) => {
                    let settling = app.clone();
                    if !app.only_looks() {
                        tauri::async_runtime::spawn(async move {
                            settling.settle().await;
                            settling.start_library().await;
                        });
                        tauri::async_runtime::spawn(notify::watch(tauri.handle().clone(), app.clone()));
                    }
                    tauri.manage(app);
                    window::open(tauri.handle())?;
                }
                Err(error) => refuse(tauri.handle(), &error.to_string()),
            }
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run(|handle, event| {
        if let RunEvent::ExitRequested { api, code: None, .. } = event {
            api.prevent_exit();
            leave(handle.clone());
        }
    });
    Ok(())
}

/// Says why the program cannot be opened, and ends.
fn refuse(handle: &AppHandle, sentence: &str) {
    tracing::error!("{sentence}");
    let leaving = handle.clone();
    handle.dialog().message(sentence).title("Recto").kind(MessageDialogKind::Error).show(move |_| leaving.exit(1));
}

/// Stops what runs, which answers every open question with no, and ends.
fn leave(handle: AppHandle) {
    tauri::async_runtime::spawn(async move {
        if let Some(app) = handle.try_state::<App>() {
            window::stop_all(&app).await;
        }
        handle.exit(0);
    });
}

/// Windows over different records are different programs to the session bus.
fn instance(data: Option<&Path>) -> String {
    let usual = "dev.recto.Recto".to_owned();
    match data {
        None => usual,
        Some(data) => {
            let hash = ContentHash::of(data.display().to_string().as_bytes()).0;
            let digits: String = hash.chars().rev().take(12).collect();
            format!("{usual}.data{digits}")
        }
    }
}
