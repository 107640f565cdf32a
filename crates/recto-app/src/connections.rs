//! Servers before and after they are named: trying an address without keeping it, finding those on this computer, removing one.

use crate::models::{CHOSEN, ModelsError};
use crate::open::{App, Change};
use crate::servers::{self, ServerEntry};
use futures_util::future::join_all;
use recto_providers::address::ServerAddress;
use recto_providers::{Dialect, DiscoveredModel, Discovery, discover};
use std::time::Duration;

/// Where local servers usually listen: Ollama, llama-server, LM Studio, vLLM, KoboldCpp, Jan.
pub const LOCAL_PORTS: [u16; 6] = [11434, 8080, 1234, 8000, 5001, 1337];

/// A server on this computer that is there answers at once; whoever opens a page does not wait for the others.
const LOCAL_LIMIT: Duration = Duration::from_millis(1500);

/// A server that answers with a list of models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundServer {
    /// Its address as it would be kept.
    pub base_url: String,
    /// What it speaks.
    pub dialect: Dialect,
    /// What it offers, never empty.
    pub models: Vec<DiscoveredModel>,
}

impl App {
    /// Asks the server at an address for its models and keeps nothing.
    ///
    /// # Errors
    /// What is wrong, in one sentence: nothing answers, it is no model server, it refuses the key, it redirects, it has no model.
    pub async fn test_server(&self, address: &str) -> Result<FoundServer, ModelsError> {
        let typed = servers::parts(address.trim()).map_or(address.trim(), |(address, _)| address);
        let address = servers::reachable(&self.inner.store, typed).await?;
        let Discovery { dialect, models } =
            servers::offered(&self.inner.store, self.inner.models.keys(), &address).await?;
        if models.is_empty() {
            return Err(ModelsError::NothingOffered { base_url: address.base_url() });
        }
        Ok(FoundServer { base_url: address.base_url(), dialect, models })
    }

    /// Lets texts and the key go unencrypted to the server at `address` from now on. Only a person may say so, for this one server.
    ///
    /// # Errors
    /// It is no address, or the choice is not kept.
    pub async fn allow_unencrypted(&self, address: &str) -> Result<(), ModelsError> {
        let typed = servers::parts(address.trim()).map_or(address.trim(), |(address, _)| address);
        servers::allow_unencrypted(&self.inner.store, typed).await
    }

    /// Servers on the given ports of this computer that offer models and are not kept yet, in the order of the ports. Whoever listens
    /// there gets no key.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn find_local_servers(&self, ports: &[u16]) -> Result<Vec<FoundServer>, ModelsError> {
        let kept = servers::kept(&self.inner.store).await?;
        let is_kept = |found: &FoundServer| kept.iter().any(|entry| is_same_server(entry, found));
        let found = join_all(ports.iter().map(|port| found_at(*port))).await;
        Ok(found.into_iter().flatten().filter(|found| !is_kept(found)).collect())
    }

    /// Forgets a server, all of its models, and its key. Conversations that used it keep what they have and ask for another model.
    ///
    /// # Errors
    /// It is still there.
    pub async fn remove_server(&self, base_url: &str) -> Result<(), ModelsError> {
        let store = &self.inner.store;
        let kept = servers::kept(store).await?;
        let (gone, stay): (Vec<ServerEntry>, Vec<ServerEntry>) =
            kept.into_iter().partition(|entry| entry.base_url == base_url);
        if gone.is_empty() {
            return Err(ModelsError::Unknown { name: base_url.to_owned() });
        }
        // A key that others on the same origin use stays; so does a server whose key could not be removed.
        let address = servers::address(base_url)?;
        let shares = |entry: &ServerEntry| {
            servers::address(&entry.base_url).is_ok_and(|other| other.origin() == address.origin())
        };
        if !stay.iter().any(shares) {
            self.remove_key(base_url).await.map_err(|error| ModelsError::Unusable(error.to_string()))?;
        }
        servers::keep(store, &stay).await?;
        let chosen = store.setting(CHOSEN.to_owned()).await?;
        if chosen.is_some_and(|chosen| gone.iter().any(|entry| entry.id().0 == servers::canonical(&chosen))) {
            store.set_setting(CHOSEN.to_owned(), None).await?;
        }
        self.changed(Change::Models);
        Ok(())
    }
}

fn is_same_server(entry: &ServerEntry, found: &FoundServer) -> bool {
    let plain = |url: &str| url.replace("://localhost", "://127.0.0.1").replace("://[::1]", "://127.0.0.1");
    plain(&entry.base_url) == plain(&found.base_url)
}

async fn found_at(port: u16) -> Option<FoundServer> {
    let address = ServerAddress::parse(&format!("http://127.0.0.1:{port}"), false).ok()?;
    let Discovery { dialect, models } = tokio::time::timeout(LOCAL_LIMIT, discover(&address, None)).await.ok()?.ok()?;
    (!models.is_empty()).then(|| FoundServer { base_url: address.base_url(), dialect, models })
}
