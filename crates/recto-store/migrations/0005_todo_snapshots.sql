-- Every list that was ever written, each with the one it replaced, so that a branch goes on from its own.

CREATE TABLE todo_snapshots (
    id             INTEGER PRIMARY KEY,
    turn_id        TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    call_id        TEXT,             -- NULL where only the counter changed
    previous_id    INTEGER,
    version        INTEGER NOT NULL, -- how often the list was replaced
    n_stale_rounds INTEGER NOT NULL,
    text_id        INTEGER NOT NULL, -- the snapshot's bytes
    written_at     INTEGER NOT NULL
) STRICT;

CREATE INDEX todo_snapshots_by_turn ON todo_snapshots (turn_id);
