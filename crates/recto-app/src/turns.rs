//! Starting, watching and stopping turns. One conversation runs one turn at a time; different ones run beside each other.

use crate::folding::Ahead;
use crate::given::Who;
use crate::kept::Kept;
use crate::library_tools::LibraryTools;
use crate::memory_tools::MemoryTools;
use crate::models::{Loading, ModelId, ModelsError};
use crate::open::{App, AppError, Change};
use crate::ports::{FreshIds, WallClock};
use crate::toolbox::Toolboxes;
use crate::watch::{Watch, Watching};
use recto_core::approval::Policy;
use recto_core::assistant::ToolGroup;
use recto_core::context::plan::{CountTokens, Counter};
use recto_core::id::{ConversationId, TurnId};
use recto_core::prompt::ReplyLanguage;
use recto_core::request::Protocol;
use recto_core::tool::ToolDefinition;
use recto_core::turn::{Ending, Limits, Setup};
use recto_engine::drive::{Place, Ports, drive, record_end};
use recto_engine::event::TurnEvent;
use recto_engine::ports::{Clock as _, Entry, Events, ModelClient, Stop, Toolbox};
use recto_store::{NewTurn, TurnRow, TurnState};
use recto_tools::Workspace;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use tokio::sync::watch;

/// What is said of a turn that a fault in the program ended.
const BROKE_OFF: &str = "the turn broke off because of a fault in the program; what was done until then is on record, and you can ask again";

/// How a turn is to be run. `None` everywhere takes the conversation's own choice or the setting.
#[derive(Clone, Debug, Default)]
pub struct TurnOptions {
    /// Which model.
    pub model: Option<ModelId>,
    /// Whose files.
    pub folder: Option<PathBuf>,
    /// What the person says about writes.
    pub policy: Policy,
    /// How the model is asked for tools.
    pub protocol: Option<Protocol>,
    /// 0 is greedy.
    pub temperature: Option<f32>,
    /// Makes a run repeatable where the model allows it.
    pub seed: Option<u32>,
    /// The language to reply in.
    pub language: ReplyLanguage,
    /// The turn that this one follows; `None` takes the last one shown.
    pub after: Option<TurnId>,
}

/// A turn could not be started.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The question has no text.
    #[error("the question is empty; type what you want to know")]
    EmptyQuestion,
    /// Another turn of the conversation runs.
    #[error("this conversation is still answering; wait for it or stop it first")]
    Busy,
    /// The folder cannot be used.
    #[error("{0}")]
    Folder(String),
    /// The model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelsError),
    /// The record.
    #[error(transparent)]
    App(#[from] AppError),
}

impl From<recto_store::StoreError> for TurnError {
    fn from(error: recto_store::StoreError) -> Self {
        Self::App(error.into())
    }
}

/// A turn that runs.
pub(crate) struct Running {
    conversation: ConversationId,
    switch: watch::Sender<bool>,
    watch: Arc<Watch>,
}

impl App {
    /// Commits the question and starts the turn; it goes on by itself.
    ///
    /// # Errors
    /// Nothing was started: the question is empty, the conversation is busy, the folder cannot be used, or the record cannot be
    /// written.
    pub async fn start_turn(
        &self,
        conversation: ConversationId,
        question: String,
        options: TurnOptions,
    ) -> Result<TurnId, TurnError> {
        if question.trim().is_empty() {
            return Err(TurnError::EmptyQuestion);
        }
        self.stop_folding();
        // What a crash left unsettled in a folder is looked at before anything is written there again.
        self.settle().await;
        let row = self.inner.store.conversation(conversation.clone()).await?;
        let folder = options.folder.clone().or_else(|| row.folder.clone().map(PathBuf::from));
        let turn = FreshIds.turn();
        let place = Place { conversation: conversation.clone(), turn: turn.clone() };
        let toolbox = Arc::new(self.toolbox(folder.as_deref(), place.clone()).await?);
        self.sync_library_if_unwatched();
        let (switch, stop) = Stop::new();
        let watch = Arc::new(Watch::new(self.inner.changes.clone()));
        self.register(&turn, &conversation, switch, &watch)?;
        self.inner.rules.works_on(&conversation, toolbox.workspace.identity());
        let model = options.model.clone().or_else(|| row.model.clone().map(ModelId));
        let parent = options.after.clone().or(row.current_turn);
        let new = NewTurn {
            id: turn.clone(),
            conversation: conversation.clone(),
            parent: parent.clone(),
            question: question.clone(),
            model: model.as_ref().map(|model| model.0.clone()),
            folder: folder.map(|folder| folder.display().to_string()),
            at_ms: WallClock.now_ms(),
        };
        if let Err(error) = self.inner.store.begin_turn(new).await {
            self.unregister(&turn);
            return Err(error.into());
        }
        self.changed(Change::Conversations);
        let app = self.clone();
        let (ended, told) = (turn.clone(), watch.clone());
        let running =
            tokio::spawn(async move { app.run(place, parent, question, model, options, toolbox, watch, stop).await });
        let app = self.clone();
        // The one who lets go of a turn is not the one who runs it, so that a fault in the turn keeps no conversation blocked.
        tokio::spawn(async move {
            let ahead = match running.await {
                Ok(ahead) => ahead,
                Err(fault) => {
                    tracing::error!(%fault, "a turn broke off");
                    app.end(&ended, Ending::Failed { sentence: BROKE_OFF.to_owned() }, &told).await;
                    None
                }
            };
            app.unregister(&ended);
            app.changed(Change::Approvals);
            if let Some(ahead) = ahead {
                app.fold_ahead(ahead).await;
            }
        });
        Ok(turn)
    }

    /// The tools of the turn at `place`, on the files of `folder`.
    pub(crate) async fn toolbox(&self, folder: Option<&std::path::Path>, place: Place) -> Result<Toolboxes, TurnError> {
        let workspace = Arc::new(self.workspace(folder)?);
        let store = self.inner.store.clone();
        let kept = Kept { store: store.clone(), place: place.clone() };
        let mut others: Vec<Arc<dyn Toolbox>> = vec![Arc::new(MemoryTools { store: store.clone(), source: place })];
        if self.library_is_in_use().await? {
            others.push(Arc::new(LibraryTools { store }));
        }
        Ok(Toolboxes { workspace, kept, others })
    }

    fn workspace(&self, folder: Option<&std::path::Path>) -> Result<Workspace, TurnError> {
        match folder {
            None => Ok(Workspace::none()),
            Some(folder) => Workspace::open(folder, std::slice::from_ref(&self.inner.data))
                .map_err(|error| TurnError::Folder(error.to_string())),
        }
    }

    fn register(
        &self,
        turn: &TurnId,
        conversation: &ConversationId,
        switch: watch::Sender<bool>,
        watch: &Arc<Watch>,
    ) -> Result<(), TurnError> {
        let mut running = self.inner.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.values().any(|other| other.conversation == *conversation) {
            return Err(TurnError::Busy);
        }
        running.insert(turn.clone(), Running { conversation: conversation.clone(), switch, watch: watch.clone() });
        Ok(())
    }

    fn unregister(&self, turn: &TurnId) {
        let ended = self.inner.running.lock().unwrap_or_else(PoisonError::into_inner).remove(turn);
        if let Some(ended) = ended {
            ended.watch.close();
        }
        self.changed(Change::Conversations);
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one turn, moved into its task")]
    async fn run(
        &self,
        place: Place,
        parent: Option<TurnId>,
        question: String,
        model: Option<ModelId>,
        options: TurnOptions,
        toolbox: Arc<Toolboxes>,
        watch: Arc<Watch>,
        stop: Stop,
    ) -> Option<Ahead> {
        let turn = place.turn.clone();
        let told = watch.clone();
        let loading = Loading {
            protocol: options.protocol,
            progress: Arc::new(move |percent| told.tell(TurnEvent::Loading { percent })),
            stop: stop.clone(),
        };
        let mut ahead = None;
        let ending = match self.inner.models.client(&self.inner.store, model, loading).await {
            Ok(model) => {
                match self.setup_at(&place, parent, question.clone(), &options, &model, &toolbox).await {
                    Ok(setup) => {
                        self.memories_were_used(&setup.memories).await;
                        let ports = self.ports(model.clone(), toolbox.clone(), watch.clone());
                        match drive(&ports, place.clone(), setup, stop).await {
                            // Whoever stopped wants the machine to be quiet.
                            Ok(ended) if ended.ending == Ending::Stopped => {}
                            Ok(_) => ahead = Some(Ahead { place, question, options, model, toolbox }),
                            Err(error) => {
                                tracing::error!(%error, "a turn ended because the record could not be written")
                            }
                        }
                        None
                    }
                    Err(error) => Some(Ending::Failed { sentence: error.to_string() }),
                }
            }
            Err(_) if stop.is_set() => Some(Ending::Stopped),
            Err(error) => Some(Ending::Failed { sentence: error.to_string() }),
        };
        if let Some(ending) = ending {
            self.end(&turn, ending, &watch).await;
        }
        ahead
    }

    /// Ends a turn that did not end by itself.
    async fn end(&self, turn: &TurnId, ending: Ending, watch: &Watch) {
        let at_ms = WallClock.now_ms();
        let entry = Entry::End { turn: turn.clone(), ending: ending.clone(), answer: String::new(), at_ms };
        if let Err(error) = record_end(&self.inner.store, &entry).await {
            tracing::error!(%error, "the end of a turn was not saved");
        }
        watch.tell(TurnEvent::Ended { ending, answer: String::new() });
    }

    pub(crate) fn ports(&self, model: Arc<dyn ModelClient>, toolbox: Arc<Toolboxes>, events: Arc<dyn Events>) -> Ports {
        Ports {
            model,
            journal: Arc::new(self.inner.store.clone()),
            toolbox,
            approver: self.inner.approver.clone(),
            rules: self.inner.rules.clone(),
            clock: Arc::new(WallClock),
            ids: Arc::new(FreshIds),
            events,
        }
    }

    /// What the turn at `place` starts from.
    pub(crate) async fn setup_at(
        &self,
        place: &Place,
        parent: Option<TurnId>,
        question: String,
        options: &TurnOptions,
        model: &Arc<dyn ModelClient>,
        toolbox: &Toolboxes,
    ) -> Result<Setup, AppError> {
        let who = self.who(Some(&place.conversation), None).await?;
        self.setup(who, parent, question, options, model, toolbox).await
    }

    pub(crate) async fn setup(
        &self,
        who: Who,
        parent: Option<TurnId>,
        question: String,
        options: &TurnOptions,
        model: &Arc<dyn ModelClient>,
        toolbox: &Toolboxes,
    ) -> Result<Setup, AppError> {
        let store = &self.inner.store;
        let places = toolbox.places().await;
        let summary = store.summary(parent.clone()).await?;
        let given = self.given(who, &question, options.language).await?;
        let is_allowed = |tool: &ToolDefinition| ToolGroup::of(tool).is_none_or(|group| given.tools.contains(&group));
        let tools = toolbox.tools().into_iter().filter(is_allowed).collect();
        Ok(Setup {
            profile: model.profile(),
            counter: Counter(Arc::new(ByModel(model.clone()))),
            instructions: given.instructions,
            knowledge: given.knowledge,
            language: given.language,
            profile_of_user: given.profile_of_user,
            memories: given.memories,
            passages: self.passages(&question).await?,
            fitting: toolbox.workspace.fitting(&question, &places).await,
            history: store.exchanges(parent.clone(), summary.until.clone()).await?,
            summary,
            question,
            tools,
            todo: store.todo_state(parent).await?,
            places,
            policy: options.policy,
            grants: given.grants,
            limits: Limits::default(),
            temperature: options.temperature.unwrap_or(0.2),
            seed: options.seed.unwrap_or(0),
        })
    }

    /// Everything that happened in a running turn, and what happens from now on; `None` if it does not run (any more): read the
    /// record then.
    #[must_use]
    pub fn watch_turn(&self, turn: &TurnId) -> Option<Watching> {
        let running = self.inner.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.get(turn).map(|running| running.watch.watch())
    }

    /// A row of the record as it is to be shown: a turn that nobody runs any more and that has no end on record was interrupted,
    /// whatever kept its end from being recorded.
    ///
    /// # Errors
    /// The record cannot be read.
    pub async fn as_it_is(&self, row: TurnRow) -> Result<TurnRow, AppError> {
        let is_running =
            |turn: &TurnId| self.inner.running.lock().unwrap_or_else(PoisonError::into_inner).contains_key(turn);
        if row.state != TurnState::Running || is_running(&row.id) {
            return Ok(row);
        }
        // It may have ended since the row was read; its end is recorded before it is let go of.
        let row = self.inner.store.turn(row.id).await?;
        let state = if row.state == TurnState::Running { TurnState::Interrupted } else { row.state };
        Ok(TurnRow { state, ..row })
    }

    /// Stops a turn; nothing happens if it does not run.
    pub fn stop_turn(&self, turn: &TurnId) {
        let running = self.inner.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = running.get(turn) {
            // The turn ending at this very moment is as good as stopped.
            let _ = running.switch.send(true);
        }
    }

    /// The turn that runs in a conversation, if one does.
    #[must_use]
    pub fn running_turn(&self, conversation: &ConversationId) -> Option<TurnId> {
        let running = self.inner.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.iter().find(|(_, running)| running.conversation == *conversation).map(|(turn, _)| turn.clone())
    }

    /// Stops the turn that runs in a conversation and waits until it has ended.
    pub(crate) async fn stop_conversation(&self, conversation: &ConversationId) {
        let Some(turn) = self.running_turn(conversation) else { return };
        let watching = self.watch_turn(&turn);
        self.stop_turn(&turn);
        if let Some(mut watching) = watching {
            while watching.coming.recv().await.is_some() {}
        }
    }
}

/// Counts with the model itself.
pub(crate) struct ByModel(pub(crate) Arc<dyn ModelClient>);

impl CountTokens for ByModel {
    fn count(&self, text: &str) -> u32 {
        self.0.count(text)
    }
}
