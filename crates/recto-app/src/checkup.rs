//! Runs the check-up of a model. The requests and what is thought of the replies are the core's; here they are sent, one after the
//! other and within a time, and what came of them is kept.

use crate::models::{Loading, ModelId, ModelsError};
use crate::open::{App, Change};
use crate::ports::WallClock;
use crate::servers;
use crate::turns::ByModel;
use recto_core::checkup::{
    Card, Check, Finding, judge, n_to_read, not_tried, read_per_s, refused, request, written_per_s,
};
use recto_core::id::ConversationId;
use recto_core::reply::{Finish, Reply, Usage};
use recto_core::request::ModelRequest;
use recto_engine::ports::{Clock as _, ModelClient, ModelError, ModelErrorKind, Stop};
use recto_store::{CheckupRow, StoreError};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The whole of it, loading apart. What is not done by then stays unknown.
const LIMIT: Duration = Duration::from_secs(110);
/// Its requests belong to no conversation.
const CONVERSATION: &str = "checkup";

/// The check-up that runs now.
#[derive(Clone, Debug)]
pub struct Checking {
    /// Of which model.
    pub model: ModelId,
    /// Checks that are done.
    pub n_done: usize,
    switch: watch::Sender<bool>,
}

/// A check-up came to no card.
#[derive(Debug, thiserror::Error)]
pub enum CheckupError {
    /// Another one runs.
    #[error("a check-up is running already; wait for it or stop it first")]
    Busy,
    /// It was stopped.
    #[error("the check-up was stopped; nothing of it was kept")]
    Stopped,
    /// The model cannot be asked at all.
    #[error("{0}")]
    Model(String),
    /// The model cannot be connected.
    #[error(transparent)]
    Models(#[from] ModelsError),
    /// The record.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What has been measured so far.
struct Run {
    model: Arc<dyn ModelClient>,
    started: Instant,
    card: Card,
    asked: Vec<String>,
    usages: Vec<Usage>,
    /// Of the long request, which the one for the prefix has its head in common with.
    long: Option<Usage>,
}

impl App {
    /// Checks a model (`None` takes the one of new conversations) and keeps its card, which decides on the protocol from then on.
    ///
    /// # Errors
    /// There is no card: the model cannot be asked, it was stopped, another check-up runs, or the record cannot be written.
    pub async fn check_model(&self, id: Option<ModelId>) -> Result<CheckupRow, CheckupError> {
        let id = servers::canonical(&self.inner.models.named(&self.inner.store, id).await?);
        let (switch, stop) = Stop::new();
        let checking = Checking { model: ModelId(id.clone()), n_done: 0, switch };
        {
            let mut running = self.inner.checking.lock().unwrap_or_else(PoisonError::into_inner);
            if running.is_some() {
                return Err(CheckupError::Busy);
            }
            *running = Some(checking);
        }
        // Whoever asked for it may be gone before it ends, and it must not look as if it still ran then.
        let _ending = Ending(self);
        self.changed(Change::Models);
        let row = self.checked(&id, stop).await?;
        self.inner.store.keep_checkup(id, row.clone()).await?;
        Ok(row)
    }

    /// The check-up that runs now.
    #[must_use]
    pub fn checking(&self) -> Option<Checking> {
        self.inner.checking.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops the check-up; nothing happens if none runs.
    pub fn stop_checkup(&self) {
        if let Some(checking) = self.checking() {
            // One that ends at this very moment is as good as stopped.
            let _ = checking.switch.send(true);
        }
    }

    /// The card of a model's last check-up.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn checkup(&self, id: &ModelId) -> Result<Option<CheckupRow>, StoreError> {
        self.inner.store.checkup(servers::canonical(&id.0)).await
    }

    async fn checked(&self, id: &str, stop: Stop) -> Result<CheckupRow, CheckupError> {
        let loading = Loading { protocol: None, progress: Arc::new(|_| {}), stop: stop.clone() };
        let model = self.inner.models.client(&self.inner.store, Some(ModelId(id.to_owned())), loading).await;
        let model = match model {
            Err(_) if stop.is_set() => return Err(CheckupError::Stopped),
            model => model?,
        };
        let card = Card { window: model.profile().window, ..Card::default() };
        let mut run = Run { model, started: Instant::now(), card, asked: Vec::new(), usages: Vec::new(), long: None };
        for (n_done, check) in Check::ALL.into_iter().enumerate() {
            if let Some(checking) = self.inner.checking.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                checking.n_done = n_done;
            }
            self.changed(Change::Models);
            run.check(check, stop.clone()).await?;
        }
        let took_ms = u64::try_from(run.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        run.card.written_per_s = written_per_s(&run.usages);
        Ok(CheckupRow { card: run.card, asked: run.asked, took_ms, checked_at_ms: WallClock.now_ms() })
    }
}

/// Says that no check-up runs any more, however it ended.
struct Ending<'a>(&'a App);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        *self.0.inner.checking.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.changed(Change::Models);
    }
}

impl Run {
    /// Tries one thing and writes down what came of it.
    async fn check(&mut self, check: Check, stop: Stop) -> Result<(), CheckupError> {
        let (asked, finding) = self.finding(check, stop).await?;
        self.asked.push(asked);
        self.card.findings.push(finding);
        Ok(())
    }

    async fn finding(&mut self, check: Check, stop: Stop) -> Result<(String, Finding), CheckupError> {
        let nothing = || (String::new(), not_tried(check));
        let model = self.model.clone();
        let left = LIMIT.saturating_sub(self.started.elapsed());
        let profile = model.profile();
        let n_long = n_to_read(self.card.read_per_s, profile.window);
        let n_long = if check == Check::Prefix { self.card.n_tried } else { n_long };
        let Ok((plan, envelope)) = request(check, &profile, n_long, &ByModel(model.clone())) else {
            return Ok(nothing());
        };
        let request = ModelRequest::from_plan(&plan, envelope);
        let wire = match model.encode(&request) {
            Ok(wire) => wire,
            Err(error) => return Ok((String::new(), refused(check, &error.to_string()))),
        };
        let n_sent = model.measure(&wire).iter().sum::<u32>();
        let mut ignored = |_| {};
        let conversation = ConversationId(CONVERSATION.to_owned());
        let sending = model.send(&conversation, &request, &wire, &mut ignored, stop.clone());
        // Letting go of it closes the connection, or tells the model's thread that nobody listens.
        let Ok(sent) = tokio::time::timeout(left, sending).await else { return Ok(nothing()) };
        let finding = match sent {
            _ if stop.is_set() => return Err(CheckupError::Stopped),
            Ok(reply) if reply.finish == Finish::Stopped => return Err(CheckupError::Stopped),
            Ok(reply) => self.replied(check, &reply, (n_sent, n_long)),
            Err(ModelError::BeforeOutput { sentence, kind: ModelErrorKind::Rejected | ModelErrorKind::TooLarge }) => {
                refused(check, &sentence)
            }
            Err(ModelError::BeforeOutput { sentence, .. }) => return Err(CheckupError::Model(sentence)),
            Err(ModelError::AfterOutput { sentence, .. }) => refused(check, &sentence),
        };
        Ok((wire.bytes(), finding))
    }

    /// Measures a reply and judges it.
    fn replied(&mut self, check: Check, reply: &Reply, (n_sent, n_long): (u32, u32)) -> Finding {
        self.usages.push(reply.usage);
        let speed = read_per_s(reply.usage, n_sent);
        match check {
            // The longest request says best how fast it is.
            Check::Window => {
                self.card.n_tried = n_long;
                self.card.read_per_s = speed.or(self.card.read_per_s);
                self.long = Some(reply.usage);
            }
            Check::Prefix => {}
            // The first request may have waited for the server to load its model.
            _ => self.card.read_per_s = self.card.read_per_s.max(speed),
        }
        judge(check, reply, self.long)
    }
}
