//! The tools that let a model look for more than it was given: a search, and one passage with its neighbours' names.

use async_trait::async_trait;
use recto_core::library::{passage_id, passage_number};
use recto_core::prompt::body;
use recto_core::text::one_line;
use recto_core::tool::{
    Action, CallOutcome, CallStatus, Change, Effect, PathChoice, Places, Prepared, ToolCall, ToolDefinition,
    ToolIdentity, catalogue,
};
use recto_engine::ports::{Stop, Toolbox};
use recto_store::Store;
use recto_store::library::Found;
use serde_json::{Value, json};

const SEARCH: &str = "search_library";
const READ: &str = "read_passage";
/// Passages of one search.
const MOST: usize = 5;

/// Offered only while there is something in the library.
pub(crate) struct LibraryTools {
    pub(crate) store: Store,
}

/// A call with checked arguments.
enum Asked {
    Search(String),
    Read(i64),
}

fn invalid(text: impl Into<String>) -> CallOutcome {
    CallOutcome::new(CallStatus::InvalidArguments, text, "invalid arguments")
}

fn failed(text: impl Into<String>, note: &str) -> CallOutcome {
    CallOutcome::new(CallStatus::Failed, text, note)
}

/// What a call asks for. That the arguments fit the schema was seen before; this is about what stands in them.
fn asked(call: &ToolCall) -> Result<Asked, CallOutcome> {
    let (field, expected) = match call.name.as_str() {
        SEARCH => ("query", r#"search_library takes {"query": string}, one to six words that stand in the document."#),
        _ => ("passage", r#"read_passage takes {"passage": string}, a name such as "p12" from a search."#),
    };
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let text = arguments.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let Some(text) = text else { return Err(invalid(format!("`{field}` is missing or no text. {expected}"))) };
    if call.name == SEARCH {
        return Ok(Asked::Search(text.to_owned()));
    }
    match passage_number(text) {
        Some(number) => Ok(Asked::Read(number)),
        None => Err(invalid(format!("`{}` is not the name of a passage. {expected}", one_line(text, 40)))),
    }
}

fn definition(name: &str, prompt: &'static str, properties: Value, required: &str) -> ToolDefinition {
    let is_search = name == SEARCH;
    ToolDefinition {
        identity: ToolIdentity::BuiltIn,
        name: name.to_owned(),
        description: body(prompt).to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": [required], "additionalProperties": false}),
        effect: Effect::Read,
        paths: if is_search { Vec::new() } else { vec![(required.to_owned(), PathChoice::Passage)] },
        // A search right after a search is a small model that does not read what it was given.
        repeats: !is_search,
    }
}

#[async_trait]
impl Toolbox for LibraryTools {
    fn tools(&self) -> Vec<ToolDefinition> {
        let query = json!({"query": {"type": "string", "minLength": 1, "maxLength": 200}});
        let passage = json!({"passage": {"type": "string", "minLength": 1, "maxLength": 40}});
        catalogue(vec![
            definition(SEARCH, include_str!("../../../assets/prompts/tools/search_library.md"), query, "query"),
            definition(READ, include_str!("../../../assets/prompts/tools/read_passage.md"), passage, "passage"),
        ])
    }

    async fn places(&self) -> Places {
        Places::default()
    }

    async fn prepare(&self, call: &ToolCall) -> Prepared {
        let target = match asked(call) {
            Ok(Asked::Search(query)) => format!("\"{}\" in the library", one_line(&query, 60)),
            Ok(Asked::Read(number)) => format!("passage {}", passage_id(number)),
            Err(outcome) => return Prepared::Not(outcome),
        };
        Prepared::Ready(Action {
            identity: ToolIdentity::BuiltIn,
            effect: Effect::Read,
            target,
            change: None,
            folder: None,
        })
    }

    async fn run(&self, call: &ToolCall, _change: Option<&Change>, _stop: Stop) -> CallOutcome {
        let outcome = match asked(call) {
            Ok(Asked::Search(query)) => self.search(&query).await,
            Ok(Asked::Read(number)) => self.read(number).await,
            Err(outcome) => return outcome,
        };
        outcome.unwrap_or_else(|error| {
            tracing::error!(%error, "the library could not be read");
            failed("The library cannot be read just now. Go on without it, and tell the user.", "not read")
        })
    }
}

impl LibraryTools {
    async fn search(&self, query: &str) -> Result<CallOutcome, recto_store::StoreError> {
        let found = self.store.search_library(query, MOST).await?;
        if found.is_empty() {
            let text = "Nothing in the library has these words. Search again with other words, or answer without it.";
            return Ok(CallOutcome::new(CallStatus::Done, text, "nothing found"));
        }
        let shown: Vec<String> = found.iter().map(shown).collect();
        let note = if found.len() == 1 { "1 passage".to_owned() } else { format!("{} passages", found.len()) };
        Ok(CallOutcome::new(CallStatus::Done, shown.join("\n\n"), note))
    }

    async fn read(&self, number: i64) -> Result<CallOutcome, recto_store::StoreError> {
        let Some(passage) = self.store.passage(number).await? else {
            let text = format!(
                "There is no passage {} (any more). Find passages with search_library, and take a name from its results.",
                passage_id(number)
            );
            return Ok(failed(text, "no such passage"));
        };
        let mut text = format!("[{}] {}\n{}", passage_id(number), passage.label(), passage.text);
        let (before, after) = self.store.neighbours(number).await?;
        let neighbours: Vec<String> = [("before it", before), ("after it", after)]
            .into_iter()
            .filter_map(|(word, id)| Some(format!("{word} stands {}", passage_id(id?))))
            .collect();
        if !neighbours.is_empty() {
            text.push_str(&format!("\n\nIn the same document {}.", neighbours.join(", and ")));
        }
        let note = passage.label();
        Ok(CallOutcome::new(CallStatus::Done, text, note))
    }
}

/// A passage as a search gives it back.
fn shown(found: &Found) -> String {
    format!("[{}] {} ({:.2})\n{}", passage_id(found.passage.id), found.passage.label(), found.score, found.passage.text)
}
