//! Opening the record: nothing is changed before it is certain that the file is ours, whole, and of a layout known here.

use crate::audit;
use crate::error::StoreError;
use crate::lock::{InstanceLock, private_file};
use crate::recovery::{Recovered, UnsettledWrite, recover};
use crate::schema::{self, APPLICATION_ID, Layout};
use crate::store::Store;
use crate::writer::{Writer, in_transaction};
use crate::{connection, error};
use rusqlite::Connection;
use rusqlite::backup::Backup;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Up to this size the file is checked whole at every start (some 50 ms); a larger one only after the program died.
const CHECKED_BYTES: u64 = 32 * 1024 * 1024;

/// A record that was opened, and what was found on the way.
#[derive(Debug)]
pub struct Opened {
    /// The record.
    pub store: Store,
    /// Turns that the program left running when it died; they are marked interrupted, with what they had.
    pub n_interrupted: usize,
    /// Questions to the person that were still open; they are withdrawn, which is a no.
    pub n_withdrawn: usize,
    /// Writes that may have happened or not when the program died. The audit log has an outcome for each that says so.
    pub unsettled: Vec<UnsettledWrite>,
    /// The copy that was kept before the layout was brought up to date; `None` if it was current or new.
    pub copy: Option<PathBuf>,
}

impl Store {
    /// Opens the record at `path`, making it and its folder (for this user alone) if they are not there.
    ///
    /// # Errors
    /// One variant and one sentence for each: another instance, a newer layout, no record, damage, a folder that cannot be
    /// written, a disk that is full. The file is left as it is then.
    pub fn open(path: &Path, now_ms: i64) -> Result<Opened, StoreError> {
        open_with(path, now_ms, &schema::current()).map_err(|error| error.at(path))
    }

    /// Opens the record at `path` to look at it while another instance may be writing. Nothing is marked or brought up to date, and
    /// whatever would change the record is refused.
    ///
    /// # Errors
    /// As for `open`; `CannotOpen` if there is none, `OlderSchema` if it would have to be brought up to date first.
    pub fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        let known = schema::current().version;
        let found = look(path, known).map_err(|error| error.at(path))?;
        if found.n_bytes == 0 {
            return Err(StoreError::from_io(path, std::io::ErrorKind::NotFound.into()));
        }
        if found.version < known {
            return Err(StoreError::OlderSchema { path: path.to_owned() });
        }
        Ok(Self::reading(path.to_owned()))
    }

    /// Reads the whole record and looks for damage; takes seconds for one of some gigabytes. Opening does this only where it is
    /// quick or the program died.
    ///
    /// # Errors
    /// `Damaged` with the first finding.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.read(check_through).await
    }
}

pub(crate) fn open_with(path: &Path, now_ms: i64, layout: &Layout) -> Result<Opened, StoreError> {
    make_folder(path)?;
    let lock = InstanceLock::take(path)?;
    // Somebody may have died before its log was folded into the file.
    let died = beside(path, "-wal").metadata().is_ok_and(|log| log.len() > 0);
    let found = look(path, layout.version)?;
    if found.n_bytes == 0 {
        private_file().open(path).map_err(|error| StoreError::from_io(path, error))?;
    } else if died || found.n_bytes <= CHECKED_BYTES {
        check(path)?;
    }
    own_alone(path)?;
    let mut connection = connection::writer(path)?;
    let copy = (0 < found.version && found.version < layout.version)
        .then(|| keep_copy(&connection, path, found.version))
        .transpose()?;
    layout.migrations.to_latest(&mut connection).map_err(migration_error)?;
    let found = audit::newest(&connection)?;
    let Recovered { n_interrupted, n_withdrawn, unsettled } =
        in_transaction(&mut connection, |transaction| recover(transaction, now_ms))?;
    let writer = Writer::start(path.to_owned(), connection).map_err(|error| StoreError::from_io(path, error))?;
    Ok(Opened {
        store: Store::writing(path.to_owned(), writer, lock, found),
        n_interrupted,
        n_withdrawn,
        unsettled,
        copy,
    })
}

struct Found {
    n_bytes: u64,
    version: i64,
}

/// What is there, seen through a connection that cannot write.
fn look(path: &Path, known: i64) -> Result<Found, StoreError> {
    let n_bytes = match path.metadata() {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        Ok(_) => return Err(StoreError::NotARecord { path: path.to_owned() }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(StoreError::from_io(path, error)),
    };
    if n_bytes == 0 {
        return Ok(Found { n_bytes, version: 0 });
    }
    let not_a_record = || StoreError::NotARecord { path: path.to_owned() };
    let connection = connection::reader(path)?;
    let header = || -> rusqlite::Result<(i64, i64, bool)> {
        let application = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let is_empty = connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?;
        Ok((application, version, is_empty))
    };
    let (application, version, is_empty) = header().map_err(|error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => not_a_record(),
        _ => StoreError::from(error),
    })?;
    // A first start that died before its first commit leaves a database without anything in it.
    let is_ours = application == APPLICATION_ID || (application == 0 && version == 0 && is_empty);
    if !is_ours {
        return Err(not_a_record());
    }
    if version > known {
        return Err(StoreError::NewerSchema { path: path.to_owned(), found: version, known });
    }
    Ok(Found { n_bytes, version })
}

/// Reads every page once and compares what belongs together.
fn check(path: &Path) -> Result<(), StoreError> {
    check_through(&connection::reader(path)?)
}

fn check_through(connection: &Connection) -> Result<(), StoreError> {
    let finding: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if finding == "ok" {
        Ok(())
    } else {
        Err(StoreError::Damaged { finding: finding.replace('\n', " "), source: None })
    }
}

/// Copies the whole record, its log included, into one file beside it.
fn keep_copy(connection: &Connection, path: &Path, version: i64) -> Result<PathBuf, StoreError> {
    let copy = beside(path, &format!(".before-update-from-{version}"));
    let no_copy = |source: Box<dyn std::error::Error + Send + Sync>| StoreError::NoCopy { path: copy.clone(), source };
    private_file().open(&copy).map_err(|error| no_copy(error.into()))?;
    let copied = Connection::open(&copy)
        .and_then(|mut target| Backup::new(connection, &mut target)?.run_to_completion(1024, Duration::ZERO, None));
    copied.map_err(|error| no_copy(error.into()))?;
    // A copy counts when it was read again.
    check(&copy).map_err(|error| no_copy(error.into()))?;
    Ok(copy)
}

pub(crate) fn migration_error(error: rusqlite_migration::Error) -> StoreError {
    match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => match error::StoreError::from(err) {
            StoreError::Statement { source } => StoreError::Migration { source: source.into() },
            known => known,
        },
        source => StoreError::Migration { source },
    }
}

fn make_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) else {
        return Ok(());
    };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| StoreError::from_io(path, error))
}

/// A file that was copied here may have come with wider modes, and so may its log. What SQLite makes beside it later has its mode.
fn own_alone(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    for file in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
        use std::os::unix::fs::PermissionsExt;
        match std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            set => set.map_err(|error| StoreError::from_io(path, error))?,
        }
    }
    Ok(())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests;
