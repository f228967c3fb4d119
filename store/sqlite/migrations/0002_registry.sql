-- The registry: versions, which of them are live, and what is derived from them.

-- versions (records): every approved definition, a chain per subject.
CREATE TABLE versions (
  seq           INTEGER PRIMARY KEY CHECK (seq > 0),
  kind          TEXT NOT NULL CHECK (kind IN ('tool', 'agent', 'list')),
  layer         TEXT NOT NULL,
  id            TEXT NOT NULL,
  subject       TEXT NOT NULL CHECK (subject = kind || ':' || layer || '/' || id),
  number        INTEGER NOT NULL CHECK (number > 0),
  definition    TEXT NOT NULL,
  content_hash  TEXT NOT NULL CHECK (length(content_hash) = 64),
  prev_hash     TEXT NOT NULL,
  hash          TEXT NOT NULL CHECK (length(hash) = 64),
  proposal      TEXT NOT NULL,
  revision      INTEGER NOT NULL,
  author        TEXT NOT NULL,
  assessment    TEXT NOT NULL,
  review_digest TEXT NOT NULL,
  rendered      TEXT NOT NULL,
  rules_version TEXT NOT NULL,
  decided_by    TEXT NOT NULL CHECK (decided_by = 'system' OR decided_by GLOB 'user:?*'),
  decided_at    TEXT NOT NULL,
  note          TEXT NOT NULL,
  waivers       TEXT NOT NULL,
  signature     TEXT NOT NULL,
  approvals     TEXT NOT NULL, -- those before the last one, as JSON; '' for none
  UNIQUE (subject, number)
) STRICT;
-- Few versions need more than one approval; verification looks at those.
CREATE INDEX versions_by_approvals ON versions (proposal) WHERE approvals <> '';
CREATE TRIGGER versions_insert BEFORE INSERT ON versions
WHEN EXISTS (SELECT 1 FROM versions WHERE seq = NEW.seq)
  OR NEW.number <> 1 + coalesce((SELECT max(number) FROM versions WHERE subject = NEW.subject), 0)
  OR NEW.prev_hash <> coalesce((SELECT hash FROM versions WHERE subject = NEW.subject ORDER BY number DESC LIMIT 1), '')
BEGIN SELECT RAISE(ABORT, 'versions are only appended, each to the one before'); END;
CREATE TRIGGER versions_update BEFORE UPDATE ON versions BEGIN SELECT RAISE(ABORT, 'versions are immutable'); END;
CREATE TRIGGER versions_delete BEFORE DELETE ON versions BEGIN SELECT RAISE(ABORT, 'versions are immutable'); END;

-- live: the version of each subject that is in force, with the columns that lists
-- and lookups need. origin is the name that a tool has where it comes from, '' for
-- none; it may be called by that. The foreign key keeps the registry from running ahead of the
-- history.
CREATE TABLE live (
  subject      TEXT PRIMARY KEY CHECK (subject = kind || ':' || layer || '/' || id),
  kind         TEXT NOT NULL CHECK (kind IN ('tool', 'agent', 'list')),
  layer        TEXT NOT NULL,
  id           TEXT NOT NULL,
  version      INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  name         TEXT NOT NULL,
  tool_kind    TEXT NOT NULL,
  category     TEXT NOT NULL,
  tier         TEXT NOT NULL,
  approval     TEXT NOT NULL,
  tag          TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('active', 'deactivated')),
  locked       INTEGER NOT NULL CHECK (locked IN (0, 1)),
  origin       TEXT NOT NULL,
  source       TEXT NOT NULL,
  FOREIGN KEY (subject, version) REFERENCES versions (subject, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX live_by_id ON live (kind, id, layer);
CREATE INDEX live_by_category ON live (category, id) WHERE kind = 'tool' AND category <> '';
CREATE INDEX live_by_tool_kind ON live (tool_kind, id, layer, status) WHERE kind = 'tool';
CREATE INDEX live_by_name ON live (name) WHERE kind = 'tool';
CREATE INDEX live_by_tag ON live (tag) WHERE tag <> '';
CREATE INDEX live_by_origin ON live (origin) WHERE origin <> '';
CREATE TRIGGER live_insert BEFORE INSERT ON live
WHEN EXISTS (SELECT 1 FROM live WHERE subject = NEW.subject)
BEGIN SELECT RAISE(ABORT, 'the live registry is never replaced'); END;
CREATE TRIGGER live_update BEFORE UPDATE ON live
WHEN NEW.subject <> OLD.subject OR NEW.version <> OLD.version + 1 OR NEW.locked <> OLD.locked
BEGIN SELECT RAISE(ABORT, 'the live registry moves from one version to the next'); END;
CREATE TRIGGER live_delete BEFORE DELETE ON live
BEGIN SELECT RAISE(ABORT, 'nothing leaves the live registry; deactivate it instead'); END;

-- names: the ids and aliases of the live tools.
CREATE TABLE names (
  name    TEXT NOT NULL,
  subject TEXT NOT NULL REFERENCES live (subject),
  PRIMARY KEY (name, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX names_by_subject ON names (subject);

-- sketches: MinHash sketches of the texts and the purposes of tools, by the seq of
-- their version, for near-duplicate detection. A row holds a full block of
-- versions.
CREATE TABLE sketches (
  block   INTEGER PRIMARY KEY,
  text    BLOB NOT NULL,
  purpose BLOB NOT NULL
) STRICT;

-- recent_sketches: the sketches of the versions after the last full block, one row
-- each, so that an approval writes a hundred bytes instead of a block.
CREATE TABLE recent_sketches (
  seq     INTEGER PRIMARY KEY,
  text    BLOB NOT NULL,
  purpose BLOB NOT NULL
) STRICT;

-- core: the locked tools and the hashes they must have.
CREATE TABLE core (
  id           TEXT PRIMARY KEY,
  content_hash TEXT NOT NULL CHECK (length(content_hash) = 64)
) STRICT, WITHOUT ROWID;
