//! Ports that remember what they were asked, in one log.

use async_trait::async_trait;
use recto_core::approval::{Answer, Grants, Policy, RuleEnd, RuleId, RuleScope, SessionRule};
use recto_core::context::plan::{ByCharacters, CountTokens as _, Counter};
use recto_core::context::summary::Summary;
use recto_core::id::{ApprovalId, ConversationId, RequestId};
use recto_core::prompt::ReplyLanguage;
use recto_core::reply::{Finish, Reply};
use recto_core::request::{AnswerTools, Encoding, Exactness, ModelProfile, ModelRequest, Part, Protocol, Wire};
use recto_core::text::ContentHash;
use recto_core::todo::TodoState;
use recto_core::tool::{
    Action, CallOutcome, CallStatus, Change, Effect, FileState, Operation, Places, Prepared, ToolCall, ToolDefinition,
    ToolIdentity,
};
use recto_core::turn::{Limits, Setup};
use recto_engine::drive::{Ended, Place, Ports, drive};
use recto_engine::event::TurnEvent;
use recto_engine::ports::{
    Approver, Clock, Delta, Entry, Events, Ids, Journal, JournalError, ModelClient, ModelError, ModelErrorKind,
    Question, Rules, Stop, Toolbox,
};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// What the model does, reply by reply.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Says {
    Text(&'static str),
    /// One word a second.
    Slowly(&'static str),
    Call(&'static str, &'static str),
    Fails(&'static str),
}

/// Everything outside a turn.
pub(crate) struct World {
    shared: Arc<Shared>,
    stop: Stop,
}

struct Shared {
    replies: Mutex<VecDeque<Says>>,
    log: Mutex<String>,
    fails_at: Mutex<Vec<String>>,
    stops_after: Mutex<Option<String>>,
    never_prepares: AtomicBool,
    switch: watch::Sender<bool>,
    now_ms: AtomicI64,
    reply_ms: AtomicI64,
    n_ids: AtomicU32,
    recorded: Mutex<Vec<String>>,
    sent: Mutex<Vec<String>>,
}

impl World {
    pub(crate) fn new(says: &[Says]) -> Self {
        let (switch, stop) = Stop::new();
        let shared = Shared {
            replies: Mutex::new(says.iter().copied().collect()),
            log: Mutex::default(),
            fails_at: Mutex::default(),
            stops_after: Mutex::default(),
            never_prepares: AtomicBool::new(false),
            switch,
            now_ms: AtomicI64::new(0),
            reply_ms: AtomicI64::new(0),
            n_ids: AtomicU32::new(0),
            recorded: Mutex::default(),
            sent: Mutex::default(),
        };
        Self { shared: Arc::new(shared), stop }
    }

    /// Once for each call, the entry of this line cannot be recorded.
    pub(crate) fn fail_at(&self, line: &str) {
        self.shared.fails_at.lock().unwrap().push(line.to_owned());
    }

    /// Preparing a call never ends.
    pub(crate) fn never_prepare(&self) {
        self.shared.never_prepares.store(true, Ordering::Relaxed);
    }

    pub(crate) fn stop_after(&self, line: &str) {
        *self.shared.stops_after.lock().unwrap() = Some(line.to_owned());
    }

    pub(crate) fn each_reply_takes(&self, ms: i64) {
        self.shared.reply_ms.store(ms, Ordering::Relaxed);
    }

    pub(crate) fn log(&self) -> String {
        self.shared.log.lock().unwrap().clone()
    }

    pub(crate) fn recorded_bytes(&self) -> Vec<String> {
        self.shared.recorded.lock().unwrap().clone()
    }

    pub(crate) fn sent_bytes(&self) -> Vec<String> {
        self.shared.sent.lock().unwrap().clone()
    }

    pub(crate) async fn drive(&self) -> Result<Ended, JournalError> {
        let shared = &self.shared;
        let ports = Ports {
            model: shared.clone(),
            journal: shared.clone(),
            toolbox: shared.clone(),
            approver: shared.clone(),
            rules: shared.clone(),
            clock: shared.clone(),
            ids: shared.clone(),
            events: shared.clone(),
        };
        let place = Place { conversation: "cv_1".into(), turn: "tn_1".into() };
        drive(&ports, place, setup(shared.profile(), shared.tools()), self.stop.clone()).await
    }
}

fn setup(profile: ModelProfile, tools: Vec<ToolDefinition>) -> Setup {
    Setup {
        profile,
        counter: Counter(Arc::new(ByCharacters)),
        instructions: "Be brief.".into(),
        knowledge: String::new(),
        language: ReplyLanguage::Auto,
        profile_of_user: String::new(),
        memories: Vec::new(),
        passages: Vec::new(),
        summary: Summary::default(),
        history: Vec::new(),
        question: "编写?".into(),
        tools,
        todo: TodoState::default(),
        fitting: Vec::new(),
        places: Places::default(),
        policy: Policy::Ask,
        grants: Grants::default(),
        limits: Limits::default(),
        temperature: 0.0,
        seed: 0,
    }
}

impl Shared {
    fn note(&self, line: &str) {
        self.log.lock().unwrap().push_str(&format!("{line}\n"));
        let stops = self.stops_after.lock().unwrap().as_ref().is_some_and(|after| line.starts_with(after.as_str()));
        if stops {
            self.switch.send(true).unwrap();
        }
    }

    fn next(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.n_ids.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

#[async_trait]
impl ModelClient for Shared {
    fn profile(&self) -> ModelProfile {
        ModelProfile {
            name: "script".into(),
            window: 8_192,
            protocol: Protocol::Native,
            takes_trailing_system: true,
            answer_tools: AnswerTools::Keep,
            exactness: Exactness::Estimate,
        }
    }

    fn count(&self, text: &str) -> u32 {
        ByCharacters.count(text)
    }

    fn encode(&self, request: &ModelRequest) -> Result<Wire, ModelError> {
        let mut wire = Wire::default();
        for message in &request.messages {
            wire.glue(format!("<{}>", message.role.as_str()));
            for part in &message.parts {
                match part {
                    Part::Text { block, text }
                    | Part::Call { block, arguments: text, .. }
                    | Part::Thought { block, json: text } => {
                        wire.block(*block, text, Encoding::Json);
                    }
                }
            }
        }
        Ok(wire)
    }

    fn measure(&self, wire: &Wire) -> Vec<u32> {
        wire.pieces.iter().map(|piece| self.count(&piece.text)).collect()
    }

    async fn send(
        &self,
        _conversation: &ConversationId,
        _request: &ModelRequest,
        wire: &Wire,
        deltas: &mut (dyn FnMut(Delta) + Send),
        stop: Stop,
    ) -> Result<Reply, ModelError> {
        self.note("send");
        self.sent.lock().unwrap().push(wire.bytes());
        self.now_ms.fetch_add(self.reply_ms.load(Ordering::Relaxed), Ordering::Relaxed);
        let says = self.replies.lock().unwrap().pop_front().unwrap();
        let mut reply = Reply { finish: Finish::Stop, ..Reply::default() };
        match says {
            Says::Text(text) => {
                deltas(Delta::Text(text.into()));
                reply.text = text.into();
            }
            Says::Slowly(text) => {
                for word in text.split_inclusive(' ') {
                    if stop.is_set() {
                        reply.finish = Finish::Stopped;
                        break;
                    }
                    reply.text.push_str(word);
                    deltas(Delta::Text(word.into()));
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
            Says::Call(name, arguments) => {
                reply.calls.push(ToolCall { id: "k1".into(), name: name.into(), arguments: arguments.into() });
            }
            Says::Fails(sentence) => {
                return Err(ModelError::BeforeOutput { sentence: sentence.into(), kind: ModelErrorKind::Unreachable });
            }
        }
        Ok(reply)
    }
}

#[async_trait]
impl Toolbox for Shared {
    fn tools(&self) -> Vec<ToolDefinition> {
        [("read_file", Effect::Read), ("write_file", Effect::Write)]
            .map(|(name, effect)| ToolDefinition {
                identity: ToolIdentity::BuiltIn,
                name: name.into(),
                description: String::new(),
                parameters: serde_json::json!({"type": "object"}),
                effect,
                paths: Vec::new(),
                repeats: true,
            })
            .to_vec()
    }

    async fn places(&self) -> Places {
        Places::default()
    }

    async fn prepare(&self, call: &ToolCall) -> Prepared {
        self.note(&format!("prepare {}", call.name));
        if self.never_prepares.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        let writes = call.name == "write_file";
        let change = writes.then(|| Change {
            path: "a".into(),
            to: None,
            operation: Operation::Create,
            before: None,
            after: Some(FileState { hash: ContentHash::of(b"x"), n_bytes: 1 }),
            bytes: b"x".to_vec(),
            diff: Vec::new(),
            flags: Vec::new(),
            digest: ContentHash::of(b"d"),
        });
        let effect = if writes { Effect::Write } else { Effect::Read };
        Prepared::Ready(Action { identity: ToolIdentity::BuiltIn, effect, target: "a".into(), change, folder: None })
    }

    async fn run(&self, call: &ToolCall, _change: Option<&Change>, _stop: Stop) -> CallOutcome {
        self.note(&format!("run {}", call.name));
        CallOutcome::new(CallStatus::Done, "x", "1 byte")
    }
}

#[async_trait]
impl Approver for Shared {
    async fn ask(&self, question: &Question, mut stop: Stop) -> Answer {
        self.note(&format!("ask {}", question.change.path));
        // Whoever sees the question first gets the chance to stop.
        tokio::select! {
            biased;
            () = stop.wait() => Answer::Withdrawn,
            () = tokio::time::sleep(Duration::from_millis(1)) => Answer::Approved,
        }
    }
}

impl Rules for Shared {
    fn of(&self, _conversation: &ConversationId) -> Vec<SessionRule> {
        Vec::new()
    }

    fn make(&self, _conversation: &ConversationId, scope: RuleScope) -> SessionRule {
        SessionRule::new(RuleId("ru_1".into()), scope)
    }

    fn used(&self, _rule: &RuleId, _path: &str, _n_bytes: u64) {}

    fn end(&self, _rule: &RuleId, _why: RuleEnd) {}
}

impl Clock for Shared {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::Relaxed)
    }
}

impl Ids for Shared {
    fn request(&self) -> RequestId {
        RequestId(self.next("rq_"))
    }

    fn approval(&self) -> ApprovalId {
        ApprovalId(self.next("ap_"))
    }
}

#[async_trait]
impl Journal for Shared {
    async fn record(&self, entry: Entry) -> Result<(), JournalError> {
        let line = match &entry {
            Entry::Request(entry) => {
                self.recorded.lock().unwrap().push(entry.wire.bytes());
                assert_eq!(entry.wire_hash, ContentHash::of(entry.wire.bytes().as_bytes()));
                format!("request {} {}", entry.number, entry.plan.purpose.as_str())
            }
            Entry::ReplySoFar { text, .. } => format!("so far {}", text.trim_end()),
            Entry::Reply { failure: Some(failure), .. } => format!("reply, failed: {failure}"),
            Entry::Reply { .. } => "reply".to_owned(),
            Entry::Call { call, number, .. } => format!("call {number} {}", call.name),
            Entry::Asked { question, .. } => format!("asked {}", question.change.path),
            Entry::Answered { answer, .. } => format!("answered {answer:?}"),
            Entry::Audit(entry) => format!("audit {}", entry.event.as_str()),
            Entry::Fact { fact, .. } => format!("fact {}", fact.call.name),
            Entry::Todo { state, .. } => format!("todo, stale {}", state.stale.n_rounds()),
            Entry::Folded { folded, .. } => format!("folded {}", folded.exchanges.len()),
            Entry::End { ending, .. } => format!("end {ending:?}"),
        };
        let fails_now = {
            let mut fails_at = self.fails_at.lock().unwrap();
            fails_at.iter().position(|at| *at == line).map(|at| fails_at.remove(at)).is_some()
        };
        if fails_now {
            return Err(JournalError { sentence: "the disk is full".into(), source: None });
        }
        self.note(&format!("record {line}"));
        Ok(())
    }
}

impl Events for Shared {
    fn tell(&self, event: TurnEvent) {
        let line = match event {
            TurnEvent::Loading { percent } => format!("loading {percent}"),
            TurnEvent::Request { number, .. } => format!("request {number}"),
            TurnEvent::Reading { .. } => "reading".to_owned(),
            TurnEvent::Retry { .. } => "retry".to_owned(),
            TurnEvent::Draft(text) => format!("draft {text}"),
            TurnEvent::DraftDropped => "draft dropped".to_owned(),
            TurnEvent::Answer(text) => format!("answer {text}"),
            TurnEvent::Reasoning(text) => format!("reasoning {text}"),
            TurnEvent::Replied { .. } => "replied".to_owned(),
            TurnEvent::Call { call } => format!("call {}", call.name),
            TurnEvent::Permission { tool, is_allowed, .. } => {
                format!("permission {tool} {}", if is_allowed { "allowed" } else { "denied" })
            }
            TurnEvent::Asked(question) => format!("asked {}", question.change.path),
            TurnEvent::Answered { answer, .. } => format!("answered {answer:?}"),
            TurnEvent::Called { call, .. } => format!("called {}", call.name),
            TurnEvent::Todo { .. } => "todo".to_owned(),
            TurnEvent::Folded { n_exchanges, version } => format!("folded {n_exchanges} into v{version}"),
            TurnEvent::QuestionCut { .. } => "question cut".to_owned(),
            TurnEvent::Composing { n_facts } => format!("composing {n_facts}"),
            TurnEvent::Ended { ending, answer } => format!("ended {ending:?}: {answer}"),
        };
        self.note(&format!("tell {line}"));
    }
}
