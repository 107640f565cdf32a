//! T-45, T-53, T-54: a key is kept in the keychain or for the session, goes to the origin that it was entered for, and is written nowhere.

use crate::world::World;
use recto_app::{KeyError, KeyKeeping, KeyPlace, Keychain, KeychainError, ModelId, TurnOptions};
use recto_core::turn::Ending;
use recto_testkit::FakeModel;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const CANARIES: [&str; 3] =
    ["sk-canary-a-0123456789abcdef", "sk-canary-b-0123456789abcdef", "sk-canary-c-0123456789abcdef"];

/// A keychain of the test; it may also be missing or silent.
#[derive(Default)]
pub(crate) struct TestKeychain {
    keys: Mutex<BTreeMap<String, String>>,
    fault: Option<KeychainError>,
}

impl TestKeychain {
    /// One that cannot be used.
    pub(crate) fn unusable(fault: KeychainError) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// The names of what is kept that begin like this. The audit log's key and anchor are kept beside the keys of servers.
    pub(crate) fn names_with(&self, start: &str) -> Vec<String> {
        self.keys.lock().unwrap().keys().filter(|name| name.starts_with(start)).cloned().collect()
    }

    /// Changes what is kept under the names that begin like this.
    pub(crate) fn replace(&self, start: &str, change: impl Fn(&str) -> String) {
        for (_, kept) in self.keys.lock().unwrap().iter_mut().filter(|(name, _)| name.starts_with(start)) {
            *kept = change(kept);
        }
    }

    pub(crate) fn forget_all(&self) {
        self.keys.lock().unwrap().clear();
    }

    fn answer(&self) -> Result<std::sync::MutexGuard<'_, BTreeMap<String, String>>, KeychainError> {
        match self.fault {
            Some(KeychainError::Silent) => {
                std::thread::sleep(Duration::from_secs(3_600));
                Err(KeychainError::Silent)
            }
            Some(fault) => Err(fault),
            None => Ok(self.keys.lock().unwrap()),
        }
    }
}

impl Keychain for TestKeychain {
    fn get(&self, origin: &str) -> Result<Option<String>, KeychainError> {
        Ok(self.answer()?.get(origin).cloned())
    }

    fn set(&self, origin: &str, key: &str) -> Result<(), KeychainError> {
        self.answer()?.insert(origin.to_owned(), key.to_owned());
        Ok(())
    }

    fn remove(&self, origin: &str) -> Result<(), KeychainError> {
        self.answer()?.remove(origin);
        Ok(())
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Every file below a folder that holds one of the words.
fn holding(folder: &Path, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, words));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let holds = |word: &&str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
        if words.iter().any(holds) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn keys_sent(fake: &FakeModel) -> Vec<Option<String>> {
    let mut sent: Vec<Option<String>> =
        fake.requests().iter().map(|request| request.header("authorization").map(str::to_owned)).collect();
    sent.dedup();
    sent
}

async fn world(script: &str, fault: Option<KeychainError>) -> (World, Arc<TestKeychain>) {
    let keychain = Arc::new(TestKeychain { fault, ..TestKeychain::default() });
    (World::with_keychain(script, keychain.clone()).await, keychain)
}

#[tokio::test]
async fn attack_t45_a_key_goes_to_the_origin_it_was_entered_for_and_to_no_other_also_after_a_restart() {
    let (mut world, keychain) = world("offers a\nmodel: Hello.\n\nmodel: Hello.\n", None).await;
    let other = FakeModel::start("offers b\nmodel: Hello.\n");
    world.app.set_key(&world.fake.url(), CANARIES[0], KeyKeeping::Keychain).await.unwrap();
    for round in 0..2 {
        let options = world.options();
        assert_eq!(world.ask_with("Hello", options).await.ending, Ending::Answered, "{round}");
        world = world.restart().await;
    }
    let options = TurnOptions { model: Some(ModelId(other.url())), ..TurnOptions::default() };
    assert_eq!(world.ask_with("Hello", options).await.ending, Ending::Answered);
    assert_eq!(keys_sent(&world.fake), [Some(format!("Bearer {}", CANARIES[0]))]);
    assert_eq!(keys_sent(&other), [None]);
    assert_eq!(keychain.names_with("http").len(), 1);
}

#[tokio::test]
async fn what_is_shown_of_a_key_is_where_it_is_and_its_end_and_a_removed_one_is_gone() {
    let (world, keychain) = world("offers a\n", None).await;
    let url = world.fake.url();
    assert_eq!(world.app.key_state(&url).await.unwrap(), None);
    world.app.set_key(&url, CANARIES[0], KeyKeeping::Keychain).await.unwrap();
    let state = world.app.key_state(&url).await.unwrap().unwrap();
    assert_eq!((state.place, state.last_four.as_deref()), (KeyPlace::Keychain, Some("cdef")));
    world.app.set_key(&url, "short", KeyKeeping::Session).await.unwrap();
    let state = world.app.key_state(&url).await.unwrap().unwrap();
    assert_eq!((state.place, state.last_four), (KeyPlace::Session, None));
    world.app.remove_key(&url).await.unwrap();
    assert_eq!(world.app.key_state(&url).await.unwrap(), None);
    assert_eq!(keychain.names_with("http"), Vec::<String>::new());
    for (typed, said) in [
        (" \n", "there is no key in the field; paste the one that the server's account page shows"),
        ("sk a", "a key has no line breaks and no other such characters; paste it again"),
    ] {
        let error = world.app.set_key(&url, typed, KeyKeeping::Session).await.unwrap_err();
        assert_eq!(error.to_string(), said);
    }
    let error = world.app.set_key("http://api.example.com", CANARIES[0], KeyKeeping::Session).await.unwrap_err();
    assert!(matches!(error, KeyError::Address(_)), "{error}");
}

#[tokio::test]
async fn failure_f68_without_a_keychain_it_is_said_and_the_key_can_be_kept_for_the_session() {
    let (world, _) = world("offers a\nmodel: Hello.\n", Some(KeychainError::NoAccess)).await;
    let url = world.fake.url();
    let error = world.app.set_key(&url, CANARIES[0], KeyKeeping::Keychain).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the keychain of this system cannot be used: there is none, or it is locked. Keep the key for this session only, or put it into RECTO_API_KEY"
    );
    assert_eq!(world.app.key_state(&url).await.unwrap(), None);
    world.app.set_key(&url, CANARIES[0], KeyKeeping::Session).await.unwrap();
    assert_eq!(world.ask("Hello").await.ending, Ending::Answered);
    assert_eq!(keys_sent(&world.fake), [Some(format!("Bearer {}", CANARIES[0]))]);
    let world = world.restart().await;
    assert_eq!(world.app.key_state(&url).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn failure_f68_a_locked_keychain_that_never_answers_is_not_waited_for() {
    let (world, _) = world("offers a\n", Some(KeychainError::Silent)).await;
    let error = world.app.set_key(&world.fake.url(), CANARIES[0], KeyKeeping::Keychain).await.unwrap_err();
    assert!(matches!(error, KeyError::Keychain(KeychainError::Silent)), "{error}");
}

#[tokio::test]
async fn attack_t54_no_key_is_on_disk_in_the_log_or_in_a_sentence_whatever_the_server_does() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let script = format!(
        "offers a\nmodel: Hello.\n\nstatus 401\n| {{\"error\":\"bad key {0}\"}}\n\nstatus 302 location http://127.0.0.1:1/{0}\n\nraw: {0}\n\nmodel: x\nclose after 20\n",
        CANARIES[0]
    );
    let (world, _) = world(&script, None).await;
    let (second, third) = (FakeModel::start("offers b\nmodel: Hi.\n"), FakeModel::start("offers c\nmodel: Hi.\n"));
    world.app.set_key(&world.fake.url(), CANARIES[0], KeyKeeping::Keychain).await.unwrap();
    world.app.set_key(&second.url(), CANARIES[1], KeyKeeping::Session).await.unwrap();
    world.app.set_key(&third.url(), CANARIES[2], KeyKeeping::Keychain).await.unwrap();
    let mut said = String::new();
    for _ in 0..5 {
        said.push_str(&format!("{:?}", world.ask("Hello").await.ending));
    }
    for fake in [&second, &third] {
        world.app.add_server(&fake.url()).await.unwrap();
        let options = TurnOptions { model: Some(ModelId(fake.url())), ..TurnOptions::default() };
        assert_eq!(world.ask_with("Hello", options).await.ending, Ending::Answered);
    }
    world.app.remove_key(&third.url()).await.unwrap();
    let bearers = [&world.fake, &second, &third].map(keys_sent);
    assert_eq!(bearers, CANARIES.map(|key| [Some(format!("Bearer {key}"))]));
    drop(guard);
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(!log.is_empty());
    for canary in CANARIES {
        assert!(!log.contains(canary) && !said.contains(canary), "{said}\n{log}");
    }
    assert_eq!(holding(world.data.path(), &CANARIES), Vec::<String>::new());
}
