//! What was learnt of the vocabularies of servers' models, kept in the record: the next turn counts better than this one.

use crate::models::ModelId;
use recto_core::calibration::Calibration;
use recto_providers::Learner;
use recto_store::{Store, StoreError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The settings that hold them begin like this, and go on with the model's id.
const SETTING: &str = "calibration ";

/// The calibrations that were used in this run. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Calibrations(Arc<Mutex<HashMap<String, Calibration>>>);

impl Calibrations {
    /// What is known of a model, and who learns more.
    ///
    /// # Errors
    /// The record cannot be read.
    pub(crate) async fn of(&self, store: &Store, id: &ModelId) -> Result<(Calibration, Learner), StoreError> {
        let setting = format!("{SETTING}{}", id.0);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&setting).cloned();
        let calibration = match known {
            Some(known) => known,
            None => {
                let kept = store.setting(setting.clone()).await?;
                // One that cannot be read is as good as none; it is learnt again.
                let kept = kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
                self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(setting.clone()).or_insert(kept).clone()
            }
        };
        let (all, store) = (self.clone(), store.clone());
        let learner: Learner = Arc::new(move |observation| {
            let text = {
                let mut all = all.0.lock().unwrap_or_else(PoisonError::into_inner);
                let learnt = all.entry(setting.clone()).or_default();
                learnt.learn(observation);
                serde_json::to_string(learnt).ok()
            };
            let (store, setting) = (store.clone(), setting.clone());
            // A reply does not wait for it, and one that is not kept is learnt again.
            tokio::spawn(async move {
                if let Err(error) = store.set_setting(setting, text).await {
                    tracing::warn!(%error, "what was learnt of a model is not kept");
                }
            });
        });
        Ok((calibration, learner))
    }
}
