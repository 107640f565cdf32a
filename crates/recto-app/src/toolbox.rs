//! The tools of a turn from several hands as one toolbox: the folder's, and what else the program offers.

use async_trait::async_trait;
use recto_core::tool::{CallOutcome, Change, Places, Prepared, ToolCall, ToolDefinition};
use recto_engine::ports::{Stop, Toolbox};
use recto_tools::Workspace;
use std::sync::Arc;

/// The folder's tools and others. A call goes to whoever offers a tool of its name, and to the folder's where nobody does: that one says which
/// tools there are. No two offer the same name.
pub(crate) struct Toolboxes {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) others: Vec<Arc<dyn Toolbox>>,
}

impl Toolboxes {
    fn of(&self, call: &ToolCall) -> &dyn Toolbox {
        let offers = |toolbox: &&Arc<dyn Toolbox>| toolbox.tools().iter().any(|tool| tool.name == call.name);
        match self.others.iter().find(offers) {
            Some(toolbox) => toolbox.as_ref(),
            None => self.workspace.as_ref(),
        }
    }
}

#[async_trait]
impl Toolbox for Toolboxes {
    fn tools(&self) -> Vec<ToolDefinition> {
        let others = self.others.iter().flat_map(|toolbox| toolbox.tools());
        self.workspace.tools().into_iter().chain(others).collect()
    }

    async fn places(&self) -> Places {
        self.workspace.places().await
    }

    async fn prepare(&self, call: &ToolCall) -> Prepared {
        self.of(call).prepare(call).await
    }

    async fn run(&self, call: &ToolCall, change: Option<&Change>, stop: Stop) -> CallOutcome {
        self.of(call).run(call, change, stop).await
    }
}
