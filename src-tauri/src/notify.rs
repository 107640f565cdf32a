//! Says through the system that a change waits for an answer, when the window is not in front. The text is fixed (T-57): nothing that a model
//! wrote, and no name of a file, stands in it.

use crate::view::settings::LanguageView;
use crate::{window, wishes};
use recto_app::{App, Change};
use recto_core::id::ApprovalId;
use std::collections::BTreeSet;
use tauri::AppHandle;
use tauri_plugin_notification::NotificationExt as _;
use tokio::sync::broadcast::error::RecvError;

/// Watches the open questions for as long as the program runs.
pub(crate) async fn watch(handle: AppHandle, app: App) {
    let mut changes = app.changes();
    // What was open before the program was started is withdrawn, and asked by nobody.
    let mut known = open(&app).await;
    loop {
        match changes.recv().await {
            Ok(Change::Approvals) | Err(RecvError::Lagged(_)) => {}
            Ok(_) => continue,
            Err(RecvError::Closed) => return,
        }
        let now = open(&app).await;
        if !now.is_subset(&known) && !window::is_in_front(&handle) {
            window::ask_for_attention(&handle);
            let language = wishes::read(&app).await.unwrap_or_default().language;
            let shown = handle.notification().builder().title("Recto").body(text(language, &system())).show();
            if let Err(error) = shown {
                // The card waits all the same, and the window says so when it is looked at.
                tracing::info!(%error, "the system shows no notifications");
            }
        }
        known = now;
    }
}

async fn open(app: &App) -> BTreeSet<ApprovalId> {
    let open = app.record().open_approvals(None).await.unwrap_or_default();
    open.into_iter().map(|approval| approval.question.id).collect()
}

fn system() -> String {
    sys_locale::get_locale().unwrap_or_default()
}

/// The window's language, as the page chooses it too.
fn text(language: LanguageView, system: &str) -> &'static str {
    let is_chinese = match language {
        LanguageView::System => system.to_ascii_lowercase().starts_with("zh"),
        LanguageView::En => false,
        LanguageView::Zh => true,
    };
    if is_chinese { "有一处改动在等你确认。" } else { "A change waits for your answer." }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attack_t57_a_notification_is_one_of_two_fixed_sentences() {
        let cases = [
            (LanguageView::En, "zh-CN", "A change waits for your answer."),
            (LanguageView::Zh, "en-GB", "有一处改动在等你确认。"),
            (LanguageView::System, "zh_CN.UTF-8", "有一处改动在等你确认。"),
            (LanguageView::System, "", "A change waits for your answer."),
        ];
        for (language, system, said) in cases {
            assert_eq!(text(language, system), said);
        }
    }
}
