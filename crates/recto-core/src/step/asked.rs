//! What a question asks for, by its words. A small model writes files and lists that nobody asked for, reads on when it has what
//! it needs, and rarely ends by itself; so under the structured protocol it is offered what the question speaks of. A wrong guess
//! costs a tool, never a file.

mod whole_files;

use crate::telling::{is_file_name, words};
use crate::tool::{Places, ToolIdentity};
use unicode_segmentation::UnicodeSegmentation;
use whole_files::{WholeFiles, names_a_file};

/// Word beginnings that ask for a change of a file, in the languages that questions are most often in.
const CHANGE: [&str; 42] = [
    "write",
    "save",
    "creat",
    "add ",
    "append",
    "chang",
    "edit",
    "updat",
    "replac",
    "renam",
    "fix",
    "insert",
    "remov",
    "delet",
    "put ",
    "make a file",
    "make a new",
    "record",
    "note down",
    "schreib",
    "erstell",
    "änder",
    "speicher",
    "écri",
    "ajout",
    "modifi",
    "crée",
    "escrib",
    "añad",
    "cambia",
    "写",
    "保存",
    "创建",
    "新建",
    "添加",
    "加上",
    "修改",
    "更新",
    "替换",
    "改成",
    "改为",
    "删除",
];

/// Words that ask for a list of the work.
const LIST: [&str; 8] = ["todo", "to-do", "plan", "steps", "计划", "步骤", "待办", "规划"];

/// Words that ask to keep something in mind for good.
const REMEMBER: [&str; 14] = [
    "remember",
    "keep in mind",
    "bear in mind",
    "memoris",
    "memoriz",
    "don t forget",
    "do not forget",
    "merk dir",
    "记住",
    "牢记",
    "别忘",
    "别忘了",
    "不要忘",
    "不要忘了",
];

/// Words that ask to forget something.
const FORGET: [&str; 6] = ["forget", "vergiss", "忘掉", "请忘", "忘记我", "不用再记"];

/// Who remembers and forgets by themselves: what they tell of it is not asked to be done.
const SOMEBODY: [&str; 8] = [" i", " we", " they", " he", " she", " i ll", "我", "我们"];

/// Words that say, right before another one, that it is not to be done.
// The words of a text are taken apart at apostrophes.
const NOT: [&str; 8] = [" not", "n t", "never", "without", "不要", "别", "不用", "无需"];

/// Words that name the list itself. “List” alone does not: a shopping list is what a file is to hold.
const LIST_ITSELF: [&str; 3] = ["todo", "to-do", "待办"];

/// Words that ask for a look into a file.
const READ: [&str; 15] = [
    "read", "open", "look", "show", "tell", "what", "which", "who", "how", "summar", "读", "看", "打开", "告诉", "多少",
];

/// Words that an enquiry begins with. It ends with a question mark as well.
const ENQUIRY: [&str; 17] = [
    "what", "which", "who", "whose", "whom", "when", "where", "why", "how", "is", "are", "was", "were", "does", "did",
    "has", "do",
];

/// Words of an enquiry in Chinese, where they stand anywhere.
const ENQUIRY_CHINESE: [&str; 10] = ["谁", "什么", "哪", "几", "多少", "吗", "怎么", "是否", "如何", "多久"];

/// Words that make a request of a Chinese sentence all the same.
const REQUEST_CHINESE: [&str; 5] = ["请", "把", "帮", "将", "给我"];

/// What follows a Chinese verb that tells how things are.
const STATE_CHINESE: [&str; 5] = ["在", "着", "了", "的", "过"];

/// Words that speak of files or of looking something up.
const FILES: [&str; 24] = [
    "file", "folder", "read", "look", "find", "search", "note", "document", "project", "list the", "compare", "which",
    "where", "文件", "目录", "读", "查", "找", "看", "笔记", "项目", "哪", "比较", "记录",
];

/// Words that compare or collect.
const SEVERAL: [&str; 18] = [
    "compar", "differ", "both", "each", "all ", "every", "count", "how many", "versions", "between", "total", "比较",
    "不同", "区别", "两个", "所有", "每", "一共",
];

/// Characters from which a question is a task of several steps.
const LONG: usize = 240;

/// What a question asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Whether it speaks of changing a file, or names one that is not there.
    pub for_change: bool,
    /// Whether it speaks of a plan or has several steps.
    pub for_list: bool,
    /// Whether it names the list itself, so that the work begins with it.
    pub for_list_first: bool,
    /// Whether it speaks of files or of looking something up.
    pub for_files: bool,
    /// Whether it compares or collects, so that one result is not enough.
    pub for_several: bool,
    /// Whether it asks to remember something.
    pub for_remembering: bool,
    /// Whether it asks to forget something.
    pub for_forgetting: bool,
    /// Whether it asks to add to the end of a file.
    pub for_appending: bool,
    /// Whether it asks to delete a file.
    pub for_deleting: bool,
    /// Whether it asks to move or rename a file.
    pub for_moving: bool,
    /// Whether it asks for a folder.
    pub for_folder: bool,
    /// The files it names, of those that are there.
    pub named: Vec<String>,
    /// The files it names that are not there and that it does not ask to be written.
    pub missing: Vec<String>,
}

impl Asked {
    /// Reads the question.
    #[must_use]
    pub fn of(question: &str, places: &Places) -> Self {
        let lower = lower_words(question);
        let starts_a_word = |word: &str| lower.match_indices(word).any(|(at, _)| begins_a_word(&lower, at, word));
        // What an enquiry speaks of is not asked to be done.
        let asking: Vec<&str> = question.split_sentence_bounds().filter(|sentence| !is_enquiry(sentence)).collect();
        let requests: Vec<String> = asking.iter().copied().map(lower_words).collect();
        let is_requested = |word: &str| requests.iter().any(|request| is_asked_for(request, word));
        let named: Vec<String> = places.files.iter().filter(|file| is_named(question, file)).cloned().collect();
        let not_there = names_that_are_not_there(question, places);
        let is_asked_of_memory = |words: &[&str]| {
            requests.iter().any(|request| words.iter().any(|word| is_asked_for(&not_by_somebody(request), word)))
        };
        let whole = WholeFiles::of(&asking, names_a_file(question));
        let speaks_of_change = CHANGE.iter().any(|word| is_requested(word)) || whole != WholeFiles::default();
        let for_files = !named.is_empty() || FILES.iter().any(|word| starts_a_word(word));
        let for_list_first = LIST_ITSELF.iter().any(|word| starts_a_word(word));
        // Where the list is to be written and nothing is said of a file, it is the list that “write” means.
        let is_about_list_alone = for_list_first && !for_files && not_there.is_empty();
        let for_change = (speaks_of_change && !is_about_list_alone)
            || (!not_there.is_empty() && !READ.iter().any(|word| starts_a_word(word)));
        Self {
            for_files,
            named,
            for_several: SEVERAL.iter().any(|word| starts_a_word(word)),
            for_change,
            missing: if for_change { Vec::new() } else { not_there },
            for_list_first,
            for_remembering: is_asked_of_memory(&REMEMBER),
            for_forgetting: is_asked_of_memory(&FORGET),
            for_appending: whole.to_append,
            for_deleting: whole.to_delete,
            for_moving: whole.to_move,
            for_folder: whole.to_make_folder,
            for_list: LIST.iter().any(|word| is_requested(word)) || question.chars().count() > LONG,
        }
    }
}

impl Asked {
    /// Whether a tool is worth telling of: one of the rarer ones only where the question asks for just what it does.
    #[must_use]
    pub fn is_for(&self, identity: ToolIdentity) -> bool {
        match identity {
            ToolIdentity::Remember => self.for_remembering,
            ToolIdentity::Forget => self.for_forgetting,
            ToolIdentity::AppendFile => self.for_appending,
            ToolIdentity::DeleteFile => self.for_deleting,
            ToolIdentity::MoveFile => self.for_moving,
            ToolIdentity::MakeDir => self.for_folder,
            ToolIdentity::TodoWrite | ToolIdentity::BuiltIn | ToolIdentity::External => true,
        }
    }
}

/// The words of a text in lower case. The name of a file says nothing about what is to be done, so it is left out.
fn lower_words(text: &str) -> String {
    let lower: Vec<String> = words(text).filter(|word| !is_file_name(word)).map(str::to_lowercase).collect();
    lower.join(" ")
}

fn begins_a_word(lower: &str, at: usize, word: &str) -> bool {
    !word.is_ascii() || !lower[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a sentence wants to know something and asks for nothing to be done.
fn is_enquiry(sentence: &str) -> bool {
    let lower = lower_words(sentence);
    let first = lower.split(' ').next().unwrap_or_default();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    (sentence.trim_end().ends_with(['?', '？']) && ENQUIRY.contains(&first))
        || (has(&ENQUIRY_CHINESE) && !has(&REQUEST_CHINESE))
}

/// Whether a word is asked for: it stands at the beginning of a word that is no past form, and it is not said not to be done.
fn is_asked_for(request: &str, word: &str) -> bool {
    request.match_indices(word).any(|(at, _)| {
        let (before, after) = (&request[..at], &request[at + word.len()..]);
        let is_state = if word.is_ascii() {
            let whole = request[at..].split(' ').next().unwrap_or_default();
            whole.ends_with("ed") || whole.ends_with("ten")
        } else {
            STATE_CHINESE.iter().any(|state| after.starts_with(state))
                && !REQUEST_CHINESE.iter().any(|word| request.contains(word))
        };
        begins_a_word(request, at, word) && !is_state && !NOT.iter().any(|not| before.trim_end().ends_with(not))
    })
}

/// A sentence without the words right after those who do something by themselves: “I remember” is told and not asked for.
fn not_by_somebody(request: &str) -> String {
    let mut kept = format!(" {request}");
    for word in REMEMBER.iter().chain(&FORGET) {
        for somebody in SOMEBODY {
            let space = if word.is_ascii() { " " } else { "" };
            kept = kept.replace(&format!("{somebody}{space}{word}"), somebody);
        }
    }
    kept
}

/// Whether the question names this file, by its path or by its name; one in capitals, like README.md, by its first part alone.
fn is_named(question: &str, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    // The list of the work has that name, too.
    let is_title = stem.len() >= 4 && stem != "TODO" && stem.chars().all(|c| c.is_ascii_uppercase());
    words(question).any(|word| {
        word == file
            || (word == name && is_file_name(name))
            || word.trim_start_matches("./") == file
            || (is_title && word.eq_ignore_ascii_case(stem))
    })
}

/// The names of files in the question that are not among those that are there. Without a list of what is there, none.
fn names_that_are_not_there(question: &str, places: &Places) -> Vec<String> {
    let is_there = |word: &str| {
        let (word, tail) = (word.trim_start_matches("./"), format!("/{word}"));
        places.files.iter().any(|file| file == word || file.ends_with(&tail))
    };
    let names = words(question).filter(|word| is_file_name(word) && !is_there(word));
    names.filter(|_| !places.files.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str) -> Asked {
        let places = Places { files: vec!["README.md".into(), "notes/plan.md".into()], folders: vec![".".into()] };
        Asked::of(question, &places)
    }

    fn check(question: &str, for_change: bool, for_list: bool, for_list_first: bool) {
        let asked = asked(question);
        assert_eq!(
            (asked.for_change, asked.for_list, asked.for_list_first),
            (for_change, for_list, for_list_first),
            "{question}"
        );
    }

    #[test]
    fn files_that_a_question_names_are_known_by_path_and_by_name() {
        assert_eq!(asked("Read README.md and plan.md.").named, ["README.md", "notes/plan.md"]);
        assert_eq!(asked("What is in “notes/plan.md”?").named, ["notes/plan.md"]);
        assert_eq!(asked("What does the readme say?").named, ["README.md"]);
        assert_eq!(asked("What is the plan?").named, Vec::<String>::new());
        assert!(asked("Which note speaks of Anna?").for_files);
        assert!(
            !asked("Plan three steps with todo_write, then repeat the full text that todo_write returned").for_files
        );
        assert!(!asked("用 todo_write 计划三个步骤，然后重复 todo_write 返回的完整文本").for_files);
    }

    #[test]
    fn a_question_is_offered_writing_where_it_speaks_of_it_or_names_a_new_file() {
        check("How do I run the project?", false, false, false);
        check("What does README.md say about ports?", false, false, false);
        check("Write a shopping list with three items to list.md", true, false, false);
        check("Fasse README.md in kurz.md zusammen", true, false, false);
        check("把端口改成 8080", true, false, false);
        check("Who wrote the address in notes/plan.md?", false, false, false);
        check("Which setting is in the rewritten file?", false, false, false);
        check("Suggest a shorter sentence, but do not change README.md", false, false, false);
        check("Add milk to README.md, but do not remove the rest", true, false, false);
        check("不要修改 README.md，只给建议", false, false, false);
        check("Where is the backup saved, and who changed it last?", false, false, false);
        check("The invoices were updated in May. Which one is the largest?", false, false, false);
        check("How do I add a gauge?", false, false, false);
        check("Could you add a gauge?", true, false, false);
        check("What is in README.md? Write it to short.md", true, false, false);
        check("What is the plan for Friday?", false, false, false);
        check("谁写的这份报告？", false, false, false);
        check("会议时间写在笔记里，是哪一天？", false, false, false);
        check("请把会议时间写在 list.md 里", true, false, false);
        check("用三行写一个总结", true, false, false);
    }

    fn check_memory(question: &str, for_remembering: bool, for_forgetting: bool) {
        let asked = asked(question);
        assert_eq!((asked.for_remembering, asked.for_forgetting), (for_remembering, for_forgetting), "{question}");
    }

    #[test]
    fn remembering_and_forgetting_are_offered_where_they_are_asked_for_and_not_where_they_are_told() {
        check_memory("Remember that I prefer metric units.", true, false);
        check_memory("Please remember: the boat is called Petrel", true, false);
        check_memory("Keep in mind that I am allergic to nuts. What can I cook?", true, false);
        check_memory("Don't forget that I live in Oslo", true, false);
        check_memory("Could you remember my name? It is Ada.", true, false);
        check_memory("Forget that I like tea", false, true);
        check_memory("Please forget what I said about tea, and remember that I like coffee", true, true);
        check_memory("记住我喜欢用公制单位", true, false);
        check_memory("请牢记：我对坚果过敏", true, false);
        check_memory("别忘了我住在奥斯陆", true, false);
        check_memory("忘掉我喜欢喝茶", false, true);
        check_memory("What do you remember about me?", false, false);
        check_memory("Do you remember the name of the boat?", false, false);
        check_memory("I can't remember where the plan is", false, false);
        check_memory("I remember that the port is in README.md", false, false);
        check_memory("I forget which file it is, look for it", false, false);
        check_memory("What is in the file forget.md?", false, false);
        check_memory("你还记得我说过什么吗？", false, false);
        check_memory("我记住了，谢谢", false, false);
        check_memory("How do I run the project?", false, false);
        check_memory("Write a shopping list with three items to list.md", false, false);
    }

    /// What is asked to be done to whole files, as words.
    fn whole(question: &str) -> String {
        let asked = asked(question);
        let all = [
            (asked.for_appending, "append"),
            (asked.for_deleting, "delete"),
            (asked.for_moving, "move"),
            (asked.for_folder, "folder"),
        ];
        all.iter().filter(|(is_asked, _)| *is_asked).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_to_be_done_to_whole_files_is_offered_where_it_is_asked_for() {
        for (question, expected) in [
            ("Append a line with the total to README.md", "append"),
            ("Add a line about ports at the end of README.md", "append"),
            ("在 README.md 末尾加上一行", "append"),
            ("请向 notes/plan.md 追加三行", "append"),
            ("Delete README.md", "delete"),
            ("Please remove the old file and then tell me what is left", "delete"),
            ("Read notes/plan.md. Then delete it.", "delete"),
            ("请把notes/plan.md删掉", "delete"),
            ("删除这个文件", "delete"),
            ("Move notes/plan.md to archive/", "move"),
            ("Rename README.md to INTRO.md", "move"),
            ("把 README.md 重命名为 INTRO.md", "move"),
            ("把文件移到 archive", "move"),
            ("Create a new folder called archive", "folder"),
            ("Make a folder archive and move README.md into it", "move folder"),
            ("新建一个文件夹 archive", "folder"),
        ] {
            assert_eq!(whole(question), expected, "{question}");
            assert!(asked(question).for_change, "{question}");
        }
    }

    #[test]
    fn what_is_to_be_done_inside_a_file_or_only_told_of_asks_for_no_whole_file() {
        for question in [
            "Delete the milk from README.md",
            "Remove the second line of README.md",
            "Move the meeting to Friday in notes/plan.md",
            "Rename the column port to number in README.md",
            "Do not delete README.md",
            "Please don't move README.md",
            "Which file was deleted last?",
            "How do I delete a file?",
            "The file was moved. Where is it?",
            "把 README.md 里的第二行删除",
            "不要删除 README.md",
            "谁删除了这个文件？",
            "Write a shopping list with three items to list.md",
            "Add milk to README.md",
        ] {
            assert_eq!(whole(question), "", "{question}");
        }
    }

    #[test]
    fn the_questions_of_the_benchmark_ask_for_no_whole_file_so_that_their_system_message_stays_as_it_was() {
        let sheet: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/fixtures/desk-tasks.json")).unwrap();
        let questions: Vec<&str> =
            sheet["tasks"].as_array().unwrap().iter().map(|task| task["question"].as_str().unwrap()).collect();
        assert!(questions.len() > 20, "{}", questions.len());
        for question in questions {
            assert_eq!(whole(question), "", "{question}");
        }
    }

    #[test]
    fn a_file_that_is_to_be_read_and_is_not_there_is_known_as_missing() {
        assert_eq!(asked("Read budget.csv and tell me the total.").missing, ["budget.csv"]);
        assert_eq!(asked("请读 预算.md，告诉我总额。").missing, ["预算.md"]);
        assert_eq!(asked("Read ./README.md and plan.md.").missing, Vec::<String>::new());
        let written = asked("list.md with three items");
        assert_eq!((written.for_change, written.missing), (true, Vec::new()));
        let written = asked("Read README.md and write what it says to short.md");
        assert_eq!((written.for_change, written.missing), (true, Vec::new()));
    }

    #[test]
    fn a_question_is_offered_the_list_where_it_speaks_of_a_plan_or_is_long() {
        check("First set up a TODO list, then read README.md", false, true, true);
        check("用 todo_write 计划三个步骤", false, true, true);
        check("用 todo_write 计划三个步骤，每一步都用中文写", false, true, true);
        check("Write a todo list of three steps", false, true, true);
        check("Write the todo list to list.md", true, true, true);
        check("先列一个 TODO 清单，再读 README.md", false, true, true);
        check("写一份三样东西的购物清单，保存到 list.md", true, false, false);
        check("Write a packing checklist to list.md", true, false, false);
        check("Plan the three steps of the move", false, true, false);
        check(&"word ".repeat(60), false, true, false);
        check("Suggest a shorter first sentence", false, false, false);
    }
}
