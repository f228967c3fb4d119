-- Everything toolcrib keeps. Tables that are called records below are append
-- only: each row carries a seal over its columns, and triggers refuse UPDATE
-- and DELETE. A BEFORE INSERT trigger refuses a key that exists, because
-- INSERT OR REPLACE deletes without firing DELETE triggers.

-- proposals: the queue. What a proposal is never changes; where it stands does.
CREATE TABLE proposals (
  seq            INTEGER PRIMARY KEY CHECK (seq > 0),
  id             TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  type           TEXT NOT NULL CHECK (type IN ('new', 'modify', 'deactivate', 'reactivate', 'restore')),
  kind           TEXT NOT NULL CHECK (kind IN ('tool', 'agent')),
  layer          TEXT NOT NULL,
  subject_id     TEXT NOT NULL,
  subject        TEXT NOT NULL CHECK (subject = kind || ':' || layer || '/' || subject_id),
  title          TEXT NOT NULL,
  state          TEXT NOT NULL CHECK (state IN ('draft', 'chief_review', 'user_review', 'needs_changes', 'approved', 'rejected', 'withdrawn')),
  revision       INTEGER NOT NULL CHECK (revision > 0),
  content_hash   TEXT NOT NULL,
  base_version   INTEGER NOT NULL CHECK (base_version >= 0),
  author         TEXT NOT NULL,
  change_set     TEXT NOT NULL,
  issue          INTEGER NOT NULL DEFAULT 0,
  recommendation TEXT NOT NULL DEFAULT '',
  findings       INTEGER NOT NULL DEFAULT 0,
  blocks         INTEGER NOT NULL DEFAULT 0,
  worst          TEXT NOT NULL DEFAULT '',
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL
) STRICT;
CREATE INDEX proposals_by_state ON proposals (state, seq);
CREATE INDEX proposals_by_author ON proposals (author, seq);
CREATE INDEX proposals_by_author_kind ON proposals (substr(author, 1, instr(author, ':')), seq);
CREATE INDEX proposals_by_subject ON proposals (subject, seq);
CREATE INDEX proposals_by_change_set ON proposals (change_set, seq) WHERE change_set <> '';
CREATE INDEX proposals_by_issue ON proposals (issue) WHERE issue > 0;
CREATE INDEX proposals_open_by_author ON proposals (author) WHERE state IN ('draft', 'chief_review', 'user_review', 'needs_changes');
CREATE INDEX proposals_open_by_subject ON proposals (subject, seq) WHERE state IN ('draft', 'chief_review', 'user_review', 'needs_changes');

CREATE TRIGGER proposals_insert BEFORE INSERT ON proposals
WHEN EXISTS (SELECT 1 FROM proposals WHERE seq = NEW.seq OR id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'proposals are never replaced'); END;
CREATE TRIGGER proposals_delete BEFORE DELETE ON proposals
BEGIN SELECT RAISE(ABORT, 'proposals are never deleted'); END;
CREATE TRIGGER proposals_update BEFORE UPDATE ON proposals
WHEN OLD.state IN ('approved', 'rejected', 'withdrawn')
  OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.subject <> OLD.subject
  OR NEW.author <> OLD.author OR NEW.created_at <> OLD.created_at
  OR NEW.revision NOT IN (OLD.revision, OLD.revision + 1)
BEGIN SELECT RAISE(ABORT, 'a proposal keeps its identity, and a closed one its state'); END;

-- counters: proposals per state, so that a count costs a row and not a scan.
CREATE TABLE counters (state TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER proposals_counted AFTER INSERT ON proposals BEGIN
  INSERT INTO counters VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER proposals_recounted AFTER UPDATE OF state ON proposals WHEN NEW.state <> OLD.state BEGIN
  UPDATE counters SET n = n - 1 WHERE state = OLD.state;
  INSERT INTO counters VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET n = n + 1;
END;

-- proposals_text finds substrings of three characters and more; rowid is seq,
-- so the order of the index is the order of time. Two line ends behind the body
-- let every character of it begin a trigram, so that proposals_terms, which lists
-- the trigrams, finds shorter substrings by what they begin.
CREATE VIRTUAL TABLE proposals_text USING fts5 (body, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE VIRTUAL TABLE proposals_terms USING fts5vocab (proposals_text, instance);
CREATE TRIGGER proposals_text_insert AFTER INSERT ON proposals BEGIN
  INSERT INTO proposals_text (rowid, body)
  VALUES (NEW.seq, NEW.subject || char(10) || NEW.title || char(10) || NEW.author || char(10) || NEW.change_set || char(10, 10));
END;
CREATE TRIGGER proposals_text_update AFTER UPDATE OF title, change_set ON proposals
WHEN NEW.title <> OLD.title OR NEW.change_set <> OLD.change_set BEGIN
  DELETE FROM proposals_text WHERE rowid = OLD.seq;
  INSERT INTO proposals_text (rowid, body)
  VALUES (NEW.seq, NEW.subject || char(10) || NEW.title || char(10) || NEW.author || char(10) || NEW.change_set || char(10, 10));
END;

-- revisions (records): what was proposed, as canonical JSON of the draft.
CREATE TABLE revisions (
  seq          INTEGER PRIMARY KEY CHECK (seq > 0),
  proposal     TEXT NOT NULL REFERENCES proposals (id) DEFERRABLE INITIALLY DEFERRED,
  number       INTEGER NOT NULL CHECK (number > 0),
  draft        TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  author       TEXT NOT NULL,
  created_at   TEXT NOT NULL,
  seal         TEXT NOT NULL CHECK (length(seal) = 64),
  UNIQUE (proposal, number)
) STRICT;
CREATE TRIGGER revisions_insert BEFORE INSERT ON revisions
WHEN EXISTS (SELECT 1 FROM revisions WHERE seq = NEW.seq)
  OR NEW.number <> 1 + coalesce((SELECT max(number) FROM revisions WHERE proposal = NEW.proposal), 0)
BEGIN SELECT RAISE(ABORT, 'revisions are only appended'); END;
CREATE TRIGGER revisions_update BEFORE UPDATE ON revisions BEGIN SELECT RAISE(ABORT, 'revisions are immutable'); END;
CREATE TRIGGER revisions_delete BEFORE DELETE ON revisions BEGIN SELECT RAISE(ABORT, 'revisions are immutable'); END;

-- assessments (records): the Chief of Staff's reviews.
CREATE TABLE assessments (
  seq            INTEGER PRIMARY KEY CHECK (seq > 0),
  id             TEXT NOT NULL UNIQUE,
  proposal       TEXT NOT NULL,
  revision       INTEGER NOT NULL,
  content_hash   TEXT NOT NULL,
  reviewer       TEXT NOT NULL,
  recommendation TEXT NOT NULL CHECK (recommendation IN ('approve', 'needs_changes', 'reject')),
  report         TEXT NOT NULL,
  rules_version  TEXT NOT NULL,
  created_at     TEXT NOT NULL,
  seal           TEXT NOT NULL CHECK (length(seal) = 64),
  FOREIGN KEY (proposal, revision) REFERENCES revisions (proposal, number)
) STRICT;
CREATE INDEX assessments_by_revision ON assessments (proposal, revision, seq);
CREATE TRIGGER assessments_insert BEFORE INSERT ON assessments
WHEN EXISTS (SELECT 1 FROM assessments WHERE seq = NEW.seq OR id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'assessments are only appended'); END;
CREATE TRIGGER assessments_update BEFORE UPDATE ON assessments BEGIN SELECT RAISE(ABORT, 'assessments are immutable'); END;
CREATE TRIGGER assessments_delete BEFORE DELETE ON assessments BEGIN SELECT RAISE(ABORT, 'assessments are immutable'); END;

-- waivers (records): the user's word that a finding is acceptable.
CREATE TABLE waivers (
  seq        INTEGER PRIMARY KEY CHECK (seq > 0),
  id         TEXT NOT NULL UNIQUE,
  proposal   TEXT NOT NULL REFERENCES proposals (id),
  waiver     TEXT NOT NULL,
  created_at TEXT NOT NULL,
  seal       TEXT NOT NULL CHECK (length(seal) = 64)
) STRICT;
CREATE INDEX waivers_by_proposal ON waivers (proposal, seq);
CREATE TRIGGER waivers_insert BEFORE INSERT ON waivers
WHEN EXISTS (SELECT 1 FROM waivers WHERE seq = NEW.seq OR id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'waivers are only appended'); END;
CREATE TRIGGER waivers_update BEFORE UPDATE ON waivers BEGIN SELECT RAISE(ABORT, 'waivers are immutable'); END;
CREATE TRIGGER waivers_delete BEFORE DELETE ON waivers BEGIN SELECT RAISE(ABORT, 'waivers are immutable'); END;

-- decisions (records): the user's verdicts.
CREATE TABLE decisions (
  seq           INTEGER PRIMARY KEY CHECK (seq > 0),
  id            TEXT NOT NULL UNIQUE,
  proposal      TEXT NOT NULL,
  revision      INTEGER NOT NULL,
  subject       TEXT NOT NULL,
  content_hash  TEXT NOT NULL,
  verdict       TEXT NOT NULL CHECK (verdict IN ('approved', 'needs_changes', 'rejected')),
  note          TEXT NOT NULL,
  decided_by    TEXT NOT NULL CHECK (decided_by GLOB 'user:?*'),
  decided_at    TEXT NOT NULL,
  assessment    TEXT NOT NULL REFERENCES assessments (id),
  review_digest TEXT NOT NULL CHECK (length(review_digest) = 64),
  version       INTEGER NOT NULL,
  version_hash  TEXT NOT NULL,
  signature     TEXT NOT NULL,
  seal          TEXT NOT NULL CHECK (length(seal) = 64),
  CHECK ((verdict = 'approved') = (version > 0)),
  FOREIGN KEY (proposal, revision) REFERENCES revisions (proposal, number)
) STRICT;
CREATE UNIQUE INDEX decisions_one_approval ON decisions (proposal) WHERE verdict = 'approved';
CREATE INDEX decisions_by_proposal ON decisions (proposal, seq);
CREATE INDEX decisions_rejections ON decisions (subject, content_hash) WHERE verdict = 'rejected';
CREATE TRIGGER decisions_insert BEFORE INSERT ON decisions
WHEN EXISTS (SELECT 1 FROM decisions WHERE seq = NEW.seq OR id = NEW.id)
  OR NEW.verdict = 'approved' AND EXISTS (SELECT 1 FROM decisions WHERE proposal = NEW.proposal AND verdict = 'approved')
BEGIN SELECT RAISE(ABORT, 'decisions are only appended'); END;
CREATE TRIGGER decisions_update BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are immutable'); END;
CREATE TRIGGER decisions_delete BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are immutable'); END;

-- issues: whose turn it is.
CREATE TABLE issues (
  number   INTEGER PRIMARY KEY CHECK (number > 0),
  proposal TEXT NOT NULL UNIQUE REFERENCES proposals (id),
  title    TEXT NOT NULL,
  assignee TEXT NOT NULL,
  status   TEXT NOT NULL CHECK (status IN ('open', 'closed')),
  labels   TEXT NOT NULL
) STRICT;
CREATE TRIGGER issues_insert BEFORE INSERT ON issues
WHEN EXISTS (SELECT 1 FROM issues WHERE number = NEW.number OR proposal = NEW.proposal)
BEGIN SELECT RAISE(ABORT, 'issues are never replaced'); END;
CREATE TRIGGER issues_update BEFORE UPDATE ON issues
WHEN NEW.number <> OLD.number OR NEW.proposal <> OLD.proposal
BEGIN SELECT RAISE(ABORT, 'an issue keeps its number and its proposal'); END;
CREATE TRIGGER issues_delete BEFORE DELETE ON issues BEGIN SELECT RAISE(ABORT, 'issues are never deleted'); END;

-- comments (records): the threads.
CREATE TABLE comments (
  seq        INTEGER PRIMARY KEY CHECK (seq > 0),
  id         TEXT NOT NULL UNIQUE,
  proposal   TEXT NOT NULL REFERENCES proposals (id),
  revision   INTEGER NOT NULL,
  author     TEXT NOT NULL,
  created_at TEXT NOT NULL,
  body       TEXT NOT NULL,
  field      TEXT NOT NULL,
  line       INTEGER NOT NULL CHECK (line >= 0),
  seal       TEXT NOT NULL CHECK (length(seal) = 64)
) STRICT;
CREATE INDEX comments_by_proposal ON comments (proposal, seq);
CREATE TRIGGER comments_insert BEFORE INSERT ON comments
WHEN EXISTS (SELECT 1 FROM comments WHERE seq = NEW.seq OR id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'comments are only appended'); END;
CREATE TRIGGER comments_update BEFORE UPDATE ON comments BEGIN SELECT RAISE(ABORT, 'comments are immutable'); END;
CREATE TRIGGER comments_delete BEFORE DELETE ON comments BEGIN SELECT RAISE(ABORT, 'comments are immutable'); END;

-- versions (records): every approved definition, a chain per subject.
CREATE TABLE versions (
  seq           INTEGER PRIMARY KEY CHECK (seq > 0),
  kind          TEXT NOT NULL CHECK (kind IN ('tool', 'agent')),
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
  UNIQUE (subject, number)
) STRICT;
CREATE TRIGGER versions_insert BEFORE INSERT ON versions
WHEN EXISTS (SELECT 1 FROM versions WHERE seq = NEW.seq)
  OR NEW.number <> 1 + coalesce((SELECT max(number) FROM versions WHERE subject = NEW.subject), 0)
  OR NEW.prev_hash <> coalesce((SELECT hash FROM versions WHERE subject = NEW.subject ORDER BY number DESC LIMIT 1), '')
BEGIN SELECT RAISE(ABORT, 'versions are only appended, each to the one before'); END;
CREATE TRIGGER versions_update BEFORE UPDATE ON versions BEGIN SELECT RAISE(ABORT, 'versions are immutable'); END;
CREATE TRIGGER versions_delete BEFORE DELETE ON versions BEGIN SELECT RAISE(ABORT, 'versions are immutable'); END;

-- live: which version of a subject is in force, with what lists and look-ups
-- need of it. The foreign key keeps the registry from running ahead of the
-- history.
CREATE TABLE live (
  subject      TEXT PRIMARY KEY CHECK (subject = kind || ':' || layer || '/' || id),
  kind         TEXT NOT NULL CHECK (kind IN ('tool', 'agent')),
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
  FOREIGN KEY (subject, version) REFERENCES versions (subject, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX live_by_id ON live (kind, id, layer);
CREATE INDEX live_by_category ON live (category, id) WHERE kind = 'tool' AND category <> '';
CREATE INDEX live_by_name ON live (name) WHERE kind = 'tool';
CREATE INDEX live_by_tag ON live (tag) WHERE tag <> '';
CREATE TRIGGER live_insert BEFORE INSERT ON live
WHEN EXISTS (SELECT 1 FROM live WHERE subject = NEW.subject)
BEGIN SELECT RAISE(ABORT, 'the live registry is never replaced'); END;
CREATE TRIGGER live_update BEFORE UPDATE ON live
WHEN NEW.subject <> OLD.subject OR NEW.version <> OLD.version + 1 OR NEW.locked <> OLD.locked
BEGIN SELECT RAISE(ABORT, 'the live registry moves from one version to the next'); END;
CREATE TRIGGER live_delete BEFORE DELETE ON live
BEGIN SELECT RAISE(ABORT, 'nothing leaves the live registry; deactivate it instead'); END;

-- names: what the live tools are called: their ids and their aliases.
CREATE TABLE names (
  name    TEXT NOT NULL,
  subject TEXT NOT NULL REFERENCES live (subject),
  PRIMARY KEY (name, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX names_by_subject ON names (subject);

-- sketches: what the texts and the purposes of tools resemble, by the number of
-- their version. A row holds a block of versions; it only ever grows, and is
-- complete when the next one begins.
CREATE TABLE sketches (
  block   INTEGER PRIMARY KEY,
  text    BLOB NOT NULL,
  purpose BLOB NOT NULL
) STRICT;

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
CREATE TRIGGER events_insert BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
  OR NEW.seq <> 1 + coalesce((SELECT max(seq) FROM events), 0)
  OR NEW.prev_hash <> coalesce((SELECT hash FROM events WHERE seq = NEW.seq - 1), '')
BEGIN SELECT RAISE(ABORT, 'events are only appended, each to the one before'); END;
CREATE TRIGGER events_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are immutable'); END;
CREATE TRIGGER events_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are immutable'); END;

-- workspaces: which folder takes the files of which project.
-- debts: the versions whose files a workspace is still owed; a trigger makes
-- them, so that whoever approves can not forget.
-- live_files: the contents that a workspace's live file may have, to tell an
-- edit by hand.
CREATE TABLE workspaces (
  dir     TEXT PRIMARY KEY,
  project TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE debts (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  dir     TEXT NOT NULL REFERENCES workspaces (dir),
  subject TEXT NOT NULL,
  number  INTEGER NOT NULL,
  FOREIGN KEY (subject, number) REFERENCES versions (subject, number)
) STRICT;
CREATE INDEX debts_by_dir ON debts (dir, seq);
CREATE TRIGGER versions_owed AFTER INSERT ON versions BEGIN
  INSERT INTO debts (dir, subject, number)
  SELECT dir, NEW.subject, NEW.number FROM workspaces
  WHERE NEW.layer NOT LIKE 'project/%' OR NEW.layer = 'project/' || project;
END;
CREATE TABLE live_files (
  dir  TEXT NOT NULL REFERENCES workspaces (dir),
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  PRIMARY KEY (dir, hash)
) STRICT, WITHOUT ROWID;

-- core: the locked tools and what they must be.
CREATE TABLE core (
  id           TEXT PRIMARY KEY,
  content_hash TEXT NOT NULL CHECK (length(content_hash) = 64)
) STRICT, WITHOUT ROWID;
