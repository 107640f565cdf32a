use super::*;
use proptest::prelude::*;
use proptest::sample::Index;

fn entry(number: i64) -> AuditEntry {
    let event = if number % 2 == 1 {
        AuditEvent::Decision {
            is_allowed: true,
            decider: "person approved".into(),
            reason: None,
            digest: Some(ContentHash::of(b"digest")),
            before: None,
            after: Some(ContentHash::of(b"milk")),
        }
    } else {
        AuditEvent::Outcome { status: CallStatus::Done, note: "written, 4 bytes".into(), written: None }
    };
    AuditEntry {
        at_ms: number,
        conversation: "cv_1".into(),
        turn: "tn_1".into(),
        call: format!("c{number}").as_str().into(),
        tool: "write_file".into(),
        target: "购物 \"list\".md".into(),
        event,
    }
}

/// The lines of an export of so many rows.
fn export(n_rows: i64) -> Vec<String> {
    let mut head = ContentHash(CHAIN_START.to_owned());
    let mut lines = vec![first_line().unwrap()];
    for seq in 1..=n_rows {
        head = link(&head, &entry(seq));
        lines.push(row_line(seq, &entry(seq), &head).unwrap());
    }
    lines.push(last_line(n_rows, Some(&head)).unwrap());
    lines
}

fn verify<'a>(lines: impl IntoIterator<Item = &'a String>) -> Result<WholeExport, ExportFault> {
    let mut verifier = ExportVerifier::default();
    lines.into_iter().for_each(|line| verifier.line(line));
    verifier.finish()
}

/// An export of six rows after `change`; line 1 is the first line, so row `n` is at index `n`.
fn check(change: impl FnOnce(&mut Vec<String>), expected: ExportFault) {
    let mut lines = export(6);
    change(&mut lines);
    assert_eq!(verify(&lines), Err(expected), "{}", lines.join("\n"));
}

#[test]
fn permission_p7_a_whole_export_is_told_from_its_own_lines() {
    let whole = verify(&export(6)).unwrap();
    assert_eq!(whole.n_rows, 6);
    assert_eq!(export(6)[7], last_line(6, Some(&whole.head)).unwrap());
    let empty = vec![first_line().unwrap(), last_line(0, None).unwrap()];
    assert_eq!(verify(&empty), Ok(WholeExport { n_rows: 0, head: ContentHash(CHAIN_START.to_owned()) }));
}

#[test]
fn permission_p7_an_export_says_where_it_was_changed_and_how() {
    check(Vec::clear, ExportFault::NotAnExport);
    check(|lines| lines[0].push(' '), ExportFault::NotAnExport);
    check(|lines| lines[3] = lines[3].replace("write_file", "read_file"), ExportFault::Altered { line: 4 });
    check(|lines| lines[2] = lines[2].replace("\"done\"", "\"failed\""), ExportFault::Altered { line: 3 });
    check(|lines| lines[5] = lines[5].replacen(':', ": ", 1), ExportFault::Altered { line: 6 });
    check(|lines| lines[7] = lines[7].replace("sha256:", "sha256:0"), ExportFault::Altered { line: 8 });
    check(|lines| drop(lines.remove(1)), ExportFault::Missing { seq: 1 });
    check(|lines| drop(lines.drain(3..5)), ExportFault::Missing { seq: 3 });
    check(|lines| drop(lines.remove(6)), ExportFault::Missing { seq: 6 });
    check(|lines| lines.swap(2, 4), ExportFault::Reordered { line: 3 });
    check(|lines| lines.insert(4, lines[2].clone()), ExportFault::Reordered { line: 5 });
    check(|lines| lines.truncate(7), ExportFault::Cut);
    check(|lines| lines.push(lines[6].clone()), ExportFault::AfterTheEnd { line: 9 });
}

#[test]
fn permission_p7_rows_that_changed_places_and_were_given_new_numbers_are_known() {
    let renumbered = |order: &[usize]| {
        let lines = export(6);
        let mut changed = vec![lines[0].clone()];
        for (position, row) in order.iter().enumerate() {
            changed.push(lines[*row].replacen(&format!("\"seq\":{row},"), &format!("\"seq\":{},", position + 1), 1));
        }
        changed.push(lines[7].clone());
        verify(&changed)
    };
    assert!(renumbered(&[1, 2, 3, 4, 5, 6]).is_ok());
    assert_eq!(renumbered(&[1, 4, 3, 2, 5, 6]), Err(ExportFault::Reordered { line: 3 }));
    assert_eq!(renumbered(&[2, 1, 3, 4, 5, 6]), Err(ExportFault::Reordered { line: 2 }));
    // Row 2 went and the others moved up: what row 3 followed is nowhere, so nobody can tell that from another text.
    assert_eq!(renumbered(&[1, 3, 4, 5, 6]), Err(ExportFault::Altered { line: 3 }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// one byte of the file is another one, or goes, or comes.
    #[test]
    fn permission_p7_every_changed_byte_of_an_export_is_found(place: Index, byte in 0x20_u8..0x7f, kind in 0..3) {
        let whole = export(6).join("\n") + "\n";
        let mut bytes = whole.clone().into_bytes();
        let place = place.index(bytes.len());
        match kind {
            0 => bytes[place] = byte,
            1 => drop(bytes.remove(place)),
            _ => bytes.insert(place, byte),
        }
        prop_assume!(bytes != whole.as_bytes());
        // What is no text any more is refused before a line of it is looked at; the end of the last line is not part of it.
        if let Ok(text) = String::from_utf8(bytes) {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            prop_assert!(verify(&lines).is_err() || text == whole.trim_end(), "{}", text);
        }
    }

    /// whole lines go, come twice or change places.
    #[test]
    fn permission_p7_every_line_that_goes_or_moves_is_found(one: Index, other: Index, kind in 0..3) {
        let whole = export(6);
        let mut lines = whole.clone();
        let (one, other) = (one.index(lines.len()), other.index(lines.len()));
        match kind {
            0 => drop(lines.remove(one)),
            1 => lines.insert(other, lines[one].clone()),
            _ => lines.swap(one, other),
        }
        prop_assume!(lines != whole);
        prop_assert!(verify(&lines).is_err(), "{}", lines.join("\n"));
    }
}
