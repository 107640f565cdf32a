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
    /// The length of its file.
    pub n_bytes: u64,
    /// The SHA-256 of its file, lower-case hex.
    pub sha256: String,
    /// Its licence, as an SPDX expression.
    pub licence: String,
    /// Who publishes it.
    pub publisher: String,
    /// Where the publisher keeps the file.
    pub address: String,
    /// Memory that it needs with a window of 8,192 tokens.
    pub memory_mib: u64,
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

    #[test]
    fn the_catalogue_is_valid_and_begins_with_the_starter_model() {
        let ids: Vec<String> = catalogue().unwrap().into_iter().map(|model| model.id).collect();
        assert_eq!(ids, ["qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b"]);
        for model in catalogue().unwrap() {
            assert_eq!(model.sha256.len(), 64, "{}", model.id);
            assert!(model.address.ends_with(&model.file), "{}", model.id);
        }
    }
}
