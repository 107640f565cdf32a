//! What can go wrong with the record. Each variant is one sentence: what happened, and what one can do.

use rusqlite::ffi::{SQLITE_CONSTRAINT_FOREIGNKEY, SQLITE_IOERR_SHMSIZE};
use std::path::PathBuf;

/// The record could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another instance of the program holds the record.
    #[error("another Recto has this record open; use that one or close it first: {}", path.display())]
    OpenElsewhere {
        /// The database file.
        path: PathBuf,
    },
    /// A newer version of the program wrote the file. Not a byte of it was changed.
    #[error(
        "this record was written by a newer Recto (layout {found}; this one knows {known}) and was left untouched; \
         update Recto to open it: {}", path.display()
    )]
    NewerSchema {
        /// The database file.
        path: PathBuf,
        /// The layout's version in the file.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The file is no database, or another program's. Not a byte of it was changed.
    #[error("this file is not a record of Recto and was left untouched; choose another place: {}", path.display())]
    NotARecord {
        /// The file.
        path: PathBuf,
    },
    /// A bundle never takes the place of a file.
    #[error("there is a file already; choose another name: {}", path.display())]
    BundleExists {
        /// The file.
        path: PathBuf,
    },
    /// What came over the line cannot be read back.
    #[error("what the server sent for this request cannot be read from the record; the reply itself can")]
    Stream {
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// Part of the file cannot be read.
    #[error(
        "part of the record is damaged ({finding}); make a copy of the file, then go back to an earlier copy or start a new record"
    )]
    Damaged {
        /// What was found.
        finding: String,
        /// The cause, where SQLite gave one.
        #[source]
        source: Option<rusqlite::Error>,
    },
    /// The folder or the file cannot be written.
    #[error("the record cannot be written here; make the folder writable or choose another one: {}", path.display())]
    ReadOnly {
        /// The database file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file or its folder could not be opened.
    #[error("the record cannot be opened; check that the folder is there and on a disk of this computer: {}", path.display())]
    CannotOpen {
        /// The database file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The copy that is kept before a change of layout could not be made. Nothing was changed.
    #[error("no copy of the record could be kept before updating it, so it was left as it is; free some space: {}", path.display())]
    NoCopy {
        /// Where the copy was to be.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The layout could not be brought up to date. The file is as it was.
    #[error("the record could not be brought up to date and was left as it is; please report this: {source}")]
    Migration {
        /// The cause.
        #[source]
        source: rusqlite_migration::Error,
    },
    /// The disk is full. What was committed before is safe.
    #[error("the disk is full, so nothing can be saved; free some space and try again")]
    DiskFull {
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// Another program held the file for longer than it was waited for.
    #[error(
        "another program holds the record (a backup, a virus scanner, a database viewer), so this was not saved; close it and try again"
    )]
    Busy {
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// The disk reported an error. Whatever was being written counts as not saved.
    #[error("the disk reported an error, so this was not saved; check the disk and try again: {source}")]
    Disk {
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// The file may not be written any more.
    #[error("the record has become read-only, so this was not saved; make its folder writable and try again")]
    WriteRefused {
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// What the entry belongs to is not in the record.
    #[error("there is no such {what} in the record; it may have been deleted: {id}")]
    NoSuch {
        /// `conversation`, `turn`, `request`, `approval` …
        what: &'static str,
        /// Which.
        id: String,
    },
    /// An entry belongs to a turn, request or call that is not in the record.
    #[error("what this belongs to is not in the record; it may have been deleted")]
    Orphan {
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// The rebuilt bytes of a request are not those that were sent.
    #[error("the record of request {request} was changed after it was sent: its bytes hash to {found}, not {expected}")]
    WireDiffers {
        /// Which request.
        request: String,
        /// The hash that was recorded.
        expected: String,
        /// The hash of the rebuilt bytes.
        found: String,
    },
    /// A statement failed for a reason that only its cause can tell.
    #[error("the record refused this: {source}")]
    Statement {
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// A value of the record could not be written as JSON or read from it.
    #[error("the record holds a value that cannot be read: {source}")]
    Json {
        /// The cause.
        #[from]
        source: serde_json::Error,
    },
    /// A list of the work in the record is none.
    #[error("the record holds a list that cannot be read: {faults}")]
    BadList {
        /// What is wrong with it.
        faults: String,
    },
    /// The record was opened to be read.
    #[error("this Recto only reads the record; use the one that has it open, or start without it")]
    OpenedToRead,
    /// The record was opened to be read, and has a layout from before this program.
    #[error("this record was written by an older Recto; open it once in the window or with a question to bring it up to date: {}", path.display())]
    OlderSchema {
        /// The database file.
        path: PathBuf,
    },
    /// The thread that serves the record has ended.
    #[error("the record is closed; restart Recto")]
    Closed,
}

fn extended_code(error: &rusqlite::Error) -> i32 {
    error.sqlite_error().map_or(0, |error| error.extended_code)
}

impl From<rusqlite::Error> for StoreError {
    fn from(source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        match source.sqlite_error_code() {
            Some(Code::DatabaseCorrupt | Code::NotADatabase) => {
                Self::Damaged { finding: source.to_string(), source: Some(source) }
            }
            Some(Code::DiskFull) => Self::DiskFull { source },
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy { source },
            // Without room for the index of the log a full disk looks like a failing one.
            Some(Code::SystemIoFailure) if extended_code(&source) == SQLITE_IOERR_SHMSIZE => Self::DiskFull { source },
            Some(Code::SystemIoFailure) => Self::Disk { source },
            Some(Code::ConstraintViolation) if extended_code(&source) == SQLITE_CONSTRAINT_FOREIGNKEY => {
                Self::Orphan { source }
            }
            Some(Code::ReadOnly) => Self::WriteRefused { source },
            _ => Self::Statement { source },
        }
    }
}

impl StoreError {
    /// Names something that is not in the record.
    pub(crate) fn no_such(what: &'static str, id: impl Into<String>) -> Self {
        Self::NoSuch { what, id: id.into() }
    }

    /// Whether the connection has to be opened anew, because nobody knows what of the failed write reached the disk.
    pub(crate) fn leaves_the_file_in_doubt(&self) -> bool {
        matches!(self, Self::Disk { .. } | Self::Damaged { .. })
    }
}

impl StoreError {
    /// Sorts a failure of the file system while the record at `path` was being opened.
    pub(crate) fn from_io(path: &std::path::Path, error: std::io::Error) -> Self {
        use std::io::ErrorKind as Kind;
        let path = path.to_owned();
        match error.kind() {
            Kind::PermissionDenied | Kind::ReadOnlyFilesystem => Self::ReadOnly { path, source: Box::new(error) },
            _ => Self::CannotOpen { path, source: Box::new(error) },
        }
    }

    /// Gives a failure of SQLite while opening its path.
    pub(crate) fn at(self, path: &std::path::Path) -> Self {
        use rusqlite::ErrorCode as Code;
        let path = path.to_owned();
        match self {
            Self::WriteRefused { source } => Self::ReadOnly { path, source: Box::new(source) },
            Self::Statement { source } => match source.sqlite_error_code() {
                Some(Code::PermissionDenied) => Self::ReadOnly { path, source: Box::new(source) },
                Some(Code::CannotOpen) => Self::CannotOpen { path, source: Box::new(source) },
                _ => Self::Statement { source },
            },
            other => other,
        }
    }
}
