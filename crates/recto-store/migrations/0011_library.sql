-- Documents of the library and the passages that they are cut into. Each text is stored once, in `library_chunks`; the indices over
-- it hold words and no texts.

CREATE TABLE library_roots (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    path     TEXT NOT NULL UNIQUE,
    added_at INTEGER NOT NULL,
    read_at  INTEGER, -- NULL until it was read whole once
    reason   TEXT     -- why it cannot be read now
) STRICT;

CREATE TABLE library_documents (
    id          INTEGER PRIMARY KEY,
    root_id     INTEGER NOT NULL REFERENCES library_roots (id),
    path        TEXT NOT NULL, -- from the root down
    kind        TEXT NOT NULL,
    n_bytes     INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    hash        TEXT,          -- NULL where the bytes could not be had
    -- A document that is `partial` was being read when the program ended, and is read anew.
    state       TEXT NOT NULL CHECK (state IN ('partial', 'read', 'unread', 'no_document')),
    reason      TEXT,          -- of an unread one, in words
    n_chunks    INTEGER NOT NULL,
    n_words     INTEGER NOT NULL,
    UNIQUE (root_id, path)
) STRICT;

-- The number is a passage's name and is never given to another one, also when this one is gone.
CREATE TABLE library_chunks (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES library_documents (id),
    position    INTEGER NOT NULL,
    headings    TEXT NOT NULL, -- JSON, the outermost first
    unit        TEXT NOT NULL CHECK (unit IN ('line', 'paragraph', 'page', 'row', 'unnumbered')),
    first       INTEGER NOT NULL,
    last        INTEGER NOT NULL,
    sheet       TEXT NOT NULL,
    n_words     INTEGER NOT NULL,
    text        TEXT NOT NULL
) STRICT;
CREATE INDEX library_chunks_of_document ON library_chunks (document_id, position);

-- Words as the program cuts them: Chinese by a dictionary, because a tokenizer that knows only characters finds no word of two.
CREATE VIRTUAL TABLE library_words USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0"
);
-- Longer words and identifiers, each once a passage, to find them by a part.
CREATE VIRTUAL TABLE library_parts USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = "trigram"
);
