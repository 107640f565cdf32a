//! A file that the person chose by its whole path, to be known always. No model names it, and nothing is ever written to it.

use crate::content::decode;
use crate::door::{Door, Trouble};
use crate::explain::{Wanted, explain};
use crate::path_rules::RelativePath;
use crate::visible::shown_path;
use std::path::Path;

/// A larger file has no place in every request.
const MAX_BYTES: u64 = 1_024 * 1_024;

/// The text of the file, its encoding found out, with line feeds at the ends of its lines.
///
/// # Errors
/// Why there is none, in one sentence with its full stop.
pub fn read_chosen_file(path: &Path) -> Result<String, String> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let shown = shown_path(name);
    let absent = || format!("There is no file `{shown}` in its folder any more.");
    let folder = path.parent().ok_or_else(absent)?;
    let door = Door::open(folder, &[]).map_err(|_| format!("The folder of `{shown}` cannot be read."))?;
    let relative = RelativePath::read(name).map_err(|fault| fault.to_string())?;
    let (bytes, n_bytes) = door.read(&relative, MAX_BYTES).map_err(|trouble| match trouble {
        // The names beside it are nobody's business here.
        Trouble::Absent => absent(),
        other => explain(&door, &relative, Wanted::File, &other),
    })?;
    if n_bytes > MAX_BYTES {
        return Err(format!("`{shown}` is larger than 1 MiB."));
    }
    let text = decode(&bytes).ok_or_else(|| format!("`{shown}` is not a text file."))?;
    Ok(text.text.replace("\r\n", "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_file_is_read_in_its_encoding_and_what_is_wrong_is_one_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| {
            let door = cap_std::fs::Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).unwrap();
            door.write(name, bytes).unwrap();
            read_chosen_file(&folder.path().join(name))
        };
        assert_eq!(put("潮位.md", "潮位 a\r\nb".as_bytes()), Ok("潮位 a\nb".to_owned()));
        let gbk = encoding_rs::GBK.encode("潮位站的高度以米为单位。").0.into_owned();
        assert_eq!(put("gbk.txt", &gbk), Ok("潮位站的高度以米为单位。".to_owned()));
        assert_eq!(put("a.png", b"\x89PNG\0\0"), Err("`a.png` is not a text file.".to_owned()));
        assert_eq!(put("long.txt", &[b'a'; 1_048_577]), Err("`long.txt` is larger than 1 MiB.".to_owned()));
        let gone = read_chosen_file(&folder.path().join("gone.md"));
        assert_eq!(gone, Err("There is no file `gone.md` in its folder any more.".to_owned()));
        let nowhere = read_chosen_file(&folder.path().join("no/where.md"));
        assert_eq!(nowhere, Err("The folder of `where.md` cannot be read.".to_owned()));
    }
}
