//! The words of an evidence page, in the languages of the program. Kinds and rules are called as in the window.

use recto_core::context::block::BlockKind;
use recto_core::context::plan::DropRule;

/// In which language a page is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageLanguage {
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

/// The words. A place for a value is `{}`.
pub(super) struct Words {
    pub(super) html: &'static str,
    pub(super) title: &'static str,
    pub(super) intro: &'static str,
    pub(super) redacted: &'static str,
    pub(super) one_turn: &'static str,
    pub(super) requests: &'static str,
    pub(super) work: &'static str,
    pub(super) answer_request: &'static str,
    pub(super) summary: &'static str,
    pub(super) tokens: &'static str,
    pub(super) left_out: &'static str,
    pub(super) nothing_left_out: &'static str,
    pub(super) kept: &'static str,
    pub(super) cut: &'static str,
    pub(super) dropped: &'static str,
    pub(super) needed: &'static str,
    pub(super) whole: &'static str,
    pub(super) reply: &'static str,
    pub(super) bytes: &'static str,
    pub(super) changed_bytes: &'static str,
    pub(super) answer: &'static str,
    pub(super) no_answer: &'static str,
    pub(super) calls: &'static str,
    pub(super) decisions: &'static str,
    pub(super) allowed: &'static str,
    pub(super) denied: &'static str,
    pub(super) list: &'static str,
    pub(super) version: &'static str,
    pub(super) free: &'static str,
    pub(super) reserve: &'static str,
}

pub(super) fn words(language: PageLanguage) -> &'static Words {
    match language {
        PageLanguage::En => &EN,
        PageLanguage::Zh => &ZH,
    }
}

const EN: Words = Words {
    html: "en",
    title: "What the model was given",
    intro: "Written by Recto from its record. Every request is shown as it left: which blocks it was made of, what was left out and by which rule, and its exact bytes.",
    redacted: "Chosen texts were made unreadable in {} places; each is marked [redacted n], the same number for the same text.",
    one_turn: "This is one turn out of a longer conversation.",
    requests: "Requests in this turn: {}",
    work: "Work",
    answer_request: "Answer",
    summary: "Summary",
    tokens: "{} of {} tokens",
    left_out: "Left out",
    nothing_left_out: "Nothing was left out.",
    kept: "whole",
    cut: "cut: lines 1–{} of {}",
    dropped: "left out: {}",
    needed: "needed {}, had {}",
    whole: "The whole text",
    reply: "Reply",
    bytes: "Exact bytes",
    changed_bytes: "These bytes are not those that left, because a text in them was made unreadable. The hash of those that left: {}",
    answer: "Answer",
    no_answer: "There is no answer: {}",
    calls: "Tool calls",
    decisions: "Decisions",
    allowed: "allowed by {}",
    denied: "denied by {}",
    list: "The list of the work",
    version: "version {}",
    free: "free",
    reserve: "kept free for the reply",
};

const ZH: Words = Words {
    html: "zh-CN",
    title: "模型看到了什么",
    intro: "由 Recto 根据其记录写成。每个请求都按发出时的样子呈现：由哪些部分组成，哪些被省略、依据哪条规则，以及确切的字节。",
    redacted: "选定的文字在 {} 处被遮盖；每处标为 [redacted n]，同一段文字用同一个编号。",
    one_turn: "这是一个较长对话中的一轮。",
    requests: "本轮的请求：{} 个",
    work: "工作",
    answer_request: "回答",
    summary: "摘要",
    tokens: "{} / {} 个词元",
    left_out: "省略的部分",
    nothing_left_out: "没有省略任何内容。",
    kept: "完整",
    cut: "截断：第 1–{} 行，共 {} 行",
    dropped: "省略：{}",
    needed: "需要 {}，剩余 {}",
    whole: "全文",
    reply: "回复",
    bytes: "确切的字节",
    changed_bytes: "由于其中有文字被遮盖，这些字节与发出时不同。发出时的哈希：{}",
    answer: "回答",
    no_answer: "没有回答：{}",
    calls: "工具调用",
    decisions: "决定",
    allowed: "允许，由 {}",
    denied: "拒绝，由 {}",
    list: "任务清单",
    version: "第 {} 版",
    free: "空余",
    reserve: "为回复预留",
};

/// A kind of block, in the words of the window.
pub(super) fn kind(language: PageLanguage, kind: BlockKind) -> &'static str {
    let (en, zh) = match kind {
        BlockKind::Instructions => ("instructions", "指示"),
        BlockKind::Tools => ("tools", "工具"),
        BlockKind::Knowledge => ("knowledge", "知识"),
        BlockKind::Language => ("reply language", "回复语言"),
        BlockKind::Profile => ("profile", "个人资料"),
        BlockKind::Memory => ("memory", "记忆"),
        BlockKind::Passage => ("passage", "段落"),
        BlockKind::Summary => ("summary", "摘要"),
        BlockKind::History => ("earlier exchange", "较早的问答"),
        BlockKind::Question => ("question", "问题"),
        BlockKind::List => ("plan", "计划"),
        BlockKind::Step => ("step", "步骤"),
        BlockKind::Thought => ("reasoning that goes back", "回传的思考"),
        BlockKind::Call => ("call", "调用"),
        BlockKind::Result => ("result", "结果"),
        BlockKind::Reminder => ("reminder", "提醒"),
        BlockKind::Done => ("what was done", "已做的事"),
        BlockKind::Fact => ("fact", "事实"),
        BlockKind::Pointers => ("what fits the question", "与问题相关的行"),
        BlockKind::Notice => ("notice", "说明"),
        BlockKind::Task => ("how to answer", "回答方式"),
    };
    of(language, en, zh)
}

/// Why a block was left out, in the words of the window.
pub(super) fn rule(language: PageLanguage, rule: DropRule) -> &'static str {
    let (en, zh) = match rule {
        DropRule::Empty => ("it has no text", "没有文字"),
        DropRule::OldestHistory => (
            "the oldest exchanges go first when not all fits; the summary holds them in short, the conversation word for word",
            "放不下时，最早的问答先略去；摘要里有它们的要点，对话里有原文",
        ),
        DropRule::LowestMemory => {
            ("after the history, the memory with the lowest score goes", "历史之后，略去得分最低的记忆")
        }
        DropRule::LowestPassage => {
            ("after the memories, the passage with the lowest score goes", "记忆之后，略去得分最低的段落")
        }
        DropRule::Profile => ("after the passages, the profile goes", "段落之后，略去用户资料"),
        DropRule::Summary => ("the summary goes last", "最后才略去摘要"),
        DropRule::NothingBelow => ("nothing is left of what it stands over", "标题下已经没有内容"),
        DropRule::Superseded => ("a later result of the same call stands in its place", "同一调用后来的结果取代了它"),
        DropRule::NotInAnswer => (
            "the answer request holds no tool traffic, and of the history only the last two exchanges",
            "回答请求不含工具往来，历史也只含最后两轮",
        ),
    };
    of(language, en, zh)
}

fn of(language: PageLanguage, en: &'static str, zh: &'static str) -> &'static str {
    match language {
        PageLanguage::En => en,
        PageLanguage::Zh => zh,
    }
}

/// The words with the values in their places.
pub(super) fn fill(pattern: &str, values: &[&dyn std::fmt::Display]) -> String {
    let mut parts = pattern.split("{}");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        if let Some(value) = values.get(index) {
            text.push_str(&value.to_string());
        }
        text.push_str(part);
    }
    text
}
