//! The library: what was added, how far it was read, and what a question would be given of it.

use recto_app::record::library::{Found, RootRow};
use recto_app::{LibraryProblem, SyncProgress};
use recto_core::library::{Place, Unit, passage_id};
use serde::Serialize;
use std::path::Path;
use ts_rs::TS;

/// All that the window shows of the library.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LibraryView {
    /// What was added.
    pub roots: Vec<LibraryRootView>,
    /// Documents that could not be read; of very many, the first.
    pub problems: Vec<LibraryProblemView>,
    /// Whether questions are given passages.
    pub is_on: bool,
    /// How far reading has come; `None` if nothing is being read.
    pub progress: Option<LibraryProgressView>,
}

/// A folder or a file that was added.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LibraryRootView {
    /// Which.
    pub id: i64,
    /// The last part of its path.
    pub name: String,
    /// Its path.
    pub path: String,
    /// Documents that can be searched.
    pub n_documents: u64,
    /// Documents that could not be read.
    pub n_unread: u64,
    /// Their passages.
    pub n_passages: u64,
    /// What they come to.
    pub n_bytes: u64,
    /// When it was read whole the last time; `None` if it never was.
    pub read_at_ms: Option<i64>,
    /// Why it cannot be read now.
    pub reason: Option<String>,
}

/// A document that could not be read.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LibraryProblemView {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// How far reading has come.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LibraryProgressView {
    /// Files that are done with.
    pub n_done: u32,
    /// Of so many.
    pub n_files: u32,
    /// Their bytes.
    pub n_bytes_done: u64,
    /// Of so many.
    pub n_bytes: u64,
    /// How long it has been going on.
    pub elapsed_ms: u64,
}

/// A passage as a question would be given it.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PassageView {
    /// Its name, `p12`.
    pub id: String,
    /// The document's path from its root down.
    pub document: String,
    /// The root's path.
    pub root: String,
    /// The headings that it stands under, the outermost first.
    pub headings: Vec<String>,
    /// Where in the document it stands.
    pub place: PlaceView,
    /// How well it fits, between 0 and 1.
    pub score: f64,
    /// Its text.
    pub text: String,
}

/// Where in its document a passage stands.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlaceView {
    /// What is counted.
    pub unit: UnitView,
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// The name of the sheet; empty elsewhere.
    pub sheet: String,
}

/// What places are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum UnitView {
    /// Lines of the file.
    Line,
    /// Paragraphs.
    Paragraph,
    /// Pages.
    Page,
    /// Rows of a sheet.
    Row,
    /// Nothing.
    Unnumbered,
}

mirror!(Unit => UnitView { Line, Paragraph, Page, Row, Unnumbered });

impl From<RootRow> for LibraryRootView {
    fn from(row: RootRow) -> Self {
        let name = Path::new(&row.path).file_name();
        Self {
            id: row.id,
            name: name.map_or_else(|| row.path.clone(), |name| name.to_string_lossy().into_owned()),
            path: row.path,
            n_documents: row.n_documents,
            n_unread: row.n_unread,
            n_passages: row.n_passages,
            n_bytes: row.n_bytes,
            read_at_ms: row.read_at_ms,
            reason: row.reason,
        }
    }
}

impl From<LibraryProblem> for LibraryProblemView {
    fn from(problem: LibraryProblem) -> Self {
        Self { path: problem.path, reason: problem.reason }
    }
}

impl From<SyncProgress> for LibraryProgressView {
    fn from(progress: SyncProgress) -> Self {
        Self {
            n_done: super::count(progress.n_done),
            n_files: super::count(progress.n_files),
            n_bytes_done: progress.n_bytes_done,
            n_bytes: progress.n_bytes,
            elapsed_ms: progress.elapsed_ms,
        }
    }
}

impl From<Place> for PlaceView {
    fn from(place: Place) -> Self {
        Self { unit: place.unit.into(), first: place.first, last: place.last, sheet: place.sheet }
    }
}

impl From<Found> for PassageView {
    fn from(found: Found) -> Self {
        let passage = found.passage;
        Self {
            id: passage_id(passage.id),
            document: passage.document,
            root: passage.root,
            headings: passage.headings,
            place: passage.place.into(),
            score: found.score,
            text: passage.text,
        }
    }
}
