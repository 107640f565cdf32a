//! The audit log is added to and never changed, and shows when somebody changed it all the same.

use crate::entries::*;
use recto_core::audit::{AuditEntry, AuditEvent};
use recto_core::text::ContentHash;
use recto_core::tool::CallStatus;
use recto_engine::ports::{Entry, Journal};
use recto_store::{AuditFault, AuditFaultKind, AuditFilter, Store};
use rusqlite::Connection;

fn decision(number: i64, conversation: &str, turn: &str) -> AuditEntry {
    AuditEntry {
        at_ms: number,
        conversation: conversation.into(),
        turn: turn.into(),
        call: format!("c{number}").as_str().into(),
        tool: "write_file".into(),
        target: "list.md".into(),
        event: AuditEvent::Decision {
            is_allowed: number % 2 == 0,
            decider: "person denied".into(),
            reason: (number % 2 == 1).then(|| "no".into()),
            digest: Some(ContentHash::of(b"digest")),
            before: None,
            after: Some(ContentHash::of(b"after")),
        },
    }
}

fn outcome(number: i64) -> AuditEntry {
    let event = AuditEvent::Outcome {
        status: CallStatus::Done,
        note: "written, 4 bytes".into(),
        written: Some(ContentHash::of(b"milk")),
    };
    AuditEntry { event, ..decision(number, "cv_1", "tn_1") }
}

/// A log of five rows.
async fn log(store: &Store) -> Vec<AuditEntry> {
    let entries = vec![
        decision(1, "cv_1", "tn_1"),
        decision(2, "cv_1", "tn_1"),
        outcome(2),
        decision(3, "cv_2", "tn_2"),
        decision(4, "cv_1", "tn_3"),
    ];
    for entry in &entries {
        store.record(Entry::Audit(entry.clone())).await.unwrap();
    }
    entries
}

#[tokio::test]
async fn permission_p7_rows_come_back_newest_first_and_by_page() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let mut entries = log(&store).await;
    entries.reverse();
    let rows = store.audit(AuditFilter::default(), None, 100).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.entry.clone()).collect::<Vec<_>>(), entries);

    let numbers = async |filter: AuditFilter, before, limit| -> Vec<i64> {
        store.audit(filter, before, limit).await.unwrap().iter().map(|row| row.seq).collect()
    };
    assert_eq!(numbers(AuditFilter::default(), None, 2).await, [5, 4]);
    assert_eq!(numbers(AuditFilter::default(), Some(4), 2).await, [3, 2]);
    let of_conversation = AuditFilter { conversation: Some(cv("cv_1")), turn: None };
    assert_eq!(numbers(of_conversation, None, 100).await, [5, 3, 2, 1]);
    let of_turn = AuditFilter { conversation: Some(cv("cv_1")), turn: Some(tn("tn_1")) };
    assert_eq!(numbers(of_turn, Some(3), 100).await, [2, 1]);
}

#[tokio::test]
async fn permission_p7_the_log_is_walked_from_its_beginning_page_by_page() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    let entries = log(&store).await;
    let mut walked = Vec::new();
    while let rows = store.audit_after(walked.len() as i64, 2).await.unwrap()
        && !rows.is_empty()
    {
        assert!(rows.len() <= 2);
        walked.extend(rows.into_iter().map(|row| row.entry));
    }
    assert_eq!(walked, entries);
}

#[tokio::test]
async fn permission_p7_the_file_itself_refuses_to_change_or_delete_a_row() {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    log(&store).await;
    drop(store);
    let connection = Connection::open(scratch.path()).unwrap();
    for statement in [
        "UPDATE decisions SET target = 'other.md' WHERE seq = 2",
        "DELETE FROM decisions WHERE seq = 5",
        "DELETE FROM decisions",
        "INSERT OR REPLACE INTO decisions SELECT * FROM decisions WHERE seq = 3",
    ] {
        let error = connection.execute(statement, []).unwrap_err();
        assert_eq!(error.to_string(), "the audit log is append-only", "{statement}");
    }
    drop(connection);
    let verdict = scratch.open().store.verify_audit().await.unwrap();
    assert_eq!((verdict.n_rows, verdict.first_bad), (5, None));
}

/// Changes the log behind the program's back and says what the chain makes of it.
async fn check_tampering(statements: &str, n_rows: u64, first_bad: Option<(i64, AuditFaultKind)>) {
    let scratch = Scratch::new();
    let store = scratch.store().await;
    log(&store).await;
    drop(store);
    let connection = Connection::open(scratch.path()).unwrap();
    connection
        .execute_batch(
            "DROP TRIGGER decisions_are_not_changed; DROP TRIGGER decisions_are_not_deleted;
             DROP TRIGGER decisions_are_not_replaced;",
        )
        .unwrap();
    connection.execute_batch(statements).unwrap();
    drop(connection);
    let verdict = scratch.open().store.verify_audit().await.unwrap();
    let first_bad = first_bad.map(|(seq, kind)| AuditFault { seq, kind });
    assert_eq!((verdict.n_rows, verdict.first_bad), (n_rows, first_bad), "{statements}");
}

#[tokio::test]
async fn permission_p7_verify_says_where_the_chain_breaks_and_how() {
    check_tampering("", 5, None).await;
    check_tampering("UPDATE decisions SET target = 'other.md' WHERE seq = 2", 5, Some((2, AuditFaultKind::Altered)))
        .await;
    check_tampering("UPDATE decisions SET is_allowed = 1 WHERE seq = 1", 5, Some((1, AuditFaultKind::Altered))).await;
    check_tampering("UPDATE decisions SET status = 'perhaps' WHERE seq = 3", 5, Some((3, AuditFaultKind::Altered)))
        .await;
    check_tampering("DELETE FROM decisions WHERE seq = 1", 4, Some((1, AuditFaultKind::Missing))).await;
    check_tampering("DELETE FROM decisions WHERE seq = 3", 4, Some((3, AuditFaultKind::Missing))).await;
    check_tampering("DELETE FROM decisions WHERE seq = 5", 4, Some((5, AuditFaultKind::Cut))).await;
    check_tampering("DELETE FROM decisions", 0, Some((1, AuditFaultKind::Cut))).await;
    check_tampering(
        "UPDATE decisions SET seq = 100 WHERE seq = 2; UPDATE decisions SET seq = 2 WHERE seq = 4;
         UPDATE decisions SET seq = 4 WHERE seq = 100;",
        5,
        Some((2, AuditFaultKind::Reordered)),
    )
    .await;
    check_tampering(
        "UPDATE decisions SET seq = 100 WHERE seq = 1; UPDATE decisions SET seq = 1 WHERE seq = 2;
         UPDATE decisions SET seq = 2 WHERE seq = 100;",
        5,
        Some((1, AuditFaultKind::Reordered)),
    )
    .await;
}
