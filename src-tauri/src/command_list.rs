// Every command, once: `build.rs` makes the permissions of it, `commands.rs` the handler, `bindings.rs` the TypeScript.
commands! {
    conversation_list() -> Vec<ConversationRow>;
    conversation_read(conversation: String) -> ConversationView;
    conversation_earlier(turn: String) -> TurnPageView;
    conversation_create() -> String;
    conversation_rename(conversation: String, title: String) -> ();
    conversation_delete(conversation: String) -> ();
    folder_pick() -> Option<FolderView>;
    model_list() -> ModelsView;
    model_choose(model: String) -> ();
    server_add(address: String) -> String;
    turn_start(params: TurnStartParams) -> String;
    turn_watch(turn: String, channel: TurnChannel) -> ();
    turn_stop(turn: String) -> ();
    turn_calls(turn: String) -> Vec<CallView>;
    turn_requests(turn: String) -> Vec<RequestView>;
    request_texts(request: String) -> Vec<BlockTextView>;
    request_bytes(request: String) -> RequestBytesView;
    approval_answer(params: ApprovalAnswerParams) -> ();
    todo_list(conversation: String) -> Vec<TodoSnapshotView>;
    audit_read(params: AuditReadParams) -> AuditPage;
    audit_verify() -> AuditCheckView;
    library_watch(channel: LibraryChannel) -> ();
    library_add_folder() -> ();
    library_add_files() -> ();
    library_remove(root: i64) -> ();
    library_switch(on: bool) -> ();
    library_sync() -> ();
    library_stop() -> ();
    library_search(query: String) -> Vec<PassageView>;
    settings_read() -> SettingsView;
    settings_write(settings: SettingsView) -> ();
}
