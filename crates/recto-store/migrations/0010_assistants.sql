-- What a person gives to every request beyond the question: a way to work with texts that are always known, and sentences about themselves.

CREATE TABLE assistants (
    id             TEXT PRIMARY KEY,
    name           TEXT NOT NULL,
    instructions   TEXT NOT NULL,
    reply_language TEXT,          -- NULL follows the question
    folder         TEXT,          -- of a conversation that begins with it
    model          TEXT,          -- likewise
    tools          TEXT NOT NULL, -- JSON: the groups that it may use
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE knowledge (
    id           TEXT PRIMARY KEY,
    assistant_id TEXT NOT NULL REFERENCES assistants (id) ON DELETE CASCADE,
    title        TEXT NOT NULL,
    text_id      INTEGER, -- NULL where it is a file
    path         TEXT,    -- of a file that is read at the start of each turn
    position     INTEGER NOT NULL,
    is_on        INTEGER NOT NULL,
    CHECK ((text_id IS NULL) <> (path IS NULL))
) STRICT;

CREATE INDEX knowledge_by_assistant ON knowledge (assistant_id, position);

-- NULL is the assistant that comes with the program.
ALTER TABLE conversations ADD COLUMN assistant_id TEXT REFERENCES assistants (id) ON DELETE SET NULL;

-- The conversation that a sentence comes from may be deleted before it, so nothing points there by a foreign key.
CREATE TABLE memories (
    id              TEXT PRIMARY KEY,
    text            TEXT NOT NULL,
    is_pinned       INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    last_used_at    INTEGER, -- when it was last given to a request
    conversation_id TEXT,    -- NULL where the person typed it
    turn_id         TEXT,
    forgotten_at    INTEGER  -- it can be brought back for a day; then its words go
) STRICT;

CREATE INDEX conversations_by_assistant ON conversations (assistant_id);
