//! Planted facts: each is given to a scripted conversation in one of thirteen ways, and “where did it go?” has to say where it is and what became of it.
//! Then the same question in a conversation of 10,000 turns, with its time.
//!
//! `cargo xtask bench where` prints both tables; `-- 200` plants so many facts.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use recto_app::record::{NewConversation, NewMemory, NewTurn, Store};
use recto_app::{Outcome, Trace, trace};
use recto_core::approval::{Grants, Policy};
use recto_core::context::block::BlockKind;
use recto_core::context::plan::{ByCharacters, Counter, DropRule, Verdict};
use recto_core::context::summary::{Author, Summary};
use recto_core::context::system::Scored;
use recto_core::conversation::Exchange;
use recto_core::fact::Fact;
use recto_core::id::{CallId, ConversationId, RequestId, TurnId};
use recto_core::prompt::{self, ReplyLanguage};
use recto_core::reply::{Finish, Reply};
use recto_core::request::{
    AnswerTools, Encoding, Exactness, ModelProfile, ModelRequest, Part, Protocol, Purpose, Wire,
};
use recto_core::text::{ContentHash, ascii_json_string};
use recto_core::todo::TodoState;
use recto_core::tool::{
    Action, CallOutcome, CallStatus, Change, Effect, FileState, Operation, Places, Prepared, ToolCall, ToolDefinition,
    ToolIdentity,
};
use recto_core::turn::{Ending, Input, Limits, Order, Outgoing, Setup, Turn};
use recto_core::whereabouts::{Level, Whereabouts};
use recto_engine::ports::{Entry, Journal as _, RequestEntry};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

type Failure = Box<dyn Error>;

const WINDOW: u32 = 4_096;
/// The file that is written between two looks at another: what was seen before may be another now.
const WRITTEN: &str = "b.md";
const LONG: usize = 10_000;
const PROMISED_MS: f64 = 200.0;

/// A number that looks random and is the same in every run (SplitMix64, Steele and others 2014).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[(self.next() % words.len() as u64) as usize]
    }
}

/// How a fact is given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Exact,
    Rewrapped,
    Escaped,
    Hexadecimal,
    Decomposed,
    OneTypo,
    OneDigit,
    StraddlingACut,
    CutOff,
    OnlyInTheSummary,
    Dropped,
    Superseded,
    NeverRetrieved,
}

const SHAPES: [(Shape, &str); 13] = [
    (Shape::Exact, "as it is"),
    (Shape::Rewrapped, "wrapped anew"),
    (Shape::Escaped, "inside a JSON string"),
    (Shape::Hexadecimal, "with \\uXXXX"),
    (Shape::Decomposed, "decomposed"),
    (Shape::OneTypo, "one letter changed"),
    (Shape::OneDigit, "one digit changed: not there"),
    (Shape::StraddlingACut, "cut through"),
    (Shape::CutOff, "cut off"),
    (Shape::OnlyInTheSummary, "only in the summary"),
    (Shape::Dropped, "a memory that was dropped"),
    (Shape::Superseded, "superseded"),
    (Shape::NeverRetrieved, "a memory that was not chosen"),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let n_facts: usize = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1_001);
    let scratch = tempfile::tempdir()?;
    let store = Store::open(&scratch.path().join("recto.db"), 1)?.store;
    let mut numbers = Numbers(1);
    println!("{:<32} {:>8} {:>8}", "given", "planted", "right");
    let (mut n_planted, mut n_right) = (0, 0);
    for (index, (shape, name)) in SHAPES.iter().enumerate() {
        let n = n_facts / SHAPES.len() + usize::from(index < n_facts % SHAPES.len());
        let mut right = 0;
        for number in 0..n {
            let planted = Planted { store: &store, shape: *shape, name: format!("{index}_{number}") };
            match planted.try_one(&fact(&mut numbers)).await? {
                None => right += 1,
                Some(wrong) => println!("  wrong: {wrong}"),
            }
        }
        println!("{name:<32} {n:>8} {right:>8}");
        n_planted += n;
        n_right += right;
    }
    println!("{:<32} {n_planted:>8} {n_right:>8}\n", "in all");
    long_conversation(&store).await?;
    if n_right == n_planted { Ok(()) } else { Err(format!("{} of {n_planted} are wrong", n_planted - n_right).into()) }
}

/// A sentence of twenty to sixty characters with a number, a letter that can be decomposed, and a quotation mark.
fn fact(numbers: &mut Numbers) -> String {
    let who = numbers.of(&["Söderström", "Müller", "Bézier", "Ibáñez", "Kovačević"]);
    let what = numbers.of(&["boiler", "harbour lamp", "spare anchor", "tide gauge", "ferry ramp"]);
    let verb = numbers.of(&["was set to", "stands at", "costs", "was measured at"]);
    let value = 100 + numbers.next() % 9_000;
    let place = numbers.of(&["cellar", "north pier", "boathouse", "club room", "winter store"]);
    format!("The \"{what}\" of Ms {who} {verb} {value} in the {place}.")
}

struct Planted<'a> {
    store: &'a Store,
    shape: Shape,
    name: String,
}

impl Planted<'_> {
    /// Plants one fact; `None` if all that is said of it is right.
    async fn try_one(&self, fact: &str) -> Result<Option<String>, Failure> {
        let turn = self.plant(fact).await?;
        let found = trace(self.store, turn, fact).await?;
        let wrong = self.wrong(&found);
        Ok(wrong.map(|why| {
            format!("{fact} ({why}): {:?}", found.requests.iter().map(|row| &row.outcome).collect::<Vec<_>>())
        }))
    }

    /// Has the conversation; gives the turn that is asked about.
    async fn plant(&self, fact: &str) -> Result<TurnId, Failure> {
        use unicode_normalization::UnicodeNormalization as _;
        let noted =
            |text: &str| vec![("a.md", format!("# Notes\n\nNothing else was said.\n{text}\nThe rest is rain.\n"))];
        match self.shape {
            Shape::Exact => self.turn(setup(), &noted(fact)).await,
            Shape::Rewrapped => self.turn(setup(), &noted(&fact.replace(' ', "\n  "))).await,
            Shape::Escaped => self.turn(setup(), &noted(&serde_json::json!({"said": fact}).to_string())).await,
            Shape::Hexadecimal => self.turn(setup(), &noted(&ascii_json_string(fact))).await,
            Shape::Decomposed => self.turn(setup(), &noted(&fact.nfd().collect::<String>())).await,
            Shape::OneTypo => self.turn(setup(), &noted(&fact.replacen("the ", "tha ", 1))).await,
            Shape::OneDigit => {
                let digit = fact.chars().find(char::is_ascii_digit).unwrap_or('0');
                let other = if digit == '7' { "8" } else { "7" };
                self.turn(setup(), &noted(&fact.replacen(digit, other, 1))).await
            }
            Shape::CutOff => {
                let long = format!("{}{fact}\n", filler(fact).repeat(400));
                self.turn(setup(), &[("a.md", long.clone()), ("b.md", filler(fact).repeat(400))]).await
            }
            Shape::StraddlingACut => self.straddling(fact).await,
            Shape::OnlyInTheSummary => {
                let before = TurnId(format!("tn_{}_before", self.name));
                self.begin(&before, None, "What was it?").await?;
                self.end(&before, fact).await?;
                let summary = Summary {
                    version: 1,
                    n_exchanges: 1,
                    until: Some(before.clone()),
                    author: Author::Model,
                    prose: format!("They talked. {fact}"),
                    ..Summary::default()
                };
                self.turn_after(Some(before), Setup { summary, ..setup() }, &noted("Nothing.")).await
            }
            Shape::Dropped => {
                let text = format!("{fact} {}", "It was said again and again. ".repeat(120));
                let memories = vec![Scored { id: "m_1".into(), score: 0.2, text, source: "memory".into() }];
                let knowledge = "The zero of the gauge is at 3.2 metres. ".repeat(220);
                self.turn(Setup { memories, knowledge, ..setup() }, &[]).await
            }
            Shape::Superseded => {
                let later = filler(fact).to_owned();
                let setup = Setup { policy: Policy::Always, ..setup() };
                self.turn(setup, &[("a.md", format!("{fact}\n")), (WRITTEN, "It is written.".into()), ("a.md", later)])
                    .await
            }
            Shape::NeverRetrieved => {
                let new = NewMemory {
                    id: format!("m_{}", self.name).as_str().into(),
                    text: fact.to_owned(),
                    at_ms: 1,
                    source: None,
                };
                self.store.remember(new, None).await?;
                let memories = vec![Scored {
                    id: "m_2".into(),
                    score: 0.4,
                    text: "Likes tea.".into(),
                    source: "memory m_2".into(),
                }];
                self.turn(Setup { memories, ..setup() }, &noted("Nothing.")).await
            }
        }
    }

    /// The fact on two lines of which the first is the last that is kept. Where the cut falls is found out first, with lines of the same length.
    async fn straddling(&self, fact: &str) -> Result<TurnId, Failure> {
        let at = fact.char_indices().nth(fact.chars().count() / 2).map_or(0, |(at, _)| at);
        let split = fact[at..].find(' ').map_or(at, |space| at + space);
        let (head, tail) = (&fact[..split], fact[split..].trim_start());
        // The same characters backwards count the same and say nothing of it.
        let backwards = |text: &str| format!("{}\n", text.chars().rev().collect::<String>());
        let rows: Vec<String> = vec![backwards(head); 400];
        let first = Planted { store: self.store, shape: self.shape, name: format!("{}_tried", self.name) };
        let tried = first.turn(setup(), &[("a.md", rows.concat()), ("b.md", rows.concat())]).await?;
        let work = self.store.requests(tried).await?.into_iter().nth(1).ok_or("no second request")?;
        let plan = self.store.request(work.id).await?.plan;
        let kept = plan.rows.iter().find_map(|row| match (row.block.kind, row.verdict) {
            (BlockKind::Result, Verdict::Cut { kept_lines, .. }) => Some(kept_lines as usize),
            _ => None,
        });
        let kept = kept.ok_or("nothing was cut")?;
        let mut rows = rows;
        rows[kept - 1] = format!("{head}\n");
        rows[kept] = format!("{tail}\n");
        self.turn(setup(), &[("a.md", rows.concat()), ("b.md", vec![backwards(head); 400].concat())]).await
    }

    fn conversation(&self) -> ConversationId {
        ConversationId(format!("cv_{}", self.name))
    }

    async fn begin(&self, turn: &TurnId, parent: Option<TurnId>, question: &str) -> Result<(), Failure> {
        if parent.is_none() {
            let id = self.conversation();
            let new = NewConversation { id, folder: None, model: None, reply_language: None, at_ms: 1 };
            self.store.create_conversation(new).await?;
        }
        let new = NewTurn {
            id: turn.clone(),
            conversation: self.conversation(),
            parent,
            question: question.into(),
            model: None,
            folder: None,
            at_ms: 2,
        };
        Ok(self.store.begin_turn(new).await?)
    }

    async fn end(&self, turn: &TurnId, answer: &str) -> Result<(), Failure> {
        let end = Entry::End { turn: turn.clone(), ending: Ending::Answered, answer: answer.into(), at_ms: 9 };
        Ok(self.store.record(end).await?)
    }

    async fn turn(&self, setup: Setup, results: &[(&str, String)]) -> Result<TurnId, Failure> {
        self.turn_after(None, setup, results).await
    }

    /// A turn in which these files are read one after the other, recorded as the engine does it.
    async fn turn_after(
        &self,
        parent: Option<TurnId>,
        setup: Setup,
        results: &[(&str, String)],
    ) -> Result<TurnId, Failure> {
        let id = TurnId(format!("tn_{}", self.name));
        self.begin(&id, parent, &setup.question).await?;
        let mut turn = Turn::new(setup);
        let mut orders = turn.step(Input::Begin);
        for (index, (path, text)) in results.iter().enumerate() {
            let request = self.send(&id, orders).await?;
            let is_write = self.shape == Shape::Superseded && *path == WRITTEN;
            let call = ToolCall {
                id: CallId(format!("c{}", index + 1)),
                name: if is_write { "write_file" } else { "read_file" }.into(),
                arguments: serde_json::json!({"path": path}).to_string(),
            };
            let number = u32::try_from(index + 1)?;
            let entry = Entry::Call { turn: id.clone(), request, call: call.clone(), number };
            self.store.record(entry).await?;
            turn.step(Input::Replied(Reply {
                calls: vec![call.clone()],
                finish: Finish::ToolCalls,
                ..Reply::default()
            }));
            let (identity, target) = (ToolIdentity::BuiltIn, (*path).to_owned());
            let (effect, change) = if is_write { (Effect::Write, Some(change())) } else { (Effect::Read, None) };
            let action = Action { identity, effect, target: target.clone(), change, folder: None };
            turn.step(Input::Prepared(Prepared::Ready(action)));
            let written = is_write.then(|| ContentHash::of(b"written"));
            let outcome = CallOutcome { written, ..CallOutcome::new(CallStatus::Done, text.clone(), "read") };
            let fact = Fact { identity, call, target, outcome: outcome.clone() };
            self.store.record(Entry::Fact { turn: id.clone(), fact, at_ms: 5 }).await?;
            orders = turn.step(Input::Ran { outcome, places: Places::default() });
        }
        self.send(&id, orders).await?;
        let done = Reply { text: "READY".into(), finish: Finish::Stop, ..Reply::default() };
        let orders = turn.step(Input::Replied(done));
        if !results.is_empty() {
            self.send(&id, orders).await?;
        }
        self.end(&id, "I cannot say.").await?;
        Ok(id)
    }

    async fn send(&self, turn: &TurnId, orders: Vec<Order>) -> Result<RequestId, Failure> {
        let sent = orders.into_iter().find_map(|order| if let Order::Send(sent) = order { Some(*sent) } else { None });
        let entry = entry(turn, sent.ok_or("nothing was sent")?);
        let id = entry.id.clone();
        self.store.record(Entry::Request(Box::new(entry))).await?;
        Ok(id)
    }

    /// What is wrong with what was said; `None` if nothing is.
    fn wrong(&self, found: &Trace) -> Option<&'static str> {
        let level = found.origins.first().map(|origin| origin.level);
        let answer = found.requests.iter().find(|row| row.purpose == Purpose::Answer);
        let first = found.requests.first();
        let told = |outcome: Option<&Outcome>, wanted: fn(&Whereabouts) -> bool| matches!(outcome, Some(Outcome::Found(found)) if wanted(found));
        let whole = |wanted: Level| {
            let is_whole = |row: Option<&recto_app::Traced>, kind: BlockKind| {
                row.is_some_and(|row| {
                    matches!(&row.outcome, Outcome::Found(Whereabouts::Whole(place)) if place.level == wanted)
                        && row.block.as_ref().is_some_and(|(found, _)| *found == kind)
                })
            };
            // The pointers repeat a line of the facts right before the question.
            let in_answer = is_whole(answer, BlockKind::Fact) || is_whole(answer, BlockKind::Pointers);
            let in_work = is_whole(found.requests.get(1), BlockKind::Result);
            match (level == Some(wanted), in_work, in_answer) {
                (true, true, true) => None,
                (false, ..) => Some("another level where it entered"),
                (_, false, _) => Some("not whole in the work request"),
                _ => Some("not whole in the answer request"),
            }
        };
        let outcome = answer.map(|row| &row.outcome);
        let is = |right: bool, why| if right { None } else { Some(why) };
        match self.shape {
            Shape::Exact => whole(Level::Exact),
            Shape::Rewrapped => whole(Level::Normalised),
            Shape::Escaped | Shape::Hexadecimal => whole(Level::Unescaped),
            Shape::Decomposed => whole(Level::Normalised),
            Shape::OneTypo => whole(Level::Near),
            Shape::OneDigit => {
                is(found.origins.is_empty() && found.requests.is_empty(), "found although a digit differs")
            }
            // The answer request may point at the very line, which makes it whole there.
            Shape::CutOff => is(
                told(found.requests.get(1).map(|row| &row.outcome), |found| {
                    matches!(found, Whereabouts::Cut { has_beginning: false, line: 401, .. })
                }) && answer.is_some_and(|row| {
                    matches!(row.outcome, Outcome::Found(Whereabouts::Cut { .. }))
                        || row.block.as_ref().is_some_and(|(kind, _)| *kind == BlockKind::Pointers)
                }),
                "not told as cut off",
            ),
            Shape::StraddlingACut => is(
                told(
                    found.requests.get(1).map(|row| &row.outcome),
                    |found| matches!(found, Whereabouts::Cut { has_beginning: true, kept_lines, line, .. } if kept_lines == line),
                ),
                "not told as cut through",
            ),
            Shape::OnlyInTheSummary => is(
                told(first.map(|row| &row.outcome), |found| matches!(found, Whereabouts::InSummary(_))),
                "not in the summary",
            ),
            Shape::Dropped => is(
                told(first.map(|row| &row.outcome), |found| {
                    matches!(found, Whereabouts::Dropped { rule: DropRule::LowestMemory, order: 1, .. })
                }) && first.and_then(|row| row.room).is_some_and(|(needed, had)| needed > had),
                "not told as dropped",
            ),
            Shape::Superseded => is(
                told(outcome, |found| matches!(found, Whereabouts::Superseded { by: Some(_), .. })),
                "not told as superseded",
            ),
            Shape::NeverRetrieved => is(
                matches!(first.map(|row| &row.outcome), Some(Outcome::NotChosen { chosen }) if chosen.len() == 1),
                "not told as not chosen",
            ),
        }
    }
}

/// A new file.
fn change() -> Change {
    let bytes = b"written".to_vec();
    Change {
        path: WRITTEN.into(),
        to: None,
        operation: Operation::Create,
        before: None,
        after: Some(FileState { hash: ContentHash::of(&bytes), n_bytes: bytes.len() as u64 }),
        bytes,
        diff: Vec::new(),
        flags: Vec::new(),
        digest: ContentHash::of(b"digest"),
    }
}

/// A line that says nothing of a fact and is as long.
fn filler(fact: &str) -> &'static str {
    if fact.len() > 60 {
        "It rained all day, and nobody went out to look at anything.\n"
    } else {
        "It rained all day long.\n"
    }
}

fn setup() -> Setup {
    Setup {
        profile: profile(),
        counter: Counter(Arc::new(ByCharacters)),
        instructions: prompt::instructions().into(),
        knowledge: "The zero of the gauge is at 3.2 metres.".into(),
        language: ReplyLanguage::Auto,
        profile_of_user: String::new(),
        memories: Vec::new(),
        passages: Vec::new(),
        summary: Summary::default(),
        history: Vec::<Exchange>::new(),
        question: "What do my notes say about it?".into(),
        tools: vec![tool("read_file", Effect::Read), tool("write_file", Effect::Write)],
        todo: TodoState::default(),
        places: Places::default(),
        fitting: Vec::new(),
        policy: Policy::Ask,
        grants: Grants::default(),
        limits: Limits::default(),
        temperature: 0.0,
        seed: 0,
    }
}

fn tool(name: &str, effect: Effect) -> ToolDefinition {
    ToolDefinition {
        identity: ToolIdentity::BuiltIn,
        name: name.into(),
        description: "Works on a file.".into(),
        parameters: serde_json::json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
        effect,
        paths: Vec::new(),
        repeats: true,
    }
}

fn profile() -> ModelProfile {
    ModelProfile {
        name: "a model".into(),
        window: WINDOW,
        protocol: Protocol::Native,
        takes_trailing_system: true,
        answer_tools: AnswerTools::Omit,
        exactness: Exactness::Estimate,
    }
}

fn entry(turn: &TurnId, outgoing: Outgoing) -> RequestEntry {
    let request = ModelRequest::from_plan(&outgoing.plan, outgoing.envelope.clone());
    let mut wire = Wire::default();
    for message in &request.messages {
        wire.glue(format!("{{\"role\":\"{}\",\"content\":\"", message.role.as_str()));
        for part in &message.parts {
            let (Part::Text { block, text }
            | Part::Call { block, arguments: text, .. }
            | Part::Thought { block, json: text }) = part;
            wire.block(*block, text.clone(), Encoding::Json);
        }
        wire.glue("\"},");
    }
    let count = |text: &str| recto_core::context::plan::CountTokens::count(&ByCharacters, text);
    RequestEntry {
        id: RequestId(format!("rq_{turn}_{}", outgoing.number)),
        turn: turn.clone(),
        number: outgoing.number,
        n_tokens_placed: outgoing.plan.rows.iter().map(|row| row.placed.as_deref().map_or(0, count)).collect(),
        n_tokens: outgoing.plan.n_tokens,
        plan: outgoing.plan,
        profile: profile(),
        step: None,
        sampling: outgoing.envelope.sampling,
        wire_hash: ContentHash::of(wire.bytes().as_bytes()),
        wire,
        n_stale_rounds: outgoing.n_stale_rounds,
        has_reminder: outgoing.has_reminder,
        at_ms: 3,
    }
}

/// The time in a conversation of 10,000 turns, the last twelve of which have their requests.
async fn long_conversation(store: &Store) -> Result<(), Failure> {
    let planted = Planted { store, shape: Shape::Exact, name: "long".into() };
    let mut parent = None;
    let mut history: Vec<Exchange> = Vec::new();
    for number in 1..=LONG {
        let last = number + 12 > LONG;
        let id = TurnId(if last { format!("tn_long_{number}") } else { format!("tn_l{number}") });
        let question = format!("What was measured on day {number}, and was it more than on the day before?");
        let answer = format!(
            "On day {number} the gauge stood at {}.{} metres. {}",
            number / 10,
            number % 10,
            "The pier was wet and nobody wrote down why it stood still. ".repeat(4)
        );
        if last {
            let of_turn = Planted { store, shape: Shape::Exact, name: format!("long_{number}") };
            planted.begin(&id, parent.clone(), &question).await?;
            let from = history.len().saturating_sub(20);
            let setup = Setup { question, history: history[from..].to_vec(), ..setup() };
            let mut turn = Turn::new(setup);
            of_turn.send(&id, turn.step(Input::Begin)).await?;
        } else {
            planted.begin(&id, parent.clone(), &question).await?;
        }
        planted.end(&id, &answer).await?;
        history.push(Exchange { turn: id.clone(), question: String::new(), answer });
        parent = Some(id);
    }
    let turn = parent.ok_or("no turn")?;
    println!("in a conversation of {LONG} turns (promised under {PROMISED_MS} ms)");
    println!("{:<44} {:>10} {:>10}", "looked for", "median", "longest");
    for (name, text) in [
        ("a sentence of the ninth last day", "On day 9992 the gauge stood at 999.2 metres."),
        ("a sentence of the fifth day", "On day 5 the gauge stood at 0.5 metres."),
        ("the same with a letter changed", "On dey 9992 the gauge stood at 999.2 metres."),
        ("words that stand everywhere", "nobody wrote down why it stood still"),
        ("what is nowhere", "The lamp at the end of the pier was never repaired."),
    ] {
        let mut times = Vec::new();
        for _ in 0..9 {
            let start = Instant::now();
            trace(store, turn.clone(), text).await?;
            times.push(start.elapsed().as_secs_f64() * 1_000.0);
        }
        times.sort_by(f64::total_cmp);
        println!("{name:<44} {:>7.1} ms {:>7.1} ms", times[times.len() / 2], times[times.len() - 1]);
    }
    Ok(())
}
