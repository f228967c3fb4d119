-- The queue and its records. Records are append-only in every file of this
-- schema: each row carries a seal (a hash over its columns), and triggers refuse
-- UPDATE and DELETE. A BEFORE INSERT trigger refuses a key that exists, because
-- INSERT OR REPLACE deletes a row without firing DELETE triggers.

-- proposals: the queue. The identity of a proposal never changes; its state does.
--
-- text_hash: of the texts of the tool in the current revision, '' for what has
-- none and for a deactivation. It finds the same text under another id.
-- waived_until: when the first waiver that the counts rely on expires; '' when
-- none does.
-- risk: sort key for the queue: open blocks first, then the worst finding, then
-- the number of findings. It is computed on reading.
CREATE TABLE proposals (
  seq            INTEGER PRIMARY KEY CHECK (seq > 0),
  id             TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  type           TEXT NOT NULL CHECK (type IN ('new', 'modify', 'deactivate', 'reactivate', 'restore')),
  kind           TEXT NOT NULL CHECK (kind IN ('tool', 'agent', 'list')),
  layer          TEXT NOT NULL,
  subject_id     TEXT NOT NULL,
  subject        TEXT NOT NULL CHECK (subject = kind || ':' || layer || '/' || subject_id),
  title          TEXT NOT NULL,
  state          TEXT NOT NULL CHECK (state IN ('draft', 'chief_review', 'user_review', 'needs_changes', 'approved', 'rejected', 'withdrawn')),
  revision       INTEGER NOT NULL CHECK (revision > 0),
  content_hash   TEXT NOT NULL,
  text_hash      TEXT NOT NULL DEFAULT '',
  base_version   INTEGER NOT NULL CHECK (base_version >= 0),
  author         TEXT NOT NULL,
  change_set     TEXT NOT NULL,
  issue          INTEGER NOT NULL DEFAULT 0,
  recommendation TEXT NOT NULL DEFAULT '',
  findings       INTEGER NOT NULL DEFAULT 0,
  blocks         INTEGER NOT NULL DEFAULT 0,
  warns          INTEGER NOT NULL DEFAULT 0,
  worst          TEXT NOT NULL DEFAULT '',
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL,
  waived_until   TEXT NOT NULL DEFAULT '',
  risk           INTEGER GENERATED ALWAYS AS (
    min(blocks, 9999) * 10000000
    + CASE worst WHEN 'block' THEN 3 WHEN 'warn' THEN 2 WHEN 'info' THEN 1 ELSE 0 END * 1000000
    + min(findings, 999999)) VIRTUAL
) STRICT;
CREATE INDEX proposals_by_state ON proposals (state, seq);
CREATE INDEX proposals_by_author ON proposals (author, seq);
CREATE INDEX proposals_by_author_kind ON proposals (substr(author, 1, instr(author, ':')), seq);
CREATE INDEX proposals_by_subject ON proposals (subject, seq);
CREATE INDEX proposals_by_change_set ON proposals (change_set, seq) WHERE change_set <> '';
CREATE INDEX proposals_by_subject_id ON proposals (subject_id, state);
CREATE INDEX proposals_by_issue ON proposals (issue) WHERE issue > 0;
-- Most proposals are new; the other types are looked for.
CREATE INDEX proposals_by_type ON proposals (type, seq) WHERE type <> 'new';
-- What is open is compared with what is live of its subject.
CREATE INDEX proposals_open ON proposals (subject, base_version)
WHERE state IN ('draft', 'chief_review', 'user_review', 'needs_changes');
-- Only what is open or rejected is looked for by its text.
CREATE INDEX proposals_by_text ON proposals (text_hash)
WHERE text_hash <> '' AND state <> 'approved' AND state <> 'withdrawn';
-- The queue sorts by these within a state. Each ends with seq, the rowid, without
-- naming it.
CREATE INDEX proposals_by_risk ON proposals (state, risk);
CREATE INDEX proposals_by_state_subject ON proposals (state, subject);
CREATE INDEX proposals_by_state_author ON proposals (state, author);

CREATE TRIGGER proposals_insert BEFORE INSERT ON proposals
WHEN EXISTS (SELECT 1 FROM proposals WHERE seq = NEW.seq OR id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'proposals are never replaced'); END;
CREATE TRIGGER proposals_delete BEFORE DELETE ON proposals
BEGIN SELECT RAISE(ABORT, 'proposals are never deleted'); END;
-- The comparisons are written out because IN with three or more values makes
-- SQLite build a temporary table on every write.
CREATE TRIGGER proposals_update BEFORE UPDATE ON proposals
WHEN OLD.state = 'approved' OR OLD.state = 'rejected' OR OLD.state = 'withdrawn'
  OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.subject <> OLD.subject
  OR NEW.author <> OLD.author OR NEW.created_at <> OLD.created_at
  OR NEW.revision <> OLD.revision AND NEW.revision <> OLD.revision + 1
BEGIN SELECT RAISE(ABORT, 'a proposal keeps its identity, and a closed one its state'); END;

-- counters: the number of proposals per state, so that a count reads one row
-- instead of scanning.
CREATE TABLE counters (state TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER proposals_counted AFTER INSERT ON proposals BEGIN
  INSERT INTO counters VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER proposals_recounted AFTER UPDATE OF state ON proposals WHEN NEW.state <> OLD.state BEGIN
  UPDATE counters SET n = n - 1 WHERE state = OLD.state;
  INSERT INTO counters VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET n = n + 1;
END;

-- proposals_text: trigram index for substrings of three or more characters. Its
-- rowid is seq, so that hits come in order of creation. Two line feeds after the
-- body let every character start a trigram; proposals_terms lists the trigrams
-- and finds shorter substrings as prefixes of them. The table keeps the bodies, so
-- that the engine's integrity check compares the index with them.
CREATE VIRTUAL TABLE proposals_text USING fts5 (body, tokenize = 'trigram');
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

-- revisions (records): the drafts, as canonical JSON.
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

-- proposal_rules: the rules of the findings in the newest assessment of the current
-- revision, for filters. proposal is the seq of the proposal.
CREATE TABLE proposal_rules (
  rule     TEXT NOT NULL,
  proposal INTEGER NOT NULL,
  PRIMARY KEY (rule, proposal)
) STRICT, WITHOUT ROWID;
CREATE INDEX proposal_rules_by_proposal ON proposal_rules (proposal);
CREATE TRIGGER proposals_revised AFTER UPDATE OF revision ON proposals WHEN NEW.revision <> OLD.revision BEGIN
  DELETE FROM proposal_rules WHERE proposal = NEW.seq;
END;
CREATE TRIGGER assessments_rules AFTER INSERT ON assessments BEGIN
  DELETE FROM proposal_rules WHERE proposal = (SELECT seq FROM proposals WHERE id = NEW.proposal);
  INSERT OR IGNORE INTO proposal_rules SELECT value ->> '$.rule', p.seq
  FROM proposals p, json_each(NEW.report, '$.findings') WHERE p.id = NEW.proposal AND p.revision = NEW.revision;
END;

-- waivers (records): findings that the user accepted.
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

-- decisions (records): the user's verdicts. 'endorsed' is an approval that waits for
-- another; members is then a seal over its change set, '' without one.
CREATE TABLE decisions (
  seq           INTEGER PRIMARY KEY CHECK (seq > 0),
  id            TEXT NOT NULL UNIQUE,
  proposal      TEXT NOT NULL,
  revision      INTEGER NOT NULL,
  subject       TEXT NOT NULL,
  content_hash  TEXT NOT NULL,
  verdict       TEXT NOT NULL CHECK (verdict IN ('approved', 'endorsed', 'needs_changes', 'rejected')),
  note          TEXT NOT NULL,
  decided_by    TEXT NOT NULL CHECK (decided_by GLOB 'user:?*'),
  decided_at    TEXT NOT NULL,
  assessment    TEXT NOT NULL REFERENCES assessments (id),
  review_digest TEXT NOT NULL CHECK (length(review_digest) = 64),
  version       INTEGER NOT NULL,
  version_hash  TEXT NOT NULL,
  signature     TEXT NOT NULL,
  shown         TEXT NOT NULL CHECK (shown IN ('expected', 'shown', 'not_shown')),
  members       TEXT NOT NULL,
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

-- shown: the review that a user was last shown of a proposal. An approval that
-- names no digest has to be of exactly that. Rows change with every look.
CREATE TABLE shown (
  user     TEXT NOT NULL CHECK (user GLOB 'user:?*'),
  proposal TEXT NOT NULL REFERENCES proposals (id),
  digest   TEXT NOT NULL,
  parts    TEXT NOT NULL,
  shown_at TEXT NOT NULL,
  PRIMARY KEY (user, proposal)
) STRICT, WITHOUT ROWID;

-- issues: who has to act on a proposal.
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

-- comments (records): the issue threads.
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
