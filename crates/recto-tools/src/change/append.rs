//! Adding to the end of a file: what is there stays to the byte, and what is added is written as the file is.

use super::{NoChange, failed, freeze_bytes, look, refuse, unmappable};
use crate::content::LineEnds;
use crate::door::{Door, Trouble};
use crate::path_rules::RelativePath;
use crate::visible::shown_path;
use recto_core::tool::{Change, Operation};

/// A text at the end of a file, on a line of its own. A file whose last line ends keeps ending its last line.
pub(crate) fn freeze_append(door: &Door, path: &RelativePath, added: &str) -> Result<Change, NoChange> {
    let (parent, before) = look(door, path)?;
    let Some(before) = before else { return Err(refuse(door, path, &Trouble::Absent)) };
    let name = shown_path(&path.text());
    if !before.text.is_exact {
        return Err(failed(format!(
            "`{name}` has bytes that do not fit its encoding, so nothing is added to it. Tell the user that the file is damaged."
        )));
    }
    let (text, coding) = (&before.text.text, before.text.coding);
    let ends = LineEnds::of(text);
    let ends_its_lines = text.ends_with('\n');
    let mut added = added.to_owned();
    if !text.is_empty() && !ends_its_lines && !added.is_empty() {
        added.insert(0, '\n');
    }
    if ends_its_lines && !added.is_empty() && !added.ends_with('\n') {
        added.push('\n');
    }
    let added = ends.apply(&added);
    // The mark stands at the beginning of the file and nowhere else.
    let encoded =
        coding.without_mark().encode(&added).map_err(|character| failed(unmappable(&name, coding, character)))?;
    let bytes = [before.bytes.as_slice(), &encoded].concat();
    let content = format!("{text}{added}");
    freeze_bytes(door, path, Operation::Append, &parent, Some(&before), &content, bytes)
}
