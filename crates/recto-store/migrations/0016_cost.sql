-- What a reply cost, where the server says it.

ALTER TABLE replies ADD COLUMN cost_nanodollars INTEGER; -- billionths of a dollar; NULL where nobody said
