-- A call is kept before it runs and its result after, so that one that ran is never run again and one that was lost shows.

CREATE TABLE calls (
    turn_id           TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    number            INTEGER NOT NULL, -- in its turn, from 1
    call_id           TEXT NOT NULL,
    request_id        TEXT NOT NULL,
    name              TEXT NOT NULL,
    arguments_text_id INTEGER NOT NULL,
    PRIMARY KEY (turn_id, number),
    UNIQUE (turn_id, call_id)
) STRICT;

CREATE TABLE facts (
    turn_id      TEXT NOT NULL,
    call_id      TEXT NOT NULL,
    identity     TEXT NOT NULL,
    target       TEXT NOT NULL,
    status       TEXT NOT NULL,
    text_id      INTEGER NOT NULL,
    note         TEXT NOT NULL,
    written_hash TEXT,
    ended_at     INTEGER NOT NULL,
    PRIMARY KEY (turn_id, call_id),
    FOREIGN KEY (turn_id, call_id) REFERENCES calls (turn_id, call_id) ON DELETE CASCADE
) STRICT;

-- A question to the person is a row, so that it survives a reload; what is asked is frozen here, bytes included.
CREATE TABLE approvals (
    id              TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    turn_id         TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    call_id         TEXT NOT NULL,
    tool            TEXT NOT NULL,
    path            TEXT NOT NULL,
    operation       TEXT NOT NULL,
    before_hash     TEXT,
    before_n_bytes  INTEGER,
    after_hash      TEXT NOT NULL,
    after_n_bytes   INTEGER NOT NULL,
    bytes_text_id   INTEGER NOT NULL,
    diff            TEXT NOT NULL, -- JSON
    flags           TEXT NOT NULL, -- JSON
    digest          TEXT NOT NULL,
    asked_at        INTEGER NOT NULL,
    answer          TEXT,          -- NULL while it is open
    answered_at     INTEGER
) STRICT;

CREATE INDEX approvals_by_turn ON approvals (turn_id);
CREATE INDEX approvals_open ON approvals (conversation_id) WHERE answer IS NULL;
