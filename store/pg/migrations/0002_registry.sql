-- The registry: versions, which of them are live, and what is derived from them.

CREATE TABLE versions (
  seq           bigint PRIMARY KEY CHECK (seq > 0),
  kind          text COLLATE "C" NOT NULL CHECK (kind IN ('tool', 'agent', 'list')),
  layer         text COLLATE "C" NOT NULL,
  id            text COLLATE "C" NOT NULL,
  subject       text COLLATE "C" NOT NULL CHECK (subject = kind || ':' || layer || '/' || id),
  number        bigint NOT NULL CHECK (number > 0),
  definition    text COLLATE "C" NOT NULL,
  content_hash  text COLLATE "C" NOT NULL CHECK (length(content_hash) = 64),
  prev_hash     text COLLATE "C" NOT NULL,
  hash          text COLLATE "C" NOT NULL CHECK (length(hash) = 64),
  proposal      text COLLATE "C" NOT NULL,
  revision      bigint NOT NULL,
  author        text COLLATE "C" NOT NULL,
  assessment    text COLLATE "C" NOT NULL,
  review_digest text COLLATE "C" NOT NULL,
  rendered      text COLLATE "C" NOT NULL,
  rules_version text COLLATE "C" NOT NULL,
  decided_by    text COLLATE "C" NOT NULL CHECK (decided_by = 'system' OR decided_by LIKE 'user:_%'),
  decided_at    text COLLATE "C" NOT NULL,
  note          text COLLATE "C" NOT NULL,
  waivers       text COLLATE "C" NOT NULL,
  signature     text COLLATE "C" NOT NULL,
  approvals     text COLLATE "C" NOT NULL,
  UNIQUE (subject, number)
);
CREATE INDEX versions_by_approvals ON versions (proposal) WHERE approvals <> '';
CREATE FUNCTION check_version() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
DECLARE
  last_number bigint;
  last_hash text;
BEGIN
  SELECT number, hash INTO last_number, last_hash FROM versions WHERE subject = NEW.subject ORDER BY number DESC LIMIT 1;
  IF NEW.number <> 1 + coalesce(last_number, 0) OR NEW.prev_hash <> coalesce(last_hash, '') THEN
    RAISE EXCEPTION 'versions are only appended, each to the one before' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER versions_insert BEFORE INSERT ON versions FOR EACH ROW EXECUTE FUNCTION check_version();
CREATE TRIGGER versions_update BEFORE UPDATE OR DELETE ON versions FOR EACH ROW EXECUTE FUNCTION refuse('versions are immutable');
CREATE TRIGGER versions_truncate BEFORE TRUNCATE ON versions FOR EACH STATEMENT EXECUTE FUNCTION refuse('versions are immutable');

CREATE TABLE live (
  subject      text COLLATE "C" PRIMARY KEY CHECK (subject = kind || ':' || layer || '/' || id),
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('tool', 'agent', 'list')),
  layer        text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  content_hash text COLLATE "C" NOT NULL,
  name         text COLLATE "C" NOT NULL,
  tool_kind    text COLLATE "C" NOT NULL,
  category     text COLLATE "C" NOT NULL,
  tier         text COLLATE "C" NOT NULL,
  approval     text COLLATE "C" NOT NULL,
  tag          text COLLATE "C" NOT NULL,
  status       text COLLATE "C" NOT NULL CHECK (status IN ('active', 'deactivated')),
  locked       bigint NOT NULL CHECK (locked IN (0, 1)),
  origin       text COLLATE "C" NOT NULL,
  source       text COLLATE "C" NOT NULL,
  FOREIGN KEY (subject, version) REFERENCES versions (subject, number)
);
CREATE INDEX live_by_id ON live (kind, id, layer);
CREATE INDEX live_by_category ON live (category, id) WHERE kind = 'tool' AND category <> '';
CREATE INDEX live_by_tool_kind ON live (tool_kind, id, layer, status) WHERE kind = 'tool';
CREATE INDEX live_by_name ON live (name) WHERE kind = 'tool';
CREATE INDEX live_by_tag ON live (tag) WHERE tag <> '';
CREATE INDEX live_by_origin ON live (origin) WHERE origin <> '';
CREATE TRIGGER live_update BEFORE UPDATE ON live FOR EACH ROW
WHEN (NEW.subject <> OLD.subject OR NEW.version <> OLD.version + 1 OR NEW.locked <> OLD.locked)
EXECUTE FUNCTION refuse('the live registry moves from one version to the next');
CREATE TRIGGER live_delete BEFORE DELETE ON live FOR EACH ROW
EXECUTE FUNCTION refuse('nothing leaves the live registry; deactivate it instead');
CREATE TRIGGER live_truncate BEFORE TRUNCATE ON live FOR EACH STATEMENT
EXECUTE FUNCTION refuse('nothing leaves the live registry; deactivate it instead');

CREATE TABLE names (
  name    text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL REFERENCES live (subject),
  PRIMARY KEY (name, subject)
);
CREATE INDEX names_by_subject ON names (subject);

CREATE TABLE sketches (
  block   bigint PRIMARY KEY,
  text    bytea NOT NULL,
  purpose bytea NOT NULL
);

CREATE TABLE recent_sketches (
  seq     bigint PRIMARY KEY,
  text    bytea NOT NULL,
  purpose bytea NOT NULL
);

CREATE TABLE core (
  id           text COLLATE "C" PRIMARY KEY,
  content_hash text COLLATE "C" NOT NULL CHECK (length(content_hash) = 64)
);
