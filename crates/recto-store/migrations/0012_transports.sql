-- What went over the line beside the bytes of a request: where it was sent, and what came back, byte for byte, before anything was made of it.
-- A stream says every few characters in some hundred bytes, so it is kept deflated.

CREATE TABLE transports (
    request_seq INTEGER PRIMARY KEY REFERENCES requests (seq) ON DELETE CASCADE,
    endpoint    TEXT,             -- NULL for a model inside the program
    n_bytes     INTEGER NOT NULL, -- that came back
    is_whole    INTEGER NOT NULL, -- whether all of them are kept
    stream      BLOB NOT NULL     -- zlib
) STRICT;
