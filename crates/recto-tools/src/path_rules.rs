//! Which paths a tool may name. Pure: it sees the text of a path and never the disk.
//!
//! The rules are the same on every platform, so that a workspace can be carried from one to another and every rule can be tested on
//! any of them. Names that another platform refuses may be read and overwritten where they exist, and are never created.

use crate::visible::{is_hidden, is_variation_selector, shown_name};
use unicode_normalization::UnicodeNormalization as _;

const MAX_NAME_BYTES: usize = 255;
const MAX_NAMES: usize = 40;
const MAX_PATH_BYTES: usize = 4_096;

/// Whose rules hold for names that exist already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Any byte but `/` and NUL may be part of a name.
    Linux,
    /// The same, but names that differ in case or composition alone are one.
    MacOs,
    /// Names of devices, streams and `\` mean something else than a file.
    Windows,
}

impl Platform {
    /// The one that this program was built for.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };

    /// Whether a file may be made at this path, as far as its text tells. Nothing is looked at on the disk.
    #[must_use]
    pub fn may_make(self, path: &str) -> bool {
        RelativePath::read_on(path, self).is_ok_and(|path| {
            !path.names().is_empty()
                && !path.is_in_git()
                && path.names().iter().all(|name| check_new_name(name).is_ok())
        })
    }
}

/// Why a path is not taken. The sentence is for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathFault {
    #[error("The path is empty. Use `.` for the whole folder, or a name such as `README.md`.")]
    Empty,
    #[error(
        "`{0}` lies outside the folder. Only paths inside the folder can be used, such as `README.md` or `notes/plan.md`."
    )]
    Outside(String),
    #[error("`{0}` has invisible or control characters in it. Write the path with visible characters only.")]
    Hidden(String),
    #[error(
        "The path is too long: at most {MAX_NAME_BYTES} bytes for a name and {MAX_NAMES} names. Use a shorter one."
    )]
    TooLong,
    #[error("`{name}` cannot be the name of a new file: {reason}. Choose another name.")]
    NotPortable { name: String, reason: &'static str },
    #[error("`{0}` names a folder. Name a file inside it.")]
    Folder(String),
    #[error("`.git` belongs to git: nothing is written there. Choose another place.")]
    Git,
}

impl PathFault {
    /// Whether it is the place that is refused and not the way it is written.
    pub(crate) fn is_forbidden(&self) -> bool {
        matches!(self, Self::Outside(_) | Self::Git)
    }
}

/// A path from the workspace down: names only, none of them `.` or `..`. Without any name it is the workspace itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RelativePath {
    names: Vec<String>,
}

impl RelativePath {
    /// Reads a path as a model writes it: `./x`, `x//y` and a `/` at the end are accepted.
    pub(crate) fn read(text: &str) -> Result<Self, PathFault> {
        Self::read_on(text, Platform::HERE)
    }

    fn read_on(text: &str, platform: Platform) -> Result<Self, PathFault> {
        if text.is_empty() {
            return Err(PathFault::Empty);
        }
        if text.len() > MAX_PATH_BYTES {
            return Err(PathFault::TooLong);
        }
        if text.chars().any(is_hidden) {
            return Err(PathFault::Hidden(shown_name(text)));
        }
        if leads_outside(text) {
            return Err(PathFault::Outside(shown_name(text)));
        }
        let names: Vec<String> =
            text.split('/').filter(|name| !name.is_empty() && *name != ".").map(str::to_owned).collect();
        // `./~` and `.//x:` are names of this folder as they are written, and would lead outside once they are shortened.
        if leads_outside(&names.join("/")) {
            return Err(PathFault::Outside(shown_name(text)));
        }
        if names.len() > MAX_NAMES || names.iter().any(|name| name.len() > MAX_NAME_BYTES) {
            return Err(PathFault::TooLong);
        }
        if platform == Platform::Windows {
            names.iter().try_for_each(|name| check_new_name(name))?;
        }
        Ok(Self { names })
    }

    /// The workspace itself.
    pub(crate) fn root() -> Self {
        Self { names: Vec::new() }
    }

    /// The names, from the workspace down.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The folder it lies in and its own name; `None` for the workspace itself.
    pub(crate) fn split_last(&self) -> Option<(Self, &str)> {
        let (last, rest) = self.names.split_last()?;
        Some((Self { names: rest.to_vec() }, last))
    }

    /// The first `n` names of it.
    pub(crate) fn prefix(&self, n: usize) -> Self {
        Self { names: self.names.iter().take(n).cloned().collect() }
    }

    /// With one more name.
    pub(crate) fn join(&self, name: &str) -> Self {
        let mut names = self.names.clone();
        names.push(name.to_owned());
        Self { names }
    }

    /// With `/` between the names; `.` for the workspace itself.
    pub(crate) fn text(&self) -> String {
        if self.names.is_empty() { ".".to_owned() } else { self.names.join("/") }
    }

    /// Whether any of its names is `.git` on some platform.
    pub(crate) fn is_in_git(&self) -> bool {
        self.names.iter().any(|name| is_git(name))
    }
}

/// Whether a path, as it is written, means a place outside on some platform.
fn leads_outside(text: &str) -> bool {
    let is_drive = |name: &str| {
        // `C:` and `C:\x`. A single name such as `a:b` may be a file where `:` is an ordinary character.
        let mut characters = name.chars();
        characters.next().is_some_and(|first| first.is_ascii_alphabetic())
            && characters.next() == Some(':')
            && matches!(characters.next(), None | Some('\\'))
    };
    let is_address = text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|character| character.is_ascii_alphanumeric() || character == '+')
    });
    let is_up = |name: &str| {
        // `.. ` and `...` are `..` to some platforms.
        let bare = name.trim_end_matches(' ');
        bare.len() >= 2 && bare.chars().all(|character| character == '.')
    };
    text.starts_with(['/', '\\'])
        || text.split('/').next().is_some_and(is_drive)
        || is_address
        || text == "~"
        || text.starts_with("~/")
        || text.starts_with("~\\")
        || text.split(['/', '\\', ':']).any(is_up)
}

/// Whether a file of this name may be created.
pub(crate) fn check_new_name(name: &str) -> Result<(), PathFault> {
    let refuse = |reason| Err(PathFault::NotPortable { name: shown_name(name), reason });
    if name.contains([':', '\\', '<', '>', '"', '|', '?', '*']) {
        return refuse(
            "the characters : \\ < > \" | ? * have another meaning on some systems; use `/` between folders",
        );
    }
    if name.ends_with(['.', ' ']) {
        return refuse("it ends in a dot or a space, which some systems drop");
    }
    if name.chars().any(is_variation_selector) {
        return refuse("it has a character that only changes how another one looks");
    }
    if is_device(name) {
        return refuse("it is the name of a device on some systems");
    }
    Ok(())
}

fn is_device(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ').to_ascii_uppercase();
    if ["CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$"].contains(&stem.as_str()) {
        return true;
    }
    stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT")).is_some_and(|number| {
        let mut digits = number.chars();
        digits.next().is_some_and(|digit| digit.is_ascii_digit() || matches!(digit, '¹' | '²' | '³'))
            && digits.next().is_none()
    })
}

/// Whether a name is `.git` where case, width, composition, a dot at the end or a short name make no difference.
pub(crate) fn is_git(name: &str) -> bool {
    let folded = folded(name.split(':').next().unwrap_or_default());
    folded == ".git" || folded.strip_prefix("git~").is_some_and(|rest| rest.chars().all(|digit| digit.is_ascii_digit()))
}

/// What a name becomes where case, width, composition and dots or spaces at its end make no difference. Two names with the same
/// fold may be one file somewhere.
pub(crate) fn folded(name: &str) -> String {
    let plain: String =
        name.nfkc().filter(|character| !is_hidden(*character) && !is_variation_selector(*character)).collect();
    // Through upper case, because it joins what lower case keeps apart: `ı` and `i`, `ſ` and `s`.
    let cased: String = plain.to_uppercase().to_lowercase().nfkc().collect();
    cased.replace("i\u{307}", "i").trim_end_matches(['.', ' ']).to_owned()
}

/// Whether `name` could be the short form (`PROGRA~1`) of `other`.
pub(crate) fn is_short_name_of(name: &str, other: &str) -> bool {
    let Some((head, tail)) = name.split_once('~') else { return false };
    let number = tail.split('.').next().unwrap_or_default();
    let is_short =
        !head.is_empty() && head.len() <= 6 && !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
    let kept: String = folded(other).chars().filter(|character| !matches!(character, ' ' | '.')).collect();
    is_short && kept.starts_with(&folded(head))
}

#[cfg(test)]
mod tests;
