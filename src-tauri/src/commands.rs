//! What the window may ask for. A command reads its parameters, calls the program, and turns the answer into a view.

use crate::evidence;
use crate::folders;
use crate::library::{self, LibraryChannel};
use crate::models::{self, ModelsChannel};
use crate::pump::{TurnChannel, pump};
use crate::view::approval::ApprovalAnswerParams;
use crate::view::assistant::{
    AssistantChooseParams, AssistantCopyParams, AssistantView, AssistantWriteParams, AssistantsView,
    KnowledgeWriteParams,
};
use crate::view::audit::{AuditCheckView, AuditPage, AuditReadParams};
use crate::view::conversation::{CallView, ConversationRow, ConversationView, FolderView, TurnPageView, TurnView};
use crate::view::error::IpcError;
use crate::view::inspect::{
    ComparisonView, EvidenceNoteView, EvidenceParams, EvidenceSavedView, TraceView, WhereParams,
};
use crate::view::library::PassageView;
use crate::view::memory::{MemoriesView, MemoryPinParams, MemoryWriteParams};
use crate::view::model::ModelsView;
use crate::view::models::{FoundServerView, KeyWriteParams};
use crate::view::preview::{PreviewParams, PreviewView};
use crate::view::request::{BlockTextView, RequestBytesView, RequestView, TokenView};
use crate::view::rules::RuleView;
use crate::view::settings::SettingsView;
use crate::view::summary::SummaryView;
use crate::view::todo::TodoSnapshotView;
use crate::view::turn::TurnStartParams;
use crate::view::undo::ReplacedView;
use crate::wishes;
use recto_app::record::{AuditFilter, KnowledgeContent, TurnPage};
use recto_app::{App, AssistantDraft, Chosen, KnowledgeDraft, LOCAL_PORTS, ModelId, NextQuestion, Said, TurnOptions};
use recto_core::approval::RuleId;
use recto_core::id::{ApprovalId, AssistantId, ConversationId, KnowledgeId, MemoryId, RequestId, TurnId};
use recto_engine::ports::Stop;
use std::path::Path;
use tauri::{AppHandle, State};

type Answer<T> = Result<T, IpcError>;

/// How many turns are read at once.
const TURNS: usize = 40;
/// How many rows of the audit log are read at once.
const ROWS: usize = 200;
/// How many passages a search shows.
const PASSAGES: usize = 12;

macro_rules! commands {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        /// Every command of the list, and no other.
        pub(crate) fn handler() -> impl Fn(tauri::ipc::Invoke<tauri::Wry>) -> bool + Send + Sync + 'static {
            tauri::generate_handler![$($name),*]
        }
    };
}

include!("command_list.rs");

#[tauri::command]
async fn conversation_list(app: State<'_, App>) -> Answer<Vec<ConversationRow>> {
    let rows = app.record().conversations().await?;
    Ok(rows.into_iter().map(|row| ConversationRow::new(row, &app)).collect())
}

#[tauri::command]
async fn conversation_read(app: State<'_, App>, conversation: String) -> Answer<ConversationView> {
    let id = ConversationId(conversation);
    let row = app.record().conversation(id.clone()).await?;
    let TurnPageView { turns, earlier } = page(&app, app.record().turns(id, TURNS).await?).await?;
    let folder = row.folder.as_deref().map(folders::view);
    Ok(ConversationView {
        id: row.id.0,
        title: row.title.unwrap_or_default(),
        folder,
        model: row.model,
        assistant: row.assistant.map(|assistant| assistant.0),
        turns,
        earlier,
    })
}

#[tauri::command]
async fn conversation_earlier(app: State<'_, App>, turn: String) -> Answer<TurnPageView> {
    page(&app, app.record().turns_up_to(TurnId(turn), TURNS).await?).await
}

async fn page(app: &App, page: TurnPage) -> Answer<TurnPageView> {
    let mut turns = Vec::new();
    for turn in page.turns {
        let turn = app.as_it_is(turn).await?;
        turns.push(TurnView::new(&turn, &app.record().calls(turn.id.clone()).await?));
    }
    Ok(TurnPageView { turns, earlier: page.earlier.map(|turn| turn.0) })
}

#[tauri::command]
async fn conversation_create(app: State<'_, App>) -> Answer<String> {
    Ok(app.create_conversation(None, None).await?.0)
}

#[tauri::command]
async fn conversation_rename(app: State<'_, App>, conversation: String, title: String) -> Answer<()> {
    Ok(app.rename_conversation(ConversationId(conversation), title).await?)
}

#[tauri::command]
async fn conversation_delete(app: State<'_, App>, conversation: String) -> Answer<()> {
    Ok(app.delete_conversation(ConversationId(conversation)).await?)
}

#[tauri::command]
async fn folder_pick(handle: AppHandle, app: State<'_, App>) -> Answer<Option<FolderView>> {
    let Some(path) = folders::ask(handle).await else { return Ok(None) };
    Ok(Some(folders::remember(&app, &path).await?))
}

#[tauri::command]
async fn model_list(app: State<'_, App>) -> Answer<ModelsView> {
    let models = app.models().await?.into_iter().map(Into::into).collect();
    Ok(ModelsView { models, folder: app.models_folder().display().to_string() })
}

#[tauri::command]
async fn model_choose(app: State<'_, App>, model: String) -> Answer<()> {
    Ok(app.choose_model(ModelId(model)).await?)
}

#[tauri::command]
async fn server_add(app: State<'_, App>, address: String) -> Answer<String> {
    Ok(app.add_server(&address).await?.0)
}

#[tauri::command]
async fn models_watch(app: State<'_, App>, channel: ModelsChannel) -> Answer<()> {
    models::watch(&app, channel).await
}

#[tauri::command]
async fn server_allow_unencrypted(app: State<'_, App>, address: String) -> Answer<()> {
    Ok(app.allow_unencrypted(&address).await?)
}

#[tauri::command]
async fn server_test(app: State<'_, App>, address: String) -> Answer<FoundServerView> {
    Ok(app.test_server(&address).await?.into())
}

#[tauri::command]
async fn server_find(app: State<'_, App>) -> Answer<Vec<FoundServerView>> {
    Ok(app.find_local_servers(&LOCAL_PORTS).await?.into_iter().map(Into::into).collect())
}

#[tauri::command]
async fn server_remove(app: State<'_, App>, address: String) -> Answer<()> {
    Ok(app.remove_server(&address).await?)
}

#[tauri::command]
async fn key_write(app: State<'_, App>, params: KeyWriteParams) -> Answer<()> {
    Ok(app.set_key(&params.address, &params.key, params.keeping()).await?)
}

#[tauri::command]
async fn key_remove(app: State<'_, App>, address: String) -> Answer<()> {
    Ok(app.remove_key(&address).await?)
}

#[tauri::command]
async fn checkup_start(app: State<'_, App>, model: String) -> Answer<()> {
    app.check_model(Some(ModelId(model))).await?;
    Ok(())
}

#[tauri::command]
async fn checkup_stop(app: State<'_, App>) -> Answer<()> {
    app.stop_checkup();
    Ok(())
}

#[tauri::command]
async fn offered_sizes(app: State<'_, App>) -> Answer<()> {
    app.ask_for_sizes().await;
    Ok(())
}

#[tauri::command]
async fn offered_get(app: State<'_, App>, offered: String) -> Answer<()> {
    app.get_model(&offered).await?;
    Ok(())
}

#[tauri::command]
async fn offered_stop(app: State<'_, App>, offered: String) -> Answer<()> {
    app.stop_download(&offered);
    Ok(())
}

#[tauri::command]
async fn model_add_file(handle: AppHandle, app: State<'_, App>) -> Answer<()> {
    let Some(path) = folders::ask_file(handle).await else { return Ok(()) };
    app.add_model_file(&path).await?;
    Ok(())
}

#[tauri::command]
async fn model_remove_file(app: State<'_, App>, model: String) -> Answer<()> {
    Ok(app.remove_model_file(&ModelId(model)).await?)
}

#[tauri::command]
async fn assistant_list(app: State<'_, App>) -> Answer<AssistantsView> {
    let last = app.last_assistant().await?.map(|row| row.id.0);
    Ok(AssistantsView::new(app.record().assistants().await?, last))
}

#[tauri::command]
async fn assistant_read(app: State<'_, App>, assistant: String) -> Answer<AssistantView> {
    let row = app.record().assistant(AssistantId(assistant)).await?;
    let mut knowledge = Vec::new();
    for known in app.record().knowledge(row.id.clone()).await? {
        let text = app.knowledge_text(known.content.clone()).await;
        knowledge.push((known, text));
    }
    Ok(AssistantView::new(row, knowledge))
}

#[tauri::command]
async fn assistant_create(app: State<'_, App>, name: String) -> Answer<String> {
    Ok(app.create_assistant(AssistantDraft { name, ..AssistantDraft::default() }).await?.0)
}

#[tauri::command]
async fn assistant_copy(app: State<'_, App>, params: AssistantCopyParams) -> Answer<String> {
    Ok(app.copy_assistant(params.assistant.map(AssistantId), params.name).await?.0)
}

#[tauri::command]
async fn assistant_write(app: State<'_, App>, params: AssistantWriteParams) -> Answer<()> {
    let id = AssistantId(params.assistant.clone());
    let own = app.record().assistant(id.clone()).await?.folder;
    let folder = folders::known_path(&app, params.folder.clone(), own).await?;
    Ok(app.change_assistant(id, params.draft(folder)).await?)
}

#[tauri::command]
async fn assistant_delete(app: State<'_, App>, assistant: String) -> Answer<()> {
    Ok(app.delete_assistant(AssistantId(assistant)).await?)
}

#[tauri::command]
async fn assistant_choose(app: State<'_, App>, params: AssistantChooseParams) -> Answer<()> {
    let assistant = params.assistant.map(AssistantId);
    match params.conversation {
        Some(conversation) => Ok(app.choose_assistant(ConversationId(conversation), assistant).await?),
        None => Ok(app.prefer_assistant(assistant).await?),
    }
}

#[tauri::command]
async fn knowledge_write(app: State<'_, App>, params: KnowledgeWriteParams) -> Answer<String> {
    let assistant = AssistantId(params.assistant);
    let known = app.record().knowledge(assistant.clone()).await?;
    let own = known.into_iter().find(|row| params.knowledge.as_ref() == Some(&row.id.0));
    // The page gives texts and never a path: a file stays the one that was picked.
    let content = match own.as_ref().map(|row| &row.content) {
        Some(KnowledgeContent::File(path)) => KnowledgeContent::File(path.clone()),
        _ => KnowledgeContent::Text(params.text),
    };
    let draft = KnowledgeDraft { title: params.title, content, is_on: params.is_on };
    Ok(match own {
        Some(row) => {
            app.change_knowledge(row.id.clone(), assistant, draft).await?;
            row.id.0
        }
        None => app.add_knowledge(assistant, draft).await?.0,
    })
}

#[tauri::command]
async fn knowledge_pick(handle: AppHandle, app: State<'_, App>, assistant: String) -> Answer<Option<String>> {
    let Some(path) = folders::ask_file(handle).await else { return Ok(None) };
    let title = Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let content = KnowledgeContent::File(path.display().to_string());
    let draft = KnowledgeDraft { title, content, is_on: true };
    Ok(Some(app.add_knowledge(AssistantId(assistant), draft).await?.0))
}

#[tauri::command]
async fn knowledge_raise(app: State<'_, App>, knowledge: String) -> Answer<()> {
    Ok(app.record().raise_knowledge(KnowledgeId(knowledge)).await?)
}

#[tauri::command]
async fn knowledge_delete(app: State<'_, App>, knowledge: String) -> Answer<()> {
    Ok(app.record().delete_knowledge(KnowledgeId(knowledge)).await?)
}

#[tauri::command]
async fn memory_list(app: State<'_, App>) -> Answer<MemoriesView> {
    let memories = app.record().memories().await?.into_iter().map(Into::into).collect();
    Ok(MemoriesView { memories, profile: app.profile().await?, may_remember: app.grants().await?.may_remember })
}

#[tauri::command]
async fn memory_add(app: State<'_, App>, text: String) -> Answer<String> {
    Ok(app.add_memory(&text).await?.0)
}

#[tauri::command]
async fn memory_write(app: State<'_, App>, params: MemoryWriteParams) -> Answer<()> {
    Ok(app.reword_memory(MemoryId(params.memory), &params.text).await?)
}

#[tauri::command]
async fn memory_pin(app: State<'_, App>, params: MemoryPinParams) -> Answer<()> {
    Ok(app.pin_memory(MemoryId(params.memory), params.is_pinned).await?)
}

#[tauri::command]
async fn memory_forget(app: State<'_, App>, memory: String) -> Answer<()> {
    Ok(app.forget_memory(MemoryId(memory)).await?)
}

#[tauri::command]
async fn memory_restore(app: State<'_, App>, memory: String) -> Answer<()> {
    Ok(app.bring_back_memory(MemoryId(memory)).await?)
}

#[tauri::command]
async fn memory_always(app: State<'_, App>, allowed: bool) -> Answer<()> {
    Ok(app.allow_remembering(allowed).await?)
}

#[tauri::command]
async fn profile_write(app: State<'_, App>, text: String) -> Answer<()> {
    Ok(app.set_profile(&text).await?)
}

#[tauri::command]
async fn turn_start(app: State<'_, App>, params: TurnStartParams) -> Answer<String> {
    let conversation = ConversationId(params.conversation);
    let folder = folders::path_of(&app, Some(&conversation), params.folder).await?;
    app.record().set_folder(conversation.clone(), folder.clone()).await?;
    app.record().set_model(conversation.clone(), params.model.clone()).await?;
    app.choose_assistant(conversation.clone(), params.assistant.map(AssistantId)).await?;
    let options = TurnOptions {
        model: params.model.map(ModelId),
        folder: folder.map(Into::into),
        policy: params.policy.into(),
        ..TurnOptions::default()
    };
    Ok(app.start_turn(conversation, params.question, options).await?.0)
}

#[tauri::command]
async fn turn_watch(app: State<'_, App>, turn: String, channel: TurnChannel) -> Answer<()> {
    pump(&app, TurnId(turn), channel).await
}

#[tauri::command]
async fn turn_stop(app: State<'_, App>, turn: String) -> Answer<()> {
    app.stop_turn(&TurnId(turn));
    Ok(())
}

#[tauri::command]
async fn turn_calls(app: State<'_, App>, turn: String) -> Answer<Vec<CallView>> {
    Ok(app.record().calls(TurnId(turn)).await?.into_iter().map(Into::into).collect())
}

#[tauri::command]
async fn turn_requests(app: State<'_, App>, turn: String) -> Answer<Vec<RequestView>> {
    let mut requests = Vec::new();
    for row in app.record().requests(TurnId(turn)).await? {
        requests.push((&app.record().request(row.id).await?).into());
    }
    Ok(requests)
}

#[tauri::command]
async fn request_texts(app: State<'_, App>, request: String) -> Answer<Vec<BlockTextView>> {
    Ok(BlockTextView::all(app.record().request(RequestId(request)).await?.plan.rows))
}

#[tauri::command]
async fn request_bytes(app: State<'_, App>, request: String) -> Answer<RequestBytesView> {
    evidence::bytes(&app, RequestId(request)).await
}

#[tauri::command]
async fn request_tokens(app: State<'_, App>, request: String) -> Answer<Vec<TokenView>> {
    evidence::tokens(&app, RequestId(request)).await
}

#[tauri::command]
async fn request_compare(app: State<'_, App>, first: String, second: String) -> Answer<ComparisonView> {
    let compared = recto_app::compare(app.record(), RequestId(first), RequestId(second)).await?;
    Ok((&compared).into())
}

#[tauri::command]
async fn where_read(app: State<'_, App>, params: WhereParams) -> Answer<TraceView> {
    Ok(recto_app::trace(app.record(), TurnId(params.turn), &params.text).await?.into())
}

#[tauri::command]
async fn evidence_save(
    handle: AppHandle,
    app: State<'_, App>,
    params: EvidenceParams,
) -> Answer<Option<EvidenceSavedView>> {
    evidence::save(handle, &app, params).await
}

#[tauri::command]
async fn evidence_open(handle: AppHandle) -> Answer<bool> {
    evidence::open(handle).await
}

#[tauri::command]
async fn evidence_note(app: State<'_, App>) -> Answer<Option<EvidenceNoteView>> {
    Ok(app.record().bundle_note().await?.map(Into::into))
}

#[tauri::command]
async fn preview_read(app: State<'_, App>, params: PreviewParams) -> Answer<PreviewView> {
    let conversation = params.conversation.map(ConversationId);
    let folder = folders::path_of(&app, conversation.as_ref(), params.folder).await?;
    let options = TurnOptions { model: params.model.map(ModelId), ..TurnOptions::default() };
    let chosen = Some(Chosen { folder: folder.map(Into::into), assistant: params.assistant.map(AssistantId) });
    let next = NextQuestion { conversation, text: params.question, options, chosen, window: params.window };
    let (_switch, stop) = Stop::new();
    Ok(app.preview(next, stop).await?.into())
}

#[tauri::command]
async fn summary_read(app: State<'_, App>, conversation: String) -> Answer<Vec<SummaryView>> {
    let versions = app.summary_versions(ConversationId(conversation)).await?;
    Ok(versions.into_iter().map(Into::into).collect())
}

#[tauri::command]
async fn summary_edit(app: State<'_, App>, conversation: String, prose: String) -> Answer<()> {
    Ok(app.edit_summary(ConversationId(conversation), &prose).await?)
}

#[tauri::command]
async fn approval_answer(app: State<'_, App>, params: ApprovalAnswerParams) -> Answer<()> {
    let said = if params.is_approved { Said::Yes } else { Said::No };
    Ok(app.answer_approval(&ApprovalId(params.approval), said)?)
}

#[tauri::command]
async fn rule_list(app: State<'_, App>) -> Answer<Vec<RuleView>> {
    Ok(app.rules().into_iter().map(Into::into).collect())
}

#[tauri::command]
async fn rule_make(app: State<'_, App>, approval: String) -> Answer<()> {
    Ok(app.answer_approval(&ApprovalId(approval), Said::YesWithRule)?)
}

#[tauri::command]
async fn rule_stop(app: State<'_, App>, rule: String) -> Answer<()> {
    app.stop_rule(&RuleId(rule));
    Ok(())
}

#[tauri::command]
async fn todo_list(app: State<'_, App>, conversation: String) -> Answer<Vec<TodoSnapshotView>> {
    let snapshots = app.record().todo_snapshots(ConversationId(conversation)).await?;
    Ok(snapshots.into_iter().map(Into::into).collect())
}

#[tauri::command]
async fn audit_read(app: State<'_, App>, params: AuditReadParams) -> Answer<AuditPage> {
    let filter = AuditFilter { conversation: params.conversation.map(ConversationId), turn: None };
    let rows = app.record().audit(filter, params.before, ROWS).await?;
    Ok(AuditPage { has_more: rows.len() == ROWS, rows: rows.iter().map(Into::into).collect() })
}

#[tauri::command]
async fn audit_verify(app: State<'_, App>) -> Answer<AuditCheckView> {
    Ok(app.verify_audit().await?.into())
}

#[tauri::command]
async fn undo_list(app: State<'_, App>) -> Answer<Vec<ReplacedView>> {
    Ok(app.replaced_files().await?.into_iter().map(Into::into).collect())
}

#[tauri::command]
async fn undo_write(app: State<'_, App>, id: i64) -> Answer<()> {
    app.undo(id).await?;
    Ok(())
}

#[tauri::command]
async fn library_watch(app: State<'_, App>, channel: LibraryChannel) -> Answer<()> {
    library::watch(&app, channel).await
}

#[tauri::command]
async fn library_add_folder(handle: AppHandle, app: State<'_, App>) -> Answer<()> {
    let Some(path) = folders::ask(handle).await else { return Ok(()) };
    app.add_to_library(&path).await?;
    Ok(())
}

#[tauri::command]
async fn library_add_files(handle: AppHandle, app: State<'_, App>) -> Answer<()> {
    for path in folders::ask_files(handle).await {
        app.add_to_library(&path).await?;
    }
    Ok(())
}

#[tauri::command]
async fn library_remove(app: State<'_, App>, root: i64) -> Answer<()> {
    Ok(app.remove_from_library(root).await?)
}

#[tauri::command]
async fn library_switch(app: State<'_, App>, on: bool) -> Answer<()> {
    Ok(app.set_library_on(on).await?)
}

#[tauri::command]
async fn library_sync(app: State<'_, App>) -> Answer<()> {
    app.sync_library();
    Ok(())
}

#[tauri::command]
async fn library_stop(app: State<'_, App>) -> Answer<()> {
    app.stop_library_sync();
    Ok(())
}

#[tauri::command]
async fn library_search(app: State<'_, App>, query: String) -> Answer<Vec<PassageView>> {
    Ok(app.search_library(&query, PASSAGES).await?.into_iter().map(Into::into).collect())
}

#[tauri::command]
async fn settings_read(app: State<'_, App>) -> Answer<SettingsView> {
    wishes::read(&app).await
}

#[tauri::command]
async fn settings_write(app: State<'_, App>, settings: SettingsView) -> Answer<()> {
    let folders = wishes::read(&app).await?.folders;
    wishes::write(&app, &SettingsView { folders, ..settings }).await
}
