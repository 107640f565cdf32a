//! Paths that mean harm on some platform, made from what is known to do so, and plain ones that have to stay usable.

use crate::dice::Dice;
use recto_tools::Platform;
use std::collections::BTreeSet;
use std::fmt::{self, Display};

/// What was tried and what was accepted.
pub(crate) struct Named {
    n_hostile: usize,
    n_platforms: usize,
    accepted: Vec<String>,
    n_plain: usize,
    refused: Vec<String>,
}

impl Named {
    pub(crate) fn is_clean(&self) -> bool {
        self.accepted.is_empty() && self.refused.is_empty()
    }
}

impl Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_hostile, n_platforms, accepted, n_plain, refused } = self;
        write!(
            f,
            "names        {n_hostile} hostile on {n_platforms} platforms, {} accepted wrongly; {n_plain} plain, {} refused wrongly",
            accepted.len(),
            refused.len()
        )?;
        for name in accepted.iter().chain(refused).take(20) {
            write!(f, "\n             {name:?}")?;
        }
        Ok(())
    }
}

/// Tries `n` different hostile paths and a tenth as many plain ones on every platform.
pub(crate) fn run(n: usize) -> Named {
    let platforms = [Platform::Linux, Platform::MacOs, Platform::Windows];
    let mut dice = Dice(9);
    let mut hostile = BTreeSet::new();
    while hostile.len() < n {
        hostile.insert(hostile_path(&mut dice));
    }
    let mut plain = BTreeSet::new();
    while plain.len() < n / 10 {
        plain.insert(plain_path(&mut dice));
    }
    let tried = |paths: &BTreeSet<String>, is_wrong: fn(bool) -> bool| -> Vec<String> {
        let each = paths.iter().flat_map(|path| platforms.map(|platform| (platform, path)));
        let wrong = each.filter(|(platform, path)| is_wrong(platform.may_make(path)));
        wrong.map(|(platform, path)| format!("{platform:?}: {path}")).collect()
    };
    let (accepted, refused) = (tried(&hostile, |is_taken| is_taken), tried(&plain, |is_taken| !is_taken));
    Named { n_hostile: n, n_platforms: platforms.len(), accepted, n_plain: n / 10, refused }
}

const PLAIN: [&str; 12] =
    ["notes", "plan", "a b", "潮位", "README", "x.tar", "v1.2", "données", "-dash", "under_score", ".hidden", "(1)"];
const ENDINGS: [&str; 6] = [".md", ".txt", "", ".csv", ".json", ".第一"];

fn plain_path(dice: &mut Dice) -> String {
    let mut path = String::new();
    for _ in 0..dice.below(4) {
        path += &format!("{}{}/", dice.pick(&PLAIN), dice.below(50));
    }
    format!("{path}{}{}{}", dice.pick(&PLAIN), dice.below(1_000), dice.pick(&ENDINGS))
}

/// A path with one thing in it that no path may have; everything around it is plain.
fn hostile_path(dice: &mut Dice) -> String {
    let above = if dice.one_in(2) { format!("{}/", plain_path(dice)) } else { String::new() };
    let below = if dice.one_in(2) { format!("/{}", plain_path(dice)) } else { String::new() };
    match dice.below(8) {
        // Out of the folder.
        0 => format!(
            "{above}{}{below}",
            dice.pick(&["..", "...", ".. ", "....", "..\\..", "a\\..\\..\\b", "..\u{a0}\\.."])
        ),
        1 => {
            let roots = [
                "/",
                "//",
                "\\",
                "\\\\server\\share\\",
                "\\\\?\\C:\\",
                "\\\\.\\",
                "C:\\",
                "c:/",
                "Z:",
                "~/",
                "~\\",
                "file://",
                "smb://h/",
            ];
            format!("{}{}", dice.pick(&roots), plain_path(dice))
        }
        // Into git's own data, by every way to write its name.
        2 => format!("{above}{}{below}", git_twin(dice)),
        // Devices of Windows, with endings and spaces.
        3 => {
            let devices = ["CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$", "COM", "LPT"];
            let mut name = dice.pick(&devices).to_owned();
            if matches!(name.as_str(), "COM" | "LPT") {
                name.push(*dice.pick(&[&'0', &'1', &'5', &'9', &'¹', &'²', &'³']));
            }
            let name = mixed_case(dice, &name);
            format!("{above}{name}{}{below}", dice.pick(&["", ".txt", ".tar.gz", " .txt", "  .md"]))
        }
        // Characters that mean something else, or end streams.
        4 => {
            let odd = ["a:b", "list.md:stream", "list.md::$DATA", "a<b", "a>b", "a\"b", "a|b", "what?", "st*r", "a\\b"];
            format!("{above}{}{}{below}", dice.pick(&odd), dice.below(1_000))
        }
        // Ends that some systems drop.
        5 => format!("{above}{}{}{below}", dice.pick(&PLAIN), dice.pick(&[".", " ", "..", ". .", " .", "  "])),
        // What nobody sees.
        6 => {
            const HIDDEN: [char; 18] = [
                '\0',
                '\u{1}',
                '\t',
                '\n',
                '\r',
                '\u{1b}',
                '\u{7f}',
                '\u{85}',
                '\u{ad}',
                '\u{200b}',
                '\u{200d}',
                '\u{202e}',
                '\u{2066}',
                '\u{feff}',
                '\u{e0041}',
                '\u{3164}',
                '\u{fe0f}',
                '\u{e0101}',
            ];
            format!("{above}{}{}{}{below}", dice.pick(&PLAIN), HIDDEN[dice.below(HIDDEN.len())], dice.pick(&PLAIN))
        }
        // Longer than a disk takes.
        _ if dice.one_in(2) => format!("{above}{}{below}", "长".repeat(86 + dice.below(200))),
        _ => format!("{}x", format!("d{}/", dice.below(1_000)).repeat(40 + dice.below(400))),
    }
}

/// `.git` in another case, width, composition or with what is dropped at its end, or its short name.
fn git_twin(dice: &mut Dice) -> String {
    let letters: [&[&str]; 4] =
        [&[".", "．"], &["g", "G", "ｇ", "Ｇ"], &["i", "I", "ı", "İ", "ｉ", "Ｉ"], &["t", "T", "ｔ", "Ｔ"]];
    let name: String = letters.iter().map(|twins| dice.pick(twins)).collect();
    match dice.below(6) {
        0 => format!("{name}{}", dice.pick(&[".", " ", "...", " . "])),
        1 => format!("{}~{}", mixed_case(dice, "git"), dice.below(9) + 1),
        2 => format!("{name}::$INDEX_ALLOCATION"),
        3 => format!("{}\u{200c}{}", &".gi", "t"),
        _ => name,
    }
}

fn mixed_case(dice: &mut Dice, name: &str) -> String {
    name.chars()
        .map(|letter| if dice.one_in(2) { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() })
        .collect()
}
