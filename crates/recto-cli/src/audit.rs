//! The audit log on the command line.

use recto_app::record::{AuditFilter, AuditRow, Store};
use recto_core::audit::{AuditEvent, status_word};
use std::process::ExitCode;

/// Prints the log, oldest first, or checks its chain.
pub(crate) async fn audit(record: &Store, verify: bool) -> anyhow::Result<ExitCode> {
    if verify {
        let verdict = record.verify_audit().await?;
        return Ok(match verdict.first_bad {
            None => {
                println!("{} rows, the chain is whole", verdict.n_rows);
                ExitCode::SUCCESS
            }
            Some(fault) => {
                println!("{} rows, the chain breaks at row {}: {:?}", verdict.n_rows, fault.seq, fault.kind);
                ExitCode::FAILURE
            }
        });
    }
    let mut rows = record.audit(AuditFilter::default(), None, 1_000).await?;
    rows.reverse();
    for row in rows {
        println!("{}", line(&row));
    }
    Ok(ExitCode::SUCCESS)
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
