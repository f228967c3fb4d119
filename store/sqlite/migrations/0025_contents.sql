-- contents: the bytes of binary files, once each, under their SHA-256. Definitions hold
-- the bytes of all other files.
CREATE TABLE contents (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  bytes  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER contents_insert BEFORE INSERT ON contents
WHEN EXISTS (SELECT 1 FROM contents WHERE sha256 = NEW.sha256)
BEGIN SELECT RAISE(ABORT, 'contents are never replaced'); END;
CREATE TRIGGER contents_update BEFORE UPDATE ON contents BEGIN SELECT RAISE(ABORT, 'contents are immutable'); END;
CREATE TRIGGER contents_delete BEFORE DELETE ON contents BEGIN SELECT RAISE(ABORT, 'contents are immutable'); END;
