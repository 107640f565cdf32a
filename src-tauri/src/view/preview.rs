//! What the next question would be sent with.

use crate::view::count;
use crate::view::request::{BlockTextView, BlockView, ExactnessView, had};
use recto_app::NextRequest;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What would be asked.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreviewParams {
    /// Where; `None` for a new conversation.
    pub conversation: Option<String>,
    /// The question as far as it is typed.
    pub question: String,
    /// The folder, by its name for the window.
    pub folder: Option<String>,
    /// Who works; `None` is the assistant that comes with the program.
    pub assistant: Option<String>,
    /// The model; `None` takes the conversation's.
    pub model: Option<String>,
    /// Another window than the model's, in tokens.
    pub window: Option<u32>,
}

/// The request that would leave.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreviewView {
    /// The model's name.
    pub model: String,
    /// How its token counts are known.
    pub exactness: ExactnessView,
    /// Tokens of all that would be sent.
    pub n_tokens: u32,
    /// Tokens kept free for the reply.
    pub reserve: u32,
    /// Tokens that the request and the reply would share.
    pub window: u32,
    /// The window that the model has.
    pub model_window: u32,
    /// Exchanges that would enter the summary before it.
    pub n_folded: u32,
    /// Why nothing could be sent; `None` if something could.
    pub failure: Option<String>,
    /// Its blocks in order, those left out included.
    pub blocks: Vec<BlockView>,
    /// Their texts.
    pub texts: Vec<BlockTextView>,
}

impl From<NextRequest> for PreviewView {
    fn from(next: NextRequest) -> Self {
        let mut view = Self {
            model: next.profile.name,
            exactness: next.profile.exactness.into(),
            n_tokens: 0,
            reserve: 0,
            window: next.profile.window,
            model_window: next.model_window,
            n_folded: 0,
            failure: None,
            blocks: Vec::new(),
            texts: Vec::new(),
        };
        match next.outcome {
            Err(error) => view.failure = Some(error.to_string()),
            Ok(preview) => {
                let plan = preview.plan;
                view.n_tokens = plan.n_tokens;
                view.reserve = plan.budget.reserve;
                view.n_folded = preview.folded.map_or(0, |folded| count(folded.exchanges.len()));
                let had = had(&plan, &next.n_tokens_placed);
                let rows = plan.rows.iter().zip(&next.n_tokens_placed).enumerate();
                view.blocks = rows
                    .map(|(position, (row, n_placed))| {
                        BlockView::new(position, row, *n_placed, had.get(&position).copied())
                    })
                    .collect();
                view.texts = BlockTextView::all(plan.rows);
            }
        }
        view
    }
}
