//! The audit log on the command line.

use recto_app::record::{AuditFilter, AuditRow, Store};
use recto_core::audit::{AuditEvent, status_word};
use std::process::ExitCode;

/// Rows that are read at once.
const PAGE: usize = 1_000;

/// Checks the chain of the log.
pub(crate) async fn verify(record: &Store) -> anyhow::Result<ExitCode> {
    let verdict = record.verify_audit().await?;
    Ok(match verdict.first_bad {
        None => {
            println!("{} rows, the chain is whole", verdict.n_rows);
            ExitCode::SUCCESS
        }
        Some(fault) => {
            println!("{} rows, the chain breaks at row {}: {:?}", verdict.n_rows, fault.seq, fault.kind);
            ExitCode::FAILURE
        }
    })
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
    use recto_core::audit::AuditEntry;
    use recto_core::tool::CallStatus;
    use recto_engine::ports::{Entry, Journal as _};

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
