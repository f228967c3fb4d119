-- The audit log, and the imports that proposals come from.

-- events (records): the audit log, one chain.
CREATE TABLE events (
  seq       INTEGER PRIMARY KEY CHECK (seq > 0),
  id        TEXT NOT NULL UNIQUE,
  at        TEXT NOT NULL,
  actor     TEXT NOT NULL,
  act       TEXT NOT NULL,
  subject   TEXT NOT NULL,
  proposal  TEXT NOT NULL,
  revision  INTEGER NOT NULL,
  record    TEXT NOT NULL,
  data      TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash      TEXT NOT NULL CHECK (length(hash) = 64)
) STRICT;
CREATE INDEX events_by_proposal ON events (proposal, seq) WHERE proposal <> '';
CREATE INDEX events_by_subject ON events (subject, seq) WHERE subject <> '';
CREATE INDEX events_by_record ON events (record) WHERE record <> '';
-- The rate limit of an agent reads a few rows of this index, however long the log.
CREATE INDEX events_by_agent ON events (actor, at) WHERE substr(actor, 1, 6) = 'agent:' AND act IN ('draft', 'revise', 'comment');
-- The few states of the signers file are found however long the log.
CREATE INDEX events_of_signers ON events (seq) WHERE act = 'signers';
CREATE TRIGGER events_insert BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
  OR NEW.seq <> 1 + coalesce((SELECT max(seq) FROM events), 0)
  OR NEW.prev_hash <> coalesce((SELECT hash FROM events WHERE seq = NEW.seq - 1), '')
BEGIN SELECT RAISE(ABORT, 'events are only appended, each to the one before'); END;
CREATE TRIGGER events_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are immutable'); END;
CREATE TRIGGER events_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are immutable'); END;

-- signatures (records): the statements that users signed, each with its one
-- signature in the armored form. Decisions, versions, waivers, answers and tiers
-- refer to the statement by its hash.
CREATE TABLE signatures (
  seq        INTEGER PRIMARY KEY CHECK (seq > 0),
  hash       TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  statement  TEXT NOT NULL,
  signature  TEXT NOT NULL,
  signed_by  TEXT NOT NULL CHECK (signed_by GLOB 'user:?*'),
  created_at TEXT NOT NULL,
  seal       TEXT NOT NULL CHECK (length(seal) = 64)
) STRICT;
CREATE TRIGGER signatures_insert BEFORE INSERT ON signatures
WHEN EXISTS (SELECT 1 FROM signatures WHERE seq = NEW.seq OR hash = NEW.hash)
BEGIN SELECT RAISE(ABORT, 'a statement is used once'); END;
CREATE TRIGGER signatures_update BEFORE UPDATE ON signatures BEGIN SELECT RAISE(ABORT, 'signatures are immutable'); END;
CREATE TRIGGER signatures_delete BEFORE DELETE ON signatures BEGIN SELECT RAISE(ABORT, 'signatures are immutable'); END;

-- raws: imported JSON, byte for byte. The hash covers the canonical form, so the
-- bytes are those that were read first.
CREATE TABLE raws (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
  body BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER raws_insert BEFORE INSERT ON raws
WHEN EXISTS (SELECT 1 FROM raws WHERE hash = NEW.hash)
BEGIN SELECT RAISE(ABORT, 'what was imported is never replaced'); END;
CREATE TRIGGER raws_update BEFORE UPDATE ON raws BEGIN SELECT RAISE(ABORT, 'what was imported is immutable'); END;
CREATE TRIGGER raws_delete BEFORE DELETE ON raws BEGIN SELECT RAISE(ABORT, 'what was imported is immutable'); END;

-- imports: who imported which source. capabilities are those that the client
-- declared, because a server's list depends on them; tools are hashes in raws, as
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
