//! The system's keychain: Secret Service, the macOS keychain, the Windows credential store.

use keyring_core::{CredentialStore, Entry, Error};
use std::sync::Arc;

/// The name under which the keychain shows what belongs to this program.
const SERVICE: &str = "dev.recto.Recto";
/// With the value `none` the system's keychain is left alone.
const KEYCHAIN_VARIABLE: &str = "RECTO_KEYCHAIN";

/// Where keys are kept between starts. Calls may block until a person unlocks it, so they are made on a thread of their own.
pub trait Keychain: Send + Sync {
    /// The key for an origin; `None` if none is kept.
    ///
    /// # Errors
    /// The keychain cannot be used.
    fn get(&self, origin: &str) -> Result<Option<String>, KeychainError>;

    /// Keeps a key for an origin, in the place of the one before.
    ///
    /// # Errors
    /// It is not kept.
    fn set(&self, origin: &str, key: &str) -> Result<(), KeychainError>;

    /// Removes the key for an origin; one that is not there is removed already.
    ///
    /// # Errors
    /// It is not removed.
    fn remove(&self, origin: &str) -> Result<(), KeychainError>;
}

/// Why a keychain cannot be used. The words are ours: those of a system might repeat what they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeychainError {
    /// There is none, or it is locked.
    #[error("there is none, or it is locked")]
    NoAccess,
    /// It does not answer.
    #[error("it does not answer")]
    Silent,
    /// It refuses.
    #[error("it refuses to work")]
    Refused,
}

impl From<Error> for KeychainError {
    fn from(error: Error) -> Self {
        match error {
            Error::NoStorageAccess(_) | Error::NoDefaultStore => Self::NoAccess,
            _ => Self::Refused,
        }
    }
}

/// The one of this computer.
pub(crate) struct SystemKeychain;

impl SystemKeychain {
    fn entry(origin: &str) -> Result<Entry, KeychainError> {
        // It is opened anew each time, because it may be started or unlocked while the program runs.
        let is_left_alone = std::env::var_os(KEYCHAIN_VARIABLE).is_some_and(|value| value == "none");
        let store = store().filter(|_| !is_left_alone).ok_or(KeychainError::NoAccess)?;
        Ok(Entry::new_in_store(&store, SERVICE, origin)?)
    }
}

impl Keychain for SystemKeychain {
    fn get(&self, origin: &str) -> Result<Option<String>, KeychainError> {
        match Self::entry(origin)?.get_password() {
            Ok(key) => Ok(Some(key)),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn set(&self, origin: &str, key: &str) -> Result<(), KeychainError> {
        Ok(Self::entry(origin)?.set_password(key)?)
    }

    fn remove(&self, origin: &str) -> Result<(), KeychainError> {
        match Self::entry(origin)?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(target_os = "linux")]
fn store() -> Option<Arc<CredentialStore>> {
    zbus_secret_service_keyring_store::Store::new().ok().map(|store| store as Arc<CredentialStore>)
}

#[cfg(target_os = "macos")]
fn store() -> Option<Arc<CredentialStore>> {
    apple_native_keyring_store::keychain::Store::new().ok().map(|store| store as Arc<CredentialStore>)
}

#[cfg(windows)]
fn store() -> Option<Arc<CredentialStore>> {
    windows_native_keyring_store::Store::new().ok().map(|store| store as Arc<CredentialStore>)
}

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
fn store() -> Option<Arc<CredentialStore>> {
    None
}
