-- The data of the assistant's built-in tools. Every row belongs to an owner (a user
-- of a customer), and every index begins with the owner. Deletion is soft: a row
-- with a deleted_at is hidden from everybody, and the indexes that the tools use
-- leave it out.

-- owners: the instructions enter prompts, so a seal covers them. It is '' as long
-- as there are none.
CREATE TABLE owners (
  id           INTEGER PRIMARY KEY CHECK (id > 0),
  customer     TEXT NOT NULL,
  user         TEXT NOT NULL CHECK (user <> ''),
  instructions TEXT NOT NULL DEFAULT '',
  seal         TEXT NOT NULL DEFAULT '',
  UNIQUE (customer, user)
) STRICT;

-- projects: name_key is the folded name that comparisons use.
CREATE TABLE projects (
  id       INTEGER PRIMARY KEY CHECK (id > 0),
  owner    INTEGER NOT NULL REFERENCES owners (id),
  name     TEXT NOT NULL,
  name_key TEXT NOT NULL,
  UNIQUE (owner, name_key)
) STRICT;

-- conversations: the project that is set for an agent.
CREATE TABLE conversations (
  owner   INTEGER NOT NULL REFERENCES owners (id),
  agent   TEXT NOT NULL,
  project INTEGER REFERENCES projects (id),
  PRIMARY KEY (owner, agent)
) STRICT, WITHOUT ROWID;

-- tasks: a task without a due date is due at '~', which sorts after every time.
CREATE TABLE tasks (
  seq        INTEGER PRIMARY KEY CHECK (seq > 0),
  id         TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  owner      INTEGER NOT NULL REFERENCES owners (id),
  title      TEXT NOT NULL,
  notes      TEXT NOT NULL,
  status     TEXT NOT NULL CHECK (status IN ('open', 'done', 'cancelled')),
  due        TEXT NOT NULL CHECK (due <> ''),
  priority   TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high')),
  project    INTEGER REFERENCES projects (id),
  tags       TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX tasks_by_due ON tasks (owner, due, seq) WHERE deleted_at = '';
CREATE INDEX tasks_by_status ON tasks (owner, status, due, seq) WHERE deleted_at = '';
CREATE INDEX tasks_by_project ON tasks (owner, project, due, seq) WHERE deleted_at = '' AND project IS NOT NULL;
CREATE INDEX tasks_by_project_status ON tasks (owner, project, status, due, seq) WHERE deleted_at = '' AND project IS NOT NULL;

-- task_days: the number of open tasks due on each day, so that a count reads one
-- row per day instead of scanning.
CREATE TABLE task_days (
  owner INTEGER NOT NULL,
  day   TEXT NOT NULL,
  n     INTEGER NOT NULL CHECK (n >= 0),
  PRIMARY KEY (owner, day)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER tasks_counted AFTER INSERT ON tasks WHEN NEW.status = 'open' AND NEW.deleted_at = '' BEGIN
  INSERT INTO task_days VALUES (NEW.owner, substr(NEW.due, 1, 10), 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER tasks_recounted AFTER UPDATE ON tasks
WHEN NEW.status <> OLD.status OR NEW.due <> OLD.due OR NEW.deleted_at <> OLD.deleted_at BEGIN
  UPDATE task_days SET n = n - 1 WHERE owner = OLD.owner AND day = substr(OLD.due, 1, 10) AND OLD.status = 'open' AND OLD.deleted_at = '';
  DELETE FROM task_days WHERE owner = OLD.owner AND day = substr(OLD.due, 1, 10) AND n = 0;
  INSERT INTO task_days SELECT NEW.owner, substr(NEW.due, 1, 10), 1 WHERE NEW.status = 'open' AND NEW.deleted_at = ''
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER tasks_update BEFORE UPDATE ON tasks
WHEN OLD.deleted_at <> '' OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.owner <> OLD.owner
BEGIN SELECT RAISE(ABORT, 'a task keeps its identity, and a deleted one its state'); END;
CREATE TRIGGER tasks_delete BEFORE DELETE ON tasks BEGIN SELECT RAISE(ABORT, 'tasks are only marked as deleted'); END;

CREATE TABLE reminders (
  seq        INTEGER PRIMARY KEY CHECK (seq > 0),
  id         TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  owner      INTEGER NOT NULL REFERENCES owners (id),
  text       TEXT NOT NULL,
  remind_at  TEXT NOT NULL,
  sent       INTEGER NOT NULL DEFAULT 0 CHECK (sent IN (0, 1)),
  task       TEXT NOT NULL,
  channel    TEXT NOT NULL,
  created_at TEXT NOT NULL,
  deleted_at TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX reminders_by_time ON reminders (owner, remind_at, seq) WHERE deleted_at = '';
CREATE INDEX reminders_by_status ON reminders (owner, sent, remind_at, seq) WHERE deleted_at = '';
CREATE TRIGGER reminders_update BEFORE UPDATE ON reminders
WHEN OLD.deleted_at <> '' OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.owner <> OLD.owner
BEGIN SELECT RAISE(ABORT, 'a reminder keeps its identity, and a deleted one its state'); END;
CREATE TRIGGER reminders_delete BEFORE DELETE ON reminders BEGIN SELECT RAISE(ABORT, 'reminders are only marked as deleted'); END;

CREATE TABLE schedules (
  seq         INTEGER PRIMARY KEY CHECK (seq > 0),
  id          TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  owner       INTEGER NOT NULL REFERENCES owners (id),
  title       TEXT NOT NULL,
  instruction TEXT NOT NULL,
  cron        TEXT NOT NULL,
  zone        TEXT NOT NULL,
  channel     TEXT NOT NULL,
  ends_at     TEXT NOT NULL,
  created_at  TEXT NOT NULL,
  deleted_at  TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX schedules_by_owner ON schedules (owner, seq) WHERE deleted_at = '';
CREATE TRIGGER schedules_update BEFORE UPDATE ON schedules
WHEN OLD.deleted_at <> '' OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.owner <> OLD.owner
BEGIN SELECT RAISE(ABORT, 'a schedule keeps its identity, and a deleted one its state'); END;
CREATE TRIGGER schedules_delete BEFORE DELETE ON schedules BEGIN SELECT RAISE(ABORT, 'schedules are only marked as deleted'); END;

-- memories: a change gives a memory a new seq, so that seq orders them by the time
-- they were stored or last changed.
CREATE TABLE memories (
  seq        INTEGER PRIMARY KEY CHECK (seq > 0),
  id         TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  owner      INTEGER NOT NULL REFERENCES owners (id),
  content    TEXT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('fact', 'preference', 'event', 'note')),
  importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 5),
  project    INTEGER REFERENCES projects (id),
  tags       TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX memories_by_owner ON memories (owner, seq) WHERE deleted_at = '';
CREATE INDEX memories_by_kind ON memories (owner, kind, seq) WHERE deleted_at = '';
CREATE INDEX memories_by_project ON memories (owner, project, seq) WHERE deleted_at = '' AND project IS NOT NULL;
CREATE INDEX memories_by_project_kind ON memories (owner, project, kind, seq) WHERE deleted_at = '' AND project IS NOT NULL;
CREATE INDEX memories_by_update ON memories (owner, updated_at, seq) WHERE deleted_at = '';
CREATE INDEX memories_by_end ON memories (owner, expires_at) WHERE deleted_at = '' AND expires_at <> '';
CREATE TRIGGER memories_update BEFORE UPDATE ON memories
WHEN OLD.deleted_at <> '' OR NEW.seq < OLD.seq OR NEW.id <> OLD.id OR NEW.owner <> OLD.owner
BEGIN SELECT RAISE(ABORT, 'a memory keeps its identity, and a deleted one its state'); END;
CREATE TRIGGER memories_delete BEFORE DELETE ON memories BEGIN SELECT RAISE(ABORT, 'memories are only marked as deleted'); END;

-- memories_text: search index over terms that the program makes: words and filters,
-- each prefixed with its owner's number, so that no search touches, or is slowed
-- by, rows of somebody else. rowid is seq. The tokenizer keeps the terms as they are.
CREATE VIRTUAL TABLE memories_text USING fts5 (
  terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars ':~^#@$!_'"
);

-- memory_links: links from a memory to another memory or an entity.
CREATE TABLE memory_links (
  seq        INTEGER PRIMARY KEY CHECK (seq > 0),
  owner      INTEGER NOT NULL REFERENCES owners (id),
  memory     TEXT NOT NULL REFERENCES memories (id),
  target     TEXT NOT NULL,
  to_entity  INTEGER NOT NULL CHECK (to_entity IN (0, 1)),
  relation   TEXT NOT NULL,
  created_at TEXT NOT NULL,
  deleted_at TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX memory_links_once ON memory_links (memory, target, relation) WHERE deleted_at = '';
CREATE INDEX memory_links_to ON memory_links (target, seq) WHERE deleted_at = '';
CREATE TRIGGER memory_links_delete BEFORE DELETE ON memory_links BEGIN SELECT RAISE(ABORT, 'links are only marked as deleted'); END;

-- entities: memories counts the linked memories; an entity is deleted with the
-- last of them.
CREATE TABLE entities (
  seq        INTEGER PRIMARY KEY CHECK (seq > 0),
  id         TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  owner      INTEGER NOT NULL REFERENCES owners (id),
  name       TEXT NOT NULL,
  name_key   TEXT NOT NULL,
  type       TEXT NOT NULL CHECK (type IN ('person', 'organisation', 'place', 'project', 'thing', 'other')),
  aliases    TEXT NOT NULL,
  memories   INTEGER NOT NULL DEFAULT 0 CHECK (memories >= 0),
  deleted_at TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX entities_by_name ON entities (owner, name_key, type) WHERE deleted_at = '';
CREATE INDEX entities_by_count ON entities (owner, memories DESC, name_key, seq) WHERE deleted_at = '';
CREATE INDEX entities_by_type ON entities (owner, type, memories DESC, name_key, seq) WHERE deleted_at = '';
CREATE TRIGGER entities_update BEFORE UPDATE ON entities
WHEN OLD.deleted_at <> '' OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.owner <> OLD.owner
BEGIN SELECT RAISE(ABORT, 'an entity keeps its identity, and a deleted one its state'); END;
CREATE TRIGGER entities_delete BEFORE DELETE ON entities BEGIN SELECT RAISE(ABORT, 'entities are only marked as deleted'); END;
CREATE VIRTUAL TABLE entities_text USING fts5 (
  terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars ':~^#@$!_'"
);

-- entity_projects: the number of memories of a project that are linked to an entity.
CREATE TABLE entity_projects (
  project INTEGER NOT NULL REFERENCES projects (id),
  entity  INTEGER NOT NULL REFERENCES entities (seq),
  n       INTEGER NOT NULL CHECK (n >= 0),
  PRIMARY KEY (project, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_projects_by_count ON entity_projects (project, n DESC, entity);
