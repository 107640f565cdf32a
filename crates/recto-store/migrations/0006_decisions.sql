-- The audit log. That rows are only ever added is a property of the file and not a promise of the program.
-- It has no foreign keys: what was decided stays when a conversation is deleted.

CREATE TABLE decisions (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice, so that rows missing at the end show
    recorded_at     INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    turn_id         TEXT NOT NULL,
    call_id         TEXT NOT NULL,
    tool            TEXT NOT NULL,
    target          TEXT NOT NULL,
    event           TEXT NOT NULL CHECK (event IN ('decision', 'outcome')),
    is_allowed      INTEGER,
    decider         TEXT,
    reason          TEXT,
    digest          TEXT,
    before_hash     TEXT,
    after_hash      TEXT,
    status          TEXT,
    note            TEXT,
    written_hash    TEXT,
    link            TEXT NOT NULL -- hash over the link before and every column
) STRICT;

CREATE INDEX decisions_by_conversation ON decisions (conversation_id, seq);
CREATE INDEX decisions_by_turn ON decisions (turn_id, seq);

CREATE TRIGGER decisions_are_not_changed BEFORE UPDATE ON decisions
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER decisions_are_not_deleted BEFORE DELETE ON decisions
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

-- INSERT OR REPLACE deletes the row in its way without asking the trigger above.
CREATE TRIGGER decisions_are_not_replaced BEFORE INSERT ON decisions
WHEN EXISTS (SELECT 1 FROM decisions WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
