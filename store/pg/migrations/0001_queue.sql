-- The queue and its records: the tables of the SQLite schema, with the same
-- columns and the same meaning; the comments there explain them. Text sorts by
-- its bytes. Numbers of rows are assigned by the program, under the lock of the
-- writer row; there are no sequences, because a sequence leaves gaps.

-- schema_migrations: the steps that were run. The highest number is the schema's.
CREATE TABLE schema_migrations (
  number bigint PRIMARY KEY CHECK (number > 0)
);

-- writer: one row. A transaction that writes locks it first, with SELECT ... FOR
-- UPDATE, and so waits for every other one.
CREATE TABLE writer (
  id bigint PRIMARY KEY CHECK (id = 1)
);
INSERT INTO writer (id) VALUES (1);

-- The functions of SQLite that the program's statements use. A path is '$', '$.a.b'
-- or '$[3]'. None of them sets the search path, which would keep the planner from
-- replacing a call by its body; every name in the bodies is of pg_catalog.
CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS 'SELECT pg_catalog.strpos($1, $2)';
CREATE FUNCTION json_steps(path text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT pg_catalog.string_to_array(pg_catalog.ltrim(pg_catalog.translate(pg_catalog.substr($1, 2), '[]', '.'), '.'), '.') $$;
CREATE FUNCTION json_extract(document text, path text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT pg_catalog.json_extract_path_text(CAST($1 AS pg_catalog.json), VARIADIC toolcrib.json_steps($2)) $$;
CREATE FUNCTION json_each(document text, path text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT pg_catalog.json_array_elements_text(d) FROM (
    SELECT pg_catalog.json_extract_path(CAST($1 AS pg_catalog.json), VARIADIC toolcrib.json_steps($2)) AS d
  ) found WHERE pg_catalog.json_typeof(d) OPERATOR(pg_catalog.=) 'array'
$$;

-- refuse is the trigger of what must not happen. Its argument tells why.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;

-- writer_update allows the lock and no change.
CREATE TRIGGER writer_update BEFORE UPDATE OR DELETE ON writer FOR EACH ROW EXECUTE FUNCTION refuse('the writer row is only locked');
CREATE TRIGGER writer_truncate BEFORE TRUNCATE ON writer FOR EACH STATEMENT EXECUTE FUNCTION refuse('the writer row is only locked');

CREATE TABLE proposals (
  seq            bigint PRIMARY KEY CHECK (seq > 0),
  id             text COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
  type           text COLLATE "C" NOT NULL CHECK (type IN ('new', 'modify', 'deactivate', 'reactivate', 'restore')),
  kind           text COLLATE "C" NOT NULL CHECK (kind IN ('tool', 'agent', 'list')),
  layer          text COLLATE "C" NOT NULL,
  subject_id     text COLLATE "C" NOT NULL,
  subject        text COLLATE "C" NOT NULL CHECK (subject = kind || ':' || layer || '/' || subject_id),
  title          text COLLATE "C" NOT NULL,
  state          text COLLATE "C" NOT NULL CHECK (state IN ('draft', 'chief_review', 'user_review', 'needs_changes', 'approved', 'rejected', 'withdrawn')),
  revision       bigint NOT NULL CHECK (revision > 0),
  content_hash   text COLLATE "C" NOT NULL,
  text_hash      text COLLATE "C" NOT NULL DEFAULT '',
  base_version   bigint NOT NULL CHECK (base_version >= 0),
  author         text COLLATE "C" NOT NULL,
  change_set     text COLLATE "C" NOT NULL,
  issue          bigint NOT NULL DEFAULT 0,
  recommendation text COLLATE "C" NOT NULL DEFAULT '',
  findings       bigint NOT NULL DEFAULT 0,
  blocks         bigint NOT NULL DEFAULT 0,
  warns          bigint NOT NULL DEFAULT 0,
  worst          text COLLATE "C" NOT NULL DEFAULT '',
  created_at     text COLLATE "C" NOT NULL,
  updated_at     text COLLATE "C" NOT NULL,
  waived_until   text COLLATE "C" NOT NULL DEFAULT '',
  risk           bigint GENERATED ALWAYS AS (
    least(blocks, 9999) * 10000000
    + CASE worst WHEN 'block' THEN 3 WHEN 'warn' THEN 2 WHEN 'info' THEN 1 ELSE 0 END * 1000000
    + least(findings, 999999)) STORED
);
CREATE INDEX proposals_by_state ON proposals (state, seq);
CREATE INDEX proposals_by_author ON proposals (author, seq);
CREATE INDEX proposals_by_author_kind ON proposals (substr(author, 1, instr(author, ':')), seq);
CREATE INDEX proposals_by_subject ON proposals (subject, seq);
CREATE INDEX proposals_by_change_set ON proposals (change_set, seq) WHERE change_set <> '';
CREATE INDEX proposals_by_subject_id ON proposals (subject_id, state);
CREATE INDEX proposals_by_issue ON proposals (issue) WHERE issue > 0;
CREATE INDEX proposals_by_type ON proposals (type, seq) WHERE type <> 'new';
CREATE INDEX proposals_open ON proposals (subject, base_version)
WHERE state IN ('draft', 'chief_review', 'user_review', 'needs_changes');
CREATE INDEX proposals_by_text ON proposals (text_hash)
WHERE text_hash <> '' AND state <> 'approved' AND state <> 'withdrawn';
CREATE INDEX proposals_by_risk ON proposals (state, risk, seq);
CREATE INDEX proposals_by_state_subject ON proposals (state, subject, seq);
CREATE INDEX proposals_by_state_author ON proposals (state, author, seq);

-- proposals_text is the trigram index of the queue, where pg_trgm is installed,
-- which may be in another schema.
DO $$
DECLARE
  home text;
BEGIN
  SELECT n.nspname INTO home FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
  IF home IS NOT NULL THEN
    EXECUTE pg_catalog.format('CREATE INDEX proposals_text ON proposals USING gin '
      '(lower(subject || ''%s'' || title || ''%1$s'' || author || ''%1$s'' || change_set) %I.gin_trgm_ops)', E'\n', home);
  END IF;
END $$;

CREATE TRIGGER proposals_delete BEFORE DELETE ON proposals FOR EACH ROW EXECUTE FUNCTION refuse('proposals are never deleted');
CREATE TRIGGER proposals_truncate BEFORE TRUNCATE ON proposals FOR EACH STATEMENT EXECUTE FUNCTION refuse('proposals are never deleted');
CREATE TRIGGER proposals_update BEFORE UPDATE ON proposals FOR EACH ROW
WHEN (OLD.state IN ('approved', 'rejected', 'withdrawn')
  OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.subject <> OLD.subject
  OR NEW.author <> OLD.author OR NEW.created_at <> OLD.created_at
  OR NEW.revision <> OLD.revision AND NEW.revision <> OLD.revision + 1)
EXECUTE FUNCTION refuse('a proposal keeps its identity, and a closed one its state');

-- Tables that are derived from others have no grant to write. The triggers that
-- keep them run as the owner, because a role that could write a counter itself
-- could falsify it. Each does one thing, with names of this schema alone, and
-- cannot be called but by its table.
CREATE TABLE counters (state text COLLATE "C" PRIMARY KEY, n bigint NOT NULL);
CREATE FUNCTION count_proposal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE counters SET n = n - 1 WHERE state = OLD.state;
  END IF;
  INSERT INTO counters AS c (state, n) VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET n = c.n + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER proposals_counted AFTER INSERT ON proposals FOR EACH ROW EXECUTE FUNCTION count_proposal();
CREATE TRIGGER proposals_recounted AFTER UPDATE OF state ON proposals FOR EACH ROW
WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION count_proposal();

-- The foreign key is checked at once: the program writes the proposal first.
CREATE TABLE revisions (
  seq          bigint PRIMARY KEY CHECK (seq > 0),
  proposal     text COLLATE "C" NOT NULL REFERENCES proposals (id),
  number       bigint NOT NULL CHECK (number > 0),
  draft        text COLLATE "C" NOT NULL,
  content_hash text COLLATE "C" NOT NULL,
  author       text COLLATE "C" NOT NULL,
  created_at   text COLLATE "C" NOT NULL,
  seal         text COLLATE "C" NOT NULL CHECK (length(seal) = 64),
  UNIQUE (proposal, number)
);
CREATE FUNCTION check_revision() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  IF NEW.number <> 1 + coalesce((SELECT max(number) FROM revisions WHERE proposal = NEW.proposal), 0) THEN
    RAISE EXCEPTION 'revisions are only appended' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER revisions_insert BEFORE INSERT ON revisions FOR EACH ROW EXECUTE FUNCTION check_revision();
CREATE TRIGGER revisions_update BEFORE UPDATE OR DELETE ON revisions FOR EACH ROW EXECUTE FUNCTION refuse('revisions are immutable');
CREATE TRIGGER revisions_truncate BEFORE TRUNCATE ON revisions FOR EACH STATEMENT EXECUTE FUNCTION refuse('revisions are immutable');

CREATE TABLE assessments (
  seq            bigint PRIMARY KEY CHECK (seq > 0),
  id             text COLLATE "C" NOT NULL UNIQUE,
  proposal       text COLLATE "C" NOT NULL,
  revision       bigint NOT NULL,
  content_hash   text COLLATE "C" NOT NULL,
  reviewer       text COLLATE "C" NOT NULL,
  recommendation text COLLATE "C" NOT NULL CHECK (recommendation IN ('approve', 'needs_changes', 'reject')),
  report         text COLLATE "C" NOT NULL,
  rules_version  text COLLATE "C" NOT NULL,
  created_at     text COLLATE "C" NOT NULL,
  seal           text COLLATE "C" NOT NULL CHECK (length(seal) = 64),
  FOREIGN KEY (proposal, revision) REFERENCES revisions (proposal, number)
);
CREATE INDEX assessments_by_revision ON assessments (proposal, revision, seq);
CREATE TRIGGER assessments_update BEFORE UPDATE OR DELETE ON assessments FOR EACH ROW EXECUTE FUNCTION refuse('assessments are immutable');
CREATE TRIGGER assessments_truncate BEFORE TRUNCATE ON assessments FOR EACH STATEMENT EXECUTE FUNCTION refuse('assessments are immutable');

CREATE TABLE proposal_rules (
  rule     text COLLATE "C" NOT NULL,
  proposal bigint NOT NULL,
  PRIMARY KEY (rule, proposal)
);
CREATE INDEX proposal_rules_by_proposal ON proposal_rules (proposal);
CREATE FUNCTION forget_rules() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  DELETE FROM proposal_rules WHERE proposal = NEW.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER proposals_revised AFTER UPDATE OF revision ON proposals FOR EACH ROW
WHEN (NEW.revision <> OLD.revision) EXECUTE FUNCTION forget_rules();
CREATE FUNCTION list_rules() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  DELETE FROM proposal_rules WHERE proposal = (SELECT seq FROM proposals WHERE id = NEW.proposal);
  INSERT INTO proposal_rules (rule, proposal)
  SELECT DISTINCT json_extract(f.value, '$.rule'), p.seq
  FROM proposals p, json_each(NEW.report, '$.findings') f WHERE p.id = NEW.proposal AND p.revision = NEW.revision;
  RETURN NULL;
END $$;
CREATE TRIGGER assessments_rules AFTER INSERT ON assessments FOR EACH ROW EXECUTE FUNCTION list_rules();

CREATE TABLE waivers (
  seq        bigint PRIMARY KEY CHECK (seq > 0),
  id         text COLLATE "C" NOT NULL UNIQUE,
  proposal   text COLLATE "C" NOT NULL REFERENCES proposals (id),
  waiver     text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  seal       text COLLATE "C" NOT NULL CHECK (length(seal) = 64)
);
CREATE INDEX waivers_by_proposal ON waivers (proposal, seq);
CREATE TRIGGER waivers_update BEFORE UPDATE OR DELETE ON waivers FOR EACH ROW EXECUTE FUNCTION refuse('waivers are immutable');
CREATE TRIGGER waivers_truncate BEFORE TRUNCATE ON waivers FOR EACH STATEMENT EXECUTE FUNCTION refuse('waivers are immutable');

CREATE TABLE decisions (
  seq           bigint PRIMARY KEY CHECK (seq > 0),
  id            text COLLATE "C" NOT NULL UNIQUE,
  proposal      text COLLATE "C" NOT NULL,
  revision      bigint NOT NULL,
  subject       text COLLATE "C" NOT NULL,
  content_hash  text COLLATE "C" NOT NULL,
  verdict       text COLLATE "C" NOT NULL CHECK (verdict IN ('approved', 'endorsed', 'needs_changes', 'rejected')),
  note          text COLLATE "C" NOT NULL,
  decided_by    text COLLATE "C" NOT NULL CHECK (decided_by LIKE 'user:_%'),
  decided_at    text COLLATE "C" NOT NULL,
  assessment    text COLLATE "C" NOT NULL REFERENCES assessments (id),
  review_digest text COLLATE "C" NOT NULL CHECK (length(review_digest) = 64),
  version       bigint NOT NULL,
  version_hash  text COLLATE "C" NOT NULL,
  signature     text COLLATE "C" NOT NULL,
  shown         text COLLATE "C" NOT NULL CHECK (shown IN ('expected', 'shown', 'not_shown')),
  members       text COLLATE "C" NOT NULL,
  seal          text COLLATE "C" NOT NULL CHECK (length(seal) = 64),
  CHECK ((verdict = 'approved') = (version > 0)),
  FOREIGN KEY (proposal, revision) REFERENCES revisions (proposal, number)
);
CREATE UNIQUE INDEX decisions_one_approval ON decisions (proposal) WHERE verdict = 'approved';
CREATE INDEX decisions_by_proposal ON decisions (proposal, seq);
CREATE INDEX decisions_rejections ON decisions (subject, content_hash) WHERE verdict = 'rejected';
CREATE TRIGGER decisions_update BEFORE UPDATE OR DELETE ON decisions FOR EACH ROW EXECUTE FUNCTION refuse('decisions are immutable');
CREATE TRIGGER decisions_truncate BEFORE TRUNCATE ON decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse('decisions are immutable');

CREATE TABLE shown (
  "user"   text COLLATE "C" NOT NULL CHECK ("user" LIKE 'user:_%'),
  proposal text COLLATE "C" NOT NULL REFERENCES proposals (id),
  digest   text COLLATE "C" NOT NULL,
  parts    text COLLATE "C" NOT NULL,
  shown_at text COLLATE "C" NOT NULL,
  PRIMARY KEY ("user", proposal)
);

CREATE TABLE issues (
  number   bigint PRIMARY KEY CHECK (number > 0),
  proposal text COLLATE "C" NOT NULL UNIQUE REFERENCES proposals (id),
  title    text COLLATE "C" NOT NULL,
  assignee text COLLATE "C" NOT NULL,
  status   text COLLATE "C" NOT NULL CHECK (status IN ('open', 'closed')),
  labels   text COLLATE "C" NOT NULL
);
CREATE TRIGGER issues_update BEFORE UPDATE ON issues FOR EACH ROW
WHEN (NEW.number <> OLD.number OR NEW.proposal <> OLD.proposal)
EXECUTE FUNCTION refuse('an issue keeps its number and its proposal');
CREATE TRIGGER issues_delete BEFORE DELETE ON issues FOR EACH ROW EXECUTE FUNCTION refuse('issues are never deleted');
CREATE TRIGGER issues_truncate BEFORE TRUNCATE ON issues FOR EACH STATEMENT EXECUTE FUNCTION refuse('issues are never deleted');

CREATE TABLE comments (
  seq        bigint PRIMARY KEY CHECK (seq > 0),
  id         text COLLATE "C" NOT NULL UNIQUE,
  proposal   text COLLATE "C" NOT NULL REFERENCES proposals (id),
  revision   bigint NOT NULL,
  author     text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  body       text COLLATE "C" NOT NULL,
  field      text COLLATE "C" NOT NULL,
  line       bigint NOT NULL CHECK (line >= 0),
  seal       text COLLATE "C" NOT NULL CHECK (length(seal) = 64)
);
CREATE INDEX comments_by_proposal ON comments (proposal, seq);
CREATE TRIGGER comments_update BEFORE UPDATE OR DELETE ON comments FOR EACH ROW EXECUTE FUNCTION refuse('comments are immutable');
CREATE TRIGGER comments_truncate BEFORE TRUNCATE ON comments FOR EACH STATEMENT EXECUTE FUNCTION refuse('comments are immutable');
