//! The TypeScript side of the list of commands: every type that crosses, and what each command takes and gives.

use crate::view::approval::ApprovalAnswerParams;
use crate::view::assistant::{
    AssistantChooseParams, AssistantCopyParams, AssistantView, AssistantWriteParams, AssistantsView,
    KnowledgeWriteParams,
};
use crate::view::audit::{AuditCheckView, AuditPage, AuditReadParams};
use crate::view::conversation::{CallView, ConversationRow, ConversationView, FolderView, TurnPageView};
use crate::view::error::IpcError;
use crate::view::inspect::{
    ComparisonView, EvidenceNoteView, EvidenceParams, EvidenceSavedView, TraceView, WhereParams,
};
use crate::view::library::{LibraryView, PassageView};
use crate::view::memory::{MemoriesView, MemoryPinParams, MemoryWriteParams};
use crate::view::model::ModelsView;
use crate::view::models::{FoundServerView, KeyWriteParams, ModelsPageView};
use crate::view::preview::{PreviewParams, PreviewView};
use crate::view::request::{BlockTextView, RequestBytesView, RequestView, TokenView};
use crate::view::rules::RuleView;
use crate::view::settings::SettingsView;
use crate::view::summary::SummaryView;
use crate::view::todo::TodoSnapshotView;
use crate::view::turn::{TurnEvents, TurnStartParams};
use crate::view::undo::ReplacedView;
use std::collections::BTreeMap;
use ts_rs::{Config, TS, TypeVisitor};

/// Declarations by name, so that their order never depends on the order of commands.
struct Declarations {
    config: Config,
    found: BTreeMap<String, String>,
}

impl Declarations {
    fn name<T: TS + ?Sized + 'static>(&mut self) -> String {
        self.visit::<T>();
        T::name(&self.config)
    }
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only what a derive made has a file of its own; the rest are TypeScript's own types.
        if T::output_path().is_some() {
            let name = T::ident(&self.config);
            if self.found.contains_key(&name) {
                return;
            }
            let declaration = T::decl(&self.config);
            self.found.insert(name, declaration);
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

/// A channel as the window sees it: a function that is called with what arrives.
struct TurnChannel;

/// The same for the library.
struct LibraryChannel;

/// The same for the models.
struct ModelsChannel;

trait Crossing {
    fn name(declarations: &mut Declarations) -> String;
}

impl Crossing for TurnChannel {
    fn name(declarations: &mut Declarations) -> String {
        format!("(events: {}) => void", declarations.name::<TurnEvents>())
    }
}

impl Crossing for LibraryChannel {
    fn name(declarations: &mut Declarations) -> String {
        format!("(library: {}) => void", declarations.name::<LibraryView>())
    }
}

impl Crossing for ModelsChannel {
    fn name(declarations: &mut Declarations) -> String {
        format!("(models: {}) => void", declarations.name::<ModelsPageView>())
    }
}

impl<T: TS + 'static> Crossing for T {
    fn name(declarations: &mut Declarations) -> String {
        declarations.name::<T>()
    }
}

macro_rules! commands {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        /// The names of the commands, in the order of the list.
        #[must_use]
        pub fn command_names() -> &'static [&'static str] {
            &[$(stringify!($name)),*]
        }

        /// `ui/src/ipc/generated/types.ts` as it has to be.
        #[must_use]
        pub fn typescript() -> String {
            let mut declarations = Declarations {
                config: Config::new().with_large_int("number"),
                found: BTreeMap::new(),
            };
            let mut commands = String::new();
            $(
                let arguments: Vec<String> = vec![$(format!(
                    "{}: {}",
                    stringify!($argument),
                    <$type as Crossing>::name(&mut declarations)
                )),*];
                let output = <$output as Crossing>::name(&mut declarations);
                let output = if output == "null" { "void".to_owned() } else { output };
                commands.push_str(&format!(
                    "  {}: (args: {{ {} }}) => {};\n", stringify!($name), arguments.join("; "), output
                ));
            )*
            declarations.visit::<IpcError>();
            let types: String =
                declarations.found.values().map(|declaration| format!("export {declaration}\n\n")).collect();
            format!(
                "// Made from src-tauri/src/view and src-tauri/src/command_list.rs. Do not edit: UPDATE_BINDINGS=1 cargo test -p recto-window.\n\n\
                 {types}/** Every command with what it takes and gives. */\nexport interface Commands {{\n{commands}}}\n"
            )
        }
    };
}

include!("command_list.rs");
