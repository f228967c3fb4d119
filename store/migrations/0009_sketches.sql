-- recent_sketches: the sketches of the versions since the last complete block, a
-- row for each, so that an approval writes a hundred bytes and not a block.
CREATE TABLE recent_sketches (
  seq     INTEGER PRIMARY KEY,
  text    BLOB NOT NULL,
  purpose BLOB NOT NULL
) STRICT;
