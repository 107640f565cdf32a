//! Whether a question asks for something to be done to a file as a whole: to be added to, deleted, moved, or for a folder. “Delete the milk
//! from list.md” is an edit, so what stands right after the verb decides.

use crate::telling::{is_file_name, words};

/// Word beginnings that take a file away.
const DELETE: [&str; 4] = ["delet", "remov", "eras", "discard"];
/// Word beginnings that give a file another place or name.
const MOVE: [&str; 3] = ["mov", "renam", "relocat"];
/// Word beginnings that make something.
const MAKE: [&str; 4] = ["mak", "creat", "add", "mkdir"];
/// What is added to the end of a file.
const APPEND: [&str; 4] = ["append", "to the end of", "at the end of", "to the bottom of"];

/// Words that end what a verb is about.
const ENDS: [&str; 13] =
    ["from", "in", "into", "to", "of", "that", "at", "on", "within", "with", "called", "named", "and"];
/// So many words are looked at for it.
const MAX_OBJECT: usize = 6;
/// Words right before a verb that say that it is not to be done. “Don't” is taken apart at its apostrophe.
const NOT: [&str; 6] = ["not", "t", "never", "without", "no", "nor"];

const DELETE_CHINESE: [&str; 5] = ["删除", "删掉", "删了", "移除", "去掉"];
const MOVE_CHINESE: [&str; 7] = ["重命名", "改名", "移动", "移到", "移至", "挪到", "搬到"];
const MAKE_CHINESE: [&str; 5] = ["新建", "创建", "建立", "建一个", "建个"];
const APPEND_CHINESE: [&str; 5] = ["追加", "附加到", "末尾", "文件尾", "最后加"];
const FOLDER_CHINESE: [&str; 2] = ["文件夹", "目录"];
/// Words that speak of a part of a file.
const PART_CHINESE: [&str; 9] = ["里的", "中的", "里面", "其中", "行", "段", "句", "内容", "项"];
/// Words right before a Chinese verb that say that it is not to be done.
const NOT_CHINESE: [&str; 4] = ["不要", "别", "不用", "无需"];

/// What a question asks to be done to whole files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WholeFiles {
    pub(super) to_append: bool,
    pub(super) to_delete: bool,
    pub(super) to_move: bool,
    pub(super) to_make_folder: bool,
}

impl WholeFiles {
    /// Reads the sentences of a question that ask for something. `names_files` says whether the whole question names any, so that “it” can be one.
    pub(super) fn of(requests: &[&str], names_files: bool) -> Self {
        let mut asked = Self::default();
        for request in requests {
            let lower: Vec<String> = words(request).map(str::to_lowercase).collect();
            let is_file = |object: &[String]| {
                let is_it = names_files && matches!(object, [one] if one == "it" || one == "them");
                is_it || object.iter().any(|word| is_file_name(word) || word == "file" || word == "files")
            };
            let is_folder = |object: &[String]| {
                object.iter().any(|word| matches!(word.as_str(), "folder" | "directory" | "subfolder"))
            };
            asked.to_delete |= objects(&lower, &DELETE).any(is_file) || is_in_chinese(request, &DELETE_CHINESE);
            asked.to_move |= objects(&lower, &MOVE).any(is_file) || is_in_chinese(request, &MOVE_CHINESE);
            asked.to_make_folder |= objects(&lower, &MAKE).any(is_folder)
                || (is_said(request, &MAKE_CHINESE) && FOLDER_CHINESE.iter().any(|word| request.contains(word)));
            let text = lower.join(" ");
            asked.to_append |= APPEND.iter().any(|phrase| text.contains(phrase) && !is_denied(&text, phrase))
                || is_said(request, &APPEND_CHINESE);
        }
        asked
    }
}

/// What each of the verbs of a sentence is about: the words after it up to the next one that begins something else.
fn objects<'a>(words: &'a [String], verbs: &'a [&str]) -> impl Iterator<Item = &'a [String]> {
    words.iter().enumerate().filter_map(move |(at, word)| {
        let is_verb = verbs.iter().any(|verb| word.starts_with(verb)) && !word.ends_with("ed");
        let is_denied = at > 0 && NOT.contains(&words[at - 1].as_str());
        let rest = &words[at + 1..];
        let n = rest.iter().take(MAX_OBJECT).take_while(|word| !ENDS.contains(&word.as_str())).count();
        (is_verb && !is_denied && n > 0).then(|| &rest[..n])
    })
}

fn is_denied(text: &str, phrase: &str) -> bool {
    let before = text.split(phrase).next().unwrap_or_default();
    before.split(' ').rev().find(|word| !word.is_empty()).is_some_and(|word| NOT.contains(&word))
}

/// Whether a Chinese sentence asks for this with a whole file.
fn is_in_chinese(request: &str, verbs: &[&str]) -> bool {
    let speaks_of_file = names_a_file(request) || (request.contains("文件") && !request.contains("文件夹"));
    speaks_of_file && is_said(request, verbs) && !PART_CHINESE.iter().any(|part| request.contains(part))
}

/// Whether one of the Chinese words stands there and is not denied.
fn is_said(request: &str, verbs: &[&str]) -> bool {
    verbs.iter().flat_map(|verb| request.match_indices(verb)).any(|(at, _)| {
        let before = &request[..at];
        !NOT_CHINESE.iter().any(|not| before.ends_with(not))
    })
}

/// Whether a name with an ending stands anywhere, Chinese words right beside it or not.
pub(super) fn names_a_file(text: &str) -> bool {
    text.match_indices('.').any(|(at, _)| {
        let is_name = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let ending: String = text[at + 1..].chars().take_while(char::is_ascii_alphanumeric).collect();
        is_name && (1..=5).contains(&ending.len()) && ending.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}
