//! A temporary world: a data folder, a workspace, a fake model, and a person who answers from a list.

use crate::keys::TestKeychain;
use async_trait::async_trait;
use recto_app::record::AuditFilter;
use recto_app::{App, Keychain, ModelId, OpenOptions, TurnOptions};
use recto_core::approval::{Answer, Policy};
use recto_core::audit::{AuditEvent, status_word};
use recto_core::id::{ConversationId, TurnId};
use recto_core::request::Protocol;
use recto_core::turn::Ending;
use recto_engine::event::TurnEvent;
use recto_engine::ports::{Approver, Question, Stop};
use recto_testkit::FakeModel;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What the person does when a write is asked for.
pub(crate) enum Does {
    Says(Answer),
    /// Somebody else changes the file first, then the person says yes.
    WaitsWhile(PathBuf, &'static str),
    /// A fault in the program, where the person would have been asked.
    Panics,
}

pub(crate) struct Person {
    does: Mutex<VecDeque<Does>>,
    pub(crate) asked: Mutex<Vec<String>>,
}

impl Person {
    pub(crate) fn expect(&self, does: Does) {
        self.does.lock().unwrap().push_back(does);
    }
}

#[async_trait]
impl Approver for Person {
    async fn ask(&self, question: &Question, _stop: Stop) -> Answer {
        let (added, removed) = question.change.line_counts();
        self.asked.lock().unwrap().push(format!("{} +{added} -{removed}", question.change.target()));
        let next = self.does.lock().unwrap().pop_front();
        match next {
            None => Answer::NobodyToAsk,
            Some(Does::Says(answer)) => answer,
            Some(Does::Panics) => panic!("a fault that a test wants"),
            Some(Does::WaitsWhile(path, content)) => {
                std::fs::write(path, content).unwrap();
                Answer::Approved
            }
        }
    }
}

pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) data: tempfile::TempDir,
    pub(crate) fake: FakeModel,
    pub(crate) person: Arc<Person>,
    pub(crate) app: App,
    pub(crate) conversation: ConversationId,
    keychain: Arc<dyn Keychain>,
}

/// What a turn left behind.
pub(crate) struct Told {
    pub(crate) turn: TurnId,
    pub(crate) ending: Ending,
    pub(crate) answer: String,
}

impl World {
    pub(crate) async fn new(script: &str, does: Vec<Does>) -> Self {
        Self::open(script, does, Arc::new(TestKeychain::default())).await
    }

    pub(crate) async fn with_keychain(script: &str, keychain: Arc<dyn Keychain>) -> Self {
        Self::open(script, Vec::new(), keychain).await
    }

    async fn open(script: &str, does: Vec<Does>, keychain: Arc<dyn Keychain>) -> Self {
        let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(folder.path().join("README.md"), "Run it with `make serve`.\n编写 🦀 \"quoted\"\n").unwrap();
        let person = Arc::new(Person { does: Mutex::new(does.into()), asked: Mutex::default() });
        let app = App::open(options(data.path(), &person, &keychain)).unwrap();
        let conversation = app.create_conversation(Some(folder.path().display().to_string()), None).await.unwrap();
        Self { folder, data, fake: FakeModel::start(script), person, app, conversation, keychain }
    }

    pub(crate) fn options(&self) -> TurnOptions {
        TurnOptions { model: Some(ModelId(self.fake.url())), ..TurnOptions::default() }
    }

    pub(crate) async fn ask(&self, question: &str) -> Told {
        self.ask_with(question, self.options()).await
    }

    pub(crate) async fn ask_structured(&self, question: &str) -> Told {
        let options = TurnOptions { protocol: Some(Protocol::Structured), ..self.options() };
        self.ask_with(question, options).await
    }

    pub(crate) async fn ask_refusing_writes(&self, question: &str) -> Told {
        self.ask_with(question, TurnOptions { policy: Policy::Never, ..self.options() }).await
    }

    pub(crate) async fn ask_with(&self, question: &str, options: TurnOptions) -> Told {
        let turn = self.app.start_turn(self.conversation.clone(), question.into(), options).await.unwrap();
        let (ending, answer) = match self.app.watch_turn(&turn) {
            Some(mut watching) => {
                let mut last = watching.told.last().cloned();
                while let Some(event) = watching.coming.recv().await {
                    last = Some(event);
                }
                match last {
                    Some(TurnEvent::Ended { ending, answer }) => (ending, answer),
                    other => panic!("the last event of a turn is its end, not {other:?}"),
                }
            }
            None => panic!("a turn can be watched from its start"),
        };
        self.assert_bytes(&turn).await;
        Told { turn, ending, answer }
    }

    /// Every request that the record shows of a turn reached the server with these very bytes (M1); so it is in every story.
    async fn assert_bytes(&self, turn: &TurnId) {
        let received: Vec<Vec<u8>> = self.fake.chats().into_iter().map(|chat| chat.body).collect();
        for row in self.app.record().requests(turn.clone()).await.unwrap() {
            // One whose reply failed may never have arrived.
            if row.reply.as_ref().is_none_or(|reply| reply.failure.is_some()) {
                continue;
            }
            let transport = self.app.record().transport(row.id.clone()).await.unwrap();
            let endpoint = transport.and_then(|transport| transport.endpoint).unwrap();
            // Some stories ask another server.
            if !endpoint.starts_with(&self.fake.url()) {
                continue;
            }
            let shown = self.app.record().wire(row.id.clone()).await.unwrap().bytes().into_bytes();
            assert!(received.contains(&shown), "request {} is shown with other bytes than were received", row.number);
        }
    }

    /// Closes the program and opens it again on the same record.
    pub(crate) async fn restart(self) -> Self {
        self.restart_with(None).await
    }

    /// The same, on other data if there are any.
    pub(crate) async fn restart_with(self, other: Option<tempfile::TempDir>) -> Self {
        let Self { folder, data, fake, person, app, conversation, keychain } = self;
        drop(app);
        let data = other.unwrap_or(data);
        let mut tries = 0;
        let app = loop {
            // The old one lets go of the record when its last turn's task is gone.
            match App::open(options(data.path(), &person, &keychain)) {
                Ok(app) => break app,
                Err(error) if tries > 200 => panic!("{error}"),
                Err(_) => tries += 1,
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        };
        Self { folder, data, fake, person, app, conversation, keychain }
    }

    /// The data as they are now, as somebody keeps them who has the files. Nothing may be going on.
    pub(crate) fn copy_of_data(&self) -> tempfile::TempDir {
        let copy = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(self.data.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                std::fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
            }
        }
        copy
    }

    /// The audit log as text, oldest first.
    pub(crate) async fn audit(&self) -> String {
        let mut rows = self.app.record().audit(AuditFilter::default(), None, 100).await.unwrap();
        rows.reverse();
        let mut text = String::new();
        for row in rows {
            let said = match row.entry.event {
                AuditEvent::Decision { is_allowed, decider, .. } => {
                    format!("{} by {decider}", if is_allowed { "allowed" } else { "denied" })
                }
                AuditEvent::Outcome { status, note, .. } => format!("{}, {note}", status_word(status)),
            };
            text.push_str(&format!("{} {}: {said}\n", row.entry.tool, row.entry.target));
        }
        text
    }

    /// The files of the workspace with their content, sorted.
    pub(crate) fn disk(&self) -> String {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let shown = |path: &Path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            format!("{name}: {:?}\n", std::fs::read_to_string(path).unwrap())
        };
        files.iter().map(|path| shown(path)).collect()
    }
}

fn options(data: &Path, person: &Arc<Person>, keychain: &Arc<dyn Keychain>) -> OpenOptions {
    OpenOptions {
        data: Some(data.to_owned()),
        models: Some(data.join("no-models")),
        model: None,
        approver: Some(person.clone()),
        keychain: Some(keychain.clone()),
    }
}
