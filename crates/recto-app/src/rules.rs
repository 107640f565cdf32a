//! The rules that the person made on approval cards. They live in memory only: when the program ends, everything is asked for again.

use crate::open::App;
use recto_core::approval::{MAX_FILES, RuleEnd, RuleId, RuleScope, SessionRule};
use recto_core::id::ConversationId;
use recto_core::tool::FolderIdentity;
use recto_engine::ports::Rules;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A rule of this session, whether it still holds or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleRow {
    /// Where it was made, and where alone it holds.
    pub conversation: ConversationId,
    /// What it covers, and what it was used for.
    pub rule: SessionRule,
    /// The paths of the writes that it covered, in order.
    pub matched: Vec<String>,
    /// Why it holds no more; `None` while it does.
    pub ended: Option<RuleEnd>,
}

/// The rules of the open program.
#[derive(Debug, Default)]
pub(crate) struct SessionRules {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    rows: Vec<RuleRow>,
    /// The workspace that a conversation worked on last.
    workspaces: HashMap<ConversationId, Option<FolderIdentity>>,
}

impl State {
    fn end(&mut self, why: RuleEnd, is_meant: impl Fn(&RuleRow) -> bool) {
        for row in self.rows.iter_mut().filter(|row| row.ended.is_none()) {
            if is_meant(row) {
                row.ended = Some(why);
            }
        }
    }
}

impl SessionRules {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says which workspace a conversation works on from now on. Rules do not outlive another one.
    pub(crate) fn works_on(&self, conversation: &ConversationId, workspace: Option<FolderIdentity>) {
        let mut state = self.state();
        let before = state.workspaces.insert(conversation.clone(), workspace.clone());
        if before.is_some_and(|before| before != workspace) {
            state.end(RuleEnd::OtherFolder, |row| row.conversation == *conversation);
        }
    }

    /// A conversation is gone, and its rules with it.
    pub(crate) fn forget(&self, conversation: &ConversationId) {
        let mut state = self.state();
        state.workspaces.remove(conversation);
        state.rows.retain(|row| row.conversation != *conversation);
    }
}

impl Rules for SessionRules {
    fn of(&self, conversation: &ConversationId) -> Vec<SessionRule> {
        let holds = |row: &&RuleRow| row.conversation == *conversation && row.ended.is_none();
        self.state().rows.iter().filter(holds).map(|row| row.rule.clone()).collect()
    }

    fn make(&self, conversation: &ConversationId, scope: RuleScope) -> SessionRule {
        let rule = SessionRule::new(RuleId(format!("ru_{}", uuid::Uuid::now_v7().simple())), scope);
        let row = RuleRow { conversation: conversation.clone(), rule: rule.clone(), matched: Vec::new(), ended: None };
        self.state().rows.push(row);
        rule
    }

    fn used(&self, rule: &RuleId, path: &str, n_bytes: u64) {
        let mut state = self.state();
        let Some(row) = state.rows.iter_mut().find(|row| row.rule.id == *rule) else { return };
        row.rule.n_files += 1;
        row.rule.n_bytes = row.rule.n_bytes.saturating_add(n_bytes);
        row.matched.push(path.to_owned());
        if row.rule.n_files >= MAX_FILES {
            row.ended.get_or_insert(RuleEnd::UsedUp);
        }
    }

    fn end(&self, rule: &RuleId, why: RuleEnd) {
        self.state().end(why, |row| row.rule.id == *rule);
    }
}

impl App {
    /// The rules of this session, the newest first: those that hold and those that did.
    #[must_use]
    pub fn rules(&self) -> Vec<RuleRow> {
        self.inner.rules.state().rows.iter().rev().cloned().collect()
    }

    /// Stops a rule; a write that it allowed already goes on. Nothing happens if it holds no more.
    pub fn stop_rule(&self, rule: &RuleId) {
        self.inner.rules.end(rule, RuleEnd::Stopped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recto_core::approval::Writing;

    fn scope() -> RuleScope {
        RuleScope {
            writing: Writing::Whole,
            folder: FolderIdentity("7".into()),
            folder_name: "notes".into(),
            ending: "md".into(),
        }
    }

    #[test]
    fn permission_p2_a_rule_holds_in_its_conversation_until_something_ends_it() {
        let (here, there): (ConversationId, ConversationId) = ("cv_1".into(), "cv_2".into());
        let rules = SessionRules::default();
        let (first, second) = (rules.make(&here, scope()), rules.make(&here, scope()));
        assert_eq!(rules.of(&there), []);
        rules.end(&first.id, RuleEnd::Failed);
        // What ended it first is what is said.
        rules.end(&first.id, RuleEnd::Stopped);
        assert_eq!(rules.of(&here), std::slice::from_ref(&second));
        for number in 0..MAX_FILES {
            assert_eq!(rules.of(&here).len(), 1, "before write {number}");
            rules.used(&second.id, "notes/a.md", 10);
        }
        assert_eq!(rules.of(&here), []);
        let said: Vec<_> =
            rules.state().rows.iter().map(|row| (row.rule.n_bytes, row.matched.len(), row.ended)).collect();
        assert_eq!(said, [(0, 0, Some(RuleEnd::Failed)), (500, 50, Some(RuleEnd::UsedUp))]);
    }

    #[test]
    fn permission_p2_a_rule_dies_when_the_conversation_works_on_another_folder() {
        let here: ConversationId = "cv_1".into();
        let rules = SessionRules::default();
        let folder = |name: &str| Some(FolderIdentity(name.into()));
        rules.works_on(&here, folder("7"));
        rules.make(&here, scope());
        rules.works_on(&here, folder("7"));
        rules.works_on(&"cv_2".into(), folder("8"));
        assert_eq!(rules.of(&here).len(), 1);
        rules.works_on(&here, folder("8"));
        assert_eq!(rules.of(&here), []);
        // The old folder does not bring it back.
        rules.works_on(&here, folder("7"));
        assert_eq!(rules.of(&here), []);
    }
}
