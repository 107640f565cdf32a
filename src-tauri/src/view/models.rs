//! The page about models: what can be chosen and what is known of each, servers with their keys, the check-up.

use crate::view::model::ModelKindView;
use recto_app::record::CheckupRow;
use recto_app::{Checking, Downloading, FoundServer, KeyKeeping, KeyPlace, KeyState, ModelRow, OfferedFile};
use recto_core::checkup::{Check, Finding, Mark};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// All that the page shows.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelsPageView {
    /// The models.
    pub models: Vec<ModelCardView>,
    /// The servers that were named.
    pub servers: Vec<ModelServerView>,
    /// Models that can be downloaded and are not here.
    pub offered: Vec<OfferedFileView>,
    /// Downloads that run.
    pub downloads: Vec<DownloadView>,
    /// The check-up that runs; `None` if none does.
    pub checking: Option<CheckingView>,
    /// The folder of the model files.
    pub folder: String,
    /// Bytes of memory that are free now; `None` where the system does not say.
    pub free_memory: Option<u64>,
}

/// A model with what is known of it.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelCardView {
    /// Which.
    pub id: String,
    /// What the person reads.
    pub title: String,
    /// Where it runs.
    pub kind: ModelKindView,
    /// The file, or the server's address.
    pub location: String,
    /// Size of the file; `None` for a server.
    pub n_bytes: Option<u64>,
    /// Bytes of memory that it takes when it is loaded; `None` where that is not known.
    pub memory: Option<u64>,
    /// Its licence; `None` where nobody says it.
    pub licence: Option<String>,
    /// Tokens that a request and its reply share; `None` where that is not known before it is loaded.
    pub window: Option<u32>,
    /// Whether it is in memory.
    pub is_loaded: bool,
    /// Whether new conversations take it.
    pub is_chosen: bool,
    /// Its last check-up.
    pub checkup: Option<CheckupView>,
}

/// What a check-up found.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CheckupView {
    /// The findings, in the order in which they were tried.
    pub findings: Vec<FindingView>,
    /// Tokens of the longest request that was tried.
    pub n_tried: u32,
    /// Tokens that the window is said to have.
    pub window: u32,
    /// Tokens read in a second.
    pub read_per_s: Option<u32>,
    /// Tokens written in a second.
    pub written_per_s: Option<u32>,
    /// How long it took.
    pub took_ms: u64,
    /// When.
    pub checked_at_ms: i64,
}

/// One finding.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FindingView {
    /// What was tried.
    pub check: CheckView,
    /// What came of it.
    pub mark: MarkView,
    /// What the model replied, or why it did not.
    pub said: String,
}

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum CheckView {
    /// Native tool calls.
    NativeCalls,
    /// The system message beside tools.
    SystemBesideTools,
    /// One JSON value under a schema.
    StructuredSteps,
    /// Two messages of the user in a row.
    ConsecutiveRoles,
    /// The head of a long request.
    Window,
    /// What two requests share.
    Prefix,
}

mirror!(Check => CheckView {
    NativeCalls, SystemBesideTools, StructuredSteps, ConsecutiveRoles, Window, Prefix,
});

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum MarkView {
    /// It works.
    Works,
    /// It does not.
    Fails,
    /// Nobody can tell.
    Unknown,
}

mirror!(Mark => MarkView { Works, Fails, Unknown });

/// The check-up that runs.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CheckingView {
    /// Of which model.
    pub model: String,
    /// Checks that are done.
    pub n_done: u32,
    /// Of so many.
    pub n_checks: u32,
}

/// A model that can be downloaded.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OfferedFileView {
    /// Which.
    pub id: String,
    /// What the person reads.
    pub title: String,
    /// The length of its file; `None` until the publisher was asked for it.
    pub n_bytes: Option<u64>,
    /// Its licence.
    pub licence: String,
    /// Who publishes it.
    pub publisher: String,
    /// Memory that it needs, where that was measured.
    pub memory_mib: Option<u64>,
    /// Tokens that it was trained to read.
    pub context_length: u32,
}

/// A download that runs.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DownloadView {
    /// Of which model.
    pub id: String,
    /// What the person reads.
    pub title: String,
    /// Bytes that are here.
    pub n_done: u64,
    /// Of them from an earlier try.
    pub n_before: u64,
    /// Of so many; 0 while the publisher is asked.
    pub n_bytes: u64,
    /// Whether all is here and its hash is being checked.
    pub is_checking: bool,
    /// How long it has been going on.
    pub elapsed_ms: u64,
}

/// A server that was named.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelServerView {
    /// Its address.
    pub address: String,
    /// Models that it offers.
    pub n_models: u32,
    /// What may be shown of the key for it; `None` if there is none.
    pub key: Option<KeyView>,
}

/// What may be shown of a key.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyView {
    /// Where it is.
    pub place: KeyPlaceView,
    /// Its last four characters, where they are known and may be shown.
    pub last_four: Option<String>,
}

/// Where a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum KeyPlaceView {
    /// In an environment variable.
    Environment,
    /// In the system's keychain.
    Keychain,
    /// Only until the program is closed.
    Session,
}

mirror!(KeyPlace => KeyPlaceView { Environment, Keychain, Session });

/// A key on its way in. It has no `Debug`, so that no log can hold it.
#[derive(Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyWriteParams {
    /// The server that it is for.
    pub address: String,
    /// The key.
    pub key: String,
    /// Whether it is forgotten when the program is closed.
    pub is_for_session: bool,
}

impl KeyWriteParams {
    pub(crate) fn keeping(&self) -> KeyKeeping {
        if self.is_for_session { KeyKeeping::Session } else { KeyKeeping::Keychain }
    }
}

/// A server that answers.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FoundServerView {
    /// Its address.
    pub address: String,
    /// The names of its models.
    pub models: Vec<String>,
}

impl ModelCardView {
    pub(crate) fn new(row: ModelRow, checkup: Option<CheckupRow>) -> Self {
        let window = row.window.or(checkup.as_ref().map(|checkup| checkup.card.window));
        Self {
            id: row.id.0,
            title: row.title,
            kind: row.kind.into(),
            location: row.location,
            n_bytes: row.n_bytes,
            memory: row.memory,
            licence: row.licence,
            window,
            is_loaded: row.is_loaded,
            is_chosen: row.is_chosen,
            checkup: checkup.map(Into::into),
        }
    }
}

impl From<OfferedFile> for OfferedFileView {
    fn from(file: OfferedFile) -> Self {
        Self {
            id: file.id,
            title: file.title,
            n_bytes: file.n_bytes,
            licence: file.licence,
            publisher: file.publisher,
            memory_mib: file.memory_mib,
            context_length: file.context_length,
        }
    }
}

impl From<Downloading> for DownloadView {
    fn from(download: Downloading) -> Self {
        let progress = download.progress;
        Self {
            n_done: progress.map_or(0, |progress| progress.n_done),
            n_before: progress.map_or(0, |progress| progress.n_before),
            n_bytes: progress.map_or(0, |progress| progress.n_bytes),
            is_checking: progress.is_some_and(|progress| progress.is_checking),
            elapsed_ms: u64::try_from(download.elapsed().as_millis()).unwrap_or(u64::MAX),
            id: download.id,
            title: download.title,
        }
    }
}

impl From<CheckupRow> for CheckupView {
    fn from(row: CheckupRow) -> Self {
        Self {
            findings: row.card.findings.into_iter().map(Into::into).collect(),
            n_tried: row.card.n_tried,
            window: row.card.window,
            read_per_s: row.card.read_per_s,
            written_per_s: row.card.written_per_s,
            took_ms: row.took_ms,
            checked_at_ms: row.checked_at_ms,
        }
    }
}

impl From<Finding> for FindingView {
    fn from(finding: Finding) -> Self {
        Self { check: finding.check.into(), mark: finding.mark.into(), said: finding.said }
    }
}

impl CheckingView {
    pub(crate) fn new(checking: &Checking) -> Self {
        Self {
            model: checking.model.0.clone(),
            n_done: super::count(checking.n_done),
            n_checks: super::count(Check::ALL.len()),
        }
    }
}

impl From<KeyState> for KeyView {
    fn from(state: KeyState) -> Self {
        Self { place: state.place.into(), last_four: state.last_four }
    }
}

impl From<FoundServer> for FoundServerView {
    fn from(found: FoundServer) -> Self {
        Self { address: found.base_url, models: found.models.into_iter().map(|model| model.name).collect() }
    }
}
