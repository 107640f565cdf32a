//! What a person is shown of a change, line by line.

use crate::content::LineEnds;
use crate::visible::visible;
use recto_core::tool::{DiffKind, DiffLine};
use similar::{ChangeTag, DiffOp, TextDiff};
use std::time::Duration;

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// A longer difference is cut, and says so.
const MAX_LINES: usize = 2_000;

/// The difference between two texts; `before` is `None` where there is no file yet.
pub(crate) fn diff(before: Option<&str>, after: &str) -> Vec<DiffLine> {
    let old: Vec<&str> = before.unwrap_or_default().split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let shows_cr = shows_carriage_returns(before, after);
    let compared = TextDiff::configure().timeout(Duration::from_secs(2)).diff_slices(&old, &new);
    let mut lines = Vec::new();
    let mut shown_until = 0;
    for group in compared.grouped_ops(CONTEXT) {
        let start = group.first().map_or(0, |op| op.old_range().start);
        push_gap(&mut lines, start - shown_until);
        for op in &group {
            push_op(&mut lines, &compared, op, shows_cr);
        }
        shown_until = group.last().map_or(start, |op| op.old_range().end);
    }
    push_gap(&mut lines, old.len() - shown_until);
    if lines.len() > MAX_LINES {
        let n_more = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(DiffLine { kind: DiffKind::Gap, text: format!("{n_more} more lines of this change are not shown") });
    }
    lines
}

fn push_op(lines: &mut Vec<DiffLine>, compared: &TextDiff<'_, '_, str>, op: &DiffOp, shows_cr: bool) {
    for change in compared.iter_changes(op) {
        let kind = match change.tag() {
            ChangeTag::Equal => DiffKind::Same,
            ChangeTag::Insert => DiffKind::Added,
            ChangeTag::Delete => DiffKind::Removed,
        };
        let whole: &str = change.value();
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        let line = if shows_cr { line } else { line.strip_suffix('\r').unwrap_or(line) };
        lines.push(DiffLine { kind, text: visible(line) });
        if kind != DiffKind::Same && !whole.ends_with('\n') {
            lines.push(DiffLine { kind: DiffKind::Gap, text: "no line end after this line".to_owned() });
        }
    }
}

fn push_gap(lines: &mut Vec<DiffLine>, n_lines: usize) {
    if n_lines > 0 {
        let text = if n_lines == 1 { "1 unchanged line".to_owned() } else { format!("{n_lines} unchanged lines") };
        lines.push(DiffLine { kind: DiffKind::Gap, text });
    }
}

/// Where both texts end all their lines in one way, a carriage return says nothing; elsewhere it may be what changes.
fn shows_carriage_returns(before: Option<&str>, after: &str) -> bool {
    let after = LineEnds::of(after);
    let before = before.map_or(after, LineEnds::of);
    let is_plain = |ends| matches!(ends, LineEnds::CrLf | LineEnds::None);
    !(is_plain(before) && is_plain(after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[expect(clippy::needless_pass_by_value, reason = "an expectation is written at the call")]
    fn check(before: Option<&str>, after: &str, expected: Expect) {
        let lines: Vec<String> = diff(before, after)
            .into_iter()
            .map(|line| {
                let sign = match line.kind {
                    DiffKind::Same => ' ',
                    DiffKind::Added => '+',
                    DiffKind::Removed => '-',
                    DiffKind::Gap => '~',
                };
                format!("{sign}{}\n", line.text)
            })
            .collect();
        expected.assert_eq(&lines.concat());
    }

    #[test]
    fn a_new_file_is_all_added() {
        check(
            None,
            "milk\nbread\n",
            expect![[r#"
            +milk
            +bread
        "#]],
        );
    }

    #[test]
    fn three_lines_stand_around_a_change_and_the_rest_is_counted() {
        let before: String = (1..=20).map(|n| format!("line {n}\n")).collect();
        let after = before.replace("line 10\n", "line ten\n");
        check(
            Some(&before),
            &after,
            expect![[r#"
            ~6 unchanged lines
             line 7
             line 8
             line 9
            -line 10
            +line ten
             line 11
             line 12
             line 13
            ~7 unchanged lines
        "#]],
        );
    }

    #[test]
    fn permission_p3_what_nobody_sees_is_shown_in_the_difference() {
        check(
            Some("ok\n"),
            "ok\u{202e}\nx\u{1b}[2J\u{200b}\n",
            expect![[r#"
            -ok
            +ok\u{202e}
            +x\u{1b}[2J\u{200b}
        "#]],
        );
    }

    #[test]
    fn a_change_of_line_ends_is_visible_and_unchanged_ones_are_quiet() {
        check(
            Some("a\r\nb\r\n"),
            "a\r\nB\r\n",
            expect![[r#"
             a
            -b
            +B
        "#]],
        );
        check(
            Some("a\r\n"),
            "a\n",
            expect![[r#"
            -a\u{d}
            +a
        "#]],
        );
    }

    #[test]
    fn a_missing_line_end_is_said() {
        check(
            Some("a"),
            "a\n",
            expect![[r#"
            -a
            ~no line end after this line
            +a
        "#]],
        );
    }

    #[test]
    fn a_difference_of_ten_thousand_lines_is_cut_and_says_so() {
        let after: String = (0..10_000).map(|n| format!("{n}\n")).collect();
        let lines = diff(None, &after);
        assert_eq!(lines.len(), MAX_LINES + 1);
        assert_eq!(lines.last().map(|line| line.text.as_str()), Some("8000 more lines of this change are not shown"));
    }
}
