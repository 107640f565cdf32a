-- More ways in which a block may be treated when not all fits. A check cannot be changed in place, so the table is made anew.

CREATE TABLE request_blocks_new (
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
    importance      TEXT NOT NULL CHECK (importance IN (
                        'pinned', 'question', 'exchange', 'ranked', 'heading', 'result', 'shared', 'left_out'
                    )),
    exchange        INTEGER, -- which exchange or result, counted from the oldest
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

INSERT INTO request_blocks_new SELECT * FROM request_blocks;
DROP TABLE request_blocks;
ALTER TABLE request_blocks_new RENAME TO request_blocks;

-- Down to how many tokens history is dropped once not all fits. Before this version it was all that could be sent.
ALTER TABLE requests ADD COLUMN fold_to INTEGER NOT NULL DEFAULT 0;
UPDATE requests SET fold_to = max(window - reserve, 0);
