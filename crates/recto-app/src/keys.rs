//! Keys for servers. Each is bound to the origin that it was entered for and goes to no other. The system's keychain keeps it; the
//! record holds only for which origins there is one. A key leaves this file as a [`Secret`], which cannot be shown.

mod keychain;
mod safe;

pub use keychain::{Keychain, KeychainError};
pub(crate) use safe::Safe;

use crate::models::ModelsError;
use crate::open::{App, Change};
use crate::servers::{self, Key};
use recto_providers::Secret;
use recto_providers::address::ServerAddress;
use recto_store::{Store, StoreError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The setting that names the origins whose keys the keychain has.
const KEPT: &str = "keys";
/// Of a shorter key its last characters would say too much.
const LEAST_TO_SHOW: usize = 16;

/// How long a key is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKeeping {
    /// In the system's keychain.
    Keychain,
    /// Until the program is closed; nowhere on a disk.
    Session,
}

/// Where the key for a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// In the environment variable.
    Environment,
    /// In the system's keychain.
    Keychain,
    /// Only in this run of the program.
    Session,
}

/// What may be shown of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyState {
    /// Where it is.
    pub place: KeyPlace,
    /// Its last four characters, where it is long enough and was read in this run.
    pub last_four: Option<String>,
}

/// A key was not kept. No sentence repeats it.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The field held nothing.
    #[error("there is no key in the field; paste the one that the server's account page shows")]
    Empty,
    /// It cannot be a header.
    #[error("a key has no line breaks and no other such characters; paste it again")]
    Characters,
    /// The address cannot be used.
    #[error("{0}")]
    Address(String),
    /// The keychain cannot be used.
    #[error(
        "the keychain of this system cannot be used: {0}. Keep the key for this session only, or put it into RECTO_API_KEY"
    )]
    Keychain(KeychainError),
    /// The record.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A key that was entered or read in this run.
#[derive(Clone)]
struct Known {
    secret: Secret,
    last_four: Option<String>,
    place: KeyPlace,
}

impl Known {
    fn new(key: &str, place: KeyPlace) -> Self {
        let characters: Vec<char> = key.trim().chars().collect();
        let last_four =
            (characters.len() >= LEAST_TO_SHOW).then(|| characters[characters.len() - 4..].iter().collect());
        Self { secret: Secret::new(key), last_four, place }
    }
}

/// The keys of the open program.
pub(crate) struct Keys {
    of_environment: Key,
    safe: Safe,
    known: Mutex<BTreeMap<String, Known>>,
}

impl Keys {
    pub(crate) fn new(of_environment: Key, keychain: Option<Arc<dyn Keychain>>) -> Self {
        Self { of_environment, safe: Safe::new(keychain), known: Mutex::default() }
    }

    /// The keychain, for what else the program keeps there.
    pub(crate) fn safe(&self) -> &Safe {
        &self.safe
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key for a server: the one of the environment, else the one that was entered for its origin. The keychain is asked once a
    /// run, and only if the record says that it has the key.
    ///
    /// # Errors
    /// There is a key for it and the keychain does not give it.
    pub(crate) async fn of(&self, store: &Store, address: &ServerAddress) -> Result<Option<Secret>, ModelsError> {
        if let Some(secret) = self.of_environment.of(address) {
            return Ok(Some(secret));
        }
        let origin = address.origin();
        if let Some(known) = self.known().get(&origin) {
            return Ok(Some(known.secret.clone()));
        }
        if !kept(store).await?.contains(&origin) {
            return Ok(None);
        }
        let read = self.safe.get(&origin).await;
        let unread = |why| ModelsError::KeyUnread { server: address.label(), why };
        match read.map_err(unread)? {
            Some(key) => {
                let known = Known::new(&key, KeyPlace::Keychain);
                self.known().insert(origin, known.clone());
                Ok(Some(known.secret))
            }
            // Somebody removed it there; the server will say that it wants one.
            None => Ok(None),
        }
    }

    /// What may be shown of the key for a server; `None` if there is none. The keychain is not asked.
    pub(crate) async fn state(&self, store: &Store, address: &ServerAddress) -> Result<Option<KeyState>, StoreError> {
        if self.of_environment.of(address).is_some() {
            return Ok(Some(KeyState { place: KeyPlace::Environment, last_four: None }));
        }
        let origin = address.origin();
        if let Some(known) = self.known().get(&origin) {
            return Ok(Some(KeyState { place: known.place, last_four: known.last_four.clone() }));
        }
        let is_kept = kept(store).await?.contains(&origin);
        Ok(is_kept.then_some(KeyState { place: KeyPlace::Keychain, last_four: None }))
    }

    async fn set(
        &self,
        store: &Store,
        address: &ServerAddress,
        key: &str,
        keeping: KeyKeeping,
    ) -> Result<(), KeyError> {
        let key = key.trim();
        if key.is_empty() {
            return Err(KeyError::Empty);
        }
        if key.chars().any(|character| character.is_control() || character.is_whitespace()) {
            return Err(KeyError::Characters);
        }
        let origin = address.origin();
        let place = match keeping {
            KeyKeeping::Session => KeyPlace::Session,
            KeyKeeping::Keychain => {
                self.safe.set(&origin, key).await.map_err(KeyError::Keychain)?;
                KeyPlace::Keychain
            }
        };
        if place == KeyPlace::Keychain {
            keep(store, &origin, true).await?;
        }
        self.known().insert(origin, Known::new(key, place));
        Ok(())
    }

    async fn remove(&self, store: &Store, address: &ServerAddress) -> Result<(), KeyError> {
        let origin = address.origin();
        self.known().remove(&origin);
        if kept(store).await?.contains(&origin) {
            self.safe.remove(&origin).await.map_err(KeyError::Keychain)?;
            keep(store, &origin, false).await?;
        }
        Ok(())
    }
}

/// The origins whose keys the keychain has.
async fn kept(store: &Store) -> Result<Vec<String>, StoreError> {
    let kept = store.setting(KEPT.to_owned()).await?;
    // A damaged list is as good as none: the key is asked again.
    Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

async fn keep(store: &Store, origin: &str, is_kept: bool) -> Result<(), StoreError> {
    let mut origins = kept(store).await?;
    origins.retain(|other| other != origin);
    if is_kept {
        origins.push(origin.to_owned());
    }
    let text = serde_json::to_string(&origins).unwrap_or_default();
    store.set_setting(KEPT.to_owned(), Some(text)).await
}

impl App {
    /// Keeps the key for the server at `address`, bound to its origin: scheme, host and port.
    ///
    /// # Errors
    /// It is not kept; the sentence says why and never repeats it.
    pub async fn set_key(&self, address: &str, key: &str, keeping: KeyKeeping) -> Result<(), KeyError> {
        let address = servers::reachable(&self.inner.store, address)
            .await
            .map_err(|error| KeyError::Address(error.to_string()))?;
        self.inner.models.keys().set(&self.inner.store, &address, key, keeping).await?;
        self.changed(Change::Models);
        Ok(())
    }

    /// Forgets the key for the server at `address`, in the keychain too.
    ///
    /// # Errors
    /// It is still there.
    pub async fn remove_key(&self, address: &str) -> Result<(), KeyError> {
        let address = servers::address(address).map_err(|error| KeyError::Address(error.to_string()))?;
        self.inner.models.keys().remove(&self.inner.store, &address).await?;
        self.changed(Change::Models);
        Ok(())
    }

    /// What may be shown of the key for the server at `address`; `None` if there is none.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn key_state(&self, address: &str) -> Result<Option<KeyState>, StoreError> {
        match servers::address(address) {
            Ok(address) => self.inner.models.keys().state(&self.inner.store, &address).await,
            Err(_) => Ok(None),
        }
    }
}
