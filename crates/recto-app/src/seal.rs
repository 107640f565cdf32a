//! The seal of the audit log: its key and its anchor are kept in the system's keychain, and never beside the log. Without a keychain the log is
//! chained as ever, and it is said that nothing more can be checked.

use crate::keys::{Keychain, KeychainError, Safe};
use crate::open::{App, Inner};
use recto_core::audit::seal::{Anchor, SealKey};
use recto_store::{AuditVerdict, AuditWitness, Store, StoreError};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};

/// The setting that names this record in the keychain.
const RECORD: &str = "audit_record";
/// The anchor is written down so long after a row at the latest, if the keychain is as quick as it should be.
const ANCHOR_AFTER: Duration = Duration::from_millis(500);

/// What the seals of a log can be checked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealState {
    /// The key is at hand.
    Sealed,
    /// No row was sealed yet.
    NotYet,
    /// The keychain cannot be used.
    NoKeychain(KeychainError),
    /// The log is sealed and the keychain has no key for it any more.
    KeyGone,
}

/// A whole check of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// What the log says.
    pub verdict: AuditVerdict,
    /// What it could be checked with.
    pub seal: SealState,
}

/// What is kept in the keychain for one record.
struct Places {
    key: String,
    anchor: String,
}

impl Places {
    fn of(record: &str) -> Self {
        Self { key: format!("audit key {record}"), anchor: format!("audit anchor {record}") }
    }

    /// Those of a record; `None` if it has none yet. The record says its own name, and the keychain says which one was at this place, for a record
    /// out of which the name was taken.
    async fn find(store: &Store, safe: &Safe) -> Result<Option<Self>, NotSealed> {
        if let Some(record) = store.setting(RECORD.to_owned()).await? {
            return Ok(Some(Self::of(&record)));
        }
        // Nothing is missing in a log that has just begun: whoever removed his data begins anew.
        if store.audit_anchor().await?.n_rows == 0 {
            return Ok(None);
        }
        Ok(safe.get(&at_this_place(store)).await?.map(|record| Self::of(&record)))
    }

    /// The same, for a record that gets some now.
    async fn find_or_name(store: &Store, safe: &Safe) -> Result<Self, NotSealed> {
        if let Some(places) = Self::find(store, safe).await? {
            return Ok(places);
        }
        let record = uuid::Uuid::new_v4().simple().to_string();
        safe.set(&at_this_place(store), &record).await?;
        store.set_setting(RECORD.to_owned(), Some(record.clone())).await?;
        Ok(Self::of(&record))
    }
}

fn at_this_place(store: &Store) -> String {
    let path = store.path().canonicalize().unwrap_or_else(|_| store.path().to_owned());
    format!("audit record {}", path.display())
}

/// Checks a log that this program may only read, with what the keychain has for it; `None` takes the system's.
///
/// # Errors
/// The record cannot be read.
pub async fn verify_audit(store: &Store, keychain: Option<Arc<dyn Keychain>>) -> Result<AuditReport, StoreError> {
    verify(store, &Safe::new(keychain)).await
}

async fn verify(store: &Store, safe: &Safe) -> Result<AuditReport, StoreError> {
    let (witness, seal) = match witness(store, safe).await {
        Ok(witness) => {
            let seal = witness.key.as_ref().map(|_| SealState::Sealed);
            (witness, seal)
        }
        Err(NotSealed::Store(error)) => return Err(error),
        Err(NotSealed::KeyGone) => (AuditWitness::default(), Some(SealState::KeyGone)),
        Err(NotSealed::Keychain(why)) => (AuditWitness::default(), Some(SealState::NoKeychain(why))),
    };
    let verdict = store.verify_audit_with(witness).await?;
    let without = if verdict.sealed_from.is_some() { SealState::KeyGone } else { SealState::NotYet };
    Ok(AuditReport { verdict, seal: seal.unwrap_or(without) })
}

async fn witness(store: &Store, safe: &Safe) -> Result<AuditWitness, NotSealed> {
    let Some(places) = Places::find(store, safe).await? else { return Ok(AuditWitness::default()) };
    let key = safe.get(&places.key).await?.and_then(|text| SealKey::read(&text));
    let anchor = safe.get(&places.anchor).await?.and_then(|text| Anchor::read(&text));
    Ok(AuditWitness { key, anchor })
}

/// How far this run is with sealing.
#[derive(Debug, Default)]
pub(crate) struct Sealing(Mutex<Progress>);

#[derive(Debug, Default)]
enum Progress {
    /// Nothing was done yet, or the keychain could not be used and may be by now.
    #[default]
    Ahead,
    /// Rows are sealed, and this is where the anchor is kept and how it was written down last.
    Anchoring { place: String, kept: Option<Anchor> },
    /// Nothing more is written into the keychain in this run: it does not answer, has no key, or its anchor contradicts the log and has to stay.
    Over,
}

impl App {
    /// Begins to seal the audit log, if that was not done yet. Nobody has to wait for it: what is added meanwhile is sealed when the key is there.
    pub(crate) fn begin_sealing(&self) {
        let is_due = self.inner.sealing.0.try_lock().is_ok_and(|progress| matches!(*progress, Progress::Ahead));
        if self.only_looks() || !is_due {
            return;
        }
        let app = self.clone();
        tokio::spawn(async move { app.seal_audit().await });
    }

    /// Seals the audit log and writes down in the keychain how far it goes. Without a keychain nothing happens; the next check says so.
    pub async fn seal_audit(&self) {
        if !self.only_looks() {
            let mut progress = self.begun().await;
            write_down(&self.inner, &mut progress).await;
        }
    }

    /// Checks the chain of the audit log, its seals and its anchor, and leaves the anchor as it was.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn verify_audit(&self) -> Result<AuditReport, StoreError> {
        if self.only_looks() {
            let verdict = self.inner.store.verify_audit().await?;
            return Ok(AuditReport { verdict, seal: SealState::NotYet });
        }
        // Held until the end, so that no anchor is written while the old one is compared.
        let _progress = self.begun().await;
        verify(&self.inner.store, self.inner.models.keys().safe()).await
    }

    async fn begun(&self) -> MutexGuard<'_, Progress> {
        let mut progress = self.inner.sealing.0.lock().await;
        if matches!(*progress, Progress::Ahead) {
            *progress = match begin(&self.inner.store, self.inner.models.keys().safe()).await {
                Ok(begun) => {
                    tokio::spawn(keep_anchored(Arc::downgrade(&self.inner)));
                    begun
                }
                Err(error) => {
                    tracing::warn!(%error, "the audit log is not sealed");
                    error.progress()
                }
            };
        }
        progress
    }
}

/// Why nothing is sealed.
#[derive(Debug, thiserror::Error)]
enum NotSealed {
    #[error("the keychain of this system cannot be used: {0}")]
    Keychain(#[from] KeychainError),
    #[error("the keychain has no key for this log any more")]
    KeyGone,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl NotSealed {
    /// Whether it is tried again. One that does not answer costs a thread each time.
    fn progress(&self) -> Progress {
        match self {
            Self::Keychain(KeychainError::Silent) | Self::KeyGone => Progress::Over,
            Self::Keychain(_) | Self::Store(_) => Progress::Ahead,
        }
    }
}

/// Takes the key, or draws one for a log that has no seal yet. An anchor that contradicts the log stays as it is, because it is what shows that
/// something was cut or changed.
async fn begin(store: &Store, safe: &Safe) -> Result<Progress, NotSealed> {
    let places = Places::find_or_name(store, safe).await?;
    let key = match safe.get(&places.key).await?.and_then(|text| SealKey::read(&text)) {
        Some(key) => key,
        None if store.audit_anchor().await?.sealed_to > 0 => return Err(NotSealed::KeyGone),
        None => {
            let key = drawn();
            safe.set(&places.key, &key.to_keychain()).await?;
            key
        }
    };
    store.seal_with(key).await?;
    let kept = safe.get(&places.anchor).await?.and_then(|text| Anchor::read(&text));
    Ok(Progress::Anchoring { place: places.anchor, kept })
}

/// A key that nobody can guess: 244 random bits.
fn drawn() -> SealKey {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
    bytes[16..].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
    SealKey::new(bytes)
}

/// Writes the anchor down whenever the log has grown, as long as the program is open.
async fn keep_anchored(inner: Weak<Inner>) {
    let Some(mut growth) = inner.upgrade().map(|inner| inner.store.audit_growth()) else { return };
    while growth.changed().await.is_ok() {
        tokio::time::sleep(ANCHOR_AFTER).await;
        let Some(inner) = inner.upgrade() else { return };
        let mut progress = inner.sealing.0.lock().await;
        if !write_down(&inner, &mut progress).await {
            return;
        }
    }
}

/// Writes down how far the log goes now, unless it contradicts what was written down before. `false` if nothing will be written any more.
async fn write_down(inner: &Inner, progress: &mut Progress) -> bool {
    let Progress::Anchoring { place, kept } = progress else { return false };
    let is_contradicted = match kept.clone() {
        Some(kept) => inner.store.contradicts(kept).await,
        None => Ok(false),
    };
    let anchor = match is_contradicted {
        Ok(false) => inner.store.audit_anchor().await,
        Ok(true) => {
            tracing::warn!("the audit log is not the one that was anchored; its check says where");
            *progress = Progress::Over;
            return false;
        }
        Err(error) => Err(error),
    };
    let Ok(anchor) = anchor else { return true };
    if kept.as_ref() == Some(&anchor) {
        return true;
    }
    match inner.models.keys().safe().set(place, &anchor.to_string()).await {
        Ok(()) => *kept = Some(anchor),
        Err(error) => {
            // The check counts how many rows the anchor is behind.
            tracing::warn!(%error, "the anchor of the audit log was not written down");
            if error == KeychainError::Silent {
                *progress = Progress::Over;
                return false;
            }
        }
    }
    true
}
