-- The check-up of a model: what was tried, word for word, and what it found. Of each model the last one counts and the others go.
CREATE TABLE checkups (
    model         TEXT PRIMARY KEY, -- its name for choosing it
    n_window      INTEGER NOT NULL, -- tokens that its window is said to have
    n_tried       INTEGER NOT NULL, -- tokens of the longest request that was tried
    read_per_s    INTEGER,          -- NULL where nobody measured
    written_per_s INTEGER,
    took_ms       INTEGER NOT NULL,
    checked_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE checkup_findings (
    model    TEXT NOT NULL REFERENCES checkups (model) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    check_   TEXT NOT NULL,
    mark     TEXT NOT NULL,
    said     TEXT NOT NULL, -- the reply in one line, or why there was none
    asked    TEXT NOT NULL, -- the bytes that went out; empty where it was not tried
    PRIMARY KEY (model, position)
) STRICT;
