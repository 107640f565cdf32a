-- A long text is sent in many requests; it is kept once and named by its number everywhere else.
-- No table points here by a foreign key: checking one on delete would read every request. Deleting a conversation sweeps instead.

PRAGMA application_id = 1380270932; -- "RECT": tells the record from any other database.

CREATE TABLE texts (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE, -- sha256:… over the bytes of `body`
    body ANY  NOT NULL         -- TEXT; a BLOB where the bytes are no text
) STRICT;
