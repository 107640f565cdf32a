//! What a person is shown of a change, line by line.

use crate::content::LineEnds;
use crate::visible::visible;
use recto_core::tool::{DiffKind, DiffLine};
use similar::{ChangeTag, DiffOp, DiffTag, TextDiff};
use std::time::Duration;

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// A change of a file that is there is shown whole up to this many lines. A longer one is refused: what nobody can look at, nobody
/// can agree to.
const MAX_LINES: usize = 2_000;
/// The same for a new file, which can be read from top to bottom and takes nothing away.
const MAX_NEW_LINES: usize = 10_000;

/// A difference is too long to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong {
    /// Lines that would have to be shown.
    pub(crate) n_lines: usize,
    /// Lines that can be.
    pub(crate) limit: usize,
}

/// The whole difference between two texts; `before` is `None` where there is no file yet.
///
/// # Errors
/// It is too long. It is never cut, so that what is shown, counted and flagged is what will be written.
pub(crate) fn diff(before: Option<&str>, after: &str) -> Result<Vec<DiffLine>, TooLong> {
    let old: Vec<&str> = before.unwrap_or_default().split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let shows_cr = shows_carriage_returns(before, after);
    let compared = TextDiff::configure().timeout(Duration::from_secs(2)).diff_slices(&old, &new);
    let groups = compared.grouped_ops(CONTEXT);
    let limit = if before.is_some() { MAX_LINES } else { MAX_NEW_LINES };
    let n_lines = groups.iter().flatten().map(n_lines_of).sum();
    if n_lines > limit {
        return Err(TooLong { n_lines, limit });
    }
    let mut lines = Vec::new();
    let mut shown_until = 0;
    for group in groups {
        let start = group.first().map_or(0, |op| op.old_range().start);
        push_gap(&mut lines, start - shown_until);
        for op in &group {
            push_op(&mut lines, &compared, op, shows_cr);
        }
        shown_until = group.last().map_or(start, |op| op.old_range().end);
    }
    push_gap(&mut lines, old.len() - shown_until);
    Ok(lines)
}

/// Lines that are shown of a step: those that stay once, of the others both sides.
fn n_lines_of(op: &DiffOp) -> usize {
    match op.tag() {
        DiffTag::Equal => op.old_range().len(),
        DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => op.old_range().len() + op.new_range().len(),
    }
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
            .expect("is short enough")
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
    fn permission_p3_a_difference_is_shown_whole_or_not_at_all() {
        let text = |n_lines: usize, word: &str| -> String { (0..n_lines).map(|n| format!("{word} {n}\n")).collect() };
        let n_shown = |before: Option<&str>, after: &str| diff(before, after).map(|lines| lines.len());
        assert_eq!(n_shown(None, &text(10_000, "new")), Ok(10_000));
        assert_eq!(n_shown(None, &text(10_001, "new")), Err(TooLong { n_lines: 10_001, limit: 10_000 }));
        assert_eq!(n_shown(Some(&text(1_000, "old")), &text(1_000, "new")), Ok(2_000));
        let too_long = Err(TooLong { n_lines: 2_001, limit: 2_000 });
        assert_eq!(n_shown(Some(&text(1_001, "old")), &text(1_000, "new")), too_long);
        assert_eq!(n_shown(Some(&text(1_000, "old")), &text(1_001, "new")), too_long);
    }
}
