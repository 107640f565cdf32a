-- Seals of the audit log: a keyed hash for each row that was added while the key was at hand. They are only ever added, as the rows are.
-- Rows from before, and rows that were added while no keychain could be used, have none.

CREATE TABLE audit_seals (
    seq      INTEGER PRIMARY KEY, -- of the row in `decisions`
    previous INTEGER NOT NULL,    -- the row that was sealed before; 0 if none was
    mac      TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_seals_are_not_changed BEFORE UPDATE ON audit_seals
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_seals_are_not_deleted BEFORE DELETE ON audit_seals
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_seals_are_not_replaced BEFORE INSERT ON audit_seals
WHEN EXISTS (SELECT 1 FROM audit_seals WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
