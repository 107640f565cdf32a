//! Asks about a write on the terminal: facts first, then the difference, and anything but `y` is a no.

use crate::lines::Lines;
use async_trait::async_trait;
use recto_core::approval::Answer;
use recto_core::tool::{Change, ChangeFlag, DiffKind, FileState, Operation};
use recto_engine::ports::{Approver, Question, Stop};
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};

/// The terminal that the program was started from. Without one there is nobody to ask.
#[derive(Clone, Debug)]
pub(crate) struct Terminal {
    /// What is typed on it.
    pub(crate) lines: Lines,
}

#[async_trait]
impl Approver for Terminal {
    async fn ask(&self, question: &Question, mut stop: Stop) -> Answer {
        eprint!("{}", shown(question));
        if !std::io::stdin().is_terminal() {
            eprintln!("(there is no terminal to answer on; this counts as no. `--approve always` allows writes.)");
            return Answer::NobodyToAsk;
        }
        eprint!("{} [y/N] ", asked(question.change.operation));
        // An unflushed prompt is only an inconvenience.
        let _ = std::io::stderr().flush();
        tokio::select! {
            line = self.lines.next() => match line.as_deref().map(str::trim) {
                Some("y" | "Y" | "yes") => Answer::Approved,
                _ => Answer::Denied,
            },
            () = stop.wait() => Answer::Withdrawn,
        }
    }
}

/// The question itself, in words.
fn asked(operation: Operation) -> &'static str {
    match operation {
        Operation::Create | Operation::Overwrite | Operation::Edit | Operation::Append => "Write this?",
        Operation::Delete => "Delete this?",
        Operation::Move => "Move this?",
        Operation::MakeDir => "Make this folder?",
        Operation::Remember => "Remember this?",
        Operation::Forget => "Forget this?",
    }
}

/// The question as text: what, where, how large, what to know, and every line of the difference.
pub(crate) fn shown(question: &Question) -> String {
    let change = &question.change;
    let mut text = String::new();
    let verb = match change.operation {
        Operation::Create => "create",
        Operation::Overwrite => "replace",
        Operation::Edit => "change",
        Operation::Append => "add to",
        Operation::Delete => "delete",
        Operation::Move => "move",
        Operation::MakeDir => "make the folder",
        Operation::Remember | Operation::Forget => {
            // Neither a path nor a size says anything about a sentence.
            text.push_str(&format!("\n{} asks to {} this:\n", question.tool, change.operation.as_str()));
            write_change(&mut text, change);
            return text;
        }
    };
    // Writing into a String cannot fail.
    let _ = writeln!(text, "\n{} asks to {verb} {}{}", question.tool, change.target(), sizes(change));
    write_change(&mut text, change);
    text
}

/// How large the file is, and what becomes of it; nothing for a folder.
fn sizes(change: &Change) -> String {
    let (n_added, n_removed) = change.line_counts();
    let bytes = |state: &FileState| format!("{} bytes", state.n_bytes);
    match (&change.before, &change.after) {
        (None, None) => String::new(),
        (None, Some(after)) => format!(" (new → {}, +{n_added} −{n_removed})", bytes(after)),
        (Some(before), None) => format!(" ({}, −{n_removed}; it can be undone for seven days)", bytes(before)),
        (Some(before), Some(_)) if change.operation == Operation::Move => format!(" ({})", bytes(before)),
        (Some(before), Some(after)) => format!(" ({} → {}, +{n_added} −{n_removed})", bytes(before), bytes(after)),
    }
}

/// What to know, and every line of the difference.
fn write_change(text: &mut String, change: &Change) {
    for flag in &change.flags {
        let _ = writeln!(text, "  ! {}", flag_words(*flag));
    }
    for line in &change.diff {
        let mark = match line.kind {
            DiffKind::Same => ' ',
            DiffKind::Added => '+',
            DiffKind::Removed => '-',
            DiffKind::Gap => '…',
        };
        let _ = writeln!(text, "  {mark} {}", line.text);
    }
}

fn flag_words(flag: ChangeFlag) -> &'static str {
    match flag {
        ChangeFlag::ExecutesLater => "another program runs or obeys this file later",
        ChangeFlag::HiddenCharacters => "the new content has hidden characters",
        ChangeFlag::OtherNames => "the file has other names (hard links); they keep the old content",
        ChangeFlag::ReplacesMost => "more than half of the file goes",
        ChangeFlag::Large => "the new content is larger than 1 MiB",
        ChangeFlag::NotShown => "what goes is no text, or too long a one, so its lines are not shown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use recto_core::text::ContentHash;
    use recto_core::tool::DiffLine;

    fn question(
        tool: &str,
        operation: Operation,
        sizes: (Option<u64>, Option<u64>),
        diff: &[(DiffKind, &str)],
    ) -> Question {
        let state = |n_bytes: u64| FileState { hash: ContentHash::of(b"x"), n_bytes };
        Question {
            id: "ap_1".into(),
            conversation: "cv_1".into(),
            turn: "tn_1".into(),
            call: "c1".into(),
            tool: tool.to_owned(),
            change: Change {
                path: "list.md".to_owned(),
                to: (operation == Operation::Move).then(|| "old/list.md".to_owned()),
                operation,
                before: sizes.0.map(state),
                after: sizes.1.map(state),
                bytes: Vec::new(),
                diff: diff.iter().map(|(kind, text)| DiffLine { kind: *kind, text: (*text).to_owned() }).collect(),
                flags: if diff.is_empty() { vec![ChangeFlag::ExecutesLater] } else { Vec::new() },
                digest: ContentHash::of(b"digest"),
            },
            offer: None,
            n_together: 1,
        }
    }

    #[test]
    fn permission_p3_every_kind_of_change_is_asked_for_with_its_verb_its_place_and_what_becomes_of_the_file() {
        let questions = [
            question("append_file", Operation::Append, (Some(17), Some(25)), &[(DiffKind::Added, "- eggs")]),
            question("delete_file", Operation::Delete, (Some(17), None), &[(DiffKind::Removed, "- milk")]),
            question("move_file", Operation::Move, (Some(17), Some(17)), &[]),
            question("make_dir", Operation::MakeDir, (None, None), &[]),
        ];
        let text: String =
            questions.iter().map(|one| format!("{}{}\n", shown(one), asked(one.change.operation))).collect();
        expect![[r#"

            append_file asks to add to list.md (17 bytes → 25 bytes, +1 −0)
              + - eggs
            Write this?

            delete_file asks to delete list.md (17 bytes, −1; it can be undone for seven days)
              - - milk
            Delete this?

            move_file asks to move list.md → old/list.md (17 bytes)
              ! another program runs or obeys this file later
            Move this?

            make_dir asks to make the folder list.md
              ! another program runs or obeys this file later
            Make this folder?
        "#]]
        .assert_eq(&text);
    }
}
