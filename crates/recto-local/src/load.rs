//! Loading: what is asked, what is checked before the library sees the file, and why a model is refused.

use crate::gguf::{Header, HeaderError};
use crate::template::{ChatTemplate, TemplateError};
use recto_core::request::Protocol;
use recto_engine::ports::{ModelError, ModelErrorKind};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How a model is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Tokens that a request and its reply share; never more than the model was trained for.
    pub window: u32,
    /// Threads that compute; `None` takes one for each physical core that the program may use.
    pub threads: Option<u32>,
    /// How the model is asked for tools.
    pub protocol: Protocol,
    /// The name shown and recorded; `None` takes the file's.
    pub name: Option<String>,
    /// A folder in which what was read of the system message is kept, so that the next start need not read it again; `None` keeps nothing.
    pub kept_in: Option<PathBuf>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { window: 8_192, threads: None, protocol: Protocol::Structured, name: None, kept_in: None }
    }
}

/// Why a model was not loaded. Each is one sentence for the user.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No such file.
    #[error("There is no model file at {path}; fetch it or choose another model.")]
    Missing {
        /// Where it was looked for.
        path: String,
    },
    /// The file cannot be read.
    #[error("The model file {path} cannot be read ({source}); check its permissions or choose another model.")]
    Unreadable {
        /// Which.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error("{path} is not a GGUF model file; choose a file whose name ends in .gguf.")]
    NotGguf {
        /// Which.
        path: String,
    },
    /// The file is not whole.
    #[error("The model file {path} is damaged or was not fetched whole ({n_bytes} bytes); fetch it again.")]
    Damaged {
        /// Which.
        path: String,
        /// The length that it has.
        n_bytes: u64,
    },
    /// The file is of a kind that this program does not know.
    #[error("The model file {path} cannot be used: {reason}; choose another model.")]
    Unsupported {
        /// Which.
        path: String,
        /// What is not known.
        reason: String,
    },
    /// There is no chat template, or it is not usable.
    #[error("{name} cannot be used for conversations: {reason}; choose a model that was made for chat.")]
    Template {
        /// The model.
        name: String,
        /// What is wrong with the template.
        reason: String,
    },
    /// The machine has too little memory.
    #[error(
        "{name} needs about {needed_mib} MiB with a window of {window} tokens, but {available_mib} MiB are free; close other programs, take a smaller window or a smaller model."
    )]
    Memory {
        /// The model.
        name: String,
        /// What it needs.
        needed_mib: u64,
        /// What there is.
        available_mib: u64,
        /// The window asked for.
        window: u32,
    },
    /// The user stopped.
    #[error("Loading was stopped.")]
    Stopped,
    /// The library failed.
    #[error("{name} could not be started: {reason}; try a smaller window or another model.")]
    Failed {
        /// The model.
        name: String,
        /// What failed.
        reason: String,
    },
}

impl From<LoadError> for ModelError {
    fn from(error: LoadError) -> Self {
        Self::BeforeOutput { sentence: error.to_string(), kind: ModelErrorKind::Unusable }
    }
}

/// Whether the file at `path` can be used for conversations, as far as its header says: whole, of a known kind, with a chat template.
///
/// # Errors
/// It cannot; the sentence says why.
pub fn check_file(path: &Path) -> Result<(), LoadError> {
    let header = header_of(path)?;
    let name = path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned());
    let source = template_source(&header, &name)?;
    ChatTemplate::new(source, "", "").map(drop).map_err(|error| template_error(&name, &error))
}

/// Reads the header of `path`, with its failures as sentences.
pub(crate) fn header_of(path: &Path) -> Result<Header, LoadError> {
    let shown = path.display().to_string();
    if !path.is_file() {
        return Err(LoadError::Missing { path: shown });
    }
    let n_bytes = path.metadata().map_or(0, |metadata| metadata.len());
    Header::read(path).map_err(|error| match error {
        HeaderError::Io(source) => LoadError::Unreadable { path: shown, source },
        HeaderError::NotGguf => LoadError::NotGguf { path: shown },
        HeaderError::Short | HeaderError::Damaged => LoadError::Damaged { path: shown, n_bytes },
        HeaderError::Version(_) => LoadError::Unsupported { path: shown, reason: error.to_string() },
    })
}

/// The chat template of a file, as its source.
pub(crate) fn template_source<'header>(header: &'header Header, name: &str) -> Result<&'header str, LoadError> {
    header.text("tokenizer.chat_template").ok_or_else(|| LoadError::Template {
        name: name.to_owned(),
        reason: "its file has no chat template".to_owned(),
    })
}

pub(crate) fn template_error(name: &str, error: &TemplateError) -> LoadError {
    LoadError::Template { name: name.to_owned(), reason: error.to_string() }
}

/// The window and the cells of the cache. Work and answer share a prefix, so half a window more lets both stand side by side in nearly every turn;
/// where it does not, one of them is read anew.
pub(crate) fn window_and_cells(options: &LoadOptions, header: &Header) -> (u32, u32) {
    let trained = header.of_architecture("context_length").and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX);
    let window = options.window.clamp(256, 1 << 20).min(trained);
    // Some models compute positions differently beyond what they were trained for, and the library decides that by the number of cells.
    (window, window.saturating_add(window / 2).min(trained.max(window)))
}

/// Bytes of memory that the model in a file takes with this window, as far as its header says; `None` if it is none that can be used.
#[must_use]
pub fn memory_needed(path: &Path, options: &LoadOptions) -> Option<u64> {
    let header = header_of(path).ok()?;
    let (_, n_cells) = window_and_cells(options, &header);
    Some(needed(&header, n_cells))
}

fn needed(header: &Header, n_cells: u32) -> u64 {
    // Beside weights and cache: what one micro-batch computes with, and the logits.
    const WORKING: u64 = 192 << 20;
    let cache = header.cache_bytes_per_token().unwrap_or(0).saturating_mul(u64::from(n_cells));
    header.n_bytes.saturating_add(cache).saturating_add(WORKING)
}

/// Refuses a model that would not fit into what is free now.
pub(crate) fn check_memory(header: &Header, name: &str, window: u32, n_cells: u32) -> Result<(), LoadError> {
    let needed = needed(header, n_cells);
    match available_bytes() {
        Some(available) if available < needed => Err(LoadError::Memory {
            name: name.to_owned(),
            needed_mib: needed >> 20,
            available_mib: available >> 20,
            window,
        }),
        _ => Ok(()),
    }
}

/// Memory that is free or can be freed at once; `None` where the system does not say.
#[must_use]
pub fn available_bytes() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
    });
    let group =
        std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse::<u64>().ok());
    match (machine, group) {
        (Some(machine), Some(group)) => Some(machine.min(group)),
        (machine, group) => machine.or(group),
    }
}

/// One thread for each physical core that the program may use: two threads on one core only wait for each other.
pub(crate) fn default_threads() -> u32 {
    let allowed = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let cores =
        std::fs::read_to_string("/proc/cpuinfo").map_or(allowed, |text| physical_cores(&text).unwrap_or(allowed));
    u32::try_from(allowed.min(cores)).unwrap_or(1).max(1)
}

fn physical_cores(cpuinfo: &str) -> Option<usize> {
    let value = |line: &str| line.split_once(':').map(|(_, value)| value.trim().to_owned());
    let cores: BTreeSet<(String, String)> = cpuinfo
        .split("\n\n")
        .filter_map(|processor| {
            let find = |key: &str| processor.lines().find(|line| line.starts_with(key)).and_then(value);
            Some((find("physical id")?, find("core id")?))
        })
        .collect();
    (!cores.is_empty()).then_some(cores.len())
}

#[cfg(test)]
mod tests;
