//! What the arrangement alone does to an answer: the same table and question once as a raw tool result, the way a loop without an answer request would
//! leave it to the model, and once as the answer request of this program. `layout MODEL [ITEMS]` prints both with their intervals.
//!
//! An item is sixty orders and the question which of them have a city and a status; it is right if the answer names exactly those. The items of both
//! layouts are the same, the requests come from the program's own turn, and answers are drawn greedily.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

use anyhow::{Context as _, Result, bail};
use recto_core::approval::{Grants, Policy};
use recto_core::context::plan::{CountTokens, Counter};
use recto_core::context::summary::Summary;
use recto_core::id::{CallId, ConversationId};
use recto_core::prompt::{self, ReplyLanguage};
use recto_core::reply::{Finish, Reply};
use recto_core::request::{ModelRequest, Protocol};
use recto_core::todo::TodoState;
use recto_core::tool::ToolCall;
use recto_core::turn::{Input, Limits, Order, Outgoing, Setup, Turn};
use recto_engine::ports::{ModelClient, Stop, Toolbox as _};
use recto_local::{LoadOptions, LocalModel};
use recto_tools::Workspace;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

const N_ITEMS: usize = 24;
const N_ORDERS: usize = 60;
const CITIES: [&str; 8] = ["Amber", "Brook", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Haven"];
const STATUSES: [&str; 4] = ["open", "paid", "packed", "returned"];

/// Sixty orders and a question about them.
struct Item {
    table: String,
    question: String,
    right: BTreeSet<String>,
    names: BTreeSet<String>,
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same items on every machine.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let n = u64::try_from(n).unwrap_or(1);
        usize::try_from((z ^ (z >> 31)) % n).unwrap_or(0)
    }

    /// A name of three syllables that cannot be counted up or guessed.
    fn name(&mut self) -> String {
        let syllable = |draw: &mut Self| {
            let (consonants, vowels) = (b"bdfgklmnprstvz", b"aeiou");
            let (first, second) = (consonants[draw.below(14)], vowels[draw.below(5)]);
            format!("{}{}", char::from(first), char::from(second))
        };
        (0..3).map(|_| syllable(self)).collect()
    }
}

impl Item {
    /// Three orders have both, four have the city alone, four the status alone, the others neither.
    fn new(number: usize) -> Self {
        let mut draw = Draw(u64::try_from(number).unwrap_or(0).wrapping_mul(7_919) + 1);
        let (city, status) = (draw.below(8), draw.below(4));
        let mut names = BTreeSet::new();
        let mut rows = Vec::new();
        for at in 0..N_ORDERS {
            let mut name = draw.name();
            while !names.insert(name.clone()) {
                name = draw.name();
            }
            let has_city = at < 7;
            let has_status = at < 3 || (7..11).contains(&at);
            let city = if has_city { city } else { (city + 1 + draw.below(7)) % 8 };
            let status = if has_status { status } else { (status + 1 + draw.below(3)) % 4 };
            rows.push((name, city, status, 10 + draw.below(90)));
        }
        let right = rows.iter().take(3).map(|(name, ..)| name.clone()).collect();
        for at in (1..rows.len()).rev() {
            rows.swap(at, draw.below(at + 1));
        }
        let mut table = "order,city,status,pieces\n".to_owned();
        for (name, city, status, pieces) in rows {
            table.push_str(&format!("{name},{},{},{pieces}\n", CITIES[city], STATUSES[status]));
        }
        let question = format!(
            "Which orders in orders.csv have the city {} and the status {}? Name the orders.",
            CITIES[city], STATUSES[status]
        );
        Self { table, question, right, names }
    }

    fn is_right(&self, answer: &str) -> bool {
        let words = answer.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        words.filter(|word| self.names.contains(word)).collect::<BTreeSet<String>>() == self.right
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().context("usage: layout MODEL [ITEMS]")?;
    let n_items = arguments.next().map_or(Ok(N_ITEMS), |text| text.parse::<usize>())?;
    let (_switch, stop) = Stop::new();
    let options = LoadOptions { protocol: Protocol::Native, ..LoadOptions::default() };
    let model = Arc::new(LocalModel::load(Path::new(&path), &options, |_| {}, &stop)?);
    let (mut raw, mut composed) = (Vec::new(), Vec::new());
    for number in 1..=n_items {
        let item = Item::new(number);
        let (work, answer) = requests(&item, &model).await?;
        for (outgoing, results) in [(work, &mut raw), (answer, &mut composed)] {
            let reply = ask(&model, outgoing).await?;
            results.push(item.is_right(&reply.text) && reply.calls.is_empty());
        }
        let word = |is_right: Option<&bool>| if is_right == Some(&true) { "right" } else { "wrong" };
        eprintln!("item {number}: tool result {}, answer request {}", word(raw.last()), word(composed.last()));
    }
    let n_right = |results: &[bool]| results.iter().filter(|is_right| **is_right).count();
    println!("{:<16} {:>7}  95 % interval (Wilson)", "layout", "right");
    for (name, results) in [("tool result", &raw), ("answer request", &composed)] {
        let (low, high) = wilson(n_right(results), n_items);
        println!("{name:<16} {:>3}/{n_items:<3}  {:.0}–{:.0} %", n_right(results), 100.0 * low, 100.0 * high);
    }
    let only = |one: &[bool], other: &[bool]| one.iter().zip(other).filter(|(one, other)| **one && !**other).count();
    println!(
        "right only as answer request {}, only as tool result {}; exact McNemar p = {:.4}",
        only(&composed, &raw),
        only(&raw, &composed),
        mcnemar(only(&composed, &raw), only(&raw, &composed))
    );
    Ok(())
}

/// The request that a loop without an answer request would answer from, and the answer request: both as the turn makes them.
async fn requests(item: &Item, model: &Arc<LocalModel>) -> Result<(Outgoing, Outgoing)> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("orders.csv"), &item.table)?;
    let workspace = Workspace::open(folder.path(), &[])?;
    let mut turn = Turn::new(setup(item, model, &workspace).await);
    sent(turn.step(Input::Begin))?;
    let call = ToolCall {
        id: CallId("c1".to_owned()),
        name: "read_file".to_owned(),
        arguments: r#"{"path":"orders.csv"}"#.to_owned(),
    };
    let called = Reply { calls: vec![call.clone()], finish: Finish::ToolCalls, ..Reply::default() };
    turn.step(Input::Replied(called));
    turn.step(Input::Prepared(workspace.prepare(&call).await));
    let (_switch, stop) = Stop::new();
    let outcome = workspace.run(&call, None, stop).await;
    let work = sent(turn.step(Input::Ran { outcome, places: workspace.places().await }))?;
    let ready = Reply { text: "READY".to_owned(), finish: Finish::Stop, ..Reply::default() };
    let answer = sent(turn.step(Input::Replied(ready)))?;
    Ok((work, answer))
}

fn sent(orders: Vec<Order>) -> Result<Outgoing> {
    for order in orders {
        if let Order::Send(outgoing) = order {
            return Ok(*outgoing);
        }
    }
    bail!("the turn sends nothing")
}

async fn setup(item: &Item, model: &Arc<LocalModel>, workspace: &Workspace) -> Setup {
    Setup {
        profile: model.profile(),
        counter: Counter(Arc::new(ByModel(model.clone()))),
        instructions: prompt::instructions().to_owned(),
        knowledge: String::new(),
        language: ReplyLanguage::Auto,
        profile_of_user: String::new(),
        memories: Vec::new(),
        passages: Vec::new(),
        summary: Summary::default(),
        history: Vec::new(),
        question: item.question.clone(),
        tools: workspace.tools(),
        todo: TodoState::default(),
        places: workspace.places().await,
        fitting: Vec::new(),
        policy: Policy::Never,
        grants: Grants::default(),
        limits: Limits { answer_tokens: 160, ..Limits::default() },
        temperature: 0.0,
        seed: 1,
    }
}

async fn ask(model: &LocalModel, mut outgoing: Outgoing) -> Result<Reply> {
    outgoing.envelope.sampling.temperature = 0.0;
    // A reply that goes on for longer lists everything and is wrong already.
    outgoing.envelope.sampling.max_tokens = 160;
    let request = ModelRequest::from_plan(&outgoing.plan, outgoing.envelope);
    let wire = model.encode(&request)?;
    let (_switch, stop) = Stop::new();
    Ok(model.send(&ConversationId::from("cv_layout"), &request, &wire, &mut |_| {}, stop).await?)
}

struct ByModel(Arc<LocalModel>);

impl CountTokens for ByModel {
    fn count(&self, text: &str) -> u32 {
        self.0.count(text)
    }
}

/// The score interval of a share (Wilson 1927) at 95 %.
fn wilson(right: usize, of: usize) -> (f64, f64) {
    let (n, z) = (of as f64, 1.96_f64);
    let share = right as f64 / n;
    let centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

/// The exact two-sided p of McNemar's test: a fair coin thrown for each item that only one layout gets right.
fn mcnemar(one: usize, other: usize) -> f64 {
    let n = one + other;
    let mut tail = 0.0;
    let mut ways = 1.0;
    for k in 0..=one.min(other) {
        if k > 0 {
            ways *= (n + 1 - k) as f64 / k as f64;
        }
        tail += ways / 2.0_f64.powi(i32::try_from(n).unwrap_or(i32::MAX));
    }
    (2.0 * tail).min(1.0)
}
