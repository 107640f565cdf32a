//! T-56, P7: the audit log is sealed with a key that is in the keychain and not beside it, and nobody ever waits for the keychain.

use crate::keys::TestKeychain;
use crate::world::World;
use recto_app::record::{AuditFault, AuditFaultKind};
use recto_app::{KeychainError, SealState};
use recto_core::turn::Ending;
use std::sync::Arc;
use std::time::Duration;

/// Two questions, each with one look at the folder.
const LOOKS: &str = r#"
call list_dir {"path":"."}

model: READY

model: One file.

call list_dir {"path":"."}

model: READY

model: One file.
"#;

async fn world(keychain: &Arc<TestKeychain>) -> World {
    World::with_keychain(LOOKS, keychain.clone()).await
}

#[tokio::test]
async fn permission_p7_each_row_of_a_turn_is_sealed_and_the_anchor_is_at_most_a_second_behind() {
    let keychain = Arc::new(TestKeychain::default());
    let world = world(&keychain).await;
    assert_eq!(world.app.verify_audit().await.unwrap().seal, SealState::Sealed);
    assert_eq!(world.ask("What is here?").await.ending, Ending::Answered);
    tokio::time::sleep(Duration::from_secs(1)).await;
    // A check by somebody who may only read writes no anchor, so this is how far it was written down.
    let report = recto_app::verify_audit(world.app.record(), Some(keychain.clone())).await.unwrap();
    assert_eq!((report.seal, report.verdict.first_bad), (SealState::Sealed, None));
    assert_eq!(
        (report.verdict.n_rows, report.verdict.sealed_from, report.verdict.n_unsealed, report.verdict.n_behind),
        (2, Some(1), 0, Some(0))
    );
    assert_eq!((keychain.names_with("audit key").len(), keychain.names_with("audit anchor").len()), (1, 1));
}

#[tokio::test]
async fn attack_t56_an_older_copy_in_the_place_of_the_log_is_found_also_after_new_rows() {
    let keychain = Arc::new(TestKeychain::default());
    let world = world(&keychain).await;
    world.app.seal_audit().await;
    let older = world.copy_of_data();
    world.ask("What is here?").await;
    world.app.seal_audit().await;
    let world = world.restart_with(Some(older)).await;
    let cut = Some(AuditFault { seq: 1, kind: AuditFaultKind::Cut });
    assert_eq!(world.app.verify_audit().await.unwrap().verdict.first_bad, cut);
    world.ask("What is here?").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    // The anchor that shows it was left as it was.
    let altered = Some(AuditFault { seq: 2, kind: AuditFaultKind::Altered });
    assert_eq!(world.app.verify_audit().await.unwrap().verdict.first_bad, altered);
}

#[tokio::test]
async fn attack_t56_a_check_does_not_write_down_what_it_is_to_find() {
    let keychain = Arc::new(TestKeychain::default());
    let world = world(&keychain).await;
    world.ask("What is here?").await;
    world.app.seal_audit().await;
    // What the log was, written down for a longer one than it is: as after a cut while the program is open.
    keychain.replace("audit anchor", |anchor| anchor.replacen('2', "4", 1));
    let world = world.restart().await;
    let cut = Some(AuditFault { seq: 3, kind: AuditFaultKind::Cut });
    for _ in 0..2 {
        assert_eq!(world.app.verify_audit().await.unwrap().verdict.first_bad, cut);
        world.app.seal_audit().await;
    }
}

#[tokio::test]
async fn attack_t56_a_record_out_of_which_its_name_was_taken_is_found_by_its_place() {
    let keychain = Arc::new(TestKeychain::default());
    let world = world(&keychain).await;
    world.ask("What is here?").await;
    world.app.seal_audit().await;
    world.app.record().set_setting("audit_record".to_owned(), None).await.unwrap();
    let world = world.restart().await;
    let report = world.app.verify_audit().await.unwrap();
    assert_eq!((report.seal, report.verdict.sealed_from, report.verdict.first_bad), (SealState::Sealed, Some(1), None));
    assert_eq!(keychain.names_with("audit key").len(), 1);
}

#[tokio::test]
async fn permission_p7_without_a_keychain_the_log_is_chained_as_ever_and_the_check_says_what_it_could_not_do() {
    let keychain = Arc::new(TestKeychain::unusable(KeychainError::NoAccess));
    let world = world(&keychain).await;
    assert_eq!(world.ask("What is here?").await.ending, Ending::Answered);
    let report = world.app.verify_audit().await.unwrap();
    assert_eq!(report.seal, SealState::NoKeychain(KeychainError::NoAccess));
    assert_eq!((report.verdict.n_rows, report.verdict.first_bad, report.verdict.sealed_from), (2, None, None));
}

#[tokio::test]
async fn failure_f68_a_keychain_that_never_answers_holds_up_no_turn() {
    let keychain = Arc::new(TestKeychain::unusable(KeychainError::Silent));
    let world = world(&keychain).await;
    let turn = tokio::time::timeout(Duration::from_secs(4), world.ask("What is here?")).await;
    assert_eq!(turn.map(|told| told.ending), Ok(Ending::Answered));
}

#[tokio::test]
async fn permission_p7_a_sealed_log_whose_key_is_gone_says_so_and_gets_no_new_key() {
    let keychain = Arc::new(TestKeychain::default());
    let world = world(&keychain).await;
    world.app.seal_audit().await;
    world.ask("What is here?").await;
    keychain.forget_all();
    let world = world.restart().await;
    world.ask("What is here?").await;
    world.app.seal_audit().await;
    let report = world.app.verify_audit().await.unwrap();
    assert_eq!((report.seal, report.verdict.n_unsealed), (SealState::KeyGone, 2));
    assert_eq!(keychain.names_with("audit"), Vec::<String>::new());
}
