//! From the bytes of a file to sections of text, on a thread that can be left behind.

use super::{html, office, pdf, sheet, text_of};
use recto_core::library::{DocumentKind, Form, Section, Unit};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// The longest that one document may take.
const LIMIT: Duration = Duration::from_secs(30);
/// Room for documents that are nested deeply. Only what is used of it is taken from the memory.
const STACK: usize = 64 * 1_024 * 1_024;
/// The most text that is made of one document; more is the mark of one that was made to fill a disk.
pub(super) const MAX_TEXT: usize = 64 * 1_024 * 1_024;

/// Why a file is no document of the library. The sentence is for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// It went away while it was looked for.
    #[error("the file is not there any more")]
    Gone,
    /// The system does not let the program read it.
    #[error("the file may not be read; change who may read it")]
    Refused,
    /// It is larger than what is read.
    #[error("the file is larger than 20 MB; split it into smaller ones")]
    TooLarge,
    /// What is packed in it is larger than what is read.
    #[error("what is packed in the file is far too large to be read")]
    TooLargeInside,
    /// Its bytes are no text.
    #[error("there is no text in the file, or it is in an unknown encoding")]
    NoText,
    /// A scan, most of the time.
    #[error("no text was found on its pages; a scan has to go through text recognition first")]
    OnlyPictures,
    /// It cannot be opened without a password.
    #[error("the file is protected by a password; save a copy without it")]
    Protected,
    /// It is not what its name says, or damaged.
    #[error("the file is damaged, or not what its name says")]
    Damaged,
    /// It was given up.
    #[error("reading the file took too long and was given up")]
    TookTooLong,
    /// Its name promises no text, and there is none: nothing to tell anybody about.
    #[error("the file is not a document")]
    NoDocument,
}

/// The sections of a document.
pub(super) fn extract(kind: DocumentKind, bytes: Vec<u8>) -> Result<Vec<Section>, Unread> {
    match kind {
        // These take as long as the bytes are, and no library has a part in them.
        DocumentKind::Text => Ok(vec![whole(Form::Prose, text_of(&bytes)?)]),
        DocumentKind::Markdown => Ok(vec![whole(Form::Markdown, text_of(&bytes)?)]),
        DocumentKind::Csv => Ok(vec![whole(Form::Table, text_of(&bytes)?)]),
        DocumentKind::Source => Ok(vec![whole(Form::Source, text_of(&bytes)?)]),
        DocumentKind::Html => apart(move || html::read(&bytes)),
        DocumentKind::Pdf => apart(move || pdf::read(&bytes)),
        DocumentKind::Docx => apart(move || office::docx(&bytes)),
        DocumentKind::Xlsx => apart(move || sheet::xlsx(&bytes)),
        DocumentKind::Ods => apart(move || office::ods(&bytes)),
    }
}

fn whole(form: Form, text: String) -> Section {
    Section { form, unit: Unit::Line, first: 1, sheet: String::new(), text }
}

/// Runs a reader of somebody else's format on a thread of its own: a panic in it is a damaged document, and one that does not come to
/// an end is left behind, because a thread cannot be ended from outside.
fn apart<T: Send + 'static>(read: impl FnOnce() -> Result<T, Unread> + Send + 'static) -> Result<T, Unread> {
    let (sender, receiver) = sync_channel(1);
    let reading = std::thread::Builder::new().name("library-document".to_owned()).stack_size(STACK).spawn(move || {
        // Nobody waits any more for one that took too long.
        let _ = sender.send(read());
    });
    if reading.is_err() {
        return Err(Unread::TookTooLong);
    }
    match receiver.recv_timeout(LIMIT) {
        Ok(read) => read,
        Err(RecvTimeoutError::Timeout) => Err(Unread::TookTooLong),
        Err(RecvTimeoutError::Disconnected) => Err(Unread::Damaged),
    }
}
