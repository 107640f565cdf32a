-- A conversation is a tree of turns, so that editing a question and asking again are branches and nothing is overwritten.

CREATE TABLE conversations (
    id              TEXT PRIMARY KEY,
    title           TEXT,    -- NULL until the first question or a rename
    folder          TEXT,
    model           TEXT,
    reply_language  TEXT,
    current_turn_id TEXT,    -- the end of the branch that is shown
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE turns (
    id               TEXT PRIMARY KEY,
    conversation_id  TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    -- Deferred and without an action: a cascade along ten thousand turns is deeper than SQLite allows.
    parent_id        TEXT REFERENCES turns (id) DEFERRABLE INITIALLY DEFERRED,
    question_text_id INTEGER NOT NULL,
    answer_text_id   INTEGER,
    ending           TEXT CHECK (ending IN ('answered', 'limited', 'stopped', 'failed', 'interrupted')), -- NULL while it runs
    sentence         TEXT,    -- why, where the ending has a reason
    model            TEXT,
    folder           TEXT,
    todo_snapshot_id INTEGER, -- the list as this turn leaves it, so that the next one finds it without walking back
    started_at       INTEGER NOT NULL,
    ended_at         INTEGER,
    CHECK ((ending IS NULL) = (ended_at IS NULL))
) STRICT;

CREATE INDEX turns_by_conversation ON turns (conversation_id, started_at);
CREATE INDEX turns_by_parent ON turns (parent_id, conversation_id, started_at, id);
CREATE INDEX turns_running ON turns (conversation_id) WHERE ending IS NULL;
