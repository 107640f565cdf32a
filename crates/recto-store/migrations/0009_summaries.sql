-- What left the history of a branch, in short. Every version stays, with the one it goes on from and the exchanges that entered with it, so that from
-- a summary one gets back to the words.

CREATE TABLE summaries (
    id             INTEGER PRIMARY KEY,
    turn_id        TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE, -- in which it was made, or after which
    previous_id    INTEGER,          -- NULL for the first one of a branch
    version        INTEGER NOT NULL,
    author         TEXT NOT NULL CHECK (author IN ('rule', 'model', 'person')),
    request_id     TEXT,             -- in which a model wrote it
    n_exchanges    INTEGER NOT NULL, -- that it stands for in all
    until_turn_id  TEXT,             -- the last one of them
    prose_text_id  INTEGER NOT NULL,
    marks          TEXT NOT NULL,    -- JSON
    forbidden      TEXT NOT NULL,    -- JSON
    made_at        INTEGER NOT NULL
) STRICT;

CREATE INDEX summaries_by_turn ON summaries (turn_id);

CREATE TABLE summary_exchanges (
    summary_id INTEGER NOT NULL REFERENCES summaries (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    turn_id    TEXT NOT NULL,
    PRIMARY KEY (summary_id, position)
) STRICT, WITHOUT ROWID;

ALTER TABLE turns ADD COLUMN summary_id INTEGER; -- the summary as this turn leaves it, so that the next one finds it without walking back
