-- What was sent, what was left out and by which rule, and the bytes as they went out.
-- Blocks and pieces are many and small, so they name their request by number and not by its long id.

CREATE TABLE requests (
    seq                   INTEGER PRIMARY KEY,
    id                    TEXT NOT NULL UNIQUE,
    turn_id               TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    number                INTEGER NOT NULL, -- in its turn, from 1
    purpose               TEXT NOT NULL,
    window                INTEGER NOT NULL,
    reserve               INTEGER NOT NULL,
    fixed                 INTEGER NOT NULL,
    per_message           INTEGER NOT NULL,
    n_tokens_planned      INTEGER NOT NULL, -- by the planner's count
    n_tokens              INTEGER NOT NULL, -- of the whole request as it was measured
    model                 TEXT NOT NULL,
    model_window          INTEGER NOT NULL,
    protocol              TEXT NOT NULL,
    takes_trailing_system INTEGER NOT NULL,
    answer_tools          TEXT NOT NULL,
    exactness             TEXT NOT NULL,
    step_text_id          INTEGER,
    temperature           REAL NOT NULL,
    seed                  INTEGER NOT NULL,
    max_tokens            INTEGER NOT NULL,
    n_stale_rounds        INTEGER NOT NULL,
    has_reminder          INTEGER NOT NULL,
    wire_hash             TEXT NOT NULL,
    sent_at               INTEGER NOT NULL,
    UNIQUE (turn_id, number)
) STRICT;

CREATE TABLE request_blocks (
    request_seq     INTEGER NOT NULL REFERENCES requests (seq) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    block_id        TEXT NOT NULL,
    kind            TEXT NOT NULL,
    source          TEXT NOT NULL,
    message         INTEGER NOT NULL,
    role            TEXT NOT NULL,
    answers_call_id TEXT,
    slot            TEXT NOT NULL CHECK (slot IN ('text', 'call')),
    slot_call_id    TEXT,
    slot_call_name  TEXT,
    importance      TEXT NOT NULL CHECK (importance IN ('pinned', 'exchange', 'shared', 'left_out')),
    exchange        INTEGER,
    score           REAL,
    token_limit     INTEGER,
    verdict         TEXT NOT NULL CHECK (verdict IN ('kept', 'cut', 'dropped')),
    kept_lines      INTEGER,
    of_lines        INTEGER,
    rule            TEXT,
    drop_order      INTEGER,
    n_tokens        INTEGER NOT NULL, -- whole
    n_tokens_placed INTEGER NOT NULL, -- as it is in the request
    text_id         INTEGER NOT NULL,
    placed_text_id  INTEGER,          -- NULL if it was dropped
    PRIMARY KEY (request_seq, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE request_pieces (
    request_seq    INTEGER NOT NULL REFERENCES requests (seq) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    block_position INTEGER, -- NULL for what the interface or the template adds
    encoding       TEXT NOT NULL,
    text_id        INTEGER NOT NULL,
    PRIMARY KEY (request_seq, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE replies (
    request_seq       INTEGER PRIMARY KEY REFERENCES requests (seq) ON DELETE CASCADE,
    text_so_far       TEXT,    -- while it arrives; NULL once it is whole
    text_id           INTEGER,
    reasoning_text_id INTEGER,
    calls             TEXT,    -- native calls as JSON, as they were received
    finish            TEXT,    -- NULL while it arrives
    n_read            INTEGER,
    n_reused          INTEGER,
    n_evaluated       INTEGER,
    n_written         INTEGER,
    first_token_ms    INTEGER,
    total_ms          INTEGER,
    failure           TEXT,
    ended_at          INTEGER
) STRICT;
