//! A record in a folder of its own, and entries of a turn as the engine makes them.

use recto_core::context::block::{Block, BlockKind, Importance, Role, Seat, Slot};
use recto_core::context::plan::{Budget, ByCharacters, Plan, plan};
use recto_core::id::{ConversationId, RequestId, TurnId};
use recto_core::reply::{Finish, Reply, Usage};
use recto_core::request::{AnswerTools, Encoding, Exactness, ModelProfile, Protocol, Purpose, Sampling, Wire};
use recto_core::text::ContentHash;
use recto_core::tool::{Change, DiffKind, DiffLine, FileState, Operation, ToolCall};
use recto_core::turn::Ending;
use recto_engine::ports::{Entry, Journal, Question, RequestEntry};
use recto_store::{NewConversation, NewTurn, Opened, Store};
use std::path::PathBuf;
use tempfile::TempDir;

/// A record that is there as long as its folder.
pub(crate) struct Scratch {
    pub(crate) folder: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("record.db")
    }

    pub(crate) fn open(&self) -> Opened {
        Store::open(&self.path(), 1_000).unwrap()
    }

    /// A record with one conversation `cv_1`.
    pub(crate) async fn store(&self) -> Store {
        let store = self.open().store;
        store.create_conversation(conversation("cv_1")).await.unwrap();
        store
    }
}

pub(crate) fn conversation(id: &str) -> NewConversation {
    NewConversation { id: id.into(), folder: None, model: None, reply_language: None, at_ms: 1 }
}

/// A turn of `cv_1` that asks `question`.
pub(crate) fn turn(id: &str, parent: Option<&str>, question: &str) -> NewTurn {
    NewTurn {
        id: id.into(),
        conversation: "cv_1".into(),
        parent: parent.map(TurnId::from),
        question: question.into(),
        model: Some("model".into()),
        folder: None,
        at_ms: 10,
    }
}

pub(crate) fn end(turn: &str, answer: &str) -> Entry {
    Entry::End { turn: turn.into(), ending: Ending::Answered, answer: answer.into(), at_ms: 90 }
}

/// A conversation of answered turns `tn_1` … `tn_n`, each after the one before.
pub(crate) async fn chain(store: &Store, n_turns: usize) {
    for number in 1..=n_turns {
        let parent = (number > 1).then(|| format!("tn_{}", number - 1));
        store
            .begin_turn(turn(&format!("tn_{number}"), parent.as_deref(), &format!("question {number}")))
            .await
            .unwrap();
        store.record(end(&format!("tn_{number}"), &format!("answer {number}"))).await.unwrap();
    }
}

pub(crate) fn block(id: &str, message: u32, role: Role, importance: Importance, text: &str) -> Block {
    Block {
        id: id.into(),
        kind: BlockKind::History,
        source: format!("source of {id}"),
        seat: Seat { message, role, answers: None },
        slot: Slot::Text,
        importance,
        score: None,
        stub: None,
        limit: None,
        text: text.into(),
    }
}

/// A plan in which something is kept, something cut and something dropped, with every column of a verdict in use.
pub(crate) fn eventful_plan() -> Plan {
    let mut call = block("call/c1", 4, Role::Assistant, Importance::Pinned, r#"{"path":"编.md"}"#);
    call.kind = BlockKind::Call;
    call.slot = Slot::Call { id: "c1".into(), name: "read_file".into() };
    let mut result = block("result/c1", 5, Role::Tool, Importance::Shared, &"a line of the file\n".repeat(40));
    result.kind = BlockKind::Result;
    result.seat.answers = Some("c1".into());
    result.score = Some(0.25);
    let mut question = block("question", 3, Role::User, Importance::Pinned, "编写 README \"now\"\n\u{7}🦀");
    question.kind = BlockKind::Question;
    let mut limited = block("result/c0", 3, Role::User, Importance::Pinned, "one\ntwo\n");
    limited.limit = Some(100);
    let blocks = vec![
        block("instructions", 0, Role::System, Importance::Pinned, "You are Recto."),
        block("history/tn_0/question", 1, Role::User, Importance::Exchange(0), &"an old question ".repeat(10)),
        block("history/tn_0/answer", 2, Role::Assistant, Importance::Exchange(0), "an old answer"),
        block("empty", 3, Role::User, Importance::Pinned, ""),
        limited,
        question,
        call,
        result,
    ];
    let budget = Budget { window: 200, reserve: 20, fixed: 5, per_message: 4, fold_to: 180 };
    plan(Purpose::Work, blocks, budget, &ByCharacters).unwrap()
}

/// The bytes of a plan the way an HTTP model writes them: glue as it is, texts inside JSON strings.
pub(crate) fn wire_of(plan: &Plan) -> Wire {
    let mut wire = Wire::default();
    wire.glue("{\"messages\":[");
    for (position, row) in plan.rows.iter().enumerate() {
        if let Some(placed) = &row.placed {
            wire.glue("{\"content\":\"");
            wire.block(position, placed.clone(), Encoding::Json);
            wire.glue("\"},");
        }
    }
    wire.glue("]}");
    wire
}

pub(crate) fn profile() -> ModelProfile {
    ModelProfile {
        name: "model".into(),
        window: 4096,
        protocol: Protocol::Structured,
        takes_trailing_system: false,
        answer_tools: AnswerTools::Omit,
        exactness: Exactness::Estimate,
    }
}

pub(crate) fn request(id: &str, turn: &str, number: u32, plan: Plan) -> RequestEntry {
    let wire = wire_of(&plan);
    RequestEntry {
        id: id.into(),
        turn: turn.into(),
        number,
        n_tokens_placed: (0..).take(plan.rows.len()).collect(),
        n_tokens: 123,
        profile: profile(),
        step: None,
        sampling: Sampling { temperature: 0.5, seed: 7, max_tokens: 512 },
        wire_hash: ContentHash::of(wire.bytes().as_bytes()),
        wire,
        plan,
        n_stale_rounds: 2,
        has_reminder: true,
        at_ms: 20,
    }
}

/// A request that is sent in `turn`, of two short blocks.
pub(crate) fn small_request(id: &str, turn: &str, number: u32, purpose: Purpose) -> RequestEntry {
    let blocks = vec![
        block("instructions", 0, Role::System, Importance::Pinned, "You are Recto."),
        block("question", 1, Role::User, Importance::Pinned, "question"),
    ];
    let budget = Budget { window: 200, reserve: 20, fixed: 0, per_message: 4, fold_to: 180 };
    request(id, turn, number, plan(purpose, blocks, budget, &ByCharacters).unwrap())
}

pub(crate) fn reply(text: &str) -> Reply {
    Reply {
        text: text.into(),
        reasoning: "because".into(),
        thoughts: Vec::new(),
        calls: vec![call("c1")],
        finish: Finish::ToolCalls,
        usage: Usage {
            n_read: Some(100),
            n_reused: Some(60),
            n_evaluated: Some(40),
            n_written: Some(9),
            cost_nanodollars: Some(1_250_000),
            first_token_ms: Some(300),
            total_ms: Some(900),
        },
    }
}

pub(crate) fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "write_file".into(), arguments: r#"{"path":"list.md","content":"milk"}"#.into() }
}

pub(crate) fn question(id: &str, turn: &str, bytes: &[u8]) -> Question {
    Question {
        id: id.into(),
        conversation: "cv_1".into(),
        turn: turn.into(),
        call: "c1".into(),
        tool: "write_file".into(),
        change: Change {
            path: "list.md".into(),
            to: None,
            operation: Operation::Overwrite,
            before: Some(FileState { hash: ContentHash::of(b"bread"), n_bytes: 5 }),
            after: Some(FileState { hash: ContentHash::of(bytes), n_bytes: bytes.len() as u64 }),
            bytes: bytes.to_vec(),
            diff: vec![DiffLine { kind: DiffKind::Removed, text: "bread".into() }],
            flags: vec![recto_core::tool::ChangeFlag::ExecutesLater],
            digest: ContentHash::of(b"digest"),
        },
        offer: None,
        n_together: 1,
    }
}

pub(crate) async fn record(store: &Store, entries: Vec<Entry>) {
    for entry in entries {
        store.record(entry).await.unwrap();
    }
}

pub(crate) fn cv(id: &str) -> ConversationId {
    id.into()
}

pub(crate) fn tn(id: &str) -> TurnId {
    id.into()
}

pub(crate) fn rq(id: &str) -> RequestId {
    id.into()
}
