//! Looks for words in source files: in their code, not in their comments, and not in their tests unless asked to.

use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Words that must not stand in a folder.
pub(crate) struct Scope {
    /// The folder, from the root of the checkout.
    pub(crate) folder: &'static str,
    /// The words: names or paths. A path is also found in a braced `use`.
    pub(crate) words: &'static [&'static str],
    /// Files, and folders with a slash at their end, in which they may stand.
    pub(crate) but_in: &'static [&'static str],
    /// Whether tests must not say them either.
    pub(crate) and_in_tests: bool,
    /// Why not.
    pub(crate) because: &'static str,
}

const SOURCES: &[&str] = &["rs", "ts", "svelte", "js", "html"];

/// Every place where one of the words stands, as `file:line: …`. A folder that is not there yet has none.
pub(crate) fn faults(root: &Path, scope: &Scope) -> Result<Vec<String>> {
    let mut files = Vec::new();
    collect(&root.join(scope.folder), &mut files)?;
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
        let is_excepted =
            scope.but_in.iter().any(|place| name == *place || place.ends_with('/') && name.starts_with(place));
        if is_excepted || is_test(&name) && !scope.and_in_tests {
            continue;
        }
        let text = fs::read_to_string(&file).with_context(|| name.clone())?;
        for (line, word) in said(&text, scope) {
            found.push(format!("{name}:{line}: `{word}` stands here, but {}", scope.because));
        }
    }
    Ok(found)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| SOURCES.iter().any(|source| end == *source)) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_test(name: &str) -> bool {
    name.ends_with("/tests.rs") || name.contains("/tests/") || name.contains(".test.")
}

/// The words that stand in the code of a text, with the numbers of their lines from 1.
fn said(text: &str, scope: &Scope) -> Vec<(usize, &'static str)> {
    let code = without_comments(text);
    let code = if scope.and_in_tests { code } else { without_test_modules(&code) };
    let lines = code.lines().enumerate();
    lines
        .flat_map(|(index, line)| {
            scope.words.iter().filter(move |word| says(line, word)).map(move |word| (index + 1, *word))
        })
        .collect()
}

fn says(line: &str, word: &str) -> bool {
    let is_apart = |character: Option<char>| !character.is_some_and(|one| one.is_alphanumeric() || one == '_');
    let stands = line.match_indices(word).any(|(at, _)| {
        let is_name = word.starts_with(|first: char| first.is_alphanumeric() || first == '_');
        !is_name || is_apart(line[..at].chars().next_back()) && is_apart(line[at + word.len()..].chars().next())
    });
    stands || word.split_once("::").is_some_and(|(before, last)| in_braces(line, before, last))
}

/// Whether `last` is taken from `before` in a `use before::{…}`.
fn in_braces(line: &str, before: &str, last: &str) -> bool {
    let Some((_, inside)) = line.split_once(&format!("{before}::{{")) else { return false };
    inside.split(['{', '}', ',', ':', ';']).any(|name| name.trim() == last)
}

/// The text with its comments blanked, line by line. A `//` behind a colon is an address.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut end: Option<&str> = None;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if let Some(closing) = end {
            if rest.starts_with(closing) {
                // The end of a line comment is the line's own end, which stays.
                let n_taken = if closing == "\n" { 0 } else { closing.len() };
                rest = &rest[n_taken..];
                end = None;
                continue;
            }
            if character == '\n' {
                code.push('\n');
            }
        } else if rest.starts_with("//") && !code.ends_with(':') {
            end = Some("\n");
        } else if rest.starts_with("/*") {
            end = Some("*/");
        } else if rest.starts_with("<!--") {
            end = Some("-->");
        } else {
            code.push(character);
        }
        rest = &rest[character.len_utf8()..];
    }
    code
}

/// The code with everything blanked that only a test build compiles: what follows `#[cfg(test)]`, to its end.
fn without_test_modules(code: &str) -> String {
    let mut kept = Vec::new();
    let mut is_skipping = false;
    let mut depth = 0_i32;
    for line in code.lines() {
        let is_start = line.trim() == "#[cfg(test)]";
        if is_start {
            (is_skipping, depth) = (true, 0);
        }
        kept.push(if is_skipping { "" } else { line });
        if is_skipping && !is_start {
            let n = |brace| i32::try_from(line.matches(brace).count()).unwrap_or(0);
            depth += n('{') - n('}');
            is_skipping = depth > 0 || !(line.contains('}') || line.trim_end().ends_with(';'));
        }
    }
    kept.join("\n")
}

#[test]
fn a_word_is_found_in_code_with_its_line_and_nowhere_else() {
    let scope = Scope {
        folder: "",
        words: &["std::fs", "rand", "await", "{@html"],
        but_in: &[],
        and_in_tests: false,
        because: "",
    };
    let table: &[(&str, &[(usize, &str)])] = &[
        ("use std::fs;", &[(1, "std::fs")]),
        ("\nlet a = std::fs::read(path);", &[(2, "std::fs")]),
        ("use std::{fmt, fs::File};", &[(1, "std::fs")]),
        ("use std::{fmt, sync::Arc};", &[]),
        ("// never std::fs\nlet operand = 1;", &[]),
        ("/* rand\n rand */ rand()", &[(2, "rand")]),
        ("let page = \"http://rand\"; x.await", &[(1, "rand"), (1, "await")]),
        ("<!-- {@html x} -->\n<p>{@html y}</p>", &[(2, "{@html")]),
        ("#[cfg(test)]\nmod tests;\nuse std::fs;", &[(3, "std::fs")]),
        ("#[cfg(test)]\nmod tests {\n    fn a() { rand() }\n}\nrand()", &[(5, "rand")]),
    ];
    for (text, expected) in table {
        assert_eq!(said(text, &scope), *expected, "{text}");
    }
}
