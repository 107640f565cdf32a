//! Who may do what: the decision before a call runs.

mod rule;

pub use rule::{MAX_BYTES, MAX_FILES, RuleEnd, RuleId, RuleScope, SessionRule, Writing};

use crate::tool::{Action, ChangeFlag, Effect, ToolIdentity};
use serde::{Deserialize, Serialize};

/// What the person said about writes in general.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Ask for each one.
    #[default]
    Ask,
    /// Refuse each one.
    Never,
    /// Allow each one, except where a flag says that another program will run the file.
    Always,
}

/// What the person allowed beforehand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// A sentence may be remembered without a question, until that is taken back in the settings. Forgetting is asked for all the same.
    pub may_remember: bool,
    /// The rules that the person made in this session and that still hold.
    pub rules: Vec<SessionRule>,
}

/// The rule that decided. It is named in the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The list of the work lives in Recto's own database.
    TodoWriteIsExempt,
    /// Reading inside the workspace is allowed.
    ReadsAreAllowed,
    /// A write is asked for.
    WritesAreAsked,
    /// The person allowed every write for this session.
    WritesAllowedByPerson,
    /// The person allowed once and for all that sentences are remembered.
    RememberingAllowedByPerson,
    /// The person refused every write for this session.
    WritesRefusedByPerson,
    /// The place is refused whatever anyone decides.
    PlaceIsForbidden,
}

impl Rule {
    /// The word used in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TodoWriteIsExempt => "todo_write_is_exempt",
            Self::ReadsAreAllowed => "reads_are_allowed",
            Self::WritesAreAsked => "writes_are_asked",
            Self::WritesAllowedByPerson => "writes_allowed_by_person",
            Self::RememberingAllowedByPerson => "remembering_allowed_by_person",
            Self::WritesRefusedByPerson => "writes_refused_by_person",
            Self::PlaceIsForbidden => "place_is_forbidden",
        }
    }
}

/// What `decide` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Run it.
    Allow(Rule),
    /// Run it: a rule that the person made covers it.
    AllowBy(SessionRule),
    /// Ask the person first.
    Ask(Rule),
    /// Do not run it; the sentence goes to the model.
    Deny(Rule, String),
}

/// Decides on a prepared call. Precedence, first match wins:
/// 1. `todo_write`, by its identity, is allowed: it touches no file of the user;
/// 2. a read is allowed (a place outside the workspace never gets this far, preparation forbids it);
/// 3. a write is refused where the person refused all writes;
/// 4. remembering, by its identity, is allowed where the person allowed it once and for all, unless the sentence has hidden characters;
/// 5. a write is allowed where a rule of this session covers it, which none does where there is a flag of any kind;
/// 6. a write is allowed where the person allowed all writes, unless it is flagged as executed later;
/// 7. any other write is asked for.
#[must_use]
pub fn decide(action: &Action, policy: Policy, grants: &Grants) -> Verdict {
    if action.identity == ToolIdentity::TodoWrite {
        return Verdict::Allow(Rule::TodoWriteIsExempt);
    }
    if action.effect == Effect::Read {
        return Verdict::Allow(Rule::ReadsAreAllowed);
    }
    let has_flag = |flag| action.change.as_ref().is_some_and(|change| change.flags.contains(&flag));
    let may_remember = grants.may_remember
        && action.identity == ToolIdentity::Remember
        && action.change.is_some()
        && !has_flag(ChangeFlag::HiddenCharacters);
    if policy == Policy::Never {
        let reason = "the user allows no writes in this session. Do not try again; answer without it";
        return Verdict::Deny(Rule::WritesRefusedByPerson, reason.to_owned());
    }
    if may_remember {
        return Verdict::Allow(Rule::RememberingAllowedByPerson);
    }
    if let Some(rule) = grants.rules.iter().find(|rule| rule.covers(action)) {
        return Verdict::AllowBy(rule.clone());
    }
    if policy == Policy::Always && !has_flag(ChangeFlag::ExecutesLater) {
        return Verdict::Allow(Rule::WritesAllowedByPerson);
    }
    Verdict::Ask(Rule::WritesAreAsked)
}

/// How a question to the person ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The person said yes.
    Approved,
    /// The person said yes, and that the same needs no question in this session.
    ApprovedWithRule,
    /// The person said no.
    Denied,
    /// Nobody answered in time, which is a no.
    TimedOut,
    /// The turn was stopped or the window closed, which is a no.
    Withdrawn,
    /// There is nobody to ask (no terminal, no window), which is a no.
    NobodyToAsk,
}

impl Answer {
    /// Whether it is a yes.
    #[must_use]
    pub fn is_yes(self) -> bool {
        matches!(self, Self::Approved | Self::ApprovedWithRule)
    }

    /// The word used in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::ApprovedWithRule => "approved_with_rule",
            Self::Denied => "denied",
            Self::TimedOut => "timed_out",
            Self::Withdrawn => "withdrawn",
            Self::NobodyToAsk => "nobody_to_ask",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ContentHash;
    use crate::tool::{Change, FileState, FolderIdentity, Operation};

    fn action(identity: ToolIdentity, effect: Effect, flags: &[ChangeFlag]) -> Action {
        let state = FileState { hash: ContentHash::of(b"x"), n_bytes: 1 };
        let change = (effect == Effect::Write && identity != ToolIdentity::TodoWrite).then(|| Change {
            path: "list.md".into(),
            to: None,
            operation: Operation::Create,
            before: None,
            after: Some(state),
            bytes: b"x".to_vec(),
            diff: Vec::new(),
            flags: flags.to_vec(),
            digest: ContentHash::of(b"digest"),
        });
        let folder = Some(FolderIdentity("notes".into()));
        Action { identity, effect, target: "list.md".into(), change, folder }
    }

    const NONE: Grants = Grants { may_remember: false, rules: Vec::new() };
    const ALL: Grants = Grants { may_remember: true, rules: Vec::new() };

    /// A rule for files like that of `action`.
    fn ruled() -> Grants {
        let scope = RuleScope {
            writing: Writing::Whole,
            folder: FolderIdentity("notes".into()),
            folder_name: ".".into(),
            ending: "md".into(),
        };
        Grants { may_remember: false, rules: vec![SessionRule::new(RuleId("ru_1".into()), scope)] }
    }

    /// Every cell of identity × effect × policy × grants, as a table.
    #[test]
    fn permission_p1_the_decision_is_a_table() {
        let mut table = String::new();
        for (who, identity, effect, flags) in [
            ("todo_write", ToolIdentity::TodoWrite, Effect::Write, &[][..]),
            ("read", ToolIdentity::BuiltIn, Effect::Read, &[]),
            ("write", ToolIdentity::BuiltIn, Effect::Write, &[]),
            ("flagged write", ToolIdentity::BuiltIn, Effect::Write, &[ChangeFlag::ExecutesLater]),
            ("outside write", ToolIdentity::External, Effect::Write, &[]),
            ("remember", ToolIdentity::Remember, Effect::Write, &[]),
            ("hidden remember", ToolIdentity::Remember, Effect::Write, &[ChangeFlag::HiddenCharacters]),
            ("forget", ToolIdentity::Forget, Effect::Write, &[]),
        ] {
            for (policy, grants) in [Policy::Ask, Policy::Never, Policy::Always]
                .map(|policy| (policy, NONE))
                .into_iter()
                .chain([(Policy::Ask, ALL), (Policy::Never, ALL)])
                .chain([Policy::Ask, Policy::Never, Policy::Always].map(|policy| (policy, ruled())))
            {
                let said = match decide(&action(identity, effect, flags), policy, &grants) {
                    Verdict::Allow(rule) => format!("allow {}", rule.as_str()),
                    Verdict::AllowBy(rule) => format!("allow {}", rule.decider()),
                    Verdict::Ask(rule) => format!("ask {}", rule.as_str()),
                    Verdict::Deny(rule, _) => format!("deny {}", rule.as_str()),
                };
                let granted = match (grants.may_remember, grants.rules.is_empty()) {
                    (true, _) => ", granted",
                    (false, true) => "",
                    (false, false) => ", ruled",
                };
                table.push_str(&format!("{who} / {policy:?}{granted}: {said}\n"));
            }
        }
        expect_test::expect![[r#"
            todo_write / Ask: allow todo_write_is_exempt
            todo_write / Never: allow todo_write_is_exempt
            todo_write / Always: allow todo_write_is_exempt
            todo_write / Ask, granted: allow todo_write_is_exempt
            todo_write / Never, granted: allow todo_write_is_exempt
            todo_write / Ask, ruled: allow todo_write_is_exempt
            todo_write / Never, ruled: allow todo_write_is_exempt
            todo_write / Always, ruled: allow todo_write_is_exempt
            read / Ask: allow reads_are_allowed
            read / Never: allow reads_are_allowed
            read / Always: allow reads_are_allowed
            read / Ask, granted: allow reads_are_allowed
            read / Never, granted: allow reads_are_allowed
            read / Ask, ruled: allow reads_are_allowed
            read / Never, ruled: allow reads_are_allowed
            read / Always, ruled: allow reads_are_allowed
            write / Ask: ask writes_are_asked
            write / Never: deny writes_refused_by_person
            write / Always: allow writes_allowed_by_person
            write / Ask, granted: ask writes_are_asked
            write / Never, granted: deny writes_refused_by_person
            write / Ask, ruled: allow rule ru_1
            write / Never, ruled: deny writes_refused_by_person
            write / Always, ruled: allow rule ru_1
            flagged write / Ask: ask writes_are_asked
            flagged write / Never: deny writes_refused_by_person
            flagged write / Always: ask writes_are_asked
            flagged write / Ask, granted: ask writes_are_asked
            flagged write / Never, granted: deny writes_refused_by_person
            flagged write / Ask, ruled: ask writes_are_asked
            flagged write / Never, ruled: deny writes_refused_by_person
            flagged write / Always, ruled: ask writes_are_asked
            outside write / Ask: ask writes_are_asked
            outside write / Never: deny writes_refused_by_person
            outside write / Always: allow writes_allowed_by_person
            outside write / Ask, granted: ask writes_are_asked
            outside write / Never, granted: deny writes_refused_by_person
            outside write / Ask, ruled: ask writes_are_asked
            outside write / Never, ruled: deny writes_refused_by_person
            outside write / Always, ruled: allow writes_allowed_by_person
            remember / Ask: ask writes_are_asked
            remember / Never: deny writes_refused_by_person
            remember / Always: allow writes_allowed_by_person
            remember / Ask, granted: allow remembering_allowed_by_person
            remember / Never, granted: deny writes_refused_by_person
            remember / Ask, ruled: ask writes_are_asked
            remember / Never, ruled: deny writes_refused_by_person
            remember / Always, ruled: allow writes_allowed_by_person
            hidden remember / Ask: ask writes_are_asked
            hidden remember / Never: deny writes_refused_by_person
            hidden remember / Always: allow writes_allowed_by_person
            hidden remember / Ask, granted: ask writes_are_asked
            hidden remember / Never, granted: deny writes_refused_by_person
            hidden remember / Ask, ruled: ask writes_are_asked
            hidden remember / Never, ruled: deny writes_refused_by_person
            hidden remember / Always, ruled: allow writes_allowed_by_person
            forget / Ask: ask writes_are_asked
            forget / Never: deny writes_refused_by_person
            forget / Always: allow writes_allowed_by_person
            forget / Ask, granted: ask writes_are_asked
            forget / Never, granted: deny writes_refused_by_person
            forget / Ask, ruled: ask writes_are_asked
            forget / Never, ruled: deny writes_refused_by_person
            forget / Always, ruled: allow writes_allowed_by_person
        "#]]
        .assert_eq(&table);
    }

    #[test]
    fn todo_t8_the_exemption_is_keyed_on_identity_and_not_on_a_name_or_an_effect() {
        let impostor = action(ToolIdentity::External, Effect::Write, &[]);
        assert_eq!(decide(&impostor, Policy::Ask, &ALL), Verdict::Ask(Rule::WritesAreAsked));
        let own = action(ToolIdentity::TodoWrite, Effect::Write, &[]);
        assert_eq!(decide(&own, Policy::Never, &NONE), Verdict::Allow(Rule::TodoWriteIsExempt));
    }
}
