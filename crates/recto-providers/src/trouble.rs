//! What went wrong with a server, in a sentence that says what happened and what one can do.

use crate::reading::BodyFault;
use crate::reading::values::{error, error_words};
use crate::retry;
use crate::secret::Secret;
use recto_core::reply::Reply;
use recto_core::text::one_line;
use recto_engine::ports::{ModelError, ModelErrorKind};
use serde_json::Value;
use std::error::Error;
use std::io;
use std::time::Duration;

/// One failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct Trouble {
    /// For the user.
    pub sentence: String,
    /// What a client may do about it.
    pub kind: ModelErrorKind,
    /// Why the same request may succeed later, in a few words; `None` if it will not.
    pub(crate) passing: Option<String>,
}

/// What had arrived when a connection broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// Nothing at all.
    NoByte,
    /// Bytes in which nothing is said.
    NoOutput,
    /// Text or reasoning.
    Output,
    /// A call that is not whole.
    CallBegun,
}

impl Trouble {
    fn lasting(kind: ModelErrorKind, sentence: String) -> Self {
        Self { sentence, kind, passing: None }
    }

    fn passing(kind: ModelErrorKind, reason: String, sentence: String) -> Self {
        Self { sentence, kind, passing: Some(reason) }
    }

    /// As the error of a model, with what had arrived.
    pub(crate) fn with(self, partial: Reply) -> ModelError {
        let is_nothing = partial.text.is_empty() && partial.reasoning.is_empty() && partial.calls.is_empty();
        if is_nothing {
            ModelError::BeforeOutput { sentence: self.sentence, kind: self.kind }
        } else {
            ModelError::AfterOutput { sentence: self.sentence, partial: Box::new(partial) }
        }
    }

    /// The client could not be made.
    pub(crate) fn client(server: &str, error: &reqwest::Error) -> Self {
        let cause = cause(error);
        Self::lasting(
            ModelErrorKind::Unusable,
            format!(
                "No connection to {server} can be prepared: {cause}. Install this system's CA certificates (Debian: ca-certificates)."
            ),
        )
    }

    /// The key has a character that no header may have.
    pub(crate) fn key_unusable(server: &str) -> Self {
        let sentence = format!(
            "The key for {server} has characters that no key has. Check it on the page of models, or in the environment variable RECTO_API_KEY."
        );
        Self::lasting(ModelErrorKind::KeyRefused, sentence)
    }

    /// No answer came: the connection was not made, or closed before the status.
    pub(crate) fn no_answer(server: &str, error: &reqwest::Error) -> Self {
        use ModelErrorKind::{Failed, Unreachable};
        if error.is_dns() {
            let sentence =
                format!("The host of {server} cannot be found. Are you offline? Check the connection and the address.");
            return Self::lasting(Unreachable, sentence);
        }
        if let Some(reason) = tls_cause(error) {
            let sentence =
                format!("No secure connection to {server}: {reason}. Check the address and this computer's clock.");
            return Self::lasting(Unreachable, sentence);
        }
        if is_refused(error) {
            let sentence = format!("Nothing answers at {server}. Start the server or choose another model.");
            return Self::passing(Unreachable, format!("nothing answers at {server}"), sentence);
        }
        if error.is_timeout() {
            let sentence = format!("{server} cannot be reached in time. Check the address and the connection.");
            return Self::passing(Unreachable, format!("{server} cannot be reached in time"), sentence);
        }
        if error.is_connect() {
            let sentence =
                format!("{server} cannot be reached: {}. Check the address and the connection.", cause(error));
            return Self::passing(Unreachable, format!("{server} cannot be reached"), sentence);
        }
        let sentence = format!("{server} closed the connection without an answer. Look at the server, then try again.");
        Self::passing(Failed, format!("{server} closed the connection"), sentence)
    }

    /// Nothing came for this long.
    pub(crate) fn silence(server: &str, limit: Duration) -> Self {
        let sentence = format!(
            "{server} sent nothing for {}. Look at the server, then try again or choose another model.",
            in_words(limit)
        );
        Self::lasting(ModelErrorKind::Failed, sentence)
    }

    /// Nothing but signs of life came for this long.
    pub(crate) fn no_progress(server: &str, limit: Duration) -> Self {
        let sentence = format!(
            "{server} sent nothing of a reply for {}, only signs of life. Look at the server, then try again or choose another model.",
            in_words(limit)
        );
        Self::lasting(ModelErrorKind::Failed, sentence)
    }

    /// The connection broke inside the body; before its first byte it is safe to try again.
    pub(crate) fn broken_off(server: &str, arrived: Arrived) -> Self {
        let sentence = match arrived {
            Arrived::NoByte => {
                let sentence =
                    format!("{server} closed the connection before it replied. Look at the server, then try again.");
                return Self::passing(ModelErrorKind::Failed, format!("{server} closed the connection"), sentence);
            }
            Arrived::NoOutput => format!(
                "The connection to {server} ended before anything of a reply had arrived. Look at the server, then try again."
            ),
            Arrived::Output => format!(
                "The connection to {server} ended in the middle of the reply. What had arrived is kept; try again."
            ),
            Arrived::CallBegun => {
                format!("The connection to {server} ended inside a tool call; nothing of it was run. Try again.")
            }
        };
        Self::lasting(ModelErrorKind::Failed, sentence)
    }

    /// The body is compressed, which was not asked for.
    pub(crate) fn compressed(server: &str, encoding: &str) -> Self {
        let sentence = format!(
            "{server} sent a compressed answer ({encoding}), which was not asked for. Switch compression off there, or in the proxy on the way."
        );
        Self::lasting(ModelErrorKind::Rejected, sentence)
    }

    /// The server wants a longer wait than is granted.
    pub(crate) fn long_wait(server: &str, wait: Duration) -> Self {
        let sentence =
            format!("{server} asks to wait for {}. Try again then, or choose another model.", in_words(wait));
        Self::lasting(ModelErrorKind::Busy, sentence)
    }

    /// A redirect, which is not followed.
    pub(crate) fn redirect(server: &str, target: &str) -> Self {
        let target = reqwest::Url::parse(target).ok().and_then(|url| url.host_str().map(str::to_owned));
        let target = target.unwrap_or_else(|| "another address".to_owned());
        let sentence =
            format!("{server} redirects to {target}, which is not followed. Enter the final address if you trust it.");
        Self::lasting(ModelErrorKind::Rejected, sentence)
    }

    /// A status that is no success, with its body.
    pub(crate) fn status(server: &str, model: &str, status: u16, body: &str, key: Option<&Secret>) -> Self {
        use ModelErrorKind::{Busy, Failed, KeyRefused, Rejected, TooLarge};
        let parsed: Value = serde_json::from_str(body).unwrap_or_default();
        let words = server_words(&parsed, body, key);
        let said = if words.is_empty() { format!("status {status}") } else { words.clone() };
        let error = if parsed["error"].is_object() { &parsed["error"] } else { &parsed };
        if is_overflow(error, &words) && status < 502 {
            let sizes = match (error["n_prompt_tokens"].as_u64(), error["n_ctx"].as_u64()) {
                (Some(n), Some(window)) => format!("it has {n} tokens and the window {window}"),
                _ => said,
            };
            let sentence = format!(
                "The request is larger than the window of {model} at {server}: {sizes}. Ask for less, or choose a larger window."
            );
            return Self::lasting(TooLarge, sentence);
        }
        match status {
            401 | 403 if key.is_none() => Self::lasting(
                KeyRefused,
                format!(
                    "{server} asks for a key: {said}. Enter one on the page of models, or put it into the environment variable RECTO_API_KEY and {server} into RECTO_API_KEY_FOR."
                ),
            ),
            401 | 403 => Self::lasting(
                KeyRefused,
                format!(
                    "The key for {server} was refused: {said}. Check it on the page of models, or in the environment variable RECTO_API_KEY."
                ),
            ),
            402 => Self::lasting(
                Rejected,
                format!("{server} asks for payment: {said}. Check the account, or choose another model."),
            ),
            404 => {
                Self::lasting(Rejected, format!("{server} does not know the model or the address: {said}. Check both."))
            }
            407 => Self::lasting(
                Rejected,
                format!("The proxy on the way to {server} asks for a login: {said}. Check the proxy settings."),
            ),
            429 if error["code"] == "insufficient_quota" || error["type"] == "insufficient_quota" => Self::lasting(
                Rejected,
                format!("The account at {server} is used up: {said}. Check the account, or choose another model."),
            ),
            _ if retry::is_passing(status) => {
                let is_busy = matches!(status, 408 | 409 | 429 | 503 | 529);
                let (kind, what) = if is_busy { (Busy, "is busy") } else { (Failed, "failed") };
                let reason = format!("{server} {what}: {said}");
                let sentence = format!("{reason}. Try again later, or choose another model.");
                Self::passing(kind, reason, sentence)
            }
            _ => Self::lasting(
                Rejected,
                format!("{server} refused the request: {said}. Choose another model, or report this."),
            ),
        }
    }

    /// An answer that is no list of models.
    pub(crate) fn no_list(server: &str, body: &str, key: Option<&Secret>) -> Self {
        let beginning = beginning(body.trim(), key);
        let sentence = format!("{server} gave no list of models. Check the address. Its answer begins: {beginning}");
        Self::lasting(ModelErrorKind::Rejected, sentence)
    }

    /// A body that is no reply.
    pub(crate) fn body(server: &str, fault: BodyFault, key: Option<&Secret>) -> Self {
        let sentence = match fault {
            BodyFault::Provider(words) => {
                let words = tidy(&words, key);
                format!("{server} interrupted the reply: {words}. Try again, or choose another model.")
            }
            BodyFault::Page(page) => {
                let beginning = beginning(&page, key);
                format!(
                    "{server} answered with a web page and not with a reply. Check the address. It begins: {beginning}"
                )
            }
            BodyFault::Strange(body) => {
                let beginning = beginning(&body, key);
                format!("{server} answered with something that is no reply. Check the address. It begins: {beginning}")
            }
            BodyFault::LineTooLong => {
                format!("{server} sent a line over 8 MiB; the reply was stopped. Try again, or choose another model.")
            }
            BodyFault::TooLarge => {
                format!("{server} sent more than 64 MiB; the reply was stopped. Try again, or choose another model.")
            }
            BodyFault::CallCutOff => "The model's tool call was cut off; nothing of it was run. Try again.".to_owned(),
            BodyFault::CallAmbiguous => {
                format!(
                    "{server} sent tool calls that cannot be told apart; nothing of them was run. Try again, or choose another model."
                )
            }
            BodyFault::Empty => {
                format!("{server} ended the reply without saying anything. Try again, or choose another model.")
            }
        };
        Self::lasting(ModelErrorKind::Failed, sentence)
    }
}

/// The words of an error body, in one line; a page has none that would help.
fn server_words(parsed: &Value, body: &str, key: Option<&Secret>) -> String {
    let words = match parsed {
        Value::Null if body.trim_start().starts_with('<') => String::new(),
        Value::Null => body.to_owned(),
        _ => error("", parsed).unwrap_or_else(|| error_words(parsed)),
    };
    tidy(&words, key)
}

/// The first 200 characters. The key is taken out before the cut, which would otherwise leave half of it.
fn beginning(text: &str, key: Option<&Secret>) -> String {
    key.map_or_else(|| text.to_owned(), |key| key.censor(text)).chars().take(200).collect()
}

fn tidy(words: &str, key: Option<&Secret>) -> String {
    let words = key.map_or_else(|| words.to_owned(), |key| key.censor(words));
    one_line(&words, 300).trim_end_matches('.').to_owned()
}

/// In the words of llama-server, OpenAI, vLLM, LM Studio, Ollama and Anthropic.
fn is_overflow(error: &Value, words: &str) -> bool {
    let marks = ["exceed_context_size_error", "context_length_exceeded"];
    let is_marked = ["type", "code"].iter().any(|key| error[*key].as_str().is_some_and(|word| marks.contains(&word)));
    let words = words.to_lowercase();
    let phrases = [
        "context length",
        "context size",
        "context window",
        "prompt is too long",
        "context the overflows",
        "context overflow",
    ];
    is_marked || phrases.iter().any(|phrase| words.contains(phrase))
}

fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| (*cause).source())
}

fn is_refused(error: &reqwest::Error) -> bool {
    chain(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::ConnectionRefused)
}

fn tls_cause(error: &reqwest::Error) -> Option<String> {
    chain(error).find_map(tls_inside)
}

/// An I/O error may hold another one, and that one the failure of the handshake.
fn tls_inside(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(tls) = error.downcast_ref::<rustls::Error>() {
        return Some(tls.to_string());
    }
    let inside = error.downcast_ref::<io::Error>()?.get_ref()?;
    tls_inside(inside)
}

/// The innermost cause: the outer ones name the address, and with it whatever stands in it.
fn cause(error: &reqwest::Error) -> String {
    chain(error).last().map_or_else(|| "no reason was given".to_owned(), |cause| one_line(&cause.to_string(), 200))
}

/// `45 s`, `10 min`, `3 h`; what is no longer a sensible time is `a very long time`.
fn in_words(time: Duration) -> String {
    match time.as_secs() {
        0..=119 => format!("{} s", time.as_secs().max(1)),
        120..=7199 => format!("{} min", time.as_secs().div_ceil(60)),
        7200..=864_000 => format!("{} h", time.as_secs().div_ceil(3600)),
        _ => "a very long time".to_owned(),
    }
}
