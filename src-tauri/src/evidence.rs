//! Evidence on its way out of the window and back in: the person says where a file goes, and a file is looked into in a window of its own.

use crate::folders;
use crate::view::count;
use crate::view::error::IpcError;
use crate::view::inspect::{EvidenceParams, EvidenceSavedView};
use crate::view::request::{PieceView, RequestBytesView, TokenView};
use recto_app::record::{BundleScope, Transport};
use recto_app::{App, EvidenceForm, PageLanguage, SpelledToken, free_name, write_evidence};
use recto_core::id::{RequestId, TurnId};
use tauri::AppHandle;

/// The bytes of a request and what came back for it.
pub(crate) async fn bytes(app: &App, request: RequestId) -> Result<RequestBytesView, IpcError> {
    let record = app.record();
    let wire = record.wire(request.clone()).await?;
    let transport = record.transport(request.clone()).await?;
    let row = record.request(request.clone()).await?.row;
    let original = record.bundle_note().await?.and_then(|note| note.original_hashes.get(request.as_str()).cloned());
    let streamed = transport.as_ref().filter(|transport| transport.n_bytes > 0);
    let reply = match streamed {
        Some(transport) => String::from_utf8_lossy(&transport.stream).into_owned(),
        None => row.reply.map(|reply| reply.reply.text).unwrap_or_default(),
    };
    let pieces: Vec<PieceView> =
        wire.pieces.iter().map(|piece| PieceView { block: piece.block.map(count), text: piece.bytes() }).collect();
    Ok(RequestBytesView {
        n_bytes: count(pieces.iter().map(|piece| piece.text.len()).sum()),
        pieces,
        hash: row.wire_hash.0,
        original_hash: original.map(|hash| hash.0),
        curl: recto_app::curl(&wire, transport.as_ref()),
        reply,
        is_reply_whole: streamed.is_none_or(Transport::is_whole),
        failed_attempts: transport.as_ref().map(|transport| transport.failed_attempts.clone()).unwrap_or_default(),
        has_tokens: transport.as_ref().is_some_and(|transport| !transport.tokens.is_empty()),
    })
}

/// The tokens that a request became; none where only a server knows them.
pub(crate) async fn tokens(app: &App, request: RequestId) -> Result<Vec<TokenView>, IpcError> {
    let record = app.record();
    let tokens = record.transport(request.clone()).await?.map(|transport| transport.tokens).unwrap_or_default();
    let wire = record.wire(request).await?;
    let view = |SpelledToken { id, text, block }| TokenView { id, text, block: block.map(count) };
    Ok(recto_app::spelled(&wire, &tokens).into_iter().map(view).collect())
}

/// Writes evidence where the person wants it; `None` if they did not choose a place.
pub(crate) async fn save(
    handle: AppHandle,
    app: &App,
    params: EvidenceParams,
) -> Result<Option<EvidenceSavedView>, IpcError> {
    let turn = TurnId(params.turn);
    let question = app.record().turn(turn.clone()).await?.question;
    let ending = if params.is_page { "html" } else { "recto" };
    let Some(folder) = folders::ask(handle).await else { return Ok(None) };
    let path = free_name(&folder, &question, ending);
    let scope = if params.is_conversation {
        BundleScope::Conversation(app.record().conversation_of(turn).await?)
    } else {
        BundleScope::Turn(turn)
    };
    let form = match (params.is_page, params.is_chinese) {
        (false, _) => EvidenceForm::Bundle,
        (true, false) => EvidenceForm::Page(PageLanguage::En),
        (true, true) => EvidenceForm::Page(PageLanguage::Zh),
    };
    let note = write_evidence(app.record(), &path, scope, &params.redacted, form).await?;
    Ok(Some(EvidenceSavedView {
        path: path.display().to_string(),
        n_turns: count(note.n_turns),
        n_redacted: count(note.n_redacted),
    }))
}

/// Opens a file of evidence in a window of its own, which can only look; whether one was chosen.
pub(crate) async fn open(handle: AppHandle) -> Result<bool, IpcError> {
    let Some(file) = folders::ask_file(handle).await else { return Ok(false) };
    // It is opened here first, so that a file that is none is said in this window.
    drop(recto_app::open_bundle(&file)?);
    let program = std::env::current_exe().map_err(IpcError::failed)?;
    std::process::Command::new(program).arg("--bundle").arg(file).spawn().map_err(IpcError::failed)?;
    Ok(true)
}
