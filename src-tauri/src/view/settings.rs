//! What the window remembers of the person's wishes.

use crate::view::conversation::FolderView;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// All settings of the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct SettingsView {
    /// Light or dark.
    pub theme: ThemeView,
    /// The language of the window.
    pub language: LanguageView,
    /// Width of the list in pixels; 0 means folded.
    pub list_width: Option<u32>,
    /// Width of the panel in pixels; 0 means folded.
    pub panel_width: Option<u32>,
    /// Folders that were picked, the newest first. Kept by the shell; what the window sends of it is not used.
    pub folders: Vec<FolderView>,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ThemeView {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// The language of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum LanguageView {
    /// As the system has it.
    #[default]
    System,
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}
