CREATE TABLE live (
  subject TEXT PRIMARY KEY CHECK (subject = kind || ':' || layer || '/' || id),
  kind TEXT NOT NULL CHECK (kind IN ('tool', 'agent')), layer TEXT NOT NULL, id TEXT NOT NULL,
  version INTEGER NOT NULL, content_hash TEXT NOT NULL,
  name TEXT NOT NULL, tool_kind TEXT NOT NULL, category TEXT NOT NULL, tier TEXT NOT NULL, approval TEXT NOT NULL, tag TEXT NOT NULL,
  status TEXT NOT NULL, locked INTEGER NOT NULL CHECK (locked IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE TABLE names (name TEXT NOT NULL, subject TEXT NOT NULL, PRIMARY KEY (name, subject)) STRICT, WITHOUT ROWID;
CREATE TABLE proposals (
  seq INTEGER PRIMARY KEY CHECK (seq > 0), id TEXT NOT NULL UNIQUE CHECK (length(id) = 2), type TEXT NOT NULL,
  kind TEXT NOT NULL, subject TEXT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL, revision INTEGER NOT NULL,
  content_hash TEXT NOT NULL, base_version INTEGER NOT NULL CHECK (base_version >= 0), author TEXT NOT NULL CHECK (author GLOB 'user:?*' OR author GLOB 'agent:*'),
  change_set TEXT NOT NULL, issue INTEGER NOT NULL DEFAULT 0, recommendation TEXT NOT NULL DEFAULT '',
  findings INTEGER NOT NULL DEFAULT 0, blocks INTEGER NOT NULL DEFAULT 0, worst TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, waived_until TEXT NOT NULL DEFAULT '',
  risk INTEGER GENERATED ALWAYS AS (
    min(blocks, 9999) * 10000000
    + CASE worst WHEN 'block' THEN 3 WHEN 'warn' THEN 2 WHEN 'info' THEN 1 ELSE 0 END * 1000000
    + min(findings, 999999)) VIRTUAL,
  CHECK ((issue = 0) = (state = 'draft'))
) STRICT;
CREATE INDEX proposals_by_state ON proposals (state);
CREATE INDEX proposals_by_risk ON proposals (state, risk);
CREATE INDEX proposals_by_author_kind ON proposals (substr(author, 1, instr(author, ':')), seq);
CREATE INDEX proposals_by_set ON proposals (change_set) WHERE change_set <> '';
CREATE INDEX proposals_by_issue ON proposals (issue) WHERE issue > 0;
CREATE TABLE issues (
  number INTEGER PRIMARY KEY, proposal TEXT NOT NULL UNIQUE, title TEXT NOT NULL, assignee TEXT NOT NULL, status TEXT NOT NULL, labels TEXT NOT NULL
) STRICT;
CREATE TABLE versions (
  seq INTEGER PRIMARY KEY, subject TEXT NOT NULL, id TEXT NOT NULL, number INTEGER NOT NULL, definition TEXT NOT NULL,
  content_hash TEXT NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL, proposal TEXT NOT NULL, decided_by TEXT NOT NULL
) STRICT;
CREATE INDEX versions_by_wire_name ON versions (iif(json_valid(definition), definition ->> '$.provider.name', NULL));
CREATE TABLE revisions (
  seq INTEGER PRIMARY KEY, proposal TEXT NOT NULL, number INTEGER NOT NULL, draft TEXT NOT NULL, content_hash TEXT NOT NULL,
  author TEXT NOT NULL, created_at TEXT NOT NULL, seal TEXT NOT NULL
) STRICT;
CREATE TABLE assessments (
  seq INTEGER PRIMARY KEY, proposal TEXT NOT NULL, revision INTEGER NOT NULL, recommendation TEXT NOT NULL, report TEXT NOT NULL, seal TEXT NOT NULL
) STRICT;
CREATE TABLE waivers (seq INTEGER PRIMARY KEY, proposal TEXT NOT NULL, seal TEXT NOT NULL) STRICT;
CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY, proposal TEXT NOT NULL, revision INTEGER NOT NULL, subject TEXT NOT NULL, content_hash TEXT NOT NULL,
  verdict TEXT NOT NULL, decided_by TEXT NOT NULL, version INTEGER NOT NULL, version_hash TEXT NOT NULL, seal TEXT NOT NULL
) STRICT;
CREATE TABLE events (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL, at TEXT NOT NULL, act TEXT NOT NULL, proposal TEXT NOT NULL, revision INTEGER NOT NULL,
  record TEXT NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_day ON events (substr(at, 1, 10));
