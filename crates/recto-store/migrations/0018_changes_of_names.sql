-- A deletion has no content afterwards, a move has two ends, and a created, deleted or moved file can be put back as well as a replaced one.
-- A column cannot lose its NOT NULL, so both tables are made anew.

CREATE TABLE approvals_anew (
    id              TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    turn_id         TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    call_id         TEXT NOT NULL,
    tool            TEXT NOT NULL,
    path            TEXT NOT NULL,
    to_path         TEXT,          -- the other end of a move
    operation       TEXT NOT NULL,
    before_hash     TEXT,
    before_n_bytes  INTEGER,
    after_hash      TEXT,          -- NULL where there is no file afterwards
    after_n_bytes   INTEGER,
    bytes_text_id   INTEGER NOT NULL,
    diff            TEXT NOT NULL, -- JSON
    flags           TEXT NOT NULL, -- JSON
    digest          TEXT NOT NULL,
    asked_at        INTEGER NOT NULL,
    answer          TEXT,          -- NULL while it is open
    answered_at     INTEGER
) STRICT;

INSERT INTO approvals_anew (id, conversation_id, turn_id, call_id, tool, path, operation, before_hash, before_n_bytes,
        after_hash, after_n_bytes, bytes_text_id, diff, flags, digest, asked_at, answer, answered_at)
    SELECT id, conversation_id, turn_id, call_id, tool, path, operation, before_hash, before_n_bytes,
        after_hash, after_n_bytes, bytes_text_id, diff, flags, digest, asked_at, answer, answered_at
    FROM approvals ORDER BY rowid;
DROP TABLE approvals;
ALTER TABLE approvals_anew RENAME TO approvals;

CREATE INDEX approvals_by_turn ON approvals (turn_id);
CREATE INDEX approvals_open ON approvals (conversation_id) WHERE answer IS NULL;

CREATE TABLE replaced_files_anew (
    id              INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice, so that a number a person reads names one write
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    turn_id         TEXT NOT NULL,
    call_id         TEXT NOT NULL,
    folder          TEXT NOT NULL,
    path            TEXT NOT NULL,
    to_path         TEXT,          -- the other end of a move
    operation       TEXT NOT NULL,
    old_hash        TEXT,          -- NULL where there was no file
    new_hash        TEXT,          -- NULL where there is none any more
    old_bytes       BLOB,          -- NULL where nothing of the old content went
    replaced_at     INTEGER NOT NULL,
    put_back_at     INTEGER
) STRICT;

INSERT INTO replaced_files_anew (id, conversation_id, turn_id, call_id, folder, path, operation, old_hash, new_hash,
        old_bytes, replaced_at, put_back_at)
    SELECT id, conversation_id, turn_id, call_id, folder, path, 'overwrite', old_hash, new_hash, old_bytes,
        replaced_at, put_back_at
    FROM replaced_files ORDER BY id;
-- The numbers go on where they were, also where the last of them are gone.
DELETE FROM sqlite_sequence WHERE name = 'replaced_files_anew';
INSERT INTO sqlite_sequence (name, seq) SELECT 'replaced_files_anew', seq FROM sqlite_sequence WHERE name = 'replaced_files';
DROP TABLE replaced_files;
ALTER TABLE replaced_files_anew RENAME TO replaced_files;

CREATE INDEX replaced_files_by_conversation ON replaced_files (conversation_id);
