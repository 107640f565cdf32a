//! Servers that count, each asked on one thread for as long as the program runs.

use crate::models::ModelId;
use recto_providers::address::ServerAddress;
use recto_providers::{Secret, Tokenizer};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Those that were used in this run.
#[derive(Debug, Default)]
pub(crate) struct Tokenizers(Mutex<HashMap<ModelId, Arc<Tokenizer>>>);

impl Tokenizers {
    /// The one of a model, begun anew where its server stopped answering once. `None` where it cannot be begun.
    pub(crate) fn of(&self, id: &ModelId, address: &ServerAddress, key: Option<&Secret>) -> Option<Arc<Tokenizer>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, tokenizer| !tokenizer.is_lost());
        if let Some(tokenizer) = all.get(id) {
            return Some(tokenizer.clone());
        }
        let tokenizer = Arc::new(Tokenizer::new(address, key).ok()?);
        all.insert(id.clone(), tokenizer.clone());
        Some(tokenizer)
    }
}
