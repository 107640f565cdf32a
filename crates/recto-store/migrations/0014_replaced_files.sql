-- What a write replaced, so that it can be put back for seven days. It goes with its conversation.

CREATE TABLE replaced_files (
    id              INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice, so that a number a person reads names one write
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    turn_id         TEXT NOT NULL,
    call_id         TEXT NOT NULL,
    folder          TEXT NOT NULL,
    path            TEXT NOT NULL,
    old_hash        TEXT NOT NULL,
    new_hash        TEXT NOT NULL,
    old_bytes       BLOB NOT NULL,
    replaced_at     INTEGER NOT NULL,
    put_back_at     INTEGER
) STRICT;

CREATE INDEX replaced_files_by_conversation ON replaced_files (conversation_id);
