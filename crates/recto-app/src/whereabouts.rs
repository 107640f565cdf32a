//! Where did it go? Finds a text among everything that entered a conversation, and says for each request since then what became of it.

use crate::open::AppError;
use recto_core::context::block::BlockKind;
use recto_core::context::omission::omissions;
use recto_core::context::plan::PlannedBlock;
use recto_core::id::{RequestId, TurnId};
use recto_core::request::Purpose;
use recto_core::whereabouts::{Competitor, Level, Needle, Whereabouts, competitors, whereabouts};
use recto_store::{BranchTextKind, KnowledgeContent, RequestRecord, Store, SummaryRow};
use recto_tools::{FoundFile, Workspace};
use std::path::Path;

/// Turns before the one that is asked about whose requests are looked into; where the text entered is looked for in all of them.
const TURNS: usize = 12;
/// Places where a text entered that are told of at most.
const ORIGINS: usize = 12;

/// Where a text entered.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// As what.
    pub kind: OriginKind,
    /// In which turn, with its place in the conversation from 1; `None` for what is no part of a conversation.
    pub turn: Option<(TurnId, usize)>,
    /// Which result, memory or passage; empty where the kind says it all.
    pub source: String,
    /// How it was found there.
    pub level: Level,
}

/// As what a text entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginKind {
    /// In a question.
    Question,
    /// In an answer.
    Answer,
    /// A tool gave it back.
    Result,
    /// It is remembered.
    Memory,
    /// An assistant is always given it.
    Knowledge,
    /// The user says it about themselves.
    Profile,
    /// It stands in a document of the library.
    Passage,
}

/// Where a text stands that never entered the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Elsewhere {
    /// In another conversation, or in another branch of this one.
    Conversation {
        /// Its title; `None` while it has none.
        title: Option<String>,
        /// The turn.
        turn: TurnId,
        /// As what.
        kind: OriginKind,
        /// How it was found there.
        level: Level,
    },
    /// In a file of the conversation's folder that no tool read.
    File {
        /// Its path below the folder.
        path: String,
        /// The line on which it begins, from 1.
        line: usize,
        /// How it was found there.
        level: Level,
    },
}

/// What became of the text in one request.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The turn's place in the conversation, from 1.
    pub turn_number: usize,
    /// The turn.
    pub turn: TurnId,
    /// The request.
    pub request: RequestId,
    /// Its number in the turn.
    pub number: u32,
    /// What it was for.
    pub purpose: Purpose,
    /// What became of the text.
    pub outcome: Outcome,
    /// Kind and source of the block that the outcome names; `None` where it names none.
    pub block: Option<(BlockKind, String)>,
    /// What the block needed and what was left for it, where it was dropped for its size.
    pub room: Option<(u32, u32)>,
}

/// What became of a text in a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A block that was considered has it.
    Found(Whereabouts),
    /// The exchange that it was in had been folded, and the summary does not say it.
    Folded {
        /// The version with which it was folded.
        version: u32,
    },
    /// It is a memory or a passage that was not chosen for this question. The scores of those that were, the best first.
    NotChosen {
        /// Source and score.
        chosen: Vec<(String, f64)>,
    },
    /// It was the result of a tool in an earlier turn; what later turns are given is the answer, and the answer does not say it.
    EarlierResult,
    /// It had entered nothing that this request could have been made of.
    NotThere,
}

/// All that is known of where a text went.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The text, without white space around it.
    pub text: String,
    /// Where it entered, the earliest first.
    pub origins: Vec<Origin>,
    /// What became of it in each request, the latest turn first, in the order of the requests within a turn.
    pub requests: Vec<Traced>,
    /// What competed with it in the request behind the answer of the turn that was asked about, with kind and source of the block.
    pub competitors: Vec<(Competitor, BlockKind, String)>,
    /// Earlier turns since it entered whose requests are not told of.
    pub n_turns_before: usize,
    /// Where it stands instead; empty where it entered the conversation.
    pub elsewhere: Vec<Elsewhere>,
}

/// Finds out where a text went, up to and with this turn.
///
/// # Errors
/// There is no such turn, nothing of the text can be seen, or the record cannot be read.
pub async fn trace(record: &Store, turn: TurnId, text: &str) -> Result<Trace, AppError> {
    let needle = Needle::new(text)
        .ok_or_else(|| AppError::NotKept("there is no text to look for; type or select some words".into()))?;
    let filter = needle.clone();
    let (n_turns, texts) = record.branch_texts(turn.clone(), move |bytes| filter.may_be_in(bytes)).await?;
    // Where it stands byte for byte, lesser likenesses are not looked for: in a long conversation each of them takes a while.
    let is_exact = texts.iter().any(|found| needle.is_exactly_in(&found.text));
    let mut origins: Vec<Origin> = texts
        .into_iter()
        .filter(|found| !is_exact || needle.is_exactly_in(&found.text))
        .filter_map(|found| {
            let level = needle.find(&found.text)?.level;
            let (kind, source) = match found.kind {
                BranchTextKind::Question => (OriginKind::Question, String::new()),
                BranchTextKind::Answer => (OriginKind::Answer, String::new()),
                BranchTextKind::Result { source, .. } => (OriginKind::Result, source),
            };
            Some(Origin { kind, turn: Some((found.turn, found.number)), source, level })
        })
        .collect();
    origins.extend(kept_outside(record, &turn, &needle).await?);
    // What stands there as it was written is the fact; lesser traces of it are not where it entered.
    if let Some(best) = origins.iter().map(|origin| origin.level).min().filter(|best| *best < Level::Near) {
        origins.retain(|origin| origin.level < Level::Near || origin.level == best);
    }
    origins.truncate(ORIGINS);

    let versions = record.summary_versions(turn.clone()).await?;
    let page = record.turns_up_to(turn.clone(), TURNS).await?;
    let first_shown = n_turns + 1 - page.turns.len();
    let outside = origins.iter().any(|origin| origin.turn.is_none());
    let entered = origins.iter().filter_map(|origin| origin.turn.as_ref()).map(|(_, number)| *number).min();
    let since = if outside { 1 } else { entered.unwrap_or(n_turns) };
    let mut traced = Vec::new();
    let mut beside = Vec::new();
    for (index, row) in page.turns.into_iter().enumerate().rev() {
        let turn_number = first_shown + index;
        if turn_number < since {
            break;
        }
        let look = Look { needle: &needle, origins: &origins, versions: &versions, turn_number };
        let mut of_turn = Vec::new();
        for request in record.requests(row.id.clone()).await? {
            let request = record.request(request.id).await?;
            if turn_number == n_turns && request.row.purpose != Purpose::Summary {
                beside = look.competitors(&request, &row.question);
            }
            of_turn.push(look.traced(&request));
        }
        traced.extend(of_turn);
    }
    if traced.iter().all(|row| row.outcome == Outcome::NotThere) {
        // A text that is nowhere competes with nothing.
        traced.clear();
        beside.clear();
    }
    let elsewhere = if origins.is_empty() { elsewhere(record, turn, &needle).await? } else { Vec::new() };
    Ok(Trace {
        elsewhere,
        text: needle.text().to_owned(),
        n_turns_before: first_shown.saturating_sub(since.max(1)),
        origins,
        requests: traced,
        competitors: beside,
    })
}

/// Where the text stands that is no part of the conversation.
async fn kept_outside(record: &Store, turn: &TurnId, needle: &Needle) -> Result<Vec<Origin>, AppError> {
    let mut origins = Vec::new();
    let mut look = |kind, source: &str, text: &str| {
        if let Some(found) = needle.find(text) {
            origins.push(Origin { kind, turn: None, source: source.to_owned(), level: found.level });
        }
    };
    for memory in record.memories().await? {
        look(OriginKind::Memory, &memory.text, &memory.text);
    }
    if let Some(profile) = record.setting(crate::memories::PROFILE.to_owned()).await? {
        look(OriginKind::Profile, "", &profile);
    }
    let conversation = record.conversation_of(turn.clone()).await?;
    if let Some(assistant) = record.conversation(conversation).await?.assistant {
        for row in record.knowledge(assistant).await?.into_iter().filter(|row| row.is_on) {
            match &row.content {
                KnowledgeContent::Text(text) => look(OriginKind::Knowledge, &row.title, text),
                // A file was read when it was given; what it says now is not what was given then.
                KnowledgeContent::File(_) => {}
            }
        }
    }
    for found in record.search_library(needle.text(), TURNS).await? {
        look(OriginKind::Passage, &found.passage.label(), &found.passage.text);
    }
    Ok(origins)
}

/// Where a text stands that entered nothing of the conversation: it was never eligible, and this is why.
async fn elsewhere(record: &Store, turn: TurnId, needle: &Needle) -> Result<Vec<Elsewhere>, AppError> {
    let filter = needle.clone();
    let texts = record.texts_elsewhere(turn.clone(), move |bytes| filter.may_be_in(bytes), ORIGINS).await?;
    let mut found: Vec<Elsewhere> = texts
        .into_iter()
        .filter_map(|text| {
            let level = needle.find(&text.text)?.level;
            let kind = match text.kind {
                BranchTextKind::Question => OriginKind::Question,
                BranchTextKind::Answer => OriginKind::Answer,
                BranchTextKind::Result { .. } => OriginKind::Result,
            };
            Some(Elsewhere::Conversation { title: text.title, turn: text.turn, kind, level })
        })
        .collect();
    let folder = record.conversation(record.conversation_of(turn).await?).await?.folder;
    // The folder of a bundle is on another computer, and what is in a folder of that name here is none of its business.
    if let (Some(folder), None) = (folder, record.bundle_note().await?) {
        let own = record.path().parent().map(Path::to_owned);
        // A folder that is gone or cannot be opened holds nothing that could be pointed at.
        if let Ok(workspace) = Workspace::open(Path::new(&folder), own.as_slice()) {
            let needle = needle.clone();
            let files =
                workspace.files_with(move |text| needle.find(text).map(|found| (found.start, found.level))).await;
            let file = |file: FoundFile<Level>| Elsewhere::File { path: file.path, line: file.line, level: file.found };
            found.extend(files.into_iter().map(file));
        }
    }
    Ok(found)
}

/// What is known while one turn is looked into.
struct Look<'a> {
    needle: &'a Needle,
    origins: &'a [Origin],
    versions: &'a [SummaryRow],
    turn_number: usize,
}

impl Look<'_> {
    fn traced(&self, request: &RequestRecord) -> Traced {
        let rows = &request.plan.rows;
        let found = whereabouts(self.needle, rows, &request.n_tokens_placed);
        let block = block_of(&found);
        let room = block.and_then(|block| {
            let omissions = omissions(&request.plan, &request.n_tokens_placed);
            omissions
                .into_iter()
                .find(|omission| omission.block == block)
                .and_then(|omission| Some((omission.needed, omission.had?)))
        });
        Traced {
            turn_number: self.turn_number,
            turn: request.row.turn.clone(),
            request: request.row.id.clone(),
            number: request.row.number,
            purpose: request.row.purpose,
            outcome: if found == Whereabouts::NotConsidered {
                self.not_considered(rows)
            } else {
                Outcome::Found(found)
            },
            block: block.and_then(|block| rows.get(block)).map(|row| (row.block.kind, row.block.source.clone())),
            room,
        }
    }

    /// Why no block of a request has the text.
    fn not_considered(&self, rows: &[PlannedBlock]) -> Outcome {
        let is_exchange = |origin: &&Origin| matches!(origin.kind, OriginKind::Question | OriginKind::Answer);
        let before = |origin: &&Origin| origin.turn.as_ref().is_some_and(|(_, number)| *number < self.turn_number);
        for (turn, _) in
            self.origins.iter().filter(is_exchange).filter(before).filter_map(|origin| origin.turn.as_ref())
        {
            let mut folded =
                self.versions.iter().filter(|version| version.entered.iter().any(|(entered, _)| entered == turn));
            if let Some(version) = folded.next_back() {
                return Outcome::Folded { version: version.summary.version };
            }
        }
        let scored = |kind: BlockKind| {
            let of_kind = rows.iter().filter(|row| row.block.kind == kind);
            let mut chosen: Vec<(String, f64)> =
                of_kind.filter_map(|row| Some((row.block.source.clone(), row.block.score?))).collect();
            chosen.sort_by(|one, other| other.1.total_cmp(&one.1));
            Outcome::NotChosen { chosen }
        };
        let has = |kind: OriginKind| self.origins.iter().any(|origin| origin.kind == kind);
        if has(OriginKind::Memory) {
            return scored(BlockKind::Memory);
        }
        if has(OriginKind::Passage) {
            return scored(BlockKind::Passage);
        }
        if self.origins.iter().filter(before).any(|origin| origin.kind == OriginKind::Result) {
            return Outcome::EarlierResult;
        }
        Outcome::NotThere
    }

    fn competitors(&self, request: &RequestRecord, question: &str) -> Vec<(Competitor, BlockKind, String)> {
        let rows = &request.plan.rows;
        let found = competitors(self.needle, rows, question).into_iter();
        found
            .filter_map(|competitor| {
                let block = &rows.get(competitor.block)?.block;
                let (kind, source) = (block.kind, block.source.clone());
                Some((competitor, kind, source))
            })
            .collect()
    }
}

/// The block that an outcome names.
#[must_use]
pub fn block_of(found: &Whereabouts) -> Option<usize> {
    match found {
        Whereabouts::Whole(place) | Whereabouts::InSummary(place) => Some(place.block),
        Whereabouts::Cut { block, .. }
        | Whereabouts::Stubbed { block, .. }
        | Whereabouts::Dropped { block, .. }
        | Whereabouts::Superseded { block, .. } => Some(*block),
        Whereabouts::NotConsidered => None,
    }
}
