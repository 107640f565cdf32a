//! What the next question would be sent with, and what would not fit, before anything is sent.

use crate::models::{Loading, ModelId};
use crate::open::App;
use crate::ports::FreshIds;
use crate::turns::{TurnError, TurnOptions};
use recto_core::context::plan::{DoesNotFit, PlannedBlock, Verdict};
use recto_core::id::{AssistantId, ConversationId};
use recto_core::request::ModelProfile;
use recto_core::turn::{Preview, Setup, Turn};
use recto_engine::drive::Place;
use recto_engine::ports::{ModelClient, Stop};
use std::path::PathBuf;
use std::sync::Arc;

/// What would be asked.
#[derive(Clone, Debug, Default)]
pub struct NextQuestion {
    /// Where; `None` for a new conversation.
    pub conversation: Option<ConversationId>,
    /// The question; it may be empty still.
    pub text: String,
    /// How the turn would be run.
    pub options: TurnOptions,
    /// What is chosen for the conversation and not saved there yet; `None` takes what is saved.
    pub chosen: Option<Chosen>,
    /// Another window than the model's, in tokens; `None` takes the model's.
    pub window: Option<u32>,
}

/// What a window shows as chosen until a question is sent with it.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// `None` means that no file is read or written.
    pub folder: Option<PathBuf>,
    /// `None` is the assistant that comes with the program.
    pub assistant: Option<AssistantId>,
}

/// The request that would leave.
#[derive(Clone, Debug)]
pub struct NextRequest {
    /// The model, with the window that was asked for.
    pub profile: ModelProfile,
    /// The window that the model has.
    pub model_window: u32,
    /// The request, and what would be folded before it; or why nothing could be sent.
    pub outcome: Result<Box<Preview>, DoesNotFit>,
    /// Tokens of each block as it would be placed, each counted by itself; same order as the rows of the plan.
    pub n_tokens_placed: Vec<u32>,
}

impl App {
    /// Composes the first request of the turn that would follow, and sends nothing. The model is loaded if it is not.
    ///
    /// # Errors
    /// The model or the folder cannot be used, or the record cannot be read.
    pub async fn preview(&self, next: NextQuestion, stop: Stop) -> Result<NextRequest, TurnError> {
        let row = match &next.conversation {
            Some(conversation) => Some(self.inner.store.conversation(conversation.clone()).await?),
            None => None,
        };
        let (saved_folder, saved_model, current) = match row {
            Some(row) => (row.folder.map(PathBuf::from), row.model.map(ModelId), row.current_turn),
            None => (None, None, None),
        };
        let folder = match &next.chosen {
            Some(chosen) => chosen.folder.clone(),
            None => next.options.folder.clone().or(saved_folder),
        };
        let model = next.options.model.clone().or(saved_model);
        let parent = next.options.after.clone().or(current);
        // Nothing runs in this place, so it need not be there.
        let conversation = next.conversation.clone();
        let nowhere = ConversationId(String::new());
        let place = Place { conversation: conversation.clone().unwrap_or(nowhere), turn: FreshIds.turn() };
        let toolbox = self.toolbox(folder.as_deref(), place).await?;
        let loading = Loading { protocol: next.options.protocol, progress: Arc::new(|_| {}), stop };
        let model = self.inner.models.client(&self.inner.store, model, loading).await?;
        let model_window = model.profile().window;
        let who = self.who(conversation.as_ref(), next.chosen.map(|chosen| chosen.assistant)).await?;
        let setup = self.setup(who, parent, next.text, &next.options, &model, &toolbox).await?;
        let profile = ModelProfile { window: next.window.unwrap_or(model_window), ..setup.profile.clone() };
        let setup = Setup { profile: profile.clone(), ..setup };
        let outcome = Turn::new(setup).preview().map(Box::new);
        let rows = outcome.as_ref().map(|preview| preview.plan.rows.as_slice()).unwrap_or_default();
        let n_tokens_placed = rows.iter().map(|row| n_placed(row, model.as_ref())).collect();
        Ok(NextRequest { profile, model_window, outcome, n_tokens_placed })
    }
}

fn n_placed(row: &PlannedBlock, model: &dyn ModelClient) -> u32 {
    match (&row.verdict, &row.placed) {
        (Verdict::Kept, _) => row.n_tokens,
        (_, Some(placed)) => model.count(placed),
        (_, None) => 0,
    }
}
