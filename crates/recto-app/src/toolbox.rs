//! The tools of a turn from several hands as one toolbox: the folder's, and what else the program offers.

use crate::kept::Kept;
use async_trait::async_trait;
use recto_core::tool::{CallOutcome, CallStatus, Change, Places, Prepared, ToolCall, ToolDefinition};
use recto_engine::ports::{Stop, Toolbox};
use recto_tools::{Checker, Workspace};
use std::sync::Arc;

/// The folder's tools and others. A call goes to whoever offers a tool of its name, and to the folder's where nobody does: that one says which
/// tools there are. No two offer the same name.
pub(crate) struct Toolboxes {
    pub(crate) workspace: Arc<Workspace>,
    /// What the folder's tools replace.
    pub(crate) kept: Kept,
    pub(crate) others: Vec<Arc<dyn Toolbox>>,
}

impl Toolboxes {
    /// Whoever else offers the tool that is called, and what it says of it; `None` for the folder's.
    fn other(&self, call: &ToolCall) -> Option<(&dyn Toolbox, ToolDefinition)> {
        self.others.iter().find_map(|toolbox| {
            let tool = toolbox.tools().into_iter().find(|tool| tool.name == call.name)?;
            Some((toolbox.as_ref(), tool))
        })
    }
}

/// The arguments against the tool's schema, before its handler looks at them.
fn check(tool: &ToolDefinition, call: &ToolCall) -> Result<(), CallOutcome> {
    let not_valid = |sentence: String| CallOutcome::new(CallStatus::InvalidArguments, sentence, "invalid arguments");
    let checker = Checker::new(&tool.parameters)
        .ok_or_else(|| not_valid(format!("`{}` cannot check its arguments.", tool.name)))?;
    checker.check(&tool.name, &call.arguments).map(|_| ()).map_err(not_valid)
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
        match self.other(call) {
            None => self.workspace.prepare(call).await,
            Some((toolbox, tool)) => match check(&tool, call) {
                Ok(()) => toolbox.prepare(call).await,
                Err(outcome) => Prepared::Not(outcome),
            },
        }
    }

    async fn run(&self, call: &ToolCall, change: Option<&Change>, stop: Stop) -> CallOutcome {
        match self.other(call) {
            None => self.kept.run(&self.workspace, call, change, stop).await,
            Some((toolbox, _)) => toolbox.run(call, change, stop).await,
        }
    }
}
