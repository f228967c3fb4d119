-- The data of the assistant's built-in tools. Every row belongs to an owner (a user
-- of a customer), and every index begins with the owner.

CREATE TABLE owners (
  id           bigint PRIMARY KEY CHECK (id > 0),
  customer     text COLLATE "C" NOT NULL,
  "user"       text COLLATE "C" NOT NULL CHECK ("user" <> ''),
  instructions text COLLATE "C" NOT NULL DEFAULT '',
  seal         text COLLATE "C" NOT NULL DEFAULT '',
  UNIQUE (customer, "user")
);

CREATE TABLE projects (
  id       bigint PRIMARY KEY CHECK (id > 0),
  owner    bigint NOT NULL REFERENCES owners (id),
  name     text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  UNIQUE (owner, name_key)
);

CREATE TABLE conversations (
  owner   bigint NOT NULL REFERENCES owners (id),
  agent   text COLLATE "C" NOT NULL,
  project bigint REFERENCES projects (id),
  PRIMARY KEY (owner, agent)
);

CREATE TABLE tasks (
  seq        bigint PRIMARY KEY CHECK (seq > 0),
  id         text COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
  owner      bigint NOT NULL REFERENCES owners (id),
  title      text COLLATE "C" NOT NULL,
  notes      text COLLATE "C" NOT NULL,
  status     text COLLATE "C" NOT NULL CHECK (status IN ('open', 'done', 'cancelled')),
  due        text COLLATE "C" NOT NULL CHECK (due <> ''),
  priority   text COLLATE "C" NOT NULL CHECK (priority IN ('low', 'normal', 'high')),
  project    bigint REFERENCES projects (id),
  tags       text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  deleted_at text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX tasks_by_due ON tasks (owner, due, seq) WHERE deleted_at = '';
CREATE INDEX tasks_by_status ON tasks (owner, status, due, seq) WHERE deleted_at = '';
CREATE INDEX tasks_by_project ON tasks (owner, project, due, seq) WHERE deleted_at = '' AND project IS NOT NULL;
CREATE INDEX tasks_by_project_status ON tasks (owner, project, status, due, seq) WHERE deleted_at = '' AND project IS NOT NULL;

CREATE TABLE task_days (
  owner bigint NOT NULL,
  day   text COLLATE "C" NOT NULL,
  n     bigint NOT NULL CHECK (n >= 0),
  PRIMARY KEY (owner, day)
);
CREATE FUNCTION count_task() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.status = 'open' AND OLD.deleted_at = '' THEN
    UPDATE task_days SET n = n - 1 WHERE owner = OLD.owner AND day = substr(OLD.due, 1, 10);
    DELETE FROM task_days WHERE owner = OLD.owner AND day = substr(OLD.due, 1, 10) AND n = 0;
  END IF;
  IF NEW.status = 'open' AND NEW.deleted_at = '' THEN
    INSERT INTO task_days AS d (owner, day, n) VALUES (NEW.owner, substr(NEW.due, 1, 10), 1)
    ON CONFLICT (owner, day) DO UPDATE SET n = d.n + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tasks_counted AFTER INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION count_task();
CREATE TRIGGER tasks_recounted AFTER UPDATE ON tasks FOR EACH ROW
WHEN (NEW.status <> OLD.status OR NEW.due <> OLD.due OR NEW.deleted_at <> OLD.deleted_at) EXECUTE FUNCTION count_task();
CREATE TRIGGER tasks_update BEFORE UPDATE ON tasks FOR EACH ROW
WHEN (OLD.deleted_at <> '' OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.owner <> OLD.owner)
EXECUTE FUNCTION refuse('a task keeps its identity, and a deleted one its state');
CREATE TRIGGER tasks_delete BEFORE DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION refuse('tasks are only marked as deleted');

CREATE TABLE reminders (
  seq        bigint PRIMARY KEY CHECK (seq > 0),
  id         text COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
  owner      bigint NOT NULL REFERENCES owners (id),
  text       text COLLATE "C" NOT NULL,
  remind_at  text COLLATE "C" NOT NULL,
  sent       bigint NOT NULL DEFAULT 0 CHECK (sent IN (0, 1)),
  task       text COLLATE "C" NOT NULL,
  channel    text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  deleted_at text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX reminders_by_time ON reminders (owner, remind_at, seq) WHERE deleted_at = '';
CREATE INDEX reminders_by_status ON reminders (owner, sent, remind_at, seq) WHERE deleted_at = '';
CREATE TRIGGER reminders_update BEFORE UPDATE ON reminders FOR EACH ROW
WHEN (OLD.deleted_at <> '' OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.owner <> OLD.owner)
EXECUTE FUNCTION refuse('a reminder keeps its identity, and a deleted one its state');
CREATE TRIGGER reminders_delete BEFORE DELETE ON reminders FOR EACH ROW EXECUTE FUNCTION refuse('reminders are only marked as deleted');

CREATE TABLE schedules (
  seq         bigint PRIMARY KEY CHECK (seq > 0),
  id          text COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
  owner       bigint NOT NULL REFERENCES owners (id),
  title       text COLLATE "C" NOT NULL,
  instruction text COLLATE "C" NOT NULL,
  cron        text COLLATE "C" NOT NULL,
  zone        text COLLATE "C" NOT NULL,
  channel     text COLLATE "C" NOT NULL,
  ends_at     text COLLATE "C" NOT NULL,
  created_at  text COLLATE "C" NOT NULL,
  deleted_at  text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX schedules_by_owner ON schedules (owner, seq) WHERE deleted_at = '';
CREATE TRIGGER schedules_update BEFORE UPDATE ON schedules FOR EACH ROW
WHEN (OLD.deleted_at <> '' OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.owner <> OLD.owner)
EXECUTE FUNCTION refuse('a schedule keeps its identity, and a deleted one its state');
CREATE TRIGGER schedules_delete BEFORE DELETE ON schedules FOR EACH ROW EXECUTE FUNCTION refuse('schedules are only marked as deleted');

CREATE TABLE memories (
  seq        bigint PRIMARY KEY CHECK (seq > 0),
  id         text COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
  owner      bigint NOT NULL REFERENCES owners (id),
  content    text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL CHECK (kind IN ('fact', 'preference', 'event', 'note')),
  importance bigint NOT NULL CHECK (importance BETWEEN 1 AND 5),
  project    bigint REFERENCES projects (id),
  tags       text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  deleted_at text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX memories_by_owner ON memories (owner, seq) WHERE deleted_at = '';
CREATE INDEX memories_by_kind ON memories (owner, kind, seq) WHERE deleted_at = '';
CREATE INDEX memories_by_project ON memories (owner, project, seq) WHERE deleted_at = '' AND project IS NOT NULL;
CREATE INDEX memories_by_project_kind ON memories (owner, project, kind, seq) WHERE deleted_at = '' AND project IS NOT NULL;
CREATE INDEX memories_by_update ON memories (owner, updated_at, seq) WHERE deleted_at = '';
CREATE INDEX memories_by_end ON memories (owner, expires_at) WHERE deleted_at = '' AND expires_at <> '';
CREATE TRIGGER memories_update BEFORE UPDATE ON memories FOR EACH ROW
WHEN (OLD.deleted_at <> '' OR NEW.seq < OLD.seq OR NEW.id <> OLD.id OR NEW.owner <> OLD.owner)
EXECUTE FUNCTION refuse('a memory keeps its identity, and a deleted one its state');
CREATE TRIGGER memories_delete BEFORE DELETE ON memories FOR EACH ROW EXECUTE FUNCTION refuse('memories are only marked as deleted');

-- memories_text, entities_text: the terms of a memory or an entity, separated by
-- spaces, and the same as a vector of which each term is one lexeme, whatever its
-- characters. Each begins with the number of its owner.
CREATE TABLE memories_text (
  rowid bigint PRIMARY KEY,
  terms text COLLATE "C" NOT NULL,
  lexemes tsvector GENERATED ALWAYS AS (array_to_tsvector(array_remove(string_to_array(terms, ' '), ''))) STORED
);
CREATE INDEX memories_text_lexemes ON memories_text USING gin (lexemes);

CREATE TABLE memory_links (
  seq        bigint PRIMARY KEY CHECK (seq > 0),
  owner      bigint NOT NULL REFERENCES owners (id),
  memory     text COLLATE "C" NOT NULL REFERENCES memories (id),
  target     text COLLATE "C" NOT NULL,
  to_entity  bigint NOT NULL CHECK (to_entity IN (0, 1)),
  relation   text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  deleted_at text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX memory_links_once ON memory_links (memory, target, relation) WHERE deleted_at = '';
CREATE INDEX memory_links_to ON memory_links (target, seq) WHERE deleted_at = '';
CREATE TRIGGER memory_links_delete BEFORE DELETE ON memory_links FOR EACH ROW EXECUTE FUNCTION refuse('links are only marked as deleted');

CREATE TABLE entities (
  seq        bigint PRIMARY KEY CHECK (seq > 0),
  id         text COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
  owner      bigint NOT NULL REFERENCES owners (id),
  name       text COLLATE "C" NOT NULL,
  name_key   text COLLATE "C" NOT NULL,
  type       text COLLATE "C" NOT NULL CHECK (type IN ('person', 'organisation', 'place', 'project', 'thing', 'other')),
  aliases    text COLLATE "C" NOT NULL,
  memories   bigint NOT NULL DEFAULT 0 CHECK (memories >= 0),
  deleted_at text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX entities_by_name ON entities (owner, name_key, type) WHERE deleted_at = '';
CREATE INDEX entities_by_count ON entities (owner, memories DESC, name_key, seq) WHERE deleted_at = '';
CREATE INDEX entities_by_type ON entities (owner, type, memories DESC, name_key, seq) WHERE deleted_at = '';
CREATE TRIGGER entities_update BEFORE UPDATE ON entities FOR EACH ROW
WHEN (OLD.deleted_at <> '' OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.owner <> OLD.owner)
EXECUTE FUNCTION refuse('an entity keeps its identity, and a deleted one its state');
CREATE TRIGGER entities_delete BEFORE DELETE ON entities FOR EACH ROW EXECUTE FUNCTION refuse('entities are only marked as deleted');
CREATE TABLE entities_text (
  rowid bigint PRIMARY KEY,
  terms text COLLATE "C" NOT NULL,
  lexemes tsvector GENERATED ALWAYS AS (array_to_tsvector(array_remove(string_to_array(terms, ' '), ''))) STORED
);
CREATE INDEX entities_text_lexemes ON entities_text USING gin (lexemes);

CREATE TABLE entity_projects (
  project bigint NOT NULL REFERENCES projects (id),
  entity  bigint NOT NULL REFERENCES entities (seq),
  n       bigint NOT NULL CHECK (n >= 0),
  PRIMARY KEY (project, entity)
);
CREATE INDEX entity_projects_by_count ON entity_projects (project, n DESC, entity);
