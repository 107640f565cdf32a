-- Why earlier attempts to send a request came to nothing.

ALTER TABLE transports ADD COLUMN failed_attempts TEXT; -- JSON array of sentences; NULL where the first one was the only one
