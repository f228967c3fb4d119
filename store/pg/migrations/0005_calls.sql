-- The runtime log: who called which tool, the user's answers, and the outcomes.

CREATE TABLE pending_calls (
  seq          bigint PRIMARY KEY CHECK (seq > 0),
  id           text COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
  caller       text COLLATE "C" NOT NULL,
  agent        text COLLATE "C" NOT NULL,
  "user"       text COLLATE "C" NOT NULL,
  tool         text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  content_hash text COLLATE "C" NOT NULL CHECK (length(content_hash) = 64),
  args         text COLLATE "C" NOT NULL,
  said         text COLLATE "C" NOT NULL,
  digest       text COLLATE "C" NOT NULL CHECK (length(digest) = 64),
  asked_at     text COLLATE "C" NOT NULL,
  expires_at   text COLLATE "C" NOT NULL,
  seal         text COLLATE "C" NOT NULL CHECK (length(seal) = 64),
  FOREIGN KEY (tool, version) REFERENCES versions (subject, number)
);
CREATE INDEX pending_calls_by_expiry ON pending_calls (expires_at);
CREATE TRIGGER pending_calls_update BEFORE UPDATE OR DELETE ON pending_calls FOR EACH ROW EXECUTE FUNCTION refuse('pending calls are immutable');
CREATE TRIGGER pending_calls_truncate BEFORE TRUNCATE ON pending_calls FOR EACH STATEMENT EXECUTE FUNCTION refuse('pending calls are immutable');

CREATE TABLE call_answers (
  seq         bigint PRIMARY KEY CHECK (seq > 0),
  id          text COLLATE "C" NOT NULL UNIQUE,
  pending     text COLLATE "C" NOT NULL UNIQUE REFERENCES pending_calls (id),
  approved    bigint NOT NULL CHECK (approved IN (0, 1)),
  digest      text COLLATE "C" NOT NULL,
  reason      text COLLATE "C" NOT NULL,
  answered_by text COLLATE "C" NOT NULL CHECK (answered_by LIKE 'user:_%'),
  answered_at text COLLATE "C" NOT NULL,
  call        text COLLATE "C" NOT NULL,
  signature   text COLLATE "C" NOT NULL,
  seal        text COLLATE "C" NOT NULL CHECK (length(seal) = 64),
  CHECK ((approved = 1) = (call <> ''))
);
CREATE FUNCTION check_answer() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pending_calls WHERE id = NEW.pending AND digest = NEW.digest AND expires_at > NEW.answered_at) THEN
    RAISE EXCEPTION 'an answer is about what was asked, in time' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER call_answers_fit BEFORE INSERT ON call_answers FOR EACH ROW EXECUTE FUNCTION check_answer();
CREATE TRIGGER call_answers_update BEFORE UPDATE OR DELETE ON call_answers FOR EACH ROW EXECUTE FUNCTION refuse('answers are immutable');
CREATE TRIGGER call_answers_truncate BEFORE TRUNCATE ON call_answers FOR EACH STATEMENT EXECUTE FUNCTION refuse('answers are immutable');

CREATE TABLE call_tiers (
  seq       bigint PRIMARY KEY CHECK (seq > 0),
  id        text COLLATE "C" NOT NULL UNIQUE,
  "user"    text COLLATE "C" NOT NULL,
  tool      text COLLATE "C" NOT NULL REFERENCES live (subject),
  tier      text COLLATE "C" NOT NULL CHECK (tier IN ('', 'auto_approve', 'requires_approval')),
  set_by    text COLLATE "C" NOT NULL CHECK (set_by LIKE 'user:_%'),
  set_at    text COLLATE "C" NOT NULL,
  signature text COLLATE "C" NOT NULL,
  seal      text COLLATE "C" NOT NULL CHECK (length(seal) = 64)
);
CREATE INDEX call_tiers_by_user ON call_tiers ("user", tool, seq);
CREATE FUNCTION check_tier() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM live WHERE subject = NEW.tool AND approval = 'user_configurable') THEN
    RAISE EXCEPTION 'the user does not choose the tier of this tool' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER call_tiers_fit BEFORE INSERT ON call_tiers FOR EACH ROW WHEN (NEW.tier <> '') EXECUTE FUNCTION check_tier();
CREATE TRIGGER call_tiers_update BEFORE UPDATE OR DELETE ON call_tiers FOR EACH ROW EXECUTE FUNCTION refuse('tiers are immutable');
CREATE TRIGGER call_tiers_truncate BEFORE TRUNCATE ON call_tiers FOR EACH STATEMENT EXECUTE FUNCTION refuse('tiers are immutable');

CREATE TABLE tokens (
  seq         bigint PRIMARY KEY CHECK (seq > 0),
  id          text COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
  caller      text COLLATE "C" NOT NULL,
  secret_hash text COLLATE "C" NOT NULL UNIQUE CHECK (length(secret_hash) = 64),
  created_by  text COLLATE "C" NOT NULL CHECK (created_by LIKE 'user:_%'),
  created_at  text COLLATE "C" NOT NULL,
  expires_at  text COLLATE "C" NOT NULL,
  seal        text COLLATE "C" NOT NULL CHECK (length(seal) = 64)
);
CREATE TRIGGER tokens_update BEFORE UPDATE OR DELETE ON tokens FOR EACH ROW EXECUTE FUNCTION refuse('tokens are immutable; revoke one instead');
CREATE TRIGGER tokens_truncate BEFORE TRUNCATE ON tokens FOR EACH STATEMENT EXECUTE FUNCTION refuse('tokens are immutable; revoke one instead');

CREATE TABLE token_revocations (
  seq        bigint PRIMARY KEY CHECK (seq > 0),
  id         text COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
  token      text COLLATE "C" NOT NULL UNIQUE REFERENCES tokens (id),
  reason     text COLLATE "C" NOT NULL,
  revoked_by text COLLATE "C" NOT NULL CHECK (revoked_by LIKE 'user:_%'),
  revoked_at text COLLATE "C" NOT NULL,
  seal       text COLLATE "C" NOT NULL CHECK (length(seal) = 64)
);
CREATE TRIGGER token_revocations_update BEFORE UPDATE OR DELETE ON token_revocations FOR EACH ROW EXECUTE FUNCTION refuse('revocations are immutable');
CREATE TRIGGER token_revocations_truncate BEFORE TRUNCATE ON token_revocations FOR EACH STATEMENT EXECUTE FUNCTION refuse('revocations are immutable');

CREATE TABLE calls (
  seq          bigint PRIMARY KEY CHECK (seq > 0),
  id           text COLLATE "C" NOT NULL UNIQUE,
  at           text COLLATE "C" NOT NULL,
  actor        text COLLATE "C" NOT NULL,
  agent        text COLLATE "C" NOT NULL,
  layer        text COLLATE "C" NOT NULL,
  "user"       text COLLATE "C" NOT NULL,
  customer     text COLLATE "C" NOT NULL,
  name         text COLLATE "C" NOT NULL,
  tool         text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  content_hash text COLLATE "C" NOT NULL,
  annotations  text COLLATE "C" NOT NULL,
  args_hash    text COLLATE "C" NOT NULL,
  pending      text COLLATE "C" NOT NULL,
  nth          bigint NOT NULL CHECK (nth >= 0),
  prev_hash    text COLLATE "C" NOT NULL,
  hash         text COLLATE "C" NOT NULL CHECK (length(hash) = 64)
);
CREATE UNIQUE INDEX calls_by_day ON calls ("user", tool, substr(at, 1, 10), nth) WHERE nth > 0;
CREATE INDEX calls_by_agent ON calls (agent, seq);
CREATE INDEX calls_by_user ON calls ("user", seq);
CREATE INDEX calls_by_tool ON calls (tool, seq) WHERE tool <> '';
CREATE TRIGGER calls_insert BEFORE INSERT ON calls FOR EACH ROW EXECUTE FUNCTION check_chain();
-- check_call lets a call start that the registry and the user allow: of a version
-- in force; without asking only if the approved tier allows it (auto_approve, or
-- user_configurable with the user's own tier, or else the tool's default) and the
-- tool does not have to be confirmed; or else with the user's approval of it.
CREATE FUNCTION check_call() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
DECLARE
  tier text;
BEGIN
  SELECT CASE
    WHEN json_extract(v.definition, '$.annotations.requiresConfirmation') = 'true' THEN 'requires_approval'
    WHEN l.approval = 'auto_approve' THEN 'auto_approve'
    WHEN l.approval = 'user_configurable' THEN coalesce(
      (SELECT nullif(t.tier, '') FROM call_tiers t WHERE t."user" = NEW."user" AND t.tool = NEW.tool ORDER BY t.seq DESC LIMIT 1),
      json_extract(v.definition, '$.approval.default'))
    ELSE ''
  END INTO tier
  FROM live l JOIN versions v ON v.subject = l.subject AND v.number = l.version
  WHERE l.subject = NEW.tool AND l.version = NEW.version AND l.content_hash = NEW.content_hash AND l.status = 'active' AND l.tool_kind = 'action';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'only what is approved and in force can be called' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF NEW.pending = '' AND tier IS DISTINCT FROM 'auto_approve' THEN
    RAISE EXCEPTION 'this tool needs the yes of the user' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF NEW.pending <> '' AND NOT EXISTS (SELECT 1 FROM call_answers a JOIN pending_calls p ON p.id = a.pending
    WHERE a.pending = NEW.pending AND a.approved = 1 AND a.call = NEW.id
    AND p.tool = NEW.tool AND p.version = NEW.version AND p.content_hash = NEW.content_hash) THEN
    RAISE EXCEPTION 'the user did not approve this call' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER calls_in_force BEFORE INSERT ON calls FOR EACH ROW WHEN (NEW.nth > 0) EXECUTE FUNCTION check_call();
CREATE TRIGGER calls_update BEFORE UPDATE OR DELETE ON calls FOR EACH ROW EXECUTE FUNCTION refuse('calls are immutable');
CREATE TRIGGER calls_truncate BEFORE TRUNCATE ON calls FOR EACH STATEMENT EXECUTE FUNCTION refuse('calls are immutable');

CREATE TABLE call_outcomes (
  seq              bigint PRIMARY KEY CHECK (seq > 0),
  call             text COLLATE "C" NOT NULL UNIQUE REFERENCES calls (id),
  at               text COLLATE "C" NOT NULL,
  code             text COLLATE "C" NOT NULL,
  duration_us      bigint NOT NULL CHECK (duration_us >= 0),
  output           text COLLATE "C" NOT NULL,
  output_hash      text COLLATE "C" NOT NULL CHECK (length(output_hash) IN (0, 64)),
  output_bytes     bigint NOT NULL CHECK (output_bytes >= 0),
  message          text COLLATE "C" NOT NULL,
  approval_request text COLLATE "C" NOT NULL,
  not_run          bigint NOT NULL CHECK (not_run IN (0, 1)),
  prev_hash        text COLLATE "C" NOT NULL,
  hash             text COLLATE "C" NOT NULL CHECK (length(hash) = 64)
);
CREATE INDEX call_outcomes_by_code ON call_outcomes (code, seq);
CREATE TRIGGER call_outcomes_insert BEFORE INSERT ON call_outcomes FOR EACH ROW EXECUTE FUNCTION check_chain();
CREATE TRIGGER call_outcomes_update BEFORE UPDATE OR DELETE ON call_outcomes FOR EACH ROW EXECUTE FUNCTION refuse('outcomes are immutable');
CREATE TRIGGER call_outcomes_truncate BEFORE TRUNCATE ON call_outcomes FOR EACH STATEMENT EXECUTE FUNCTION refuse('outcomes are immutable');

CREATE TABLE calls_open (seq bigint PRIMARY KEY);
CREATE FUNCTION open_call() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  INSERT INTO calls_open (seq) VALUES (NEW.seq);
  RETURN NULL;
END $$;
CREATE FUNCTION close_call() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  DELETE FROM calls_open WHERE seq = (SELECT seq FROM calls WHERE id = NEW.call);
  RETURN NULL;
END $$;
CREATE TRIGGER calls_open_begin AFTER INSERT ON calls FOR EACH ROW EXECUTE FUNCTION open_call();
CREATE TRIGGER calls_open_end AFTER INSERT ON call_outcomes FOR EACH ROW EXECUTE FUNCTION close_call();

CREATE TABLE call_refusals (
  agent     text COLLATE "C" NOT NULL,
  "user"    text COLLATE "C" NOT NULL,
  hour      text COLLATE "C" NOT NULL CHECK (length(hour) = 13),
  written   bigint NOT NULL CHECK (written >= 0),
  counted   bigint NOT NULL CHECK (counted >= 0),
  last_at   text COLLATE "C" NOT NULL,
  last_code text COLLATE "C" NOT NULL,
  PRIMARY KEY (agent, "user", hour)
);
CREATE INDEX call_refusals_counted ON call_refusals (hour) WHERE counted > 0;
CREATE TRIGGER call_refusals_insert BEFORE INSERT ON call_refusals FOR EACH ROW
WHEN (NEW.written + NEW.counted <> 1) EXECUTE FUNCTION refuse('refused calls are counted one by one');
CREATE TRIGGER call_refusals_update BEFORE UPDATE ON call_refusals FOR EACH ROW
WHEN (NEW.agent <> OLD.agent OR NEW."user" <> OLD."user" OR NEW.hour <> OLD.hour OR NEW.written < OLD.written OR NEW.counted < OLD.counted
  OR NEW.written + NEW.counted <> OLD.written + OLD.counted + 1)
EXECUTE FUNCTION refuse('refused calls are counted one by one');
CREATE TRIGGER call_refusals_delete BEFORE DELETE ON call_refusals FOR EACH ROW EXECUTE FUNCTION refuse('counts of refused calls are never deleted');
CREATE TRIGGER call_refusals_truncate BEFORE TRUNCATE ON call_refusals FOR EACH STATEMENT EXECUTE FUNCTION refuse('counts of refused calls are never deleted');
