//! The audit log on the command line.

use recto_app::record::{AuditFault, AuditFaultKind, AuditFilter, AuditRow, AuditVerdict, Store};
use recto_app::{AuditReport, SealState, verify_audit};
use recto_core::audit::{AuditEvent, status_word};
use std::process::ExitCode;

/// Rows that are read at once.
const PAGE: usize = 1_000;

/// Checks the chain of the log, its seals and its anchor.
pub(crate) async fn verify(record: &Store) -> anyhow::Result<ExitCode> {
    let report = verify_audit(record, None).await?;
    println!("{}", said(&report));
    let is_whole = report.verdict.first_bad.is_none() && report.seal != SealState::KeyGone;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a check found: the rows, where and what kind the first fault is, and how much of it is sealed.
fn said(report: &AuditReport) -> String {
    let AuditVerdict { n_rows, first_bad, sealed_from, n_unsealed, n_behind } = &report.verdict;
    let chain = match first_bad {
        None => "the chain is whole".to_owned(),
        Some(AuditFault { seq, kind }) => match kind {
            AuditFaultKind::Altered => format!("row {seq} was altered, or one that it follows"),
            AuditFaultKind::Missing => format!("row {seq} is missing"),
            AuditFaultKind::Reordered => format!("row {seq} stands at another place than it was added at"),
            AuditFaultKind::Cut => format!("the log is cut: row {seq} and what followed is not there"),
            AuditFaultKind::Unsealed => format!("the seal of row {seq} is not there"),
            AuditFaultKind::AnchorBehind => {
                format!(
                    "row {seq} came after the anchor and has no seal: it is from a time without a keychain or from somebody else"
                )
            }
        },
    };
    let seal = match (report.seal, sealed_from) {
        (SealState::Sealed, Some(from)) => format!("sealed from row {from} on"),
        (SealState::Sealed | SealState::NotYet, _) => "no row is sealed".to_owned(),
        (SealState::NoKeychain(why), _) => {
            format!("seals not checked: the keychain of this system cannot be used: {why}")
        }
        (SealState::KeyGone, _) => "seals not checked: the keychain has no key for this log any more".to_owned(),
    };
    let rows = |n: u64| if n == 1 { "1 row".to_owned() } else { format!("{n} rows") };
    let unsealed = match *n_unsealed {
        0 => String::new(),
        n => format!(", {} after it without a seal, from times without a keychain or from somebody else", rows(n)),
    };
    let behind = match *n_behind {
        None | Some(0) => String::new(),
        Some(n) => format!(", the anchor is {} behind", rows(n)),
    };
    format!("{n_rows} rows, {chain}; {seal}{unsealed}{behind}")
}

/// Prints the log, oldest first.
pub(crate) async fn audit(record: &Store) -> anyhow::Result<ExitCode> {
    for row in all_rows(record, PAGE).await? {
        println!("{}", line(&row));
    }
    Ok(ExitCode::SUCCESS)
}

/// The whole log, oldest first.
async fn all_rows(record: &Store, page: usize) -> anyhow::Result<Vec<AuditRow>> {
    let mut rows: Vec<AuditRow> = Vec::new();
    loop {
        let before = rows.last().map(|row| row.seq);
        let more = record.audit(AuditFilter::default(), before, page).await?;
        if more.is_empty() {
            rows.reverse();
            return Ok(rows);
        }
        rows.extend(more);
    }
}

fn line(row: &AuditRow) -> String {
    let entry = &row.entry;
    let said = match &entry.event {
        AuditEvent::Decision { is_allowed, decider, reason, .. } => {
            let decided = if *is_allowed { "allowed" } else { "denied" };
            let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            format!("{decided} by {decider}{reason}")
        }
        AuditEvent::Outcome { status, note, .. } => format!("{}: {note}", status_word(*status)),
    };
    format!("{:>5}  {}  {} {}  {said}", row.seq, entry.turn, entry.tool, entry.target)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

    use super::*;
    use recto_app::KeychainError;
    use recto_core::audit::AuditEntry;
    use recto_core::tool::CallStatus;
    use recto_engine::ports::{Entry, Journal as _};

    #[test]
    fn permission_p7_a_check_says_where_what_kind_and_how_much_is_sealed() {
        let whole = AuditVerdict { n_rows: 9, first_bad: None, sealed_from: Some(3), n_unsealed: 0, n_behind: Some(0) };
        let report = |verdict: AuditVerdict, seal| said(&AuditReport { verdict, seal });
        assert_eq!(report(whole.clone(), SealState::Sealed), "9 rows, the chain is whole; sealed from row 3 on");
        let cut = AuditVerdict {
            first_bad: Some(AuditFault { seq: 10, kind: AuditFaultKind::Cut }),
            n_unsealed: 2,
            n_behind: Some(1),
            ..whole.clone()
        };
        assert_eq!(
            report(cut, SealState::Sealed),
            "9 rows, the log is cut: row 10 and what followed is not there; sealed from row 3 on, 2 rows after it without a seal, from times without a keychain or from somebody else, the anchor is 1 row behind"
        );
        let none = AuditVerdict { sealed_from: None, n_behind: None, ..whole };
        assert_eq!(
            report(none, SealState::NoKeychain(KeychainError::NoAccess)),
            "9 rows, the chain is whole; seals not checked: the keychain of this system cannot be used: there is none, or it is locked"
        );
    }

    #[tokio::test]
    async fn permission_p7_a_log_that_is_longer_than_a_page_is_printed_whole() {
        let folder = tempfile::tempdir().unwrap();
        let record = Store::open(&folder.path().join("recto.db"), 0).unwrap().store;
        for number in 0..5 {
            let entry = AuditEntry {
                at_ms: number,
                conversation: "cv_1".into(),
                turn: "tn_1".into(),
                call: "k1".into(),
                tool: "read_file".to_owned(),
                target: number.to_string(),
                event: AuditEvent::Outcome { status: CallStatus::Done, note: String::new(), written: None },
            };
            record.record(Entry::Audit(entry)).await.unwrap();
        }
        for page in [1, 2, 5, 6] {
            let rows = all_rows(&record, page).await.unwrap();
            let targets: Vec<&str> = rows.iter().map(|row| row.entry.target.as_str()).collect();
            assert_eq!(targets, ["0", "1", "2", "3", "4"], "pages of {page}");
        }
    }
}
