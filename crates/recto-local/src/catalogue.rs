//! Which models are offered.

use serde::Deserialize;

/// A model that is offered for download.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueModel {
    /// Its name in settings and on the command line.
    pub id: String,
    /// Its name for a person.
    pub title: String,
    /// Its file name.
    pub file: String,
    /// The length of its file; `None` where it was not stated truthfully here, so that the publisher is asked for it.
    pub n_bytes: Option<u64>,
    /// The SHA-256 of its file, lower-case hex. Where it is `None`, the publisher is asked at download time (Hugging Face says it as
    /// `X-Linked-Etag`, the hash in the file's LFS pointer), and what arrives is checked against that.
    pub sha256: Option<String>,
    /// Its licence, as an SPDX expression.
    pub licence: String,
    /// Who publishes it.
    pub publisher: String,
    /// Where the publisher keeps the file.
    pub address: String,
    /// Memory that it needs with a window of 8,192 tokens, where that was measured.
    pub memory_mib: Option<u64>,
    /// Tokens that it was trained to read.
    pub context_length: u32,
}

/// The models that come with the program's catalogue, the starter model first.
///
/// # Errors
/// The catalogue that was compiled in is not valid, which a test rules out.
pub fn catalogue() -> Result<Vec<CatalogueModel>, serde_json::Error> {
    serde_json::from_str(include_str!("../../../assets/models.json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_catalogue_is_valid_and_begins_with_the_starter_model() {
        let models = catalogue().unwrap();
        let first: Vec<&str> = models.iter().take(2).map(|model| model.id.as_str()).collect();
        assert_eq!(first, ["qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b"]);
        let ids: BTreeSet<&str> = models.iter().map(|model| model.id.as_str()).collect();
        let files: BTreeSet<&str> = models.iter().map(|model| model.file.as_str()).collect();
        assert_eq!((ids.len(), files.len()), (models.len(), models.len()));
        for model in &models {
            assert!(model.sha256.as_ref().is_none_or(|hash| hash.len() == 64), "{}", model.id);
            assert!(model.address.starts_with("https://huggingface.co/"), "{}", model.id);
            assert!(model.address.ends_with(&format!("/{}", model.file)), "{}", model.id);
        }
    }
}
