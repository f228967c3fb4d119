-- call_prunes (records): each row stands for calls that were moved to a file, the
-- oldest of the log: how many calls and outcomes, where both chains ended, and the
-- hash of the last line of the file.
CREATE TABLE call_prunes (
  seq          bigint PRIMARY KEY CHECK (seq > 0),
  id           text COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
  before       text COLLATE "C" NOT NULL,
  calls        bigint NOT NULL CHECK (calls > 0),
  last_call    bigint NOT NULL,
  call_hash    text COLLATE "C" NOT NULL CHECK (length(call_hash) = 64),
  outcomes     bigint NOT NULL CHECK (outcomes >= 0),
  last_outcome bigint NOT NULL,
  outcome_hash text COLLATE "C" NOT NULL,
  file         text COLLATE "C" NOT NULL,
  file_hash    text COLLATE "C" NOT NULL CHECK (length(file_hash) = 64),
  pruned_by    text COLLATE "C" NOT NULL CHECK (pruned_by LIKE 'user:_%'),
  pruned_at    text COLLATE "C" NOT NULL,
  seal         text COLLATE "C" NOT NULL CHECK (length(seal) = 64)
);
-- check_prune keeps the newest call and the newest outcome, because the next ones
-- continue them.
CREATE FUNCTION check_prune() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  IF NEW.last_call - NEW.calls <> coalesce((SELECT max(last_call) FROM call_prunes), 0)
    OR NEW.last_outcome - NEW.outcomes <> coalesce((SELECT max(last_outcome) FROM call_prunes), 0)
    OR NEW.last_call >= (SELECT max(seq) FROM calls)
    OR NEW.outcomes > 0 AND NEW.last_outcome >= (SELECT max(seq) FROM call_outcomes)
    OR NOT EXISTS (SELECT 1 FROM calls WHERE seq = NEW.last_call AND hash = NEW.call_hash)
    OR NEW.outcomes > 0 AND NOT EXISTS (SELECT 1 FROM call_outcomes WHERE seq = NEW.last_outcome AND hash = NEW.outcome_hash)
    OR EXISTS (SELECT 1 FROM calls WHERE seq <= NEW.last_call AND at >= NEW.before) THEN
    RAISE EXCEPTION 'the oldest calls are moved to a file, in the order of the log' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER call_prunes_insert BEFORE INSERT ON call_prunes FOR EACH ROW EXECUTE FUNCTION check_prune();
CREATE TRIGGER call_prunes_update BEFORE UPDATE OR DELETE ON call_prunes FOR EACH ROW EXECUTE FUNCTION refuse('records of pruned calls are immutable');
CREATE TRIGGER call_prunes_truncate BEFORE TRUNCATE ON call_prunes FOR EACH STATEMENT EXECUTE FUNCTION refuse('records of pruned calls are immutable');

-- check_pruned refuses to delete rows that no record of call_prunes covers. Its
-- argument is the column with the number of the last one that is covered.
CREATE FUNCTION check_pruned() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
DECLARE
  last bigint;
BEGIN
  EXECUTE pg_catalog.format('SELECT max(%I) FROM call_prunes', TG_ARGV[0]) INTO last;
  IF OLD.seq > coalesce(last, 0) THEN
    RAISE EXCEPTION '% are immutable', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN OLD;
END $$;
DROP TRIGGER calls_update ON calls;
CREATE TRIGGER calls_update BEFORE UPDATE ON calls FOR EACH ROW EXECUTE FUNCTION refuse('calls are immutable');
CREATE TRIGGER calls_delete BEFORE DELETE ON calls FOR EACH ROW EXECUTE FUNCTION check_pruned('last_call');
DROP TRIGGER call_outcomes_update ON call_outcomes;
CREATE TRIGGER call_outcomes_update BEFORE UPDATE ON call_outcomes FOR EACH ROW EXECUTE FUNCTION refuse('outcomes are immutable');
CREATE TRIGGER call_outcomes_delete BEFORE DELETE ON call_outcomes FOR EACH ROW EXECUTE FUNCTION check_pruned('last_outcome');
CREATE FUNCTION forget_open_call() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  DELETE FROM calls_open WHERE seq = OLD.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER calls_pruned AFTER DELETE ON calls FOR EACH ROW EXECUTE FUNCTION forget_open_call();
-- The call that an answer started is no longer there to keep it from starting again.
CREATE FUNCTION check_answered() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM call_answers WHERE pending = NEW.pending AND answered_at < (SELECT max(before) FROM call_prunes)) THEN
    RAISE EXCEPTION 'the answer is older than the log of calls' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER calls_answered BEFORE INSERT ON calls FOR EACH ROW WHEN (NEW.nth > 0 AND NEW.pending <> '') EXECUTE FUNCTION check_answered();

-- Only people, and servers that write for them, move calls. An agent's role has no
-- grant to delete any.
ALTER TABLE call_prunes ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON call_prunes FROM PUBLIC;
REVOKE ALL ON FUNCTION check_prune(), check_pruned(), forget_open_call(), check_answered() FROM PUBLIC;
GRANT SELECT ON call_prunes TO toolcrib_user, toolcrib_agent, toolcrib_chief, toolcrib_reader;
GRANT INSERT ON call_prunes TO toolcrib_user;
GRANT DELETE ON calls, call_outcomes TO toolcrib_user;
CREATE POLICY call_prunes_read ON call_prunes FOR SELECT USING (true);
CREATE POLICY user_write ON call_prunes FOR INSERT TO toolcrib_user WITH CHECK (acts_as(pruned_by));
CREATE POLICY user_prune ON calls FOR DELETE TO toolcrib_user USING (true);
CREATE POLICY user_prune ON call_outcomes FOR DELETE TO toolcrib_user USING (true);
