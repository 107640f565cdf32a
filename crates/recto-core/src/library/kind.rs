//! What a document is, told by its name.

use serde::{Deserialize, Serialize};

/// How a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// Text without a form of its own, and every name that says nothing.
    Text,
    /// Markdown.
    Markdown,
    /// A web page.
    Html,
    /// Rows in a text file.
    Csv,
    /// A program, its settings, or data in a text file.
    Source,
    /// Pages as they are printed.
    Pdf,
    /// A text document of a word processor.
    Docx,
    /// A workbook of Excel.
    Xlsx,
    /// A workbook of LibreOffice.
    Ods,
}

const MARKDOWN: &[&str] = &["md", "markdown", "mdx", "qmd", "rmd"];
const HTML: &[&str] = &["html", "htm", "xhtml"];
const CSV: &[&str] = &["csv", "tsv"];
const TEXT: &[&str] = &["txt", "text", "rst", "org", "adoc", "tex", "srt", "vtt", "log"];
const SOURCE: &[&str] = &[
    "json", "jsonl", "toml", "yaml", "yml", "ini", "cfg", "conf", "env", "xml", "sql", "rs", "py", "js", "mjs", "cjs",
    "ts", "mts", "tsx", "jsx", "svelte", "vue", "css", "scss", "less", "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "cs",
    "java", "kt", "kts", "go", "rb", "php", "swift", "scala", "sh", "bash", "zsh", "fish", "ps1", "bat", "lua", "r",
    "jl", "m", "mm", "pl", "pm", "hs", "ml", "mli", "ex", "exs", "erl", "clj", "dart", "zig", "nix", "tf", "proto",
    "gradle", "cmake", "mk", "vim", "el", "lisp", "scm", "f90", "pas", "asm", "s", "v", "vhd", "diff", "patch",
];
/// What is certainly no text that could be read here.
const OTHERS: &[&str] = &[
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "bmp",
    "ico",
    "tif",
    "tiff",
    "heic",
    "avif",
    "psd",
    "svg",
    "mp3",
    "wav",
    "flac",
    "ogg",
    "m4a",
    "mp4",
    "mkv",
    "avi",
    "mov",
    "webm",
    "zip",
    "gz",
    "bz2",
    "xz",
    "zst",
    "7z",
    "rar",
    "tar",
    "jar",
    "exe",
    "dll",
    "so",
    "dylib",
    "a",
    "o",
    "lib",
    "rlib",
    "class",
    "pyc",
    "wasm",
    "bin",
    "dat",
    "db",
    "sqlite",
    "sqlite3",
    "iso",
    "img",
    "dmg",
    "deb",
    "rpm",
    "apk",
    "ttf",
    "otf",
    "woff",
    "woff2",
    "eot",
    "gguf",
    "safetensors",
    "onnx",
    "pt",
    "npy",
    "npz",
    "parquet",
    "pdb",
    "map",
];

impl DocumentKind {
    /// How the file of this path is to be read; `None` if its name says that there is no text in it.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let Some((_, end)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else {
            return Some(Self::Text);
        };
        let is_one_of = |ends: &[&str]| ends.contains(&end);
        Some(match end {
            "pdf" => Self::Pdf,
            "docx" => Self::Docx,
            "xlsx" | "xlsm" => Self::Xlsx,
            "ods" => Self::Ods,
            _ if is_one_of(MARKDOWN) => Self::Markdown,
            _ if is_one_of(HTML) => Self::Html,
            _ if is_one_of(CSV) => Self::Csv,
            _ if is_one_of(SOURCE) => Self::Source,
            _ if is_one_of(OTHERS) => return None,
            _ => Self::Text,
        })
    }

    /// Whether the name of this file says what it is, so that one that cannot be read is worth a word.
    #[must_use]
    pub fn is_certain(self, path: &str) -> bool {
        let end = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_lowercase());
        self != Self::Text || end.is_some_and(|end| TEXT.contains(&end.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_how_a_file_is_read() {
        use DocumentKind::*;
        for (path, kind, is_certain) in [
            ("notes/Trip.MD", Some(Markdown), true),
            ("a.tsv", Some(Csv), true),
            ("价格.xlsx", Some(Xlsx), true),
            ("src/main.rs", Some(Source), true),
            ("LICENSE", Some(Text), false),
            (".env", Some(Text), false),
            ("folder.d/notes", Some(Text), false),
            ("a.txt", Some(Text), true),
            ("a.unheard", Some(Text), false),
            ("a.tar.gz", None, false),
        ] {
            assert_eq!(DocumentKind::of(path), kind, "{path}");
            assert_eq!(kind.is_some_and(|kind| kind.is_certain(path)), is_certain, "{path}");
        }
    }
}
