-- The tokens that a request's bytes became, for a model inside the program: number and length of each, one behind the other.

ALTER TABLE transports ADD COLUMN tokens BLOB; -- zlib over LEB128 pairs (number, bytes); NULL where only a server knows them
