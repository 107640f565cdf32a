//! The keychain, asked with patience: a locked one may never answer, and nobody waits for it for long.

use super::keychain::{Keychain, KeychainError, SystemKeychain};
use std::sync::Arc;
use std::time::Duration;

/// A locked keychain asks a person, or nobody; a turn does not wait for that longer than this.
const PATIENCE: Duration = Duration::from_secs(5);

/// A keychain that is never waited for longer than a moment.
#[derive(Clone)]
pub(crate) struct Safe {
    keychain: Arc<dyn Keychain>,
}

impl Safe {
    /// Over a keychain; `None` takes the system's.
    pub(crate) fn new(keychain: Option<Arc<dyn Keychain>>) -> Self {
        Self { keychain: keychain.unwrap_or_else(|| Arc::new(SystemKeychain)) }
    }

    /// What is kept under a name; `None` if nothing is.
    pub(crate) async fn get(&self, name: &str) -> Result<Option<String>, KeychainError> {
        let name = name.to_owned();
        self.apart(move |keychain| keychain.get(&name)).await
    }

    /// Keeps a secret under a name, in the place of the one before.
    pub(crate) async fn set(&self, name: &str, secret: &str) -> Result<(), KeychainError> {
        let (name, secret) = (name.to_owned(), secret.to_owned());
        self.apart(move |keychain| keychain.set(&name, &secret)).await
    }

    /// Removes what is kept under a name.
    pub(crate) async fn remove(&self, name: &str) -> Result<(), KeychainError> {
        let name = name.to_owned();
        self.apart(move |keychain| keychain.remove(&name)).await
    }

    /// Does something with the keychain on a thread of its own: a locked one may never come back, and inside the runtime it could panic.
    async fn apart<T: Send + 'static>(
        &self,
        job: impl FnOnce(&dyn Keychain) -> Result<T, KeychainError> + Send + 'static,
    ) -> Result<T, KeychainError> {
        let (sender, done) = tokio::sync::oneshot::channel();
        let keychain = self.keychain.clone();
        let thread = std::thread::Builder::new().name("keychain".to_owned()).spawn(move || {
            // Whoever waited may have lost patience.
            let _ = sender.send(job(&*keychain));
        });
        if thread.is_err() {
            return Err(KeychainError::Refused);
        }
        match tokio::time::timeout(PATIENCE, done).await {
            Ok(done) => done.unwrap_or(Err(KeychainError::Refused)),
            Err(_) => Err(KeychainError::Silent),
        }
    }
}
