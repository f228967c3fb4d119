-- raws: the JSON of what was imported, byte by byte as it was read. A hash is
-- over the canonical form, so the bytes kept are those that came first.
CREATE TABLE raws (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
  body BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER raws_insert BEFORE INSERT ON raws
WHEN EXISTS (SELECT 1 FROM raws WHERE hash = NEW.hash)
BEGIN SELECT RAISE(ABORT, 'what was imported is never replaced'); END;
CREATE TRIGGER raws_update BEFORE UPDATE ON raws BEGIN SELECT RAISE(ABORT, 'what was imported is immutable'); END;
CREATE TRIGGER raws_delete BEFORE DELETE ON raws BEGIN SELECT RAISE(ABORT, 'what was imported is immutable'); END;

-- imports: who read what from where, and what the client had declared that it
-- can, because a server's list depends on it. Tools are the hashes in raws, as
-- a JSON array.
CREATE TABLE imports (
  seq          INTEGER PRIMARY KEY CHECK (seq > 0),
  id           TEXT NOT NULL UNIQUE,
  at           TEXT NOT NULL,
  actor        TEXT NOT NULL,
  format       TEXT NOT NULL,
  label        TEXT NOT NULL,
  hash         TEXT NOT NULL CHECK (length(hash) = 64),
  capabilities TEXT NOT NULL,
  tools        TEXT NOT NULL
) STRICT;
CREATE INDEX imports_by_label ON imports (label, seq);
CREATE TRIGGER imports_insert BEFORE INSERT ON imports
WHEN EXISTS (SELECT 1 FROM imports WHERE seq = NEW.seq OR id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'imports are only appended'); END;
CREATE TRIGGER imports_update BEFORE UPDATE ON imports BEGIN SELECT RAISE(ABORT, 'imports are immutable'); END;
CREATE TRIGGER imports_delete BEFORE DELETE ON imports BEGIN SELECT RAISE(ABORT, 'imports are immutable'); END;
